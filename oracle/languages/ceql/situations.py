"""What may happen on a stream that CEQL's definitions have a word to say about.

A situation is met where it has to do with the answer: what stands in the interval of a complex
event, or what would be one if a clause had not said otherwise. For the latter the definitions are
asked once more, about the query without the clause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from ....semantics.ceql.denotation import partitions
from ....semantics.ceql.syntax.analysis import takes_any
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import (
    Consumption,
    ContiguousIteration,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Strategy,
    WindowUnit,
)
from ....semantics.ceql.valuations import Stream
from ....semantics.model.trees import changed, find, has
from .case import CeqlCase
from .explain.derivations import without_contiguity

SITUATIONS: Mapping[str, str] = {
    "several at an end": "several complex events end at one position (Table 2)",
    "one data, two starts": "two complex events have the same data and other intervals (C_V)",
    "no data": "an interval has no data (π_L, NOT)",
    "at the bound": "V(end) − V(start) is what WITHIN allows at most (WITHIN: ≤ ε)",
    "just outside": "a match is one longer than WITHIN allows, and there is an answer",
    "left": "WITHIN drops a match, and a later answer does without it",
    "the measure falls": "the attribute that WITHIN measures falls in an answer's interval",
    "the measure is missing": "a tuple of an answer's interval lacks that attribute",
    "tie": "two tuples in an answer's interval arrive at one time (FROM)",
    "tie of streams": "they are of two streams (FROM: ties in its own order)",
    "other types": "an attribute has another type in another stream, both in an answer's interval",
    "beaten": "a strategy drops what another match with the same end beats",
    "a rival outside": "it matters whether a strategy chooses before or after WITHIN",
    "several winners": "a strategy takes several sets of positions at one end",
    "not a block": "STRICT drops what leaves out a tuple in between",
    "another partition": "the tuples of a match are not all in one partition, so it is none",
    "two partitions": "two partitions have answers",
    "interleaved": "a tuple of another partition stands in an answer's interval",
    "in no partition": "a tuple in an answer's interval is in no partition",
    "consumed": "CONSUME BY forgets what a later match would need",
    "consumed elsewhere": "it matters whether other partitions forget it, too",
    "limited": "LIMIT or ANY leaves out some results of an event",
    "filtered": "FILTER drops a match (V ⊨ θ)",
    "not next": "`:` or `:+` drops what `;` or `+` takes",
    "iterated": "an answer takes a second iteration of φ+",
    "NOT": "NOT(φ) says no to a tuple, and there is an answer",
}

_MOST_TUPLES = 12
"""On longer streams the definitions are not asked again."""


def met(case: CeqlCase, expected: Iterable[ComplexEvent]) -> frozenset[str]:
    """The situations that a case with these answers meets; none without answers."""
    answers = _Answers(case, frozenset(expected))
    return frozenset(answers.all()) if answers.events else frozenset()


@dataclass(frozen=True)
class _Answers:
    case: CeqlCase
    events: frozenset[ComplexEvent]

    def all(self) -> Iterator[str]:
        yield from self.of_events()
        yield from self.of_tuples()
        yield from self.of_partitions()
        if takes_any(self.case.query):
            if any(len(choice.candidates) > choice.count for choice in self.case.choices()):
                yield "limited"
        elif len(self.stream) <= _MOST_TUPLES:
            yield from self.of_clauses()
            yield from self.of_the_formula()

    @cached_property
    def stream(self) -> list[Any]:
        return self.case.merged()

    # --- what they say by themselves ---

    def of_events(self) -> Iterator[str]:
        ends = Counter(event.end for event in self.events)
        if max(ends.values()) > 1:
            yield "several at an end"
        data = {(event.end, event.positions) for event in self.events}
        if len(data) < len({(e.end, e.positions, e.start) for e in self.events}):
            yield "one data, two starts"
        if any(not event.positions for event in self.events):
            yield "no data"
        chooses = self.case.query.strategy not in (Strategy.ALL, Strategy.ANY)
        if chooses and max(Counter(end for end, _ in data).values()) > 1:
            yield "several winners"

    def of_tuples(self) -> Iterator[str]:
        """What stands in the interval of an answer."""
        within = self.case.query.within
        measure = within.attribute if within is not None else None
        for start, end in {(event.start, event.end) for event in self.events}:
            tuples = self.stream[start : end + 1]
            for earlier, later in pairwise(tuples):
                if earlier.time == later.time:
                    yield "tie" if earlier.stream == later.stream else "tie of streams"
            kinds: dict[str, set[type]] = {}
            for each in tuples:
                for name, value in each.attributes.items():
                    kinds.setdefault(name, set()).add(type(value))
            if any(len(types - {int}) > 1 or {int, str} <= types for types in kinds.values()):
                yield "other types"
            if measure is not None:
                values = [each.get(measure) for each in tuples]
                if None in values:
                    yield "the measure is missing"
                known = [v for v in values if isinstance(v, int | float)]
                if known != sorted(known):
                    yield "the measure falls"

    def of_partitions(self) -> Iterator[str]:
        query = self.case.query
        if not query.partition:
            return
        stream = Stream(dict(enumerate(self.stream)))
        members = partitions(stream, query.partition, self.case.readings.partition)
        of = {i: number for number, each in enumerate(members) for i, _ in each}
        answering = {of[event.end] for event in self.events}
        if len(answering) > 1:
            yield "two partitions"
        for event in self.events:
            inside = {of.get(i) for i in range(event.start, event.end + 1)}
            if None in inside:
                yield "in no partition"
            if len(inside - {None}) > 1:
                yield "interleaved"

    # --- what would be answered otherwise ---

    def otherwise(self, **changes: Any) -> frozenset[ComplexEvent]:
        answers: frozenset[ComplexEvent] = self.case.but(
            query=replace(self.case.query, **changes)
        ).denotation()
        return answers

    def of_clauses(self) -> Iterator[str]:
        query, readings = self.case.query, self.case.readings
        if query.within is not None:
            yield from self.of_the_window()
        if query.strategy is Strategy.STRICT:
            if self.otherwise(strategy=Strategy.ALL) - self.events:
                yield "not a block"
        elif query.strategy is not Strategy.ALL:
            if self.otherwise(strategy=Strategy.ALL) - self.events:
                yield "beaten"
            if query.within is not None:
                before = readings.strategy == "before-within"
                read = replace(readings, strategy="after-within" if before else "before-within")
                if self.case.but(readings=read).denotation() != self.events:
                    yield "a rival outside"
        if query.partition and self.otherwise(partition=()) - self.events:
            yield "another partition"
        if query.consume is not Consumption.NONE:
            if self.otherwise(consume=Consumption.NONE) - self.events:
                yield "consumed"
            others = {Consumption.ANY, Consumption.PARTITION} - {query.consume}
            if query.partition and self.otherwise(consume=others.pop()) != self.events:
                yield "consumed elsewhere"

    def of_the_window(self) -> Iterator[str]:
        within = self.case.query.within
        assert within is not None
        unit = within.unit
        extent = within.value - (self.case.readings.within == "core")
        size = 1_000_000_000 if unit is WindowUnit.TIME else 1
        everything = self.otherwise(within=None)
        if any(self._extent(event) == extent for event in self.events):
            yield "at the bound"
        dropped = everything - self.events
        if any(self._extent(event) == extent + size for event in dropped):
            yield "just outside"
        if any(lost.start < event.end for lost in dropped for event in self.events):
            yield "left"

    def _extent(self, event: ComplexEvent) -> int | float | None:
        within = self.case.query.within
        assert within is not None
        first, last = self.stream[event.start], self.stream[event.end]
        match within.unit:
            case WindowUnit.EVENTS:
                return event.end - event.start
            case WindowUnit.TIME:
                return int(last.time - first.time)
        start, end = first.get(within.attribute), last.get(within.attribute)
        if not isinstance(start, int | float) or not isinstance(end, int | float):
            return None
        return end - start

    def of_the_formula(self) -> Iterator[str]:
        formula = self.case.query.formula
        if has(formula, Filter) and self.otherwise(formula=_rid_of(formula, Filter)) - self.events:
            yield "filtered"
        loose = without_contiguity(formula)
        if loose != formula and self.otherwise(formula=loose) - self.events:
            yield "not next"
        once = _rid_of(formula, Iteration, ContiguousIteration)
        if once != formula and self.events - self.otherwise(formula=once):
            yield "iterated"
        denied = {phi.formula for phi in find(formula, NotFormula)}
        if any(self.otherwise(formula=phi, select=None, within=None) for phi in denied):
            yield "NOT"


def _rid_of(formula: Formula, *kinds: type[Any]) -> Formula:
    """The formula without the operators of some kinds, which have one operand."""
    return changed(formula, lambda phi: phi.formula if isinstance(phi, kinds) else phi)


__all__ = ["SITUATIONS", "met"]
