"""Explanations of complex events: Table 2, then clause by clause, and rejected tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from .....semantics.ceql.core_extensions import Moment, choices
from .....semantics.ceql.denotation import asked as partitioning
from .....semantics.ceql.denotation import (
    beats_last,
    beats_max,
    beats_next,
    holds,
    is_within,
    partitions,
    selected,
    valuations,
)
from .....semantics.ceql.syntax.analysis import conjuncts, variables
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.syntax.tree import (
    As,
    Condition,
    Consumption,
    EventType,
    Filter,
    Formula,
    NotFormula,
    Projection,
    Strategy,
    VariableCondition,
)
from .....semantics.ceql.valuations import (
    Stream,
    Valuation,
    complex_event,
    projected,
    valuation,
    with_bindings,
)
from .....semantics.model.errors import DenotaError
from .....semantics.model.mappings import SolutionMapping
from .....semantics.model.pretty_printing import text_of
from .....semantics.model.trees import children, find, has
from .....semantics.model.tuples import EventTuple
from ....checking.levels import Answer
from ....explanations.derivations import Frame, Goal, Premise, Step, Way, check
from ....explanations.explainer import FoundRow
from ....explanations.timeline import Lane, Mark
from ....explanations.wording import conjoined
from .table import Derivations, TableRules
from .wording import CeqlEvaluation, RequestedEvent, event_text, in_order, positions_text


@dataclass(frozen=True, slots=True)
class _Place:
    """An event type in a formula, with the variables of its event and their conditions."""

    event: EventType
    names: frozenset[str]
    conditions: tuple[tuple[str, Condition], ...] = ()


def rejections(formula: Formula, stream: Sequence[EventTuple]) -> Callable[[int], str]:
    """Return a function of a position that returns the condition that rejects its tuple.

    It returns "" for a tuple that may match: some condition holds or has several variables, or the
    formula contains NOT.
    """
    places = [] if has(formula, NotFormula) else list(_places(formula))
    s = Stream(dict(enumerate(stream)))

    def failing(place: _Place, position: int) -> str:
        for variable, condition in place.conditions:
            alone = valuation(position, position, {variable: frozenset({position})})
            if not holds(alone, condition, s):
                return f"{text_of(place.event)}: FILTER {text_of(condition)}"
        return ""

    def rejecting(position: int) -> str:
        t = stream[position]
        conditions = [
            failing(place, position) for place in places
            if place.event.name == t.type and place.event.stream in (None, t.stream)
        ]
        return conditions[0] if conditions and all(conditions) else ""

    return rejecting


def _places(phi: Formula) -> Iterator[_Place]:
    match phi:
        case EventType():
            yield _Place(phi, variables(phi))
        case As(inner, variable):
            for each in _places(inner):
                yield replace(each, names=each.names | {variable})
        case Projection(inner, chosen):
            for each in _places(inner):
                yield replace(each, names=each.names & {str(name) for name in chosen})
        case Filter(inner, condition):
            parts = [(_variables(part), part) for part in conjuncts(condition)]
            for each in _places(inner):
                own = tuple(
                    (*names, part) for names, part in parts
                    if len(names) == 1 and each.names.issuperset(names)
                )
                yield replace(each, conditions=(*each.conditions, *own))
        case _:
            for inner in children(phi):
                yield from _places(inner)


def _variables(condition: Condition) -> tuple[str, ...]:
    found = find(condition, VariableCondition)
    return tuple(dict.fromkeys(str(each.variable) for each in found))


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


EXPLAINER = CeqlExplainer
