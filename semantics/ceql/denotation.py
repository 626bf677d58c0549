"""What a CEQL query means (CORE section 2.2): FROM, PARTITION BY, WHERE, SELECT, WITHIN in turn.

| definition | function |
|---|---|
| data-tuples, streams, S[D], valuations, complex events, C_V | `valuations` |
| predicates, t ⊨ P, T ⊨ P | `predicates.satisfies`, `all_satisfy` |
| Table 2 (Figure 2), ⌈φ⌋(S) | `formulas.valuations` |
| FROM, the merged stream | `streams.tuples.merged` |
| PARTITION BY | `partitions` |
| SELECT, projection and strategy | `syntax.CeqlQuery.projected`, `strategies.selected` |
| WITHIN | `windows.is_within` |
| ⟦φ⟧(S) = {C_V | V ∈ ⌈φ⌋(S)} | `choices` |
| CONSUME BY, LIMIT (CORE's later language) | `moments`, `choices` |

Where the paper is silent or its engines differ, docs/semantics/ceql.md says what we rule and which
case proves it. Slow on purpose: every valuation that FILTER leaves is made before SELECT and WITHIN
throw any away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..streams.tuples import EventTuple, in_time_order
from .formulas import valuations
from .partitions import partitions
from .pushing import pushed
from .readings import Readings
from .results import ComplexEvent
from .strategies import selected
from .syntax import CeqlQuery, Consumption, Strategy, WindowUnit
from .valuations import Stream, Valuations, complex_event, with_bindings
from .windows import is_within


def evaluate(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings | None = None
) -> frozenset[ComplexEvent]:
    """⟦Q⟧(S), S the merged stream of the FROM clause.

    Where the query lets its evaluator choose (SELECT ANY, LIMIT), one of the results that are
    right: the first ones in the order of complex events. `choices` has them all. Raises
    `StreamError` if WITHIN measures arrival time and a tuple has none or is out of order.
    """
    return frozenset(
        event
        for choice in choices(query, stream, readings)
        for event in sorted(choice.candidates)[: choice.count]
    )


@dataclass(frozen=True, slots=True)
class Choice:
    """Any `count` of the `candidates` are right."""

    candidates: frozenset[ComplexEvent]
    count: int


def choices(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings | None = None
) -> tuple[Choice, ...]:
    """⟦Q⟧(S), with what it leaves open.

    A query without SELECT ANY and LIMIT leaves nothing open: every candidate is taken. SELECT ANY
    takes one complex event of those that a partition has at an end position; LIMIT k takes at most
    k of those that one event triggers, or of all (`limit=query`).
    """
    readings = (readings or Readings()).applied_to(query)
    triggered = [
        Choice(moment.results, 1 if query.strategy is Strategy.ANY else len(moment.results))
        for moment in moments(query, stream, readings) if moment.results
    ]
    if query.limit is None:
        return tuple(triggered)
    if readings.limit == "event":
        return tuple(Choice(c.candidates, min(c.count, query.limit)) for c in triggered)
    return _limited(triggered, query.limit)


def _limited(triggered: Iterable[Choice], limit: int) -> tuple[Choice, ...]:
    """`limit=query`: an evaluator that never looks ahead stops after its first k results."""
    chosen = []
    for choice in triggered:
        count = min(choice.count, limit)
        if count:
            chosen.append(Choice(choice.candidates, count))
        limit -= count
    return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Moment:
    """The results that end at `end` in a partition, of which `stream` is what is not forgotten."""

    end: int
    stream: Stream
    results: frozenset[ComplexEvent]


def moments(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings
) -> Iterator[Moment]:
    """What each event triggers in each partition, in order, also where that is nothing.

    CONSUME BY: an event that triggers output and all events before it are forgotten, in all
    partitions (ANY) or in its own (PARTITION).
    """
    if query.within is not None and query.within.unit is WindowUnit.TIME:
        stream = list(in_time_order(stream))
    remaining = dict(enumerate(partitions(stream, query.partition, readings.partition)))
    found = {key: _by_end(query, s, readings) for key, s in remaining.items()}
    for end in range(len(stream)):
        for key in remaining:
            results = found[key].get(end, frozenset())
            yield Moment(end, remaining[key], results)
            for consumed in _consuming(query.consume, key, remaining) if results else ():
                remaining[consumed] = remaining[consumed].after(end)
                found[consumed] = _by_end(query, remaining[consumed], readings)


def _consuming(policy: Consumption, own: int, everyone: Collection[int]) -> list[int]:
    match policy:
        case Consumption.NONE:
            return []
        case Consumption.PARTITION:
            return [own]
        case Consumption.ANY:
            return list(everyone)


def _by_end(
    query: CeqlQuery, s: Stream, readings: Readings
) -> dict[int, frozenset[ComplexEvent]]:
    """WHERE, SELECT and WITHIN on one partition: the results at each end position."""
    matched = valuations(pushed(query.projected), s)
    if readings.strategy == "before-within":
        taken = _within(selected(matched, query.strategy, s), query, s, readings)
    else:
        taken = selected(_within(matched, query, s, readings), query.strategy, s)
    result = with_bindings if readings.output == "valuation" else complex_event
    ends = {v.end for v in taken}
    return {end: frozenset(result(v) for v in taken if v.end == end) for end in ends}


def _within(matched: Valuations, query: CeqlQuery, s: Stream, readings: Readings) -> Valuations:
    """⌈φ WITHIN ε⌋(S)"""
    within = query.within
    if within is None:
        return matched
    return frozenset(v for v in matched if is_within(v, within, s, readings.within))
