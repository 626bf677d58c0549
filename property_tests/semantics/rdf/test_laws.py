"""Laws of graph patterns, expressions, numbers and documents, whatever they are made of."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from random import Random

import pyoxigraph
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import BNode, URIRef, Variable

from denota.oracle.inputs.sparql_data import LITERALS
from denota.oracle.results.json_objects import mapping_to_json
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Dataset, Graph, Literal, Term, literal
from denota.semantics.rdf.evaluation import evaluate
from denota.semantics.rdf.expressions import arithmetic
from denota.semantics.rdf.expressions.operators import ExpressionError, equals, less
from denota.semantics.rdf.expressions.ordering import compare_terms
from denota.semantics.rdf.expressions.values import Float, number, value_of
from denota.semantics.rdf.isomorphism import isomorphic_graphs
from denota.semantics.rdf.queries import SelectResult
from denota.semantics.rdf.results import as_csv, read_results, same_results
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.printing import to_text
from denota.semantics.rdf.syntax.tree import (
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    UnionPattern,
)
from denota.semantics.rdf.syntax.variables import possible_variables
from denota.strategies import datasets, group_graph_patterns, rdf_graphs

Omega = list[SolutionMapping]


@given(group_graph_patterns(), datasets())
def test_a_printed_pattern_is_parsed_to_the_same(
    group: GroupGraphPattern, dataset: Dataset
) -> None:
    # What is generated may have two triples blocks side by side, or a sub-select beside other
    # elements; what is parsed has not.
    parsed = parse_group(to_text(group))
    assert parse_group(to_text(parsed)) == parsed
    assert _bag(evaluate(parsed, dataset)) == _bag(evaluate(group, dataset))


# --- patterns ------------------------------------------------------------------------------------


def _bag(omega: Omega) -> Counter[SolutionMapping]:
    return Counter(omega)


def _group(*patterns: GroupGraphPattern) -> GroupGraphPattern:
    return GroupGraphPattern(tuple(UnionPattern((pattern,)) for pattern in patterns))


@given(group_graph_patterns(), datasets())
def test_only_possible_variables_are_bound(group: GroupGraphPattern, dataset: Dataset) -> None:
    possible = possible_variables(group)
    assert all(possible.issuperset(mu) for mu in evaluate(group, dataset))


@given(group_graph_patterns(), group_graph_patterns(), datasets())
def test_joins_and_unions_commute(
    one: GroupGraphPattern, other: GroupGraphPattern, dataset: Dataset
) -> None:
    there, back = _group(one, other), _group(other, one)
    assert _bag(evaluate(there, dataset)) == _bag(evaluate(back, dataset))
    union = evaluate(GroupGraphPattern((UnionPattern((one, other)),)), dataset)
    assert _bag(union) == _bag(evaluate(one, dataset)) + _bag(evaluate(other, dataset))


@given(group_graph_patterns(), group_graph_patterns(), datasets())
def test_an_optional_keeps_every_solution_and_a_minus_adds_none(
    left: GroupGraphPattern, right: GroupGraphPattern, dataset: Dataset
) -> None:
    whole = evaluate(left, dataset)
    part = UnionPattern((left,))
    kept = evaluate(GroupGraphPattern((part, MinusPattern(right))), dataset)
    assert _bag(kept) <= _bag(whole)
    extended = evaluate(GroupGraphPattern((part, OptionalPattern(right))), dataset)
    assert all(
        any(mu.items() <= more.items() for more in extended) for mu in whole
    )
    assert len(extended) >= len(whole)


# --- terms and numbers ---------------------------------------------------------------------------

terms = st.sampled_from([*LITERALS, BNode("b"), URIRef("urn:a"), URIRef("urn:b")])


@given(st.lists(st.sampled_from(LITERALS), min_size=3, max_size=3))
def test_the_order_of_terms_is_total_and_extends_less(values: list[Literal]) -> None:
    a, b, c = values
    assert compare_terms(a, b) == -compare_terms(b, a)
    if compare_terms(a, b) <= 0 and compare_terms(b, c) <= 0:
        assert compare_terms(a, c) <= 0
    try:
        if less(a, b):
            assert compare_terms(a, b) < 0
    except ExpressionError:
        pass


@given(terms, terms)
def test_equality_is_symmetric_and_follows_from_identity(a: Term, b: Term) -> None:
    def outcome(x: Term, y: Term) -> bool | None:
        try:
            return equals(x, y)
        except ExpressionError:
            return None

    assert outcome(a, b) == outcome(b, a)
    is_nan = isinstance(a, Literal) and str(a) == "NaN"
    assert outcome(a, a) is not is_nan


decimals = st.decimals(allow_nan=False, allow_infinity=False, places=12)


@given(st.integers() | decimals, st.integers() | decimals)
def test_integers_and_decimals_are_exact(a: int | Decimal, b: int | Decimal) -> None:
    for operation, exact in (
        (arithmetic.add, Fraction(a) + Fraction(b)),
        (arithmetic.subtract, Fraction(a) - Fraction(b)),
        (arithmetic.multiply, Fraction(a) * Fraction(b)),
    ):
        result = operation(a, b)
        assert isinstance(result, int | Decimal)
        assert Fraction(result) == exact
    if b:
        quotient = arithmetic.divide(a, b)
        assert isinstance(quotient, Decimal)
        assert abs(Fraction(quotient) - Fraction(a) / Fraction(b)) <= Fraction(1, 2 * 10**18)


@given(
    st.integers() | decimals | st.floats() | st.floats(width=32).map(Float)
)
def test_a_number_is_what_its_literal_denotes(value: int | Decimal | float | Float) -> None:
    denoted = value_of(number(value))
    assert type(denoted) is type(value)
    assert repr(denoted) == repr(value) or denoted == value


# --- documents -----------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\t\r\n"))
cells = st.none() | st.sampled_from(LITERALS) | texts.map(literal) | st.just(BNode("n"))


@st.composite
def results(draw: st.DrawFn) -> SelectResult:
    variables = tuple(map(Variable, "xyz"[: draw(st.integers(1, 3))]))
    rows = draw(st.lists(st.tuples(*(cells for _ in variables)), max_size=4))
    return SelectResult(variables, tuple(
        SolutionMapping({v: t for v, t in zip(variables, row, strict=True) if t is not None})
        for row in rows
    ))


def written(result: SelectResult, format: pyoxigraph.QueryResultsFormat) -> str:
    """The document that states a result, as another library writes it."""
    names = list(map(str, result.variables))
    rows = [mapping_to_json(mu) for mu in result.solutions]
    stated = json.dumps({"head": {"vars": names}, "results": {"bindings": rows}})
    read = pyoxigraph.parse_query_results(stated, format=pyoxigraph.QueryResultsFormat.JSON)
    document = read.serialize(format=format)
    assert document is not None  # it is None where it is written to a file
    return document.decode()


@given(results())
def test_results_are_read_as_they_were_written(result: SelectResult) -> None:
    formats = pyoxigraph.QueryResultsFormat
    for name, format in (("srx", formats.XML), ("srj", formats.JSON), ("tsv", formats.TSV)):
        if name == "srx" and any("\ufffe" in str(t) or "\uffff" in str(t)
                                   for mu in result.solutions for t in mu.values()):
            continue  # no XML can hold these
        assert read_results(written(result, format), name) == result
    assert read_results(written(result, formats.CSV), "csv") == as_csv(result)


@given(results(), st.randoms())
def test_results_equal_themselves_in_any_order(result: SelectResult, random: Random) -> None:
    shuffled = list(result.solutions)
    random.shuffle(shuffled)
    assert same_results(result, SelectResult(result.variables[::-1], tuple(shuffled)))


@given(rdf_graphs(), st.permutations(["d1", "d2", "e1", "e2"]))
def test_a_graph_is_isomorphic_to_itself_renamed(graph: Graph, names: list[str]) -> None:
    renaming = {BNode("d1"): BNode(names[0]), BNode("d2"): BNode(names[1])}
    renamed = frozenset(
        (renaming.get(s, s), p, renaming.get(o, o)) for s, p, o in graph  # type: ignore[call-overload]
    )
    assert isomorphic_graphs(graph, renamed)
