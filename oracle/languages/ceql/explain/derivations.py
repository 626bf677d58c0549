"""Derivations in CEQL: the parts of a valuation of a formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .....semantics.ceql.denotation import valuations
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
)
from .....semantics.ceql.valuations import (
    Stream,
    Valuation,
    Valuations,
    joined,
    projected,
    valuation,
)
from .....semantics.model.trees import changed

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
