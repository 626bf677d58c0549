"""Why a CEQL query returns a complex event or does not: Table 2, and clause by clause after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

from ....semantics.ceql.denotation import asked as partitioning
from ....semantics.ceql.denotation import holds, is_within, partitions, valuations
from ....semantics.ceql.later_language import Moment, choices, moments
from ....semantics.ceql.strategies import beats_last, beats_max, beats_next, selected
from ....semantics.ceql.syntax.analysis import conjuncts
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.results import ComplexEvent
from ....semantics.ceql.syntax.tree import (
    CeqlQuery,
    Consumption,
    EventType,
    Formula,
    NotFormula,
    Strategy,
    VariableCondition,
)
from ....semantics.ceql.syntax.tree import Sequence as Followed
from ....semantics.ceql.valuations import (
    Stream,
    Valuation,
    complex_event,
    projected,
    with_bindings,
)
from ....semantics.model.errors import DenotaError
from ....semantics.model.mappings import SolutionMapping
from ....semantics.model.shown import text_of
from ....semantics.model.trees import find, has
from ....semantics.model.tuples import EventTuple, merged
from ...cases.case import Case
from ...explanations.asked import FoundRow
from ...explanations.derivations import (
    MOST_WAYS,
    Event,
    Frame,
    Goal,
    Premise,
    Step,
    Way,
    checked,
)
from ...explanations.telling import Explainer
from ...explanations.timeline import Lane, Mark
from ...explanations.wording import conjoined
from ...judging.levels import Answer
from .derivations import Derivations, Held, Taken, without_conditions
from .wording import TupleWords, positions_shown, shown

_MOST = 3
_LINKS = {
    ";": "It comes after {before}: ';'",
    ":": "It is next to {before}: ':'",
    "+": "It begins another iteration, after {before}: '+'",
    ":+": "It begins another iteration, next to {before}: ':+'",
}
_UNBEATEN = {
    Strategy.NEXT: "none has the smallest position in which it differs from this one",
    Strategy.LAST: "none has the largest position in which it differs from this one",
    Strategy.MAX: "none has all of its data and more",
}


@dataclass(frozen=True, slots=True)
class AskedEvent:
    """What is missed; None where it may be anything."""

    start: int | None = None
    end: int | None = None
    positions: frozenset[int] | None = None
    bindings: Mapping[str, frozenset[int]] | None = None

    def is_met_by(self, event: ComplexEvent) -> bool:
        """Whether a result is what is asked for."""
        told = {name: frozenset(places) for name, places in event.bindings or ()}
        return (
            self.start in (None, event.start)
            and self.end in (None, event.end)
            and self.positions in (None, frozenset(event.positions))
            and (
                self.bindings is None
                or event.bindings is None
                or all(told.get(x, frozenset()) == d for x, d in self.bindings.items())
            )
        )

    def fits(self, v: Valuation) -> bool:
        """Whether a valuation gives what is asked for."""
        return (
            self.start in (None, v.start)
            and self.end in (None, v.end)
            and self.positions in (None, v.data)
            and (self.bindings is None or all(v(x) == d for x, d in self.bindings.items()))
        )

    @property
    def involved(self) -> list[int]:
        """The positions that it speaks of."""
        ends = {place for place in (self.start, self.end) if place is not None}
        return sorted(ends | (self.positions or frozenset()))

    def __str__(self) -> str:
        ends = ["?" if place is None else str(place) for place in (self.start, self.end)]
        said = f"[{ends[0]}, {ends[1]}]"
        if self.positions is not None:
            said += f" {positions_shown(self.positions)}"
        for name, places in (self.bindings or {}).items():
            said += f", {name} = {positions_shown(places)}"
        return said


class CeqlExplainer(Explainer):
    """What can be said of one case's complex events."""

    noun = "match"

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.query: CeqlQuery = case.tree
        self.readings: Readings = case.readings
        streams = {str(name): stream for name, stream in case.streams.items()}
        self.stream: list[EventTuple] = list(merged(streams, self.query.streams))
        self.tuples = TupleWords(self.query, self.stream)

    @cached_property
    def moments(self) -> list[Moment]:
        return list(moments(self.tuples.evaluated, self.stream, self.readings))

    # --- complex events, as what is explained ---------------------------------------------------

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
        for name in names:
            yield Lane(str(name), tuple(
                Mark(place, place, t.type, self.tuples.values(t, t.attributes))
                for place, t in enumerate(self.stream) if t.stream == name or len(names) == 1
            ), frozenset({str(name)}))

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
            return Goal(lambda: (self.made(moment, v, returned=False) for v in _in_order(matched)))
        return Goal(lambda: self.unmade(moment.stream, asked),
                    "no choice of its events has this interval and these positions.")

    def leads_to(self, w: Valuation, v: Valuation) -> bool:
        if self.query.select is None:
            return w == v
        return projected(w, [str(each.variable) for each in self.query.select]) == v

    # --- partitions, and what is consumed -------------------------------------------------------

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

    # --- Table 2 --------------------------------------------------------------------------------

    def table(self, derivations: Derivations, w: Valuation) -> Iterator[Premise]:
        """The events of a derivation, and what is asked of them on the way."""
        made = derivations.derivation(self.query.formula, w)
        for before, taken in pairwise([None, *made.steps]):
            assert taken is not None
            yield self.event(taken, before, derivations.s).applied()
        for held in made.held:
            yield from self.conditions(held, derivations.s)

    def event(self, taken: Taken, before: Taken | None, s: Stream) -> Way:
        names = f", as {conjoined(taken.variables)}" if taken.variables else ""
        stream = self.query.streams[0] if len(self.query.streams) == 1 else ""
        return Way(
            f"{self.tuples.tuple(taken.position)}{names}", self.link(taken, before, s),
            Event(stream, taken.position, taken.position),
        )

    def link(self, taken: Taken, before: Taken | None, s: Stream) -> Iterator[Step]:
        """How an event follows the one before."""
        if isinstance(taken.atom, NotFormula):
            yield Step(f"{text_of(taken.atom.formula)} does not match it: NOT(…), which"
                       " takes the event and no data.")
        if before is None:
            yield Step("It begins the match (Table 2, event types).")
            return
        passed = [i for i, _ in s if before.position < i < taken.position]
        several = len(passed) != 1
        over = f" {conjoined(passed)} {'are' if several else 'is'} passed over." if passed else ""
        yield checked(
            not (passed and taken.link in (":", ":+")),
            true=f"{_LINKS[taken.link].format(before=before.position)} (Table 2).{over}",
            false=f"'{taken.link}' wants {taken.position} next to {before.position}, and"
            f" {conjoined(passed)} {'stand' if several else 'stands'} between (Table 2).",
        )

    def conditions(self, held: Held, s: Stream) -> Iterator[Step]:
        """The conjuncts of a FILTER, one by one."""
        for condition in conjuncts(held.condition):
            said = self.tuples.verdict(condition, held.of, s)
            text = text_of(condition)
            one = isinstance(condition, VariableCondition) or len(said) == 1
            yield checked(
                holds(held.of, condition, s),
                true=f"FILTER: {said[0] if one else f'{text} holds: ' + '; '.join(said)}.",
                false=f"{said[0]} (FILTER)." if isinstance(condition, VariableCondition) else
                f"{text} does not hold: {'; '.join(said)} (FILTER).",
            )

    def unmade(self, s: Stream, asked: AskedEvent) -> Iterator[Way]:
        """How near Table 2 comes, if it does not ask FILTERs, and then nor for neighbours."""
        phi, projecting = self.query.formula, self.query.select is not None
        whole = AskedEvent(asked.start, asked.end) if projecting else asked
        supposing = f"Table 2 does not make it from {text_of(phi)}"
        for contiguity in (True, False):
            lax = Derivations(s, conditions=False, contiguity=contiguity)
            found = _in_order(v for v in lax.of(phi) if whole.fits(v))
            for v in islice(found, MOST_WAYS):
                yield Way(
                    premises=(*self.table(lax, v), *([self.left(s, whole)] if projecting else ())),
                    supposing=supposing,
                )
            if found:
                return
        for reason in (self.foreign(asked), self.prefix(s, asked), self.nearest(s, asked)):
            if reason:
                yield Way(premises=(checked(False, false=reason),), supposing=supposing)
                return

    def left(self, s: Stream, whole: AskedEvent) -> Step:
        """What SELECT leaves of what matches over the interval."""
        found = valuations(self.tuples.evaluated.projected, s)
        kept = sorted({tuple(sorted(v.data)) for v in found if whole.fits(v)})[:_MOST]
        return checked(False, false=f"of what it matches over this interval SELECT {self.chosen()}"
                    f" leaves {conjoined(list(map(positions_shown, kept)))} (π).")

    def foreign(self, asked: AskedEvent) -> str:
        """Events of types that the formula does not name."""
        named = {each.name for each in find(self.query.formula, EventType)}
        open_to_all = has(self.query.formula, NotFormula)
        ends = [p for p in (asked.start, asked.end) if p is not None and not open_to_all]
        return " ".join(
            f"{self.tuples.tuple(place)}: the formula has no event type {self.stream[place].type}."
            for place in sorted({*ends, *(asked.positions or ())})
            if self.stream[place].type not in named
        )

    def prefix(self, s: Stream, asked: AskedEvent) -> str:
        """How far a sequence comes."""
        parts = _parts(without_conditions(self.query.formula))
        if len(parts) < 2:
            return ""
        prefix, reached = parts[0], None
        for following in parts[1:]:
            latest = [v for v in valuations(prefix, s) if _begins(v, asked)]
            if not latest:
                break
            reached = min(latest, key=lambda v: (v.end, sorted(v.data)))
            matched, missing = prefix, following
            prefix = Followed(prefix, following)
        if reached is None:
            first = asked.start if asked.start is not None else min(asked.involved)
            if first == asked.end:
                return ""  # what begins it would end it as well
            return f"no {text_of(parts[0])} begins it so: {self.there(s, first, asked)}."
        return (
            f"{text_of(matched)} is matched by {positions_shown(reached.data)}, and then"
            f" {text_of(missing)} by nothing that is asked for:"
            f" {self.there(s, reached.end + 1, asked)}."
        )

    def there(self, s: Stream, first: int, asked: AskedEvent) -> str:
        """What a part of a formula has to choose from, from a position on."""
        last = asked.end if asked.end is not None else max(asked.involved)
        among = [
            i for i, _ in s
            if first <= i <= last and (asked.positions is None or i in asked.positions)
        ]
        if not among:
            return f"nothing that is asked for lies between {first} and {last}"
        more = f" and {len(among) - _MOST} more" if len(among) > _MOST else ""
        return f"there is {', '.join(map(self.tuples.tuple, among[:_MOST]))}{more}"

    def nearest(self, s: Stream, asked: AskedEvent) -> str:
        """What the formula does match that is likest to what is asked for, and how it differs."""
        phi = without_conditions(self.query.formula)

        def unlike(v: Valuation) -> int:
            positions = asked.positions
            return (
                (asked.start not in (None, v.start)) + (asked.end not in (None, v.end))
                + (0 if positions is None else len(positions ^ v.data))
            )

        found = min(_in_order(valuations(phi, s)), key=unlike, default=None)
        if found is None:
            named = ", ".join(dict.fromkeys(t.type for _, t in s))
            return f"{text_of(phi)} matches nothing of what there is: {named}."
        said = []
        if asked.start not in (None, found.start):
            said.append(f"begins at {found.start}, not at {asked.start}")
        if asked.end not in (None, found.end):
            said.append(f"ends at {found.end}, not at {asked.end}")
        if asked.positions is not None and asked.positions != found.data:
            said.append(
                f"has the positions {positions_shown(found.data)},"
                f" not {positions_shown(asked.positions)}"
            )
        return f"what is likest to it {conjoined(said) or 'binds other variables'}."

    # --- clauses --------------------------------------------------------------------------------

    def chosen(self) -> str:
        return ", ".join(map(text_of, self.query.select or ())) or "NONE"

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


def _in_order(found: Iterable[Valuation]) -> list[Valuation]:
    return sorted(found, key=lambda v: (v.start, sorted(v.data)))


def _begins(v: Valuation, asked: AskedEvent) -> bool:
    if asked.start not in (None, v.start) or (asked.end is not None and v.end >= asked.end):
        return False
    if asked.positions is None:
        return True
    return v.data == frozenset(i for i in asked.positions if i <= v.end)


def _parts(phi: Formula) -> list[Formula]:
    if isinstance(phi, Followed):
        return [*_parts(phi.left), phi.right]
    return [phi]


EXPLAINER = CeqlExplainer
