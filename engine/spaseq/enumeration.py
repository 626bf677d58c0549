"""From a node back to the answers that it stands for.

Links are followed only for nodes that are part of a complete match, and every way through them is
one: the key columns decide whether a join is empty, so there are no dead ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .automaton import State
from .joins import Rows
from .runs import Link, Node

Carried = Mapping[Rows, int]
"""X over a state's carried columns, with the latest time at which a match of it begins."""

_NO_ROWS: Rows = frozenset({()})


class Enumerator:
    """Answers of one instant; what is shared between them is computed once."""

    def __init__(self, states: list[State], oldest: int) -> None:
        self._states = states
        self._oldest = oldest
        self._known: dict[Node, Carried] = {}

    def through(self, links: list[Link], time: int) -> dict[Rows, int]:
        """The X that these links lead to, for a node at `time`."""
        for origin in self._origins(links):
            self._settle(origin)
        return self._combine(links, time)

    def _origins(self, links: list[Link]) -> Iterator[Node]:
        for link in links:
            for origin in link.origins[: link.count]:
                if origin.first >= self._oldest:
                    yield origin

    def _settle(self, node: Node) -> None:
        """Computes a node after what it rests on; a Kleene chain may be long: no recursion."""
        stack = [node]
        while stack:
            top = stack[-1]
            if top in self._known:
                stack.pop()
                continue
            if top.carried is not None:
                self._known[top] = top.carried
                stack.pop()
                continue
            missing = [origin for origin in self._origins(top.links) if origin not in self._known]
            if missing:
                stack.extend(missing)
                continue
            carried = self._combine(top.links, top.time)
            self._known[top] = carried
            if self._states[top.state].kleene:
                # The next iteration rests on this one: keep it, and let go of the chain behind.
                top.carried, top.links = carried, []
            stack.pop()

    def _combine(self, links: list[Link], time: int) -> dict[Rows, int]:
        found: dict[Rows, int] = {}
        for link in links:
            edge = link.edge
            if edge.initial:
                rows = edge.carrying.rows(((),), link.event, edge.carrying_conditions)
                found[rows] = max(time, found.get(rows, time))
                continue
            done: dict[Rows, Rows] = {}
            for origin in self._origins([link]):
                for before, first in self._known[origin].items():
                    if first < self._oldest:
                        continue
                    left = frozenset(map(edge.to_carried, before))
                    if left not in done:
                        done[left] = edge.carrying.rows(
                            left,
                            link.event,
                            edge.carrying_conditions,
                            edge.carrying_absences,
                            link.between,
                        )
                    rows = done[left]
                    known = found.get(rows)
                    if known is None or known < first:
                        found[rows] = first
        return found
