"""Why a CEQL query returns a complex event or does not: Table 2, and clause by clause after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .....semantics.ceql.denotation import valuations
from .....semantics.ceql.later_language import Moment, choices
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.valuations import Valuation, complex_event, projected, with_bindings
from .....semantics.model.errors import DenotaError
from .....semantics.model.mappings import SolutionMapping
from ....explanations.asked import FoundRow
from ....explanations.derivations import Goal, Premise, Way
from ....explanations.timeline import Lane, Mark
from ....explanations.wording import conjoined
from ....judging.levels import Answer
from .asked import AskedEvent
from .clauses import ClauseRules
from .derivations import Derivations
from .evaluated import in_order
from .refusals import refusals
from .table import TableRules
from .wording import positions_shown, shown

_MOST = 3


class CeqlExplainer(TableRules, ClauseRules):
    """What can be said of one case's complex events."""

    noun = "match"

    def rows_of(self, number: int, result: Any) -> Iterable[FoundRow]:
        return ()

    def result(self, number: int) -> str:
        return shown(self.results[number - 1])

    def asked(self, written: Mapping[str, Any]) -> list[AskedEvent]:
        for other in written.get("solution", SolutionMapping()):
            raise DenotaError(f"--missing: a complex event has no '{other}'")
        positions, bindings = written.get("positions"), written.get("bindings")
        return [AskedEvent(
            written.get("start"), written.get("end"),
            None if positions is None else frozenset(positions),
            None if bindings is None else {str(x): frozenset(d) for x, d in bindings.items()},
        )]

    def asked_by(self, answer: Answer) -> list[AskedEvent]:
        event = self.case.language.result_of(answer)
        bindings = event.bindings and {str(x): frozenset(data) for x, data in event.bindings}
        return [AskedEvent(event.start, event.end, frozenset(event.positions), bindings or None)]

    def lanes(self) -> Iterator[Lane]:
        names = self.query.streams or ("stream",)
        refused = refusals(self.query.formula, self.stream)
        for name in names:
            yield Lane(str(name), tuple(
                Mark(place, place, t.type, self.tuples.values(t, t.attributes),
                     refused=refused(place))
                for place, t in enumerate(self.stream) if t.stream == name or len(names) == 1
            ), frozenset({str(name)}))

    @property
    def items(self) -> int:
        return len(self.stream)

    def instant(self, time: int) -> str:
        return str(time)

    def named(self, asked: AskedEvent) -> str:
        return str(asked)

    def among(self, asked: AskedEvent) -> int | None:
        events = enumerate(self.results, start=1)
        return next((number for number, event in events if asked.is_met_by(event)), None)

    def aside(self, asked: AskedEvent) -> Iterator[str]:
        end = max(asked.involved) if asked.end is None else asked.end
        here = {event.positions for event in self.results if event.end == end}
        if not here:
            yield f"Nothing ends at {end}."
            return
        told = ", ".join(map(positions_shown, sorted(here)[:_MOST]))
        more = f" and {len(here) - _MOST} more" if len(here) > _MOST else ""
        yield f"What does end at {end}: {told}{more}."

    def impossible(self, asked: AskedEvent) -> str:
        length = len(self.stream)
        if not asked.involved:
            return "Nothing is asked for: name its end, or its positions."
        beyond = [place for place in asked.involved if not 0 <= place < length]
        if beyond:
            there = f"positions are 0 to {length - 1}" if length else "the stream is empty"
            return f"There is no event at {conjoined(beyond)}: {there}."
        first, last = asked.involved[0], asked.involved[-1]
        if (asked.start is not None and first < asked.start) or (
            asked.end is not None and last > asked.end
        ):
            return "The positions of a complex event lie in its interval (section 2.2)."
        return ""

    def left_open(self, asked: AskedEvent) -> str:
        for choice in choices(self.query, self.stream, self.readings):
            for event in sorted(choice.candidates) if choice.count else ():
                if asked.is_met_by(event):
                    return (
                        f"{shown(event)} is right, and where the query leaves a choice (SELECT ANY,"
                        " LIMIT) the oracle has taken another."
                    )
        return ""

    # --- goals ----------------------------------------------------------------------------------

    def presence(self, number: int) -> Goal:
        return self.derived(self.results[number - 1])

    def derived(self, event: ComplexEvent) -> Goal:
        """That a complex event is returned."""
        result = complex_event if event.bindings is None else with_bindings

        def ways() -> Iterator[Way]:
            for moment in self.moments:
                if event in moment.results:
                    for v in valuations(self.tuples.evaluated.projected, moment.stream):
                        if result(v) == event:
                            yield self.made(moment, v, returned=True)

        return Goal(ways)

    def made(self, moment: Moment, v: Valuation, *, returned: bool) -> Way:
        """A valuation that Table 2 makes, and what the clauses make of it."""
        derivations = Derivations(moment.stream)
        w = next(w for w in derivations.of(self.query.formula) if self.leads_to(w, v))

        def premises() -> Iterator[Premise]:
            yield from self.table(derivations, w)
            yield from self.clauses(moment, v, w, returned=returned)

        return Way("", premises())

    def absence(self, asked: AskedEvent) -> Goal:
        end = max(asked.involved) if asked.end is None else asked.end
        place = self.in_one_partition(asked)
        if not place.holds:
            return Goal(lambda: [Way("", (place,))])
        here = [m for m in self.moments if m.end == end and end in dict(m.stream)]
        if not here:
            # Its partition has forgotten the event, or never had it.
            return Goal(list, f"{self.tuples.tuple(end)} is forgotten: {self.forgotten([end])}.")
        moment = here[0]
        gone = [i for i in asked.involved if i not in dict(moment.stream)]
        if gone:
            are = "is" if len(gone) == 1 else "are"
            return Goal(list, f"CONSUME BY {self.query.consume}: {conjoined(gone)} {are} forgotten,"
                        f" {self.forgotten(gone)}.")
        matched = [
            v for v in valuations(self.tuples.evaluated.projected, moment.stream) if asked.fits(v)
        ]
        if matched:
            return Goal(lambda: (self.made(moment, v, returned=False) for v in in_order(matched)))
        return Goal(lambda: self.unmade(moment.stream, asked),
                    "no choice of its events has this interval and these positions.")

    def leads_to(self, w: Valuation, v: Valuation) -> bool:
        if self.query.select is None:
            return w == v
        return projected(w, [str(each.variable) for each in self.query.select]) == v
