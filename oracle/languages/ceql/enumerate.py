"""All CEQL cases up to a size: every formula on every stream, the smallest first.

The size of a query is its number of operators: ; : + :+ OR NOT, one for a selection strategy, one
for CONSUME BY ANY. Event types are renamed as isomorphism allows: a formula's are A, B, … as it
names them first, and all types that it does not name are Z. The size of a case is that of its query
plus its number of events; cases of one size come with smaller queries first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from string import ascii_uppercase

from ....semantics.ceql.syntax.analysis import subformulas
from ....semantics.ceql.syntax.printing import to_text
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import (
    CeqlQuery,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Formula,
    Iteration,
    NotFormula,
    Sequence,
    Strategy,
    WindowUnit,
    Within,
)
from ...sweeps.corpus_file import EMPTY_OBJECT, CorpusRow
from ...sweeps.enumerated_rows import rows_of_block
from ..enumeration import Bounds, BoundsError, Listing, blocks

STREAM = "S"
OTHER = "Z"

_BINARY: tuple[type[Sequence] | type[Contiguous] | type[Disjunction], ...] = (
    Sequence, Contiguous, Disjunction
)
_STRATEGIES = (Strategy.NEXT, Strategy.LAST, Strategy.MAX, Strategy.STRICT)


@dataclass(frozen=True, slots=True)
class CeqlEnumeration:
    """What is enumerated: the bounds, a window of so many events (None: no window), readings."""

    most_operators: int = 2
    most_events: int = 3
    within: int | None = None
    readings: Readings = field(default_factory=Readings)


def listing(bounds: Bounds) -> Listing:
    """All cases within the bounds."""
    if bounds.slide is not None or (bounds.within is not None and not bounds.events):
        raise BoundsError("windows of CEQL are 'N EVENTS', without SLIDE")
    enumeration = CeqlEnumeration(
        bounds.operators, bounds.length, bounds.within, Readings.of(bounds.readings)
    )
    return Listing(enumerated_ceql_cases(enumeration), partial(ceql_case_count, enumeration))


def enumerated_ceql_cases(enumeration: CeqlEnumeration) -> Iterator[CorpusRow]:
    """Every case within the bounds, one of each isomorphism class, the smallest first."""
    for operators, events in blocks(enumeration.most_operators, enumeration.most_events):
        yield from enumerated_ceql_block(enumeration, operators, events)


def enumerated_ceql_block(
    enumeration: CeqlEnumeration, operators: int, events: int
) -> Iterator[CorpusRow]:
    """Every case with exactly so many operators and events."""
    cases = (
        (to_text(query), map(_stream_text, product(_letters(query.formula), repeat=events)))
        for query in enumerated_ceql_queries(operators, enumeration.within)
    )
    return rows_of_block(
        "ceql", operators, events, cases, prefixes=EMPTY_OBJECT, readings=enumeration.readings
    )


def _stream_text(types: tuple[str, ...]) -> str:
    return json.dumps({STREAM: {"csv": "\n".join(["type", *types]) + "\n"}})


def ceql_case_count(enumeration: CeqlEnumeration, operators: int, events: int) -> int:
    """How many cases have exactly so many operators and events."""
    queries = enumerated_ceql_queries(operators, enumeration.within)
    return sum(len(_letters(query.formula)) ** events for query in queries)


def enumerated_ceql_queries(operators: int, within: int | None = None) -> Iterator[CeqlQuery]:
    """Every query with exactly so many operators."""
    window = None if within is None else Within(within, WindowUnit.EVENTS)
    for consume in (Consumption.NONE, Consumption.ANY):
        left = operators - (consume is not Consumption.NONE)
        strategies = [(Strategy.ALL, left), *((each, left - 1) for each in _STRATEGIES)]
        for strategy, inner in strategies:
            for formula in enumerated_formulas(inner):
                yield CeqlQuery(
                    formula, strategy=strategy, streams=(STREAM,), within=window, consume=consume
                )


def enumerated_formulas(operators: int) -> Iterator[Formula]:
    """Every formula with exactly so many operators, its event types A, B, … as first named."""
    for shape in _shapes(operators) if operators >= 0 else ():
        yield from _labelled(shape)


@cache
def _shapes(operators: int) -> tuple[Formula, ...]:
    """Formulas over one event type."""
    if operators == 0:
        return (EventType(""),)
    made: list[Formula] = [NotFormula(EventType(""))] if operators == 1 else []
    for inner in _shapes(operators - 1):
        made += [Iteration(inner), ContiguousIteration(inner)]
    for on_left in range(operators):
        for operator in _BINARY:
            made += [
                operator(left, right)
                for left in _shapes(on_left)
                for right in _shapes(operators - 1 - on_left)
            ]
    return tuple(made)


def _labelled(shape: Formula) -> Iterator[Formula]:
    """The formula with every way to call its event types, up to renaming."""
    leaves = sum(isinstance(phi, EventType) for phi in subformulas(shape))
    for names in _names(leaves):
        yield _with_names(shape, iter(names))


@cache
def _names(leaves: int) -> tuple[tuple[str, ...], ...]:
    """Words in which a letter is new or known: A, then A or B, then …"""
    if leaves == 0:
        return ((),)
    return tuple(
        (*word, letter)
        for word in _names(leaves - 1)
        for letter in ascii_uppercase[: len(set(word)) + 1]
    )


def _with_names(phi: Formula, names: Iterator[str]) -> Formula:
    match phi:
        case EventType():
            return EventType(next(names))
        case NotFormula():
            return NotFormula(EventType(next(names)))
        case Iteration(inner):
            return Iteration(_with_names(inner, names))
        case ContiguousIteration(inner):
            return ContiguousIteration(_with_names(inner, names))
        case Sequence(left, right) | Contiguous(left, right) | Disjunction(left, right):
            first = _with_names(left, names)
            return type(phi)(first, _with_names(right, names))
    return phi


def _letters(phi: Formula) -> tuple[str, ...]:
    named = {each.name for each in subformulas(phi) if isinstance(each, EventType)}
    return (*sorted(named), OTHER)


__all__ = [
    "CeqlEnumeration", "ceql_case_count", "enumerated_ceql_block", "enumerated_ceql_cases",
    "enumerated_ceql_queries", "enumerated_formulas",
]
