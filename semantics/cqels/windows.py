"""Window functions over streams of intervals (CQELS-CEP section 4.1).

w(S, t, …) is a part of S with the intervals clipped to what the window covers. Naming: S is
`stream`, in the order of arrival; ω is `window`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.errors import Impossible
from ..model.terms import Graph
from .syntax.tree import AllWindow, NowWindow, RangeWindow, TriplesWindow, WindowFunction


class Element(NamedTuple):
    """⟨g : [t1, t2]⟩"""

    graph: Graph
    start: int
    end: int


def window_content(window: WindowFunction, stream: Sequence[Element], t: int) -> Iterator[Element]:
    """w_{wtype(ω)}(S, t, wparams(ω))"""
    match window:
        case RangeWindow(width, None):
            return w_range(stream, t, width.value)
        case RangeWindow(width, slide) if slide is not None:
            return w_range(stream, moved(t, slide.value), width.value)
        case NowWindow():
            return w_range(stream, t, 0)
        case AllWindow():
            return w_all(stream, t)
        case TriplesWindow(size):
            return w_triples(stream, t, size)
    raise Impossible(f"no such window: {window!r}")


def w_range(stream: Sequence[Element], t: int, width: int) -> Iterator[Element]:
    """w_RANGE(S, t, T) = {⟨g : [t1', t2']⟩ | ⟨g : [t1, t2]⟩ ∈ S, t1' = max(t1, t − T),
    t2' = min(t2, t), t1' ≤ t2'}"""
    for graph, t1, t2 in stream:
        start, end = max(t1, t - width), min(t2, t)
        if start <= end:
            yield Element(graph, start, end)


def moved(t: int, slide: int) -> int:
    """⌊t/β⌋·β, where a window that slides every β stands at t."""
    return t // slide * slide


def w_all(stream: Sequence[Element], t: int) -> Iterator[Element]:
    """w_ALL(S, t) = {⟨g : [t1, t2']⟩ | ⟨g : [t1, t2]⟩ ∈ S, t2' = min(t2, t), t1 ≤ t2'}"""
    for graph, t1, t2 in stream:
        if t1 <= t:
            yield Element(graph, t1, min(t2, t))


def w_triples(stream: Sequence[Element], t: int, size: int) -> Iterator[Element]:
    """w_TRIPLES(S, t, n): of w_ALL(S, t) the latest to arrive, as many as hold n triples or less"""
    left = size
    for element in reversed(list(w_all(stream, t))):
        left -= len(element.graph)
        if left < 0:
            return
        yield element
