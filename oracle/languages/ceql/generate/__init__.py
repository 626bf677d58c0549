"""CEQL inputs: formulas, queries, tuples and whole cases, drawn by choices.

Three event types, three variables and a handful of attributes with few values: queries often match.
Streams have missing attributes, equal timestamps, tuples that are in no partition, and attributes
that decrease as well as increase.
"""

from __future__ import annotations

from hypothesis.strategies import DrawFn, SearchStrategy, composite

from .....semantics.ceql.syntax.tree import CeqlQuery, Formula, Predicate
from ....inputs.choices import HypothesisChoices, cases_on, strategies
from ..case import CeqlCase
from .cases import VALUE_TABLES, case, tuples
from .queries import any_formula, predicate, query, readings
from .restrictions import RESTRICTIONS

ceql_queries = strategies(query)
ceql_readings = strategies(readings)
tuple_streams = strategies(tuples)


def ceql_cases(queries: SearchStrategy[CeqlQuery] | None = None) -> SearchStrategy[CeqlCase]:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return cases_on(case, queries)


@composite
def formulas(draw: DrawFn, size: int = 5, streams: int = 1) -> Formula:
    """Return a strategy of formulas with fewer than 2 × `size` operators."""
    choices = HypothesisChoices(draw)
    return any_formula(choices, streams, choices.among("", range(2 * size)))


@composite
def predicates(draw: DrawFn) -> Predicate:
    """Return a strategy of predicates with at most two operators."""
    choices = HypothesisChoices(draw)
    return predicate(choices, choices.among("", (0, 0, 1, 2)))


__all__ = [
    "RESTRICTIONS", "VALUE_TABLES",
    "case", "ceql_cases", "ceql_queries", "ceql_readings", "formulas", "predicates",
    "tuple_streams",
]
