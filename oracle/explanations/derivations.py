"""Derivations: which rule concludes what from which premises, and the nearest where none does.

A `Goal` is something that a definition may conclude, with every `Way` in which it may; a way has
premises, which are goals again, or tests: steps that hold or do not. `Goal.proof` is the first way
whose premises all hold, as a tree of steps. Where there is none it is the way that comes nearest,
up to its first premise that does not hold. So "why" and "why not" are one search; a language says
only what its rules are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

MOST_WAYS = 200
"""So many ways of one goal are tried."""
_MOST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class Event:
    """What a step rests on: an item of a stream, or several, and from when to when."""

    stream: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A window in which a step is taken: its name, and from when to when."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """What a rule concludes, in a sentence, from its premises; "" where that goes without saying.

    If it does not hold, its last premise does not either, and without premises it is the condition
    that fails. `supposing` says under which supposition it was tried, `others` are other ways
    that fail. `frames` are the windows that it speaks of. A `detail` only says more of the step
    that it is a premise of.
    """

    says: str = ""
    premises: tuple[Step, ...] = ()
    event: Event | None = None
    holds: bool = True
    supposing: str = ""
    others: tuple[Step, ...] = ()
    frames: tuple[Frame, ...] = ()
    detail: bool = False

    def parts(self) -> Iterator[Step]:
        """The step and all that it is made of."""
        yield self
        for premise in self.premises:
            yield from premise.parts()

    @property
    def events(self) -> list[Event]:
        """The events that it is made of."""
        return [part.event for part in self.parts() if part.event is not None]

    @property
    def reach(self) -> int:
        """How much of it holds."""
        return sum(part.holds and not part.detail for part in self.parts())

    @property
    def failure(self) -> str:
        """The condition that does not hold, if one does not."""
        return self.premises[-1].failure if self.premises and not self.holds else self.says


def checked(holds: object, *, true: str = "", false: str = "") -> Step:
    """A premise that is looked up."""
    return Step(true, holds=True) if holds else Step(false, holds=False)


@dataclass(frozen=True, slots=True)
class Way:
    """One application of a rule: what it concludes if its premises hold.

    Premises are tried one by one, none after the first that does not hold. What the rule concludes
    may depend on them.
    """

    says: str | Callable[[Sequence[Step]], str] = ""
    premises: Iterable[Premise] = ()
    event: Event | None = None
    supposing: str = ""
    frames: tuple[Frame, ...] = ()

    def applied(self) -> Step:
        """The step that the rule makes, or that fails."""
        held: list[Step] = []
        for premise in self.premises:
            found = premise.proof if isinstance(premise, Goal) else premise
            if not found.holds:
                # Where a goal is not reached, nothing is said that rests on it.
                reached = isinstance(premise, Step) and isinstance(self.says, str)
                return Step(
                    self.says if reached and isinstance(self.says, str) else "", (*held, found),
                    self.event if reached else None, False, self.supposing, (), self.frames,
                )
            held.append(found)
        says = self.says if isinstance(self.says, str) else self.says(held)
        return Step(says, tuple(held), self.event, frames=self.frames)


class Goal:
    """Something to be derived; `otherwise` is said where there is no way at all."""

    def __init__(self, ways: Callable[[], Iterable[Way]], otherwise: str = "") -> None:
        self.ways = ways
        self.otherwise = otherwise

    @cached_property
    def proof(self) -> Step:
        """How it is derived, or the nearest that there is to it."""
        failed: list[Step] = []
        for way in islice(self.ways(), MOST_WAYS):
            step = way.applied()
            if step.holds:
                return step
            failed.append(step)
        if not failed:
            return Step(self.otherwise, holds=False)
        nearest = max(failed, key=lambda step: step.reach)
        others: dict[str, Step] = {}
        for step in sorted(failed, key=lambda step: -step.reach):
            if step.event is not None and step.failure != nearest.failure:
                others.setdefault(step.failure, step)
        return replace(nearest, others=tuple(others.values())[:_MOST_OTHERS])


Premise: TypeAlias = Goal | Step
