"""Rules of the clauses around a formula: partitions, windows, selection strategies, LIMIT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from .....semantics.ceql.denotation import asked as partitioning
from .....semantics.ceql.denotation import is_within, partitions, valuations
from .....semantics.ceql.later_language import Moment
from .....semantics.ceql.strategies import beats_last, beats_max, beats_next, selected
from .....semantics.ceql.syntax.tree import Consumption, Strategy
from .....semantics.ceql.valuations import Stream, Valuation
from .....semantics.model.tuples import EventTuple
from ....explanations.derivations import Frame, Step, check
from ....explanations.wording import conjoined
from .evaluation import CeqlEvaluation
from .requested_events import RequestedEvent
from .wording import positions_text

_PREFERENCE = {
    Strategy.NEXT: "it has the smallest differing position",
    Strategy.LAST: "it has the largest differing position",
    Strategy.MAX: "no other match contains its positions",
}


class ClauseRules(CeqlEvaluation):
    """The rules of the clauses, in the order of their evaluation (section 2.2)."""

    def in_one_partition(self, request: RequestedEvent) -> Step:
        query, reading = self.query, self.readings.partition
        rule = f"(section 2.2, PARTITION BY, partition={reading})"
        keys = {}
        for place in request.involved:
            t = self.stream[place]
            keys[place] = partitioning(t, query.partition, reading)
            for name in keys[place]:
                if t.get(name) is None:
                    return check(False, false=f"{self.tuples.tuple(place)} is in no partition:"
                                   f" it has no '{name}' {rule}.")
        for one, two in pairwise(request.involved):
            t, u = self.stream[one], self.stream[two]
            for own, name in zip(keys[one], keys[two], strict=True):
                values = {0: EventTuple("", {"": t.attributes[own]}),
                          1: EventTuple("", {"": u.attributes[name]})}
                if len(partitions(Stream(values), [[""]], reading)) > 1:
                    return check(
                        False, false=f"{one} and {two} are in different partitions:"
                        f" {self.tuples.values(t, [own])}, {self.tuples.values(u, [name])} {rule}."
                    )
        return check(True)

    def consumer(self, gone: Sequence[int]) -> str:
        by = [m for m in self.moments if m.results and m.end >= max(gone)]
        return f"the output at {by[0].end}" if by else "an earlier output"

    def clauses(
        self, moment: Moment, v: Valuation, made: Valuation, *, returned: bool
    ) -> Iterator[Step]:
        """Yield the steps of the clauses for a match, in the order of their evaluation."""
        query, readings = self.query, self.readings
        if query.partition:
            first = self.stream[v.start]
            values = self.tuples.values(
                first, partitioning(first, query.partition, readings.partition)
            )
            yield Step(f"PARTITION BY: all events are in the partition {values} (section 2.2).")
        if query.select is not None:
            removed = made.data - v.data
            positions = positions_text(removed) if removed else "no position"
            yield Step(f"SELECT {self.selection()} removes {positions} (π, Table 2).")
        later = [self.within, self.strategy]
        for clause in later[::-1] if readings.strategy == "before-within" else later:
            step = clause(moment, v)
            if step is not None:
                yield step
        if query.consume is not Consumption.NONE:
            where = "" if query.consume is Consumption.ANY else " of its partition"
            yield Step(f"CONSUME BY {query.consume}: its output consumes the events{where} up to"
                       f" {moment.end}.")
        if query.limit is not None:
            yield check(
                returned,
                true=f"LIMIT {query.limit} keeps it, one of {len(moment.results)} results that the"
                f" event at {moment.end} triggers (limit={readings.limit}).",
                false=f"LIMIT {query.limit} (limit={readings.limit}) keeps other results.",
            )

    def within(self, moment: Moment, v: Valuation) -> Step | None:
        within = self.query.within
        if within is None:
            return None
        window = self.tuples.window(self.readings.within)
        span = self.tuples.span(v.start, v.end)
        step = check(
            is_within(v, within, moment.stream, self.readings.within),
            true=f"{window} is satisfied: {span} (section 2.2).",
            false=f"{window} is violated: {span} (section 2.2).",
        )
        return replace(step, frames=(Frame(f"{window}: {span}", v.start, v.end),))

    def rivals(self, moment: Moment) -> list[Valuation]:
        """Return the matches among which a selection strategy selects at an end position."""
        found = valuations(self.tuples.evaluated.projected, moment.stream)
        matched = [v for v in found if v.end == moment.end]
        within = self.query.within
        if within is None or self.readings.strategy == "before-within":
            return matched
        return [v for v in matched if is_within(v, within, moment.stream, self.readings.within)]

    def strategy(self, moment: Moment, v: Valuation) -> Step | None:
        strategy = self.query.strategy
        if strategy is Strategy.ALL:
            return None
        among = self.rivals(moment)
        clause = f"SELECT {strategy} (COR-4, strategy={self.readings.strategy})"
        others = len({w.data for w in among} - {v.data})
        if strategy is Strategy.STRICT:
            why = f"no event lies between its positions {positions_text(v.data)}."
            text = f"{clause} selects this match: {why}"
        elif strategy is Strategy.ANY:
            text = f"{clause} selects this match, any of the {others + 1} that end at {v.end}."
        elif not others:
            text = f"{clause} selects this match: no other match ends at {v.end}."
        else:
            text = (f"{clause} selects this match among {others + 1} that end at {v.end}:"
                    f" {_PREFERENCE[strategy]}.")
        is_selected = v in selected(frozenset(among), strategy, moment.stream)
        return check(
            is_selected, true=text,
            false="" if is_selected else
            f"{clause} discards this match: {self.preferred(v, among, moment.stream)}",
        )

    def preferred(self, v: Valuation, among: Sequence[Valuation], s: Stream) -> str:
        strategy = self.query.strategy
        if strategy is Strategy.STRICT:
            out = [i for i, _ in s if min(v.data) < i < max(v.data) and i not in v.data]
            lie = "lies" if len(out) == 1 else "lie"
            return f"{conjoined(out)} {lie} between its positions."
        beats = {
            Strategy.NEXT: beats_next, Strategy.LAST: beats_last, Strategy.MAX: beats_max
        }[strategy]
        winner = min(
            (w for w in among if beats(w.data, v.data)), key=lambda w: (len(w.data), sorted(w.data))
        )
        difference = winner.data ^ v.data
        rival = positions_text(winner.data)
        if strategy is Strategy.MAX:
            return f"{rival} contains all its positions and {positions_text(difference)}."
        which, place = (
            ("smallest", min(difference)) if strategy is Strategy.NEXT else
            ("largest", max(difference))
        )
        return f"{rival} is preferred ({which} differing position: {place})."
