"""NEXT, LAST and MAX among the matches inside the window (`strategy=after-within`).

Which rivals count depends on the window of the end position, so no automaton can settle it: what a
strategy takes is computed on the tECS, for each trigger anew. Every node keeps only data that no
other data of the same node beats: adding the same later position to both changes no comparison.
So for NEXT and LAST each node keeps one set of positions, for MAX those that include no other; the
time is that of the nodes inside the window, not of the complex events that they represent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from ....semantics.ceql.syntax.tree import Strategy
from ..kernels import tecs
from ..kernels.store import Store
from .records import Row

Data: TypeAlias = tuple[int, ...]
"""Positions, ascending."""

Variants: TypeAlias = list[tuple[int, Data]]
"""Of one set of positions: starts, and the labels of the positions."""

Kept: TypeAlias = dict[Data, Variants]
Beats: TypeAlias = Callable[[Data, Data], bool]

_POSITION = int(tecs.SOLID) - 1


def selected(
    store: Store, root: int, end: int, least: int, strategy: Strategy
) -> Iterator[Row]:
    """What the strategy takes of the complex events of a trigger."""
    beats = _BEATS[strategy]
    for data, variants in _kept(store, root, least, beats).items():
        for start, labels in variants:
            yield Row(start, end, data, labels)


def _kept(store: Store, root: int, least: int, beats: Beats) -> Kept:
    words = store.nodes.reshape(-1, int(tecs.WORDS))
    mask, tail = int(store.registers[tecs.MASK]), int(store.registers[tecs.TAIL])
    solid = int(tecs.SOLID)
    kept: dict[int, Kept] = {}
    waiting = [root]
    while waiting:
        node = waiting[-1]
        link, other, _, label = map(int, words[node & mask])
        if node in kept:
            waiting.pop()
        elif other & solid and not link:
            kept[node] = {(): [(other & _POSITION, ())]}
        elif other & solid:
            if link in kept:
                position = other & _POSITION
                kept[node] = {
                    (*data, position): [(start, (*labels, label)) for start, labels in variants]
                    for data, variants in kept[link].items()
                }
            else:
                waiting.append(link)
        else:
            children = [link]
            if other >= tail and int(words[other & mask][int(tecs.MAXIMUM)]) >= least:
                children.append(other)
            missing = [child for child in children if child not in kept]
            if missing:
                waiting += missing
            else:
                kept[node] = _unbeaten([kept[child] for child in children], beats)
    return kept[root]


def _unbeaten(sets: list[Kept], beats: Beats) -> Kept:
    together: Kept = {}
    for each in sets:
        for data, variants in each.items():
            together[data] = together.get(data, []) + variants
    return {
        data: variants
        for data, variants in together.items()
        if not any(beats(rival, data) for rival in together if rival is not data)
    }


def _beats_next(winner: Data, loser: Data) -> bool:
    """The smallest position that is in one of them only is the winner's."""
    for mine, other in zip(winner, loser, strict=False):
        if mine != other:
            return mine < other
    return len(winner) > len(loser)


def _beats_last(winner: Data, loser: Data) -> bool:
    """The largest position that is in one of them only is the winner's."""
    for mine, other in zip(reversed(winner), reversed(loser), strict=False):
        if mine != other:
            return mine > other
    return len(winner) > len(loser)


def _beats_max(winner: Data, loser: Data) -> bool:
    """The winner has all of the loser's positions, and more."""
    return len(winner) > len(loser) and set(winner).issuperset(loser)


_BEATS: dict[Strategy, Beats] = {
    Strategy.NEXT: _beats_next,
    Strategy.LAST: _beats_last,
    Strategy.MAX: _beats_max,
}
