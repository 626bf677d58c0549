"""CEQL inputs: formulas, queries, tuples and whole cases, drawn by choices.

Three event types, three variables and a handful of attributes with few values: queries often match.
Streams have missing attributes, equal timestamps, tuples that are in no partition, and attributes
that decrease as well as increase.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis.strategies import DrawFn, SearchStrategy, composite

from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.tree import CeqlQuery, Formula, Predicate
from .....semantics.model.tuples import EventTuple
from ....inputs.choices import HypothesisChoices, strategy
from ..case import CeqlCase
from .cases import case, tuples
from .formulas import TYPES, predicate
from .queries import any_formula, query, readings
from .restrictions import RESTRICTIONS
from .value_tables import VALUE_TABLES


@composite
def ceql_cases(draw: DrawFn, queries: SearchStrategy[CeqlQuery] | None = None) -> CeqlCase:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return case(HypothesisChoices(draw), None if queries is None else draw(queries))


def ceql_queries() -> SearchStrategy[CeqlQuery]:
    """Return a strategy of queries with any clauses, most of them few."""
    return strategy(query)


def ceql_readings(query: CeqlQuery) -> SearchStrategy[Readings]:
    """Return a strategy of readings; one that cannot matter to the query keeps its default."""
    return strategy(readings, query)


def tuple_streams(
    types: Sequence[str] = TYPES, *, size: int = 7
) -> SearchStrategy[tuple[EventTuple, ...]]:
    """Return a strategy of streams of at most `size` tuples of these types, in time order."""
    return strategy(tuples, types, size=size)


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
