"""Partial complex events that a user requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.valuations import Valuation
from .wording import positions_text


@dataclass(frozen=True, slots=True)
class RequestedEvent:
    """A partial complex event; None stands for any value."""

    start: int | None = None
    end: int | None = None
    positions: frozenset[int] | None = None
    bindings: Mapping[str, frozenset[int]] | None = None

    def is_met_by(self, event: ComplexEvent) -> bool:
        """Return whether a result has all requested values."""
        bindings = {name: frozenset(places) for name, places in event.bindings or ()}
        return (
            self.start in (None, event.start)
            and self.end in (None, event.end)
            and self.positions in (None, frozenset(event.positions))
            and (
                self.bindings is None
                or event.bindings is None
                or all(bindings.get(x, frozenset()) == d for x, d in self.bindings.items())
            )
        )

    def fits(self, v: Valuation) -> bool:
        """Return whether a valuation has all requested values."""
        return (
            self.start in (None, v.start)
            and self.end in (None, v.end)
            and self.positions in (None, v.data)
            and (self.bindings is None or all(v(x) == d for x, d in self.bindings.items()))
        )

    @property
    def involved(self) -> list[int]:
        """The requested positions, start and end."""
        ends = {place for place in (self.start, self.end) if place is not None}
        return sorted(ends | (self.positions or frozenset()))

    def __str__(self) -> str:
        ends = ["?" if place is None else str(place) for place in (self.start, self.end)]
        text = f"[{ends[0]}, {ends[1]}]"
        if self.positions is not None:
            text += f" {positions_text(self.positions)}"
        for name, places in (self.bindings or {}).items():
            text += f", {name} = {positions_text(places)}"
        return text

    def may_start_with(self, v: Valuation) -> bool:
        """Return whether a valuation may be a prefix of the requested event."""
        if self.start not in (None, v.start) or (self.end is not None and v.end >= self.end):
            return False
        if self.positions is None:
            return True
        return v.data == frozenset(i for i in self.positions if i <= v.end)
