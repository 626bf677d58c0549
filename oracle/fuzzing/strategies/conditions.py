"""Strategies for FILTER conditions (SPARQL 1.1 Query, 17), over given variables.

`amounts` are variables that patterns bind to numbers, `things` those that they bind to resources;
a condition mixes the two sorts only rarely, since type errors make a filter false.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import Variable

from ....semantics.rdf.syntax.tree import (
    And,
    Arithmetic,
    BuiltIn,
    Comparison,
    Expression,
    In,
    Not,
    Or,
)
from .choices import among, choice
from .vocabulary import AMOUNTS, NUMBERS, ODD_LITERALS, RESOURCES

_ORDERINGS = choice("condition/ordering", ("<", "=", ">", "<=", ">=", "!="))
_EQUALITIES = choice("condition/equality", ("=", "!="))
_SUMS = choice("condition/arithmetic", ("+", "-", "*", "/"))
_SHAPES = choice(
    "condition/shape",
    ("one", "one", "one", "one", "one", "one", "and", "or", "not", "in", "fallback"),
)


@st.composite
def conditions(
    draw: DrawFn, variables: Sequence[Variable], must_use: Sequence[Variable] = ()
) -> Expression:
    """Conditions over `variables`; at least one of `must_use` occurs in it, if any are given."""
    required = list(must_use) or list(variables)
    shape = draw(_SHAPES)
    if shape == "and":
        return And((_comparison(draw, variables, required), _comparison(draw, variables, [])))
    if shape == "or":
        return Or((_comparison(draw, variables, required), _comparison(draw, variables, [])))
    if shape == "not":
        return Not(_comparison(draw, variables, required))
    if shape == "in":
        chosen = draw(among(required))
        choices = tuple(draw(st.lists(_value(chosen, variables), min_size=1, max_size=2)))
        return In(chosen, choices, negated=draw(_COIN))
    if shape == "fallback":
        chosen = draw(among(required))
        return Comparison("=", BuiltIn("COALESCE", (chosen, NUMBERS[0])), NUMBERS[0])
    return _comparison(draw, variables, required)


def _comparison(
    draw: DrawFn, variables: Sequence[Variable], required: Sequence[Variable]
) -> Expression:
    left = draw(among(required or variables))
    if left not in AMOUNTS:
        return _about_a_thing(draw, left, variables)
    if draw(_OF_AMOUNTS) == "bound":
        return _bound(draw, left)
    term = _sum(draw, left, variables) if draw(_RARELY) else left
    right = draw(_value(left, variables))
    if isinstance(right, Variable) and draw(_RARELY):
        right = _sum(draw, right, variables)
    return Comparison(draw(_ORDERINGS), term, right)


_RARELY = choice("condition/computes", (False, False, False, True))
_OF_AMOUNTS = choice("condition/of an amount", (*("compare",) * 5, "bound"))
_OF_THINGS = choice(
    "condition/of a thing", ("compare", "compare", "compare", "bound", "kind", "same")
)
_KINDS = choice("condition/kind", ("ISIRI", "ISBLANK", "ISLITERAL"))
_COIN = st.booleans()


def _about_a_thing(draw: DrawFn, left: Variable, variables: Sequence[Variable]) -> Expression:
    match draw(_OF_THINGS):
        case "bound":
            return _bound(draw, left)
        case "kind":
            return BuiltIn(draw(_KINDS), (left,))
        case "same":
            return BuiltIn("SAMETERM", (left, draw(_value(left, variables))))
        case _:
            return Comparison(draw(_EQUALITIES), left, draw(_value(left, variables)))


def _bound(draw: DrawFn, variable: Variable) -> Expression:
    bound = BuiltIn("BOUND", (variable,))
    return Not(bound) if draw(_COIN) else bound


def _sum(draw: DrawFn, term: Expression, variables: Sequence[Variable]) -> Expression:
    return Arithmetic(draw(_SUMS), term, draw(_value(AMOUNTS[0], variables)))


def _value(like: Variable, variables: Sequence[Variable]) -> st.SearchStrategy[Expression]:
    """Another variable or a constant, mostly of the sort of `like`."""
    amount = like in AMOUNTS
    others = [v for v in variables if v != like and (v in AMOUNTS) == amount]
    constants: list[Expression] = [*RESOURCES]
    if amount:
        constants = [*(NUMBERS[1], *NUMBERS, NUMBERS[1]) * 5, *ODD_LITERALS]
    # As many variables as constants, twice over.
    often = 2 * len(constants) // len(others) if others else 0
    return among([*others, *constants, *others * often])
