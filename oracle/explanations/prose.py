"""Derivations as lines of prose: events in their order, and beneath each why it is one.

What rests on events is told after them; where something does not hold, the derivation is told as
far as it holds, and then the first condition that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .derivations import Step


def told(step: Step) -> list[str]:
    """The lines of a derivation, or of what comes nearest to one."""
    return list(_Telling(len(_reached(step)) > 1).lines(step))


def _reached(step: Step) -> list[Step]:
    return [part for part in step.parts() if part.event is not None and part.holds]


class _Telling:
    """Counts the events of one derivation, if there are several."""

    def __init__(self, counted: bool) -> None:
        self.counted = counted
        self.number = 0

    def lines(self, step: Step) -> Iterator[str]:
        if not step.holds:
            yield from self.failing(step)
            return
        asides = [each for each in step.premises if not each.events]
        for each in step.premises:
            if each.events:
                yield from self.lines(each)
        margin = ""
        if step.says:
            mark = self.mark() if step.event is not None else ""
            margin = " " * len(mark) or "  "
            yield mark + step.says
        for each in asides:
            yield from _indented(self.lines(each), margin)

    def failing(self, step: Step) -> Iterator[str]:
        if not step.premises:
            if step.says:
                yield step.says
            return
        lines = self.far(step)
        if step.supposing:
            yield f"{step.supposing}:"
            yield from _indented(lines, "  ")
        else:
            yield from lines

    def far(self, step: Step) -> Iterator[str]:
        """As far as it holds, and what fails."""
        *held, last = step.premises
        for each in held:
            if each.events or step.event is None:
                yield from self.lines(each)
        if step.event is not None:
            yield f"But not {step.says}:"
            yield from _indented(self.failing(last), "  ")
        else:
            yield from self.failing(last)
        for other in step.others:
            yield f"Nor {other.says}: {other.failure}"

    def mark(self) -> str:
        if not self.counted:
            return ""
        self.number += 1
        return f"{self.number}. "


def _indented(lines: Iterable[str], margin: str) -> Iterator[str]:
    return (margin + line for line in lines)
