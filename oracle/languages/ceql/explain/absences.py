"""Why a complex event is none: the first clause that throws it away, or what Table 2 misses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .....semantics.ceql.denotation import asked as partitioning
from .....semantics.ceql.denotation import holds, is_within, partitions, valuations
from .....semantics.ceql.later_language import Moment, moments
from .....semantics.ceql.strategies import beats_last, beats_max, beats_next, selected
from .....semantics.ceql.syntax.analysis import conjuncts, subformulas
from .....semantics.ceql.syntax.printing import condition_to_text, formula_to_text, selected_to_text
from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.syntax.tree import (
    CeqlQuery,
    Condition,
    EventType,
    Filter,
    Formula,
    NotFormula,
    Strategy,
    VariableCondition,
)
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.ceql.valuations import Stream, Valuation
from .....semantics.model.tuples import EventTuple
from .derivations import Derivations, without_conditions
from .matches import rivals
from .wording import Words, conjoined, positions_shown

_MOST = 3
_NEAR = 200  # of what FILTER throws away so much is looked at, for what misses it least


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


def explain_ceql_absence(
    query: CeqlQuery, stream: Sequence[EventTuple], readings: Readings, asked: AskedEvent
) -> Iterator[str]:
    """Why nothing that the query returns is what is asked for."""
    words = Words(query, stream)
    impossible = _impossible(asked, len(stream))
    if impossible:
        yield impossible
        return
    end = max(asked.involved) if asked.end is None else asked.end
    apart = _apart(words, asked.involved, readings)
    if apart:
        yield apart
        return
    found = list(moments(words.evaluated, stream, readings))
    here = [m for m in found if m.end == end]
    moment = next((m for m in here if _holds_all(m.stream, [end])), None)
    if moment is None:
        # Its partition has forgotten the event, or never had it.
        yield f"{words.tuple(end)} is forgotten: {_forgotten(found, [end])}."
        return
    if not _holds_all(moment.stream, asked.involved):
        gone = [i for i in asked.involved if not _holds_all(moment.stream, [i])]
        yield (
            f"CONSUME BY {query.consume}: {conjoined(list(map(str, gone)))}"
            f" {'is' if len(gone) == 1 else 'are'} forgotten, {_forgotten(found, gone)}."
        )
        return
    matched = [v for v in valuations(words.evaluated.projected, moment.stream) if asked.fits(v)]
    if matched:
        yield from _thrown_away(words, moment, matched, readings)
    else:
        yield from _unmatched(words, moment, asked)
    if moment.results:
        several = sorted({event.positions for event in moment.results})
        told = ", ".join(map(positions_shown, several[:_MOST]))
        more = f" and {len(several) - _MOST} more" if len(several) > _MOST else ""
        yield f"What does end at {end}: {told}{more}."
    else:
        yield f"Nothing ends at {end}."


def _impossible(asked: AskedEvent, length: int) -> str | None:
    if not asked.involved:
        return "Nothing is asked for: name its end, or its positions."
    beyond = [place for place in asked.involved if not 0 <= place < length]
    if beyond:
        there = f"positions are 0 to {length - 1}" if length else "the stream is empty"
        return f"There is no event at {conjoined(list(map(str, beyond)))}: {there}."
    first, last = asked.involved[0], asked.involved[-1]
    if (asked.start is not None and first < asked.start) or (
        asked.end is not None and last > asked.end
    ):
        return "The positions of a complex event lie in its interval (section 2.2)."
    return None


# --- partitions, and what is consumed -------------------------------------------------------------


def _apart(words: Words, positions: Sequence[int], readings: Readings) -> str | None:
    lists = words.query.partition
    rule = f"(section 2.2, PARTITION BY, partition={readings.partition})"
    for place in positions:
        t = words.stream[place]
        for name in partitioning(t, lists, readings.partition):
            if t.get(name) is None:
                return f"{words.tuple(place)} is in no partition: it has no '{name}' {rule}."
    first = words.stream[positions[0]]
    for place in positions[1:]:
        t = words.stream[place]
        for own, name in zip(
            partitioning(first, lists, readings.partition),
            partitioning(t, lists, readings.partition), strict=True,
        ):
            values = {0: EventTuple("", {"": first.attributes[own]}),
                      1: EventTuple("", {"": t.attributes[name]})}
            if len(partitions(Stream(values), [[""]], readings.partition)) > 1:
                return (
                    f"{positions[0]} and {place} are in different partitions: {own} is"
                    f" {words.value(first, own)}, {name} {words.value(t, name)} {rule}."
                )
    return None


def _holds_all(s: Stream, positions: Sequence[int]) -> bool:
    held = {i for i, _ in s}
    return held.issuperset(positions)


def _forgotten(found: Sequence[Moment], gone: Sequence[int]) -> str:
    by = [m for m in found if m.results and m.end >= max(gone)]
    return f"since {by[0].end} triggered output" if by else "as an event triggered output"


# --- what a clause threw away ---------------------------------------------------------------------


def _thrown_away(
    words: Words, moment: Moment, matched: list[Valuation], readings: Readings
) -> Iterator[str]:
    query, s = words.query, moment.stream
    yield f"Table 2 makes it: {formula_to_text(query.formula)} matches {_interval(matched[0])}."
    within = query.within
    inside = [
        v for v in matched if within is None or is_within(v, within, s, readings.within)
    ]
    among = rivals(words.evaluated, moment, readings)
    candidates = matched if readings.strategy == "before-within" else inside
    taken = [v for v in candidates if v in selected(frozenset(among), query.strategy, s)]
    if candidates and not taken:
        yield _beaten(words, candidates[0], among, s, readings)
    elif not inside:
        span = words.span(matched[0].start, matched[0].end)
        yield f"{words.window(readings.within)} excludes it: {span} (section 2.2)."
    elif query.strategy is Strategy.ANY:
        yield "SELECT ANY takes some one of those that end there, and it was another one's turn."
    elif query.limit is not None:
        yield (
            f"LIMIT {query.limit} (limit={readings.limit}): it would be right, and is not among"
            " those that the oracle takes, the first ones."
        )


def _interval(v: Valuation) -> str:
    return f"[{v.start}, {v.end}] {positions_shown(v.data)}"


def _beaten(
    words: Words, v: Valuation, among: Sequence[Valuation], s: Stream, readings: Readings
) -> str:
    strategy = words.query.strategy
    told = f"SELECT {strategy} (COR-4, strategy={readings.strategy}) throws it away"
    if strategy is Strategy.STRICT:
        left_out = [i for i, _ in s if min(v.data) < i < max(v.data) and i not in v.data]
        are = "stands" if len(left_out) == 1 else "stand"
        return f"{told}: {conjoined(list(map(str, left_out)))} {are} between its positions."
    beats = {
        Strategy.NEXT: beats_next, Strategy.LAST: beats_last, Strategy.MAX: beats_max
    }[strategy]
    winner = min(
        (w for w in among if beats(w.data, v.data)), key=lambda w: (len(w.data), sorted(w.data))
    )
    difference = winner.data ^ v.data
    rival = positions_shown(winner.data)
    if strategy is Strategy.MAX:
        return f"{told}: {rival} has all of its data and {positions_shown(difference)} as well."
    which, place = (
        ("smallest", min(difference)) if strategy is Strategy.NEXT else
        ("largest", max(difference))
    )
    return (
        f"{told}: {rival} beats it, {place} being the {which} position in which they differ."
    )


# --- what Table 2 does not make -------------------------------------------------------------------


def _unmatched(words: Words, moment: Moment, asked: AskedEvent) -> Iterator[str]:
    query, s = words.query, moment.stream
    yield f"Table 2 does not make it from {formula_to_text(query.formula)}:"
    if query.select is not None:
        whole = AskedEvent(asked.start, asked.end)
        kept = [v for v in valuations(words.evaluated.projected, s) if whole.fits(v)]
        if kept and asked.positions is not None:
            chosen = ", ".join(map(selected_to_text, query.select)) or "NONE"
            others = sorted({tuple(sorted(v.data)) for v in kept})[:_MOST]
            yield (
                f"  of what it matches over this interval SELECT {chosen} leaves"
                f" {conjoined(list(map(positions_shown, others)))} (π)."
            )
            return
        asked = whole
    for reasons in (
        _failed_conditions(words, s, asked), _gaps(words, s, asked), _foreign(words, asked),
        _prefix(words, s, asked),
    ):
        told = list(reasons)
        if told:
            yield from (f"  {line}" for line in told)
            return
    yield "  no choice of its events has this interval and these positions."


def _failed_conditions(words: Words, s: Stream, asked: AskedEvent) -> Iterator[str]:
    """What FILTER asks in vain."""
    if not any(isinstance(phi, Filter) for phi in subformulas(words.query.formula)):
        return
    lax = Derivations(s, conditions=False)
    found = [v for v in lax.of(words.query.formula) if asked.fits(v)]
    nearest: tuple[Valuation, list[str]] | None = None
    for v in sorted(found, key=lambda v: (v.start, sorted(v.data)))[:_NEAR]:
        failing = [
            conjunct
            for held in lax.derivation(words.query.formula, v).held
            for conjunct in _failing(held.condition, held.of, s, words)
        ]
        if nearest is None or len(failing) < len(nearest[1]):
            nearest = (v, failing)
    if nearest is not None:
        which = "" if asked.positions == nearest[0].data else f"{_interval(nearest[0])}: "
        yield from (f"{which}{said} (FILTER)." for said in dict.fromkeys(nearest[1]))


def _failing(condition: Condition, v: Valuation, s: Stream, words: Words) -> Iterator[str]:
    """The conjuncts of a condition that do not hold."""
    for conjunct in conjuncts(condition):
        if not holds(v, conjunct, s):
            said = words.verdict(conjunct, v, s)
            if isinstance(conjunct, VariableCondition):
                yield said[0]
            else:
                yield f"{condition_to_text(conjunct)} does not hold: {'; '.join(said)}"


def _gaps(words: Words, s: Stream, asked: AskedEvent) -> Iterator[str]:
    """What stands where `:` and `:+` want neighbours."""
    lax = Derivations(s, conditions=False, contiguity=False)
    found = [v for v in lax.of(words.query.formula) if asked.fits(v)]
    if not found:
        return
    steps = lax.derivation(words.query.formula, found[0]).steps
    for before, step in pairwise(steps):
        if step.link in (":", ":+") and not s.adjacent(before.position, step.position):
            between = [i for i, _ in s if before.position < i < step.position]
            yield (
                f"'{step.link}' wants {step.position} next to {before.position}, and"
                f" {conjoined(list(map(str, between)))}"
                f" {'stands' if len(between) == 1 else 'stand'} between (Table 2)."
            )


def _foreign(words: Words, asked: AskedEvent) -> Iterator[str]:
    """Events of types that the formula does not name."""
    phi = words.query.formula
    named = {each.name for each in subformulas(phi) if isinstance(each, EventType)}
    open_to_all = any(isinstance(each, NotFormula) for each in subformulas(phi))
    ends = [place for place in (asked.start, asked.end) if place is not None and not open_to_all]
    for place in sorted({*ends, *(asked.positions or ())}):
        kind = words.stream[place].type
        if kind not in named:
            yield f"{words.tuple(place)}: the formula has no event type {kind}."


def _prefix(words: Words, s: Stream, asked: AskedEvent) -> Iterator[str]:
    """How far a sequence comes."""
    parts = _parts(without_conditions(words.query.formula))
    if len(parts) < 2:
        return
    prefix: Formula = parts[0]
    reached: Valuation | None = None
    for following in parts[1:]:
        latest = [v for v in valuations(prefix, s) if _begins(v, asked)]
        if not latest:
            break
        reached = min(latest, key=lambda v: (v.end, sorted(v.data)))
        matched, missing = prefix, following
        prefix = Followed(prefix, following)
    if reached is None:
        yield f"no {formula_to_text(parts[0])} begins it so."
        return
    yield (
        f"{formula_to_text(matched)} is matched by {positions_shown(reached.data)}, and then"
        f" {formula_to_text(missing)} by nothing that is asked for."
    )


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
