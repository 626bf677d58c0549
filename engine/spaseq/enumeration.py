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


class Enumerator:
    """Answers of one instant; what is shared between them is computed once."""

    def __init__(self, states: list[State], oldest: int) -> None:
        self._states = states
        self._oldest = oldest
        self._known: dict[Node, Carried] = {}

    def through(self, links: list[Link]) -> dict[Rows, int]:
        """The X that these links lead to, each with the latest time at which it begins."""
        for origin in self._origins(links):
            self._settle(origin)
        return self._combine(links)

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
            carried = self._combine(top.links)
            self._known[top] = carried
            if self._states[top.state].kleene:
                # The next iteration rests on this one: keep it, and let go of the chain behind.
                top.carried, top.links = carried, []
            stack.pop()

    def _combine(self, links: list[Link]) -> dict[Rows, int]:
        found: dict[Rows, int] = {}
        for link in links:
            edge = link.edge
            for left, first in self._pasts(link).items():
                rows = edge.carrying.rows(
                    left,
                    link.event,
                    edge.carrying_conditions,
                    edge.carrying_absences,
                    link.between,
                )
                found[rows] = max(first, found.get(rows, first))
        return found

    def _pasts(self, link: Link) -> dict[Rows, int]:
        """The X that a link joins its event with, over the edge's carried columns."""
        if link.edge.forgets_how:
            return {link.rows: link.first}
        pasts: dict[Rows, int] = {}
        to_carried = link.edge.to_carried
        for origin in self._origins([link]):
            for before, first in self._known[origin].items():
                if first >= self._oldest:
                    left = frozenset(map(to_carried, before))
                    pasts[left] = max(first, pasts.get(left, first))
        return pasts
