"""What the clauses around a formula make of its matches: partitions, windows, strategies, LIMIT."""

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
from ....explanations.derivations import Frame, Step, checked
from ....explanations.wording import conjoined
from .asked import AskedEvent
from .evaluated import Evaluated
from .wording import positions_shown

_UNBEATEN = {
    Strategy.NEXT: "none has the smallest position in which it differs from this one",
    Strategy.LAST: "none has the largest position in which it differs from this one",
    Strategy.MAX: "none has all of its data and more",
}


class ClauseRules(Evaluated):
    """The rules of the clauses, in the order in which they are asked (section 2.2)."""

    def in_one_partition(self, asked: AskedEvent) -> Step:
        query, reading = self.query, self.readings.partition
        rule = f"(section 2.2, PARTITION BY, partition={reading})"
        keys = {}
        for place in asked.involved:
            t = self.stream[place]
            keys[place] = partitioning(t, query.partition, reading)
            for name in keys[place]:
                if t.get(name) is None:
                    return checked(False, false=f"{self.tuples.tuple(place)} is in no partition:"
                                   f" it has no '{name}' {rule}.")
        for one, two in pairwise(asked.involved):
            t, u = self.stream[one], self.stream[two]
            for own, name in zip(keys[one], keys[two], strict=True):
                values = {0: EventTuple("", {"": t.attributes[own]}),
                          1: EventTuple("", {"": u.attributes[name]})}
                if len(partitions(Stream(values), [[""]], reading)) > 1:
                    return checked(
                        False, false=f"{one} and {two} are in different partitions: {own} is"
                        f" {self.tuples.value(t, own)}, {name} {self.tuples.value(u, name)} {rule}."
                    )
        return checked(True)

    def forgotten(self, gone: Sequence[int]) -> str:
        by = [m for m in self.moments if m.results and m.end >= max(gone)]
        return f"since {by[0].end} triggered output" if by else "as an event triggered output"

    def clauses(
        self, moment: Moment, v: Valuation, made: Valuation, *, returned: bool
    ) -> Iterator[Step]:
        """What the clauses make of what is matched, in the order in which they are asked."""
        query, readings = self.query, self.readings
        if query.partition:
            first = self.stream[v.start]
            values = self.tuples.values(
                first, partitioning(first, query.partition, readings.partition)
            )
            yield Step(f"PARTITION BY: all of it is in the partition of {values} (section 2.2).")
        if query.select is not None:
            forgotten = made.data - v.data
            what = positions_shown(forgotten) if forgotten else "none of its data"
            yield Step(f"SELECT {self.chosen()} forgets {what} (π, Table 2).")
        later = [self.within, self.strategy]
        for clause in later[::-1] if readings.strategy == "before-within" else later:
            step = clause(moment, v)
            if step is not None:
                yield step
        if query.consume is not Consumption.NONE:
            where = "" if query.consume is Consumption.ANY else " of its partition"
            yield Step(f"CONSUME BY {query.consume}: it triggers output, and the events{where} up"
                       f" to {moment.end} are forgotten.")
        if query.limit is not None:
            yield checked(
                returned,
                true=f"LIMIT {query.limit} leaves it, one of {len(moment.results)} that the event"
                f" at {moment.end} triggers (limit={readings.limit}).",
                false=f"LIMIT {query.limit} (limit={readings.limit}) leaves others.",
            )

    def within(self, moment: Moment, v: Valuation) -> Step | None:
        within = self.query.within
        if within is None:
            return None
        window = self.tuples.window(self.readings.within)
        span = self.tuples.span(v.start, v.end)
        step = checked(
            is_within(v, within, moment.stream, self.readings.within),
            true=f"{window} lets it be: {span} (section 2.2).",
            false=f"{window} excludes it: {span} (section 2.2).",
        )
        return replace(step, frames=(Frame(f"{window}: {span}", v.start, v.end),))

    def rivals(self, moment: Moment) -> list[Valuation]:
        """The matches among which a strategy chooses at an end position."""
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
        told = f"SELECT {strategy} (COR-4, strategy={self.readings.strategy})"
        others = len({w.data for w in among} - {v.data})
        if strategy is Strategy.STRICT:
            why = f"nothing stands between its positions {positions_shown(v.data)}."
            said = f"{told} takes it: {why}"
        elif strategy is Strategy.ANY:
            said = f"{told} takes some one of the {others + 1} that end at {v.end}: this one here."
        elif not others:
            said = f"{told} takes it: no other match ends at {v.end}."
        else:
            other = "1 other match ends" if others == 1 else f"{others} other matches end"
            said = f"{told} takes it: {other} at {v.end}, and {_UNBEATEN[strategy]}."
        taken = v in selected(frozenset(among), strategy, moment.stream)
        return checked(
            taken, true=said,
            false="" if taken else f"{told} throws it away: {self.beaten(v, among, moment.stream)}",
        )

    def beaten(self, v: Valuation, among: Sequence[Valuation], s: Stream) -> str:
        strategy = self.query.strategy
        if strategy is Strategy.STRICT:
            out = [i for i, _ in s if min(v.data) < i < max(v.data) and i not in v.data]
            are = "stands" if len(out) == 1 else "stand"
            return f"{conjoined(out)} {are} between its positions."
        beats = {
            Strategy.NEXT: beats_next, Strategy.LAST: beats_last, Strategy.MAX: beats_max
        }[strategy]
        winner = min(
            (w for w in among if beats(w.data, v.data)), key=lambda w: (len(w.data), sorted(w.data))
        )
        difference = winner.data ^ v.data
        rival = positions_shown(winner.data)
        if strategy is Strategy.MAX:
            return f"{rival} has all of its data and {positions_shown(difference)} as well."
        which, place = (
            ("smallest", min(difference)) if strategy is Strategy.NEXT else
            ("largest", max(difference))
        )
        return f"{rival} beats it, {place} being the {which} position in which they differ."
