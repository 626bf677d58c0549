"""Derivations of results from rules and premises, and the closest failing derivations.

A `Goal` is a possible conclusion of a definition, with every `Way` to derive it. The premises of a
way are goals or tested steps. `Goal.proof` is the first way whose premises all hold, as a tree of
steps. If there is none, it is the closest way, up to its first premise that does not hold. "Why"
and "why not" are therefore one search; a language defines only its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

MAX_WAYS = 200
"""The number of ways of one goal that are tried."""
_MAX_ALTERNATIVES = 2


@dataclass(frozen=True, slots=True)
class Event:
    """One or more items of a stream that a step uses, with their start and end."""

    stream: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A window that a step refers to, with its start and end."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """A conclusion in a sentence, with its premises; the text may be empty.

    If a step does not hold, its last premise does not hold either; without premises it is the
    failing condition itself.

    Attributes:
        context: the window or time in which the step was tried.
        alternatives: other failing ways.
        detail: whether the step only adds detail to the step of which it is a premise.
    """

    text: str = ""
    premises: tuple[Step, ...] = ()
    event: Event | None = None
    holds: bool = True
    context: str = ""
    alternatives: tuple[Step, ...] = ()
    frames: tuple[Frame, ...] = ()
    detail: bool = False

    def parts(self) -> Iterator[Step]:
        """Yield the step and, recursively, its premises."""
        yield self
        for premise in self.premises:
            yield from premise.parts()

    @property
    def events(self) -> list[Event]:
        """The events of the step and its premises."""
        return [part.event for part in self.parts() if part.event is not None]

    @property
    def reach(self) -> int:
        """The number of steps that hold."""
        return sum(part.holds and not part.detail for part in self.parts())

    @property
    def failure(self) -> str:
        """The condition that does not hold; the text of the step if it holds."""
        return self.premises[-1].failure if self.premises and not self.holds else self.text


def check(holds: object, *, true: str = "", false: str = "") -> Step:
    """Return a tested premise, with the text for its outcome."""
    return Step(true, holds=True) if holds else Step(false, holds=False)


@dataclass(frozen=True, slots=True)
class Way:
    """An application of a rule: a conclusion and its premises.

    Premises are tried in order, up to the first that does not hold. The conclusion may be a
    function of them.
    """

    text: str | Callable[[Sequence[Step]], str] = ""
    premises: Iterable[Premise] = ()
    event: Event | None = None
    context: str = ""
    frames: tuple[Frame, ...] = ()

    def apply(self) -> Step:
        """Return the step that the rule concludes, or the failing step."""
        held: list[Step] = []
        for premise in self.premises:
            found = premise.proof if isinstance(premise, Goal) else premise
            if not found.holds:
                # Below a goal that is not reached, the conclusion is not shown.
                reached = isinstance(premise, Step) and isinstance(self.text, str)
                return Step(
                    self.text if reached and isinstance(self.text, str) else "", (*held, found),
                    self.event if reached else None, False, self.context, (), self.frames,
                )
            held.append(found)
        text = self.text if isinstance(self.text, str) else self.text(held)
        return Step(text, tuple(held), self.event, frames=self.frames)


class Goal:
    """A conclusion to derive; `otherwise` is its text if there is no way."""

    def __init__(self, ways: Callable[[], Iterable[Way]], otherwise: str = "") -> None:
        self.ways = ways
        self.otherwise = otherwise

    @cached_property
    def proof(self) -> Step:
        """The derivation, or the closest failing derivation."""
        failed: list[Step] = []
        for way in islice(self.ways(), MAX_WAYS):
            step = way.apply()
            if step.holds:
                return step
            failed.append(step)
        if not failed:
            return Step(self.otherwise, holds=False)
        closest = max(failed, key=lambda step: step.reach)
        alternatives: dict[str, Step] = {}
        for step in sorted(failed, key=lambda step: -step.reach):
            if step.event is not None and step.failure != closest.failure:
                alternatives.setdefault(step.failure, step)
        return replace(closest, alternatives=tuple(alternatives.values())[:_MAX_ALTERNATIVES])


Premise: TypeAlias = Goal | Step
