"""The engine's expressions have the values, and the errors, that the definitions give them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import Variable

from denota.engine.rdf.conditions import compile_condition
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.expressions.compile import ExpressionCompiler
from denota.engine.rdf.expressions.values import ExpressionError
from denota.oracle.inputs.sparql_data import DATA_NODES, LITERALS, VARIABLES
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Term
from denota.semantics.rdf.expressions import evaluation as definitions
from denota.semantics.rdf.expressions.context import Context
from denota.semantics.rdf.expressions.operators import ExpressionError as Undefined
from denota.semantics.rdf.syntax.tree import Expression
from denota.strategies import expressions

from ...examples import examples

BOUND = VARIABLES[:2]
TERMS = st.sampled_from((*LITERALS, *LITERALS, *DATA_NODES[-3:]))
SOLUTIONS = st.tuples(TERMS, TERMS)


def value(expression: Expression, terms: tuple[Term, ...]) -> Term | None:
    dictionary = Dictionary()
    positions: dict[Variable, int] = {variable: at for at, variable in enumerate(BOUND)}
    term = ExpressionCompiler(positions, dictionary).term(expression)
    try:
        return dictionary.decode(term(tuple(map(dictionary.encode, terms))))
    except ExpressionError:
        return None


def defined_value(expression: Expression, mu: SolutionMapping) -> Term | None:
    try:
        return definitions.evaluate(expression, mu, Context())
    except Undefined:
        return None


@examples(1_000)
@given(expressions(VARIABLES[:3]), SOLUTIONS)
def test_an_expression_has_the_value_of_the_definitions(
    expression: Expression, terms: tuple[Term, ...]
) -> None:
    mu = SolutionMapping(zip(BOUND, terms, strict=True))
    assert value(expression, terms) == defined_value(expression, mu)


@examples(500)
@given(expressions(VARIABLES[:3]), SOLUTIONS)
def test_a_condition_holds_as_the_definitions_say(
    expression: Expression, terms: tuple[Term, ...]
) -> None:
    dictionary = Dictionary()
    holds = compile_condition(expression, BOUND, dictionary)
    mu = SolutionMapping(zip(BOUND, terms, strict=True))
    row = tuple(map(dictionary.encode, terms))
    assert holds(row) == definitions.holds(expression, mu)
