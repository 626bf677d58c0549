"""The clauses of CORE's later language: CONSUME BY, LIMIT, SELECT ANY.

A query of the paper's language is evaluated by `denotation`. One with these clauses says more than
a set: events are forgotten once something has come of them, and several results are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..model.tuples import EventTuple
from . import denotation
from .denotation import partitions, results, timed
from .syntax.analysis import takes_any
from .syntax.readings import Readings
from .syntax.results import ComplexEvent
from .syntax.tree import CeqlQuery, Consumption, Strategy
from .valuations import Stream


def evaluate(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings | None = None
) -> frozenset[ComplexEvent]:
    """⟦Q⟧(S), S the merged stream of the FROM clause.

    Where the query lets its evaluator choose (SELECT ANY, LIMIT), one of the results that are
    right: the first ones in the order of complex events. `choices` has them all.
    """
    readings = readings or Readings()
    if query.consume is Consumption.NONE and not takes_any(query):
        return denotation.evaluate(query, stream, readings)
    return frozenset(
        event
        for choice in choices(query, stream, readings)
        for event in sorted(choice.candidates)[: choice.count]
    )


# --- SELECT ANY and LIMIT -------------------------------------------------------------------------


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
    readings = readings or Readings()
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


def nearest(choices: Sequence[Choice], reported: Iterable[ComplexEvent]) -> list[ComplexEvent]:
    """Return the correct result that shares most complex events with the reported one.

    Of each choice it has those candidates that were reported, up to the number that is right; if
    they are too few, the first of the others.
    """
    known = set(reported)
    result: list[ComplexEvent] = []
    for choice in choices:
        taken = sorted(choice.candidates & known)[: choice.count]
        others = sorted(choice.candidates - known)
        result += taken + others[: choice.count - len(taken)]
    return result


# --- CONSUME BY -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """The results that end at `end` in a partition, of which `stream` is what is not forgotten."""

    end: int
    stream: Stream
    results: frozenset[ComplexEvent]


def moments(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings
) -> Iterator[Moment]:
    """Yield the results that each event triggers in each partition, in order; they may be empty.

    An event that triggers output and all events before it are forgotten, in all partitions
    (CONSUME BY ANY) or in its own (PARTITION).
    """
    s = timed(query, stream)
    remaining = dict(enumerate(partitions(s, query.partition, readings.partition)))
    found = {i: results(query, s_i, readings) for i, s_i in remaining.items()}
    for end, _ in s:
        for i in remaining:
            triggered = frozenset(event for event in found[i] if event.end == end)
            yield Moment(end, remaining[i], triggered)
            for consumed in _consuming(query.consume, i, [*remaining]) if triggered else ():
                remaining[consumed] = remaining[consumed].after(end)
                found[consumed] = results(query, remaining[consumed], readings)


def _consuming(policy: Consumption, own: int, everyone: list[int]) -> list[int]:
    match policy:
        case Consumption.NONE:
            return []
        case Consumption.PARTITION:
            return [own]
        case Consumption.ANY:
            return everyone
