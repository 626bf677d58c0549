"""Rules of Table 2: the derivations of a match, or of the closest match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

from .....semantics.ceql.denotation import holds, valuations
from .....semantics.ceql.syntax.analysis import conjuncts
from .....semantics.ceql.syntax.tree import (
    As,
    Condition,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Projection,
    Sequence,
    VariableCondition,
)
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.ceql.valuations import (
    Stream,
    Valuation,
    Valuations,
    joined,
    projected,
    valuation,
)
from .....semantics.model.pretty_printing import text_of
from .....semantics.model.trees import changed, find, has
from ....explanations.derivations import MAX_WAYS, Event, Premise, Step, Way, check
from ....explanations.wording import conjoined
from .wording import CeqlEvaluation, RequestedEvent, in_order, positions_text

FIRST, SEQUENCE, CONTIGUOUS, ITERATION, CONTIGUOUS_ITERATION = "", ";", ":", "+", ":+"
"""The operators that link a step to its predecessor."""


@dataclass(frozen=True, slots=True)
class MatchedEvent:
    """An event: its atom, the link to the preceding event, and the variables that contain it."""

    position: int
    atom: EventType | NotFormula
    link: str
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestedCondition:
    """A condition and the valuation that it was evaluated on."""

    condition: Condition
    of: Valuation


@dataclass
class Derivation:
    """A derivation of a valuation by Table 2: its events in order, and its conditions."""

    steps: list[MatchedEvent] = field(default_factory=list)
    conditions: list[TestedCondition] = field(default_factory=list)


class Derivations:
    """The derivations over one stream, optionally of a weaker φ.

    Without `conditions`, FILTERs are not applied (but recorded in the derivation); without
    `contiguity`, `:` is treated as `;`.
    """

    def __init__(self, s: Stream, *, conditions: bool = True, contiguity: bool = True) -> None:
        self.s = s
        self.conditions = conditions
        self.contiguity = contiguity
        self._known: dict[Formula, Valuations] = {}

    def of(self, phi: Formula) -> Valuations:
        """Return ⌈φ⌋(S)."""
        if phi not in self._known:
            weaker = phi if self.conditions else without_conditions(phi)
            weaker = weaker if self.contiguity else without_contiguity(weaker)
            self._known[phi] = valuations(weaker, self.s)
        return self._known[phi]

    def derivation(self, phi: Formula, v: Valuation) -> Derivation:
        """Return one derivation of V ∈ ⌈φ⌋(S)."""
        made = Derivation()
        made.steps = list(self._steps(phi, v, FIRST, made))
        return made

    def _steps(
        self, phi: Formula, v: Valuation, link: str, made: Derivation
    ) -> Iterator[MatchedEvent]:
        match phi:
            case EventType() | NotFormula():
                yield MatchedEvent(v.start, phi, link)
            case As(inner, variable):
                before = next(w for w in self.of(inner) if _bind(w, variable) == v)
                for step in self._steps(inner, before, link, made):
                    gathers = step.position in before.data
                    yield MatchedEvent(
                        step.position, step.atom, step.link,
                        (*step.variables, variable) if gathers else step.variables,
                    )
            case Filter(inner, condition):
                yield from self._steps(inner, v, link, made)
                made.conditions.append(TestedCondition(condition, v))
            case Disjunction(left, right):
                yield from self._steps(left if v in self.of(left) else right, v, link, made)
            case Sequence(left, right) | Contiguous(left, right):
                kind = SEQUENCE if isinstance(phi, Sequence) else CONTIGUOUS
                first, second = self._split(self.of(left), self.of(right), v, kind)
                yield from self._steps(left, first, link, made)
                yield from self._steps(right, second, kind, made)
            case Iteration(inner) | ContiguousIteration(inner):
                kind = ITERATION if isinstance(phi, Iteration) else CONTIGUOUS_ITERATION
                rest = v
                while rest not in self.of(inner):
                    first, rest = self._split(self.of(inner), self.of(phi), rest, kind)
                    yield from self._steps(inner, first, link, made)
                    link = kind
                yield from self._steps(inner, rest, link, made)
            case Projection(inner, chosen):
                names = [str(name) for name in chosen]
                before = next(w for w in self.of(inner) if projected(w, names) == v)
                yield from self._steps(inner, before, link, made)

    def _split(
        self, first: Valuations, second: Valuations, v: Valuation, kind: str
    ) -> tuple[Valuation, Valuation]:
        contiguous = kind in (CONTIGUOUS, CONTIGUOUS_ITERATION) and self.contiguity
        for v1 in sorted(first, key=lambda w: w.end):
            if v1.start != v.start or not v1.data <= v.data:
                continue
            for v2 in second:
                follows = self.s.adjacent(v1.end, v2.start) if contiguous else v1.end < v2.start
                if follows and joined(v1, v2) == v:
                    return v1, v2
        raise AssertionError("a valuation without parts")  # excluded by Table 2


def _bind(v: Valuation, variable: str) -> Valuation:
    return valuation(v.start, v.end, {**dict(v.mu), variable: v.data})


def without_conditions(phi: Formula) -> Formula:
    """Return φ without its FILTERs, except in NOT( )."""
    return changed(
        phi, lambda part: part.formula if isinstance(part, Filter) else part, but=(NotFormula,)
    )


def without_contiguity(phi: Formula) -> Formula:
    """Return φ with `;` for `:` and + for `:+`."""
    def change(part: Any) -> Any:
        match part:
            case Contiguous(left, right):
                return Sequence(left, right)
            case ContiguousIteration(inner):
                return Iteration(inner)
        return part

    return changed(phi, change, but=(NotFormula,))


_MAX_SHOWN = 3
_LINKS = {
    ";": "It follows {before}: ';'",
    ":": "It directly follows {before}: ':'",
    "+": "It starts another iteration, after {before}: '+'",
    ":+": "It starts another iteration, directly after {before}: ':+'",
}


class TableRules(CeqlEvaluation):
    """The rules of Table 2."""

    def table(self, derivations: Derivations, w: Valuation) -> Iterator[Premise]:
        """Yield the events and conditions of a derivation."""
        made = derivations.derivation(self.query.formula, w)
        for before, event in pairwise([None, *made.steps]):
            assert event is not None
            yield self.event(event, before, derivations.s).apply()
        for condition in made.conditions:
            yield from self.conditions(condition, derivations.s)

    def event(self, event: MatchedEvent, before: MatchedEvent | None, s: Stream) -> Way:
        names = f", as {conjoined(event.variables)}" if event.variables else ""
        stream = self.query.streams[0] if len(self.query.streams) == 1 else ""
        return Way(
            f"{self.tuples.tuple(event.position)}{names}", self.link(event, before, s),
            Event(stream, event.position, event.position),
        )

    def link(
        self, event: MatchedEvent, before: MatchedEvent | None, s: Stream
    ) -> Iterator[Step]:
        """Yield the links of an event to its predecessor."""
        if isinstance(event.atom, NotFormula):
            yield Step(f"{text_of(event.atom.formula)} does not match it: NOT(…) matches the event"
                       " and adds no data.")
        if before is None:
            yield Step("It starts the match (Table 2, event types).")
            return
        skipped = [i for i, _ in s if before.position < i < event.position]
        several = len(skipped) != 1
        over = f" {conjoined(skipped)} {'are' if several else 'is'} skipped." if skipped else ""
        yield check(
            not (skipped and event.link in (":", ":+")),
            true=f"{_LINKS[event.link].format(before=before.position)} (Table 2).{over}",
            false=f"'{event.link}' requires {event.position} directly after {before.position};"
            f" {conjoined(skipped)} {'lie' if several else 'lies'} between them (Table 2).",
        )

    def conditions(self, tested: TestedCondition, s: Stream) -> Iterator[Step]:
        """Yield the conjuncts of a FILTER."""
        for condition in conjuncts(tested.condition):
            parts = "; ".join(self.tuples.verdicts(condition, tested.of, s))
            text = text_of(condition)
            alone = f"FILTER {parts}." if isinstance(condition, VariableCondition) else ""
            yield check(
                holds(tested.of, condition, s), true=alone or f"FILTER {text} is true: {parts}.",
                false=alone or f"FILTER {text} is false: {parts}.",
            )

    def failures(self, s: Stream, request: RequestedEvent) -> Iterator[Way]:
        """Yield the closest derivations without FILTERs, or else also without contiguity."""
        phi, projecting = self.query.formula, self.query.select is not None
        whole = RequestedEvent(request.start, request.end) if projecting else request
        context = f"The formula {text_of(phi)} does not match these events (Table 2)"
        for contiguity in (True, False):
            lax = Derivations(s, conditions=False, contiguity=contiguity)
            found = in_order(v for v in lax.of(phi) if whole.fits(v))
            for v in islice(found, MAX_WAYS):
                projection = [self.projection(s, whole)] if projecting else ()
                yield Way(premises=(*self.table(lax, v), *projection), context=context)
            if found:
                return
        for reason in (self.foreign(request), self.prefix(s, request), self.closest(s, request)):
            if reason:
                yield Way(premises=(check(False, false=reason),), context=context)
                return

    def projection(self, s: Stream, whole: RequestedEvent) -> Step:
        """Return the positions that SELECT keeps of the matches over the interval."""
        found = valuations(self.tuples.evaluated.projected, s)
        kept = sorted({tuple(sorted(v.data)) for v in found if whole.fits(v)})[:_MAX_SHOWN]
        return check(False, false=f"for the matches over this interval, SELECT {self.selection()}"
                     f" keeps {conjoined(list(map(positions_text, kept)))} (π).")

    def foreign(self, request: RequestedEvent) -> str:
        """Return the events of types that the formula does not contain."""
        named = {each.name for each in find(self.query.formula, EventType)}
        open_to_all = has(self.query.formula, NotFormula)
        ends = [p for p in (request.start, request.end) if p is not None and not open_to_all]
        return " ".join(
            f"{self.tuples.tuple(place)}: the formula has no event type {self.stream[place].type}."
            for place in sorted({*ends, *(request.positions or ())})
            if self.stream[place].type not in named
        )

    def prefix(self, s: Stream, request: RequestedEvent) -> str:
        """Return the longest prefix of a sequence that matches."""
        parts = _parts(without_conditions(self.query.formula))
        if len(parts) < 2:
            return ""
        prefix, reached = parts[0], None
        for following in parts[1:]:
            latest = [v for v in valuations(prefix, s) if request.may_start_with(v)]
            if not latest:
                break
            reached = min(latest, key=lambda v: (v.end, sorted(v.data)))
            matched, missing = prefix, following
            prefix = Followed(prefix, following)
        if reached is None:
            first = request.start if request.start is not None else min(request.involved)
            if first == request.end:
                return ""  # the first event would also be the last
            there = self.candidates(s, first, request)
            return f"no match of {text_of(parts[0])} starts it ({there})."
        return (
            f"{text_of(matched)} matches {positions_text(reached.data)}, but {text_of(missing)}"
            f" matches no later event ({self.candidates(s, reached.end + 1, request)})."
        )

    def candidates(self, s: Stream, first: int, request: RequestedEvent) -> str:
        """Return the candidate events of a part of a formula, from a position on."""
        last = request.end if request.end is not None else max(request.involved)
        among = [
            i for i, _ in s
            if first <= i <= last and (request.positions is None or i in request.positions)
        ]
        if not among:
            return f"no candidate lies between {first} and {last}"
        more = f" and {len(among) - _MAX_SHOWN} more" if len(among) > _MAX_SHOWN else ""
        return f"candidates: {', '.join(map(self.tuples.tuple, among[:_MAX_SHOWN]))}{more}"

    def closest(self, s: Stream, request: RequestedEvent) -> str:
        """Return the match of the formula that is closest to the request, and its differences."""
        phi = without_conditions(self.query.formula)

        def unlike(v: Valuation) -> int:
            positions = request.positions
            return (
                (request.start not in (None, v.start)) + (request.end not in (None, v.end))
                + (0 if positions is None else len(positions ^ v.data))
            )

        found = min(in_order(valuations(phi, s)), key=unlike, default=None)
        if found is None:
            named = ", ".join(dict.fromkeys(t.type for _, t in s))
            return f"{text_of(phi)} matches none of the events: {named}."
        differences = []
        if request.start not in (None, found.start):
            differences.append(f"starts at {found.start}, not at {request.start}")
        if request.end not in (None, found.end):
            differences.append(f"ends at {found.end}, not at {request.end}")
        if request.positions is not None and request.positions != found.data:
            differences.append(
                f"has the positions {positions_text(found.data)},"
                f" not {positions_text(request.positions)}"
            )
        return f"the closest match {conjoined(differences) or 'has other bindings'}."


def _parts(phi: Formula) -> list[Formula]:
    if isinstance(phi, Followed):
        return [*_parts(phi.left), phi.right]
    return [phi]
