"""Background graphs that change: an instantaneous graph G(t) for every t (CQELS-CEP 2.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import StreamError
from .items import Item, TimeKind, TimestampedGraph
from .terms import EMPTY_GRAPH, Graph


@dataclass(frozen=True, slots=True)
class TemporalGraph:
    """The triples of the graph from each time of a change on; before the first it is empty.

    To state the same triples again is no change: such statements are omitted.

    To say the same triples again is no change: such statements are left out.
    """

    changes: tuple[tuple[int, Graph], ...]
    kind: TimeKind = TimeKind.INTEGER

    def __post_init__(self) -> None:
        before = (EMPTY_GRAPH, *(graph for _, graph in self.changes))
        changes = tuple(
            change
            for said, change in zip(before, self.changes, strict=False)
            if change[1] != said
        )
        object.__setattr__(self, "changes", changes)

    def at(self, t: int) -> tuple[int | None, Graph]:
        """Return the time of the last change up to t (None: there was none), and G(t)."""
        place = bisect_right(self.changes, t, key=lambda change: change[0])
        return self.changes[place - 1] if place else (None, EMPTY_GRAPH)


def temporal_graph(items: Iterable[Item], source: str | None = None) -> TemporalGraph:
    """Return the graph that the items of a stream state: each all that it says from then on.

    Raises StreamError for an item that holds over an interval, and for two changes at one time.
    """
    stated: list[tuple[int, Graph]] = []
    kind = TimeKind.INTEGER
    for item in items:
        if not isinstance(item, TimestampedGraph):
            raise StreamError("a graph changes at an instant, not over an interval", source=source)
        if stated and item.time <= stated[-1][0]:
            raise StreamError(
                f"a graph changes twice at {item.time}" if item.time == stated[-1][0]
                else f"a graph's change at {item.time} comes after that at {stated[-1][0]}",
                source=source,
            )
        stated.append((item.time, item.graph))
        kind = item.kind
    return TemporalGraph(tuple(stated), kind)
