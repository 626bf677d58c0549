"""Complex events as far as somebody asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .....semantics.ceql.syntax.results import ComplexEvent
from .....semantics.ceql.valuations import Valuation
from .wording import positions_shown


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

    def is_begun_by(self, v: Valuation) -> bool:
        """Whether a valuation may be the beginning of what is asked for."""
        if self.start not in (None, v.start) or (self.end is not None and v.end >= self.end):
            return False
        if self.positions is None:
            return True
        return v.data == frozenset(i for i in self.positions if i <= v.end)
