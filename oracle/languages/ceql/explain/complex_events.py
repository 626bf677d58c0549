"""Explanations of complex events in CEQL: Table 2, then clause by clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .....semantics.ceql.denotation import valuations
from .....semantics.ceql.later_language import Moment, choices
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.valuations import Valuation, complex_event, projected, with_bindings
from .....semantics.model.errors import DenotaError
from .....semantics.model.mappings import SolutionMapping
from ....explanations.derivations import Goal, Premise, Way
from ....explanations.requested_rows import FoundRow
from ....explanations.timeline import Lane, Mark
from ....explanations.wording import conjoined
from ....judging.levels import Answer
from .clauses import ClauseRules
from .derivations import Derivations
from .evaluation import in_order
from .rejections import rejections
from .requested_events import RequestedEvent
from .table import TableRules
from .wording import event_text, positions_text

_MAX_SHOWN = 3


class CeqlExplainer(TableRules, ClauseRules):
    """The explainer of one case's complex events."""

    noun = "match"
    a_noun = "a match"

    def rows_of(self, number: int, result: Any) -> Iterable[FoundRow]:
        return ()

    def result_text(self, number: int) -> str:
        return event_text(self.results[number - 1])

    def requests(self, written: Mapping[str, Any]) -> list[RequestedEvent]:
        for other in written.get("solution", SolutionMapping()):
            raise DenotaError(f"--missing: a complex event has no '{other}'")
        positions, bindings = written.get("positions"), written.get("bindings")
        return [RequestedEvent(
            written.get("start"), written.get("end"),
            None if positions is None else frozenset(positions),
            None if bindings is None else {str(x): frozenset(d) for x, d in bindings.items()},
        )]

    def requests_of(self, answer: Answer) -> list[RequestedEvent]:
        event = self.case.language.result_of(answer)
        bindings = {str(x): frozenset(data) for x, data in event.bindings or ()} or None
        return [RequestedEvent(event.start, event.end, frozenset(event.positions), bindings)]

    def lanes(self) -> Iterator[Lane]:
        names = self.query.streams or ("stream",)
        rejecting = rejections(self.query.formula, self.stream)
        for name in names:
            yield Lane(str(name), tuple(
                Mark(place, place, t.type, self.tuples.values(t, t.attributes),
                     rejected_by=rejecting(place))
                for place, t in enumerate(self.stream) if t.stream == name or len(names) == 1
            ), frozenset({str(name)}))

    @property
    def items(self) -> int:
        return len(self.stream)

    def instant(self, time: int) -> str:
        return str(time)

    def request_text(self, request: RequestedEvent) -> str:
        return str(request)

    def result_number(self, request: RequestedEvent) -> int | None:
        events = enumerate(self.results, start=1)
        return next((number for number, event in events if request.is_met_by(event)), None)

    def remarks(self, request: RequestedEvent) -> Iterator[str]:
        end = max(request.involved) if request.end is None else request.end
        here = {event.positions for event in self.results if event.end == end}
        if not here:
            yield f"No match ends at {end}."
            return
        ending = ", ".join(map(positions_text, sorted(here)[:_MAX_SHOWN]))
        more = f" and {len(here) - _MAX_SHOWN} more" if len(here) > _MAX_SHOWN else ""
        yield f"Matches that end at {end}: {ending}{more}."

    def impossible(self, request: RequestedEvent) -> str:
        length = len(self.stream)
        if not request.involved:
            return "The request is empty: give an end or positions."
        beyond = [place for place in request.involved if not 0 <= place < length]
        if beyond:
            there = f"positions are 0 to {length - 1}" if length else "the stream is empty"
            return f"There is no event at {conjoined(beyond)}: {there}."
        first, last = request.involved[0], request.involved[-1]
        if (request.start is not None and first < request.start) or (
            request.end is not None and last > request.end
        ):
            return "The positions of a complex event lie in its interval (section 2.2)."
        return ""

    def open_choice(self, request: RequestedEvent) -> str:
        for choice in choices(self.query, self.stream, self.readings):
            for event in sorted(choice.candidates) if choice.count else ():
                if request.is_met_by(event):
                    return (
                        f"{event_text(event)} is correct; the query allows a choice (SELECT ANY,"
                        " LIMIT), and the oracle returns another match."
                    )
        return ""

    # --- goals ----------------------------------------------------------------------------------

    def presence(self, number: int) -> Goal:
        return self.derivation(self.results[number - 1])

    def derivation(self, event: ComplexEvent) -> Goal:
        """Return the goal of a complex event."""
        result = complex_event if event.bindings is None else with_bindings

        def ways() -> Iterator[Way]:
            for moment in self.moments:
                if event in moment.results:
                    for v in valuations(self.tuples.evaluated.projected, moment.stream):
                        if result(v) == event:
                            yield self.way(moment, v, returned=True)

        return Goal(ways)

    def way(self, moment: Moment, v: Valuation, *, returned: bool) -> Way:
        """Return the derivation of a valuation by Table 2 and the clauses."""
        derivations = Derivations(moment.stream)
        w = next(w for w in derivations.of(self.query.formula) if self.leads_to(w, v))

        def premises() -> Iterator[Premise]:
            yield from self.table(derivations, w)
            yield from self.clauses(moment, v, w, returned=returned)

        return Way("", premises())

    def absence(self, request: RequestedEvent) -> Goal:
        end = max(request.involved) if request.end is None else request.end
        place = self.in_one_partition(request)
        if not place.holds:
            return Goal(lambda: [Way("", (place,))])
        here = [m for m in self.moments if m.end == end and end in dict(m.stream)]
        if not here:
            return Goal(list, f"{self.tuples.tuple(end)} was consumed by {self.consumer([end])}.")
        moment = here[0]
        gone = [i for i in request.involved if i not in dict(moment.stream)]
        if gone:
            were = f"event {gone[0]} was" if len(gone) == 1 else f"events {conjoined(gone)} were"
            return Goal(list, f"CONSUME BY {self.query.consume}: {were} consumed by"
                        f" {self.consumer(gone)}.")
        matched = [
            v for v in valuations(self.tuples.evaluated.projected, moment.stream) if request.fits(v)
        ]
        if matched:
            return Goal(lambda: (self.way(moment, v, returned=False) for v in in_order(matched)))
        return Goal(lambda: self.failures(moment.stream, request),
                    "no combination of events has this interval and these positions.")

    def leads_to(self, w: Valuation, v: Valuation) -> bool:
        if self.query.select is None:
            return w == v
        return projected(w, [str(each.variable) for each in self.query.select]) == v
