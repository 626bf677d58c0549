"""Rendering of derivations as text: events in order, each followed by its reasons.

Conclusions follow the events that they use. A failing derivation is rendered up to the first
condition that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .derivations import Step


def explanation_lines(step: Step) -> list[str]:
    """Return the lines of a derivation, or of the closest failing derivation."""
    reached = sum(part.event is not None and part.holds for part in step.parts())
    return list(_Renderer(reached > 1).lines(step))


class _Renderer:
    """Renderer of one derivation; numbers its events if there are several."""

    def __init__(self, numbered: bool) -> None:
        self.numbered = numbered
        self.number = 0

    def lines(self, step: Step) -> Iterator[str]:
        if not step.holds:
            yield from self.failing(step)
            return
        reasons = [each for each in step.premises if not each.events]
        for each in step.premises:
            if each.events:
                yield from self.lines(each)
        margin = ""
        if step.text:
            mark = self.mark() if step.event is not None else ""
            margin = " " * len(mark) or "  "
            yield mark + step.text
        for each in reasons:
            yield from _indent(self.lines(each), margin)

    def failing(self, step: Step) -> Iterator[str]:
        if not step.premises:
            if step.text:
                yield step.text
            return
        lines = self.partial(step)
        if step.context:
            yield f"{step.context}:"
            yield from _indent(lines, "  ")
        else:
            yield from lines

    def partial(self, step: Step) -> Iterator[str]:
        """Yield the part that holds, and the condition that fails."""
        *held, last = step.premises
        for each in held:
            if each.events or step.event is None:
                yield from self.lines(each)
        if step.event is not None:
            yield f"Fails at {step.text}:"
            yield from _indent(self.failing(last), "  ")
        else:
            yield from self.failing(last)
        for other in step.alternatives:
            yield f"Also fails at {other.text}: {other.failure}"

    def mark(self) -> str:
        if not self.numbered:
            return ""
        self.number += 1
        return f"{self.number}. "


def _indent(lines: Iterable[str], margin: str) -> Iterator[str]:
    return (margin + line for line in lines)
