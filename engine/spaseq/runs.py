"""Partial matches that share their prefixes, and the enumeration of matches from them.

A *node* stands for all partial matches that end in one state at one instant and that can only go
on alike, because they agree on the state's key columns. How they came about is kept as links to
earlier nodes, not copied: a link says "any node of this group's first `count`, joined with this
event". Nodes that wait for the same edge with the same key rows form a *group*: an event is joined
with a group once, however many partial matches it stands for.

Links are followed only for nodes that are part of a complete match, and every way through them is
one: the key columns decide whether a join is empty, so there are no dead ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...semantics.spaseq.syntax.results import Pair
from ..checkpoints.state_schema import stateful
from ..tuning import IN_USE
from .automaton import Edge, State
from .joins import Between, EventSolutions, Row, Rows


@stateful()
@dataclass(slots=True, eq=False)
class Link:
    """The origin of a node: by `edge`, from any of `origins[:count]`, with an event's solutions.

    `origins` is a group's list; it only grows, so that its first `count` nodes stay what they were.
    They agree on `rows`, the edge's key columns; where the edge forgets how they came about, rows
    are all that there is to say, and there are no origins. `first` is the latest of their times.
    """

    edge: Edge
    event: EventSolutions
    rows: Rows
    first: int
    origins: list[Node]
    count: int
    between: Between = ()


@stateful()
@dataclass(slots=True, eq=False)
class Node:
    """Partial matches that end in `state` at `time` and agree on `rows` (the key columns).

    `first` is the latest of their first events' times: the last of them to leave the window.
    """

    state: int
    time: int
    rank: int
    rows: Rows
    first: int
    links: list[Link]
    carried: dict[Rows, int] | None = None
    """at a Kleene state, once asked for: the answer's rows so far, with their latest first time"""


@stateful()
@dataclass(slots=True, eq=False)
class Group:
    """Nodes that wait for an edge and agree on the edge's key columns."""

    rows: Rows
    nodes: list[Node]
    first: int
    time: int
    """the nodes' common time, where the edge's condition depends on it; else 0"""
    rank: int = 0
    waiting: bool = True
    joined: bool = field(default=False)
    """did an event of the present instant join? (skip-till-next lets it go no further)"""


@stateful(kept=("edge", "_apart", "_groups", "_by_key", "_removed"))
class Waiting:
    """The groups that wait for one edge, by key rows and by join key."""

    def __init__(self, edge: Edge) -> None:
        self.edge = edge
        self._apart = bool(edge.passed)  # what lies between depends on when a node ended
        self._groups: dict[tuple[Rows, int, int], Group] = {}
        self._by_key: dict[Row, list[tuple[Group, Row]]] = {}
        self._removed = 0

    def __bool__(self) -> bool:
        return bool(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def add(self, node: Node) -> Group:
        """Add the node to the waiting ones; return its group."""
        rows = frozenset(map(self.edge.to_key, node.rows))
        time, rank = (node.time, node.rank) if self._apart else (0, 0)
        group = self._groups.get((rows, time, rank))
        if group is None:
            group = Group(rows, [], node.first, time, rank)
            self._groups[rows, time, rank] = group
            self._enter(group)
        group.nodes.append(node)
        group.first = max(group.first, node.first)
        return group

    def _enter(self, group: Group) -> None:
        key_of = self.edge.joining.left_key
        for row in group.rows:
            self._by_key.setdefault(key_of(row), []).append((group, row))

    def candidates(self, key: Row) -> Iterable[tuple[Group, Row]]:
        """Return the groups, each with its row, that agree with an event's row on the join key."""
        return self._by_key.get(key, ())

    def clear(self) -> None:
        self._groups.clear()
        self._by_key.clear()
        self._removed = 0

    def remove(self, group: Group) -> None:
        """Remove a waiting group; its nodes stay alive where links hold them."""
        group.waiting = False
        del self._groups[group.rows, group.time, group.rank]
        self._removed += 1
        if self._removed > IN_USE.departed and self._removed > len(self._groups):
            self._rebuild()

    def _rebuild(self) -> None:
        self._by_key.clear()
        self._removed = 0
        for group in self._groups.values():
            self._enter(group)

    def expire(self, oldest: int) -> None:
        """Evict the nodes none of whose matches can end in a window any more."""
        for group in list(self._groups.values()):
            if group.first < oldest:
                self.remove(group)
            else:
                # A new list: links made earlier keep the nodes that they counted.
                group.nodes = [node for node in group.nodes if node.first >= oldest]


def prune(roots: Iterable[Node], oldest: int) -> None:
    """Cut the past of live nodes down to matches that can still end in a window."""
    shortened: dict[tuple[int, int], list[Node]] = {}
    kept_alive: list[list[Node]] = []
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.carried is not None:
            node.carried = {rows: t for rows, t in node.carried.items() if t >= oldest}
        links = []
        for link in node.links:
            if link.first < oldest:
                continue
            if link.count:
                key = (id(link.origins), link.count)
                origins = shortened.get(key)
                if origins is None:
                    kept_alive.append(link.origins)  # its id() must stay its own meanwhile
                    origins = [n for n in link.origins[: link.count] if n.first >= oldest]
                    shortened[key] = origins
                    stack.extend(origins)
                link.origins, link.count = origins, len(origins)
            links.append(link)
        node.links = links


def with_past(roots: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes and those from which they came, each once."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            for link in node.links:
                stack.extend(link.origins[: link.count])


def ids_held(roots: Iterable[Node]) -> set[int]:
    """Return every term id that the nodes and their past still need."""
    held: set[int] = set()
    events: set[int] = set()
    for node in with_past(roots):
        _hold(held, node.rows)
        for rows in node.carried or ():
            _hold(held, rows)
        for link in node.links:
            _hold(held, link.rows)
            if id(link.event) not in events:
                events.add(id(link.event))
                _hold(held, link.event.rows)
                for rows_between in link.between:
                    _hold(held, rows_between)
    return held


def _hold(held: set[int], rows: Iterable[Row]) -> None:
    for row in rows:
        for entry in row:
            if isinstance(entry, tuple):
                held.update(entry)
            elif entry:
                held.add(entry)


Carried = Mapping[Rows, int]
"""X over a state's carried columns, with the latest time at which a match of it begins."""


class Enumerator:
    """Answers of one instant; what is shared between them is computed once."""

    def __init__(self, states: list[State], oldest: int) -> None:
        self._states = states
        self._oldest = oldest
        self._known: dict[Node, Carried] = {}

    def through(self, links: list[Link]) -> dict[Rows, int]:
        """Return the X that these links lead to, each with the latest time at which it begins."""
        for origin in self._origins(links):
            self._settle(origin)
        return self._combine(links)

    def _origins(self, links: list[Link]) -> Iterator[Node]:
        for link in links:
            for origin in link.origins[: link.count]:
                if origin.first >= self._oldest:
                    yield origin

    def _settle(self, node: Node) -> None:
        """Compute a node after its dependencies; a Kleene chain may be long: no recursion."""
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
        """Return the X that a link joins its event with, over the edge's carried columns."""
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


class Matches(Protocol):
    """The pairs that the items of a batch make certain, in the order of the items.

    Those that are not looked at before the dictionary is swept are lost.
    """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Pair]: ...

    def by_item(self) -> Iterator[tuple[int, Pair]]:
        """Return each match with the number of the item in the batch that made it final."""
        ...


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """Pairs that have been made already."""

    pairs: Sequence[tuple[int, Pair]]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return (pair for _, pair in self.pairs)

    def by_item(self) -> Iterator[tuple[int, Pair]]:
        return iter(self.pairs)
