"""Streams, valuations and complex events (CORE section 2.2).

V is a valuation ([i, j], μ), μ assigns sets of positions to variables, C is a complex event
([i, j], D). Positions are those of the whole stream S, also in a substream of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ..model.tuples import EventTuple
from .syntax.results import ComplexEvent

Positions: TypeAlias = frozenset[int]

NOWHERE: Positions = frozenset()


class Stream:
    """S = t0 t1 t2 …, or a subsequence of one that keeps its positions."""

    def __init__(self, tuples: Mapping[int, EventTuple]) -> None:
        self._tuples = dict(sorted(tuples.items()))
        self._next = dict(pairwise(self._tuples))

    def __iter__(self) -> Iterator[tuple[int, EventTuple]]:
        """Return the positions and their tuples, in order."""
        return iter(self._tuples.items())

    def __getitem__(self, position: int) -> EventTuple:
        """t_i"""
        return self._tuples[position]

    def at(self, positions: Positions) -> list[EventTuple]:
        """S[D] = {t_i | i ∈ D}"""
        return [self._tuples[position] for position in sorted(positions)]

    def adjacent(self, before: int, after: int) -> bool:
        """Return True if no tuple of this stream lies between two positions."""
        return self._next.get(before) == after

    def after(self, position: int) -> Stream:
        """Return the part of the stream after a position."""
        return Stream({i: t for i, t in self if i > position})


@dataclass(frozen=True, slots=True)
class Valuation:
    """V = ([start, end], μ); `mu` holds (X, V(X)) for every X with V(X) ≠ ∅"""

    start: int
    end: int
    mu: frozenset[tuple[str, Positions]]

    def __call__(self, variable: str) -> Positions:
        """V(X)."""
        return dict(self.mu).get(variable, NOWHERE)

    @property
    def data(self) -> Positions:
        """⋃_X V(X), which is C_V(data)"""
        return NOWHERE.union(*(positions for _, positions in self.mu))


Valuations: TypeAlias = frozenset[Valuation]


def valuation(start: int, end: int, mu: Mapping[str, Positions]) -> Valuation:
    """([start, end], μ)"""
    return Valuation(start, end, frozenset((x, d) for x, d in mu.items() if d))


def joined(v1: Valuation, v2: Valuation) -> Valuation:
    """V(time) = [V1(start), V2(end)], V(X) = V1(X) ∪ V2(X)."""
    mu = dict(v1.mu)
    for x, positions in v2.mu:
        mu[x] = mu.get(x, NOWHERE) | positions
    return Valuation(v1.start, v2.end, frozenset(mu.items()))


def projected(v: Valuation, variables: Iterable[str]) -> Valuation:
    """V(X) for X ∈ L, ∅ for every other."""
    return valuation(v.start, v.end, {x: v(x) for x in variables})


def complex_event(v: Valuation) -> ComplexEvent:
    """C_V: the variables forgotten."""
    return ComplexEvent(v.end, v.start, tuple(sorted(v.data)))


def with_bindings(v: Valuation) -> ComplexEvent:
    """V itself, as a result."""
    bindings = tuple(sorted((x, tuple(sorted(positions))) for x, positions in v.mu))
    return ComplexEvent(v.end, v.start, tuple(sorted(v.data)), bindings)
