"""Window functions of section 4.1."""

from __future__ import annotations

import pytest

from denota.semantics.cqels.denotation import Element, window_content
from denota.semantics.cqels.syntax.tree import (
    AllWindow,
    NowWindow,
    RangeWindow,
    Span,
    TriplesWindow,
    WindowFunction,
)
from denota.semantics.model.terms import URIRef

T = tuple(URIRef(f"urn:{number}") for number in range(5))
ONE = frozenset({(T[0], T[1], T[2])})
TWO = frozenset({(T[0], T[1], T[2]), (T[0], T[1], T[3])})
STREAM = [Element(ONE, 2, 2), Element(TWO, 1, 5), Element(ONE, 4, 9), Element(ONE, 12, 12)]


@pytest.mark.parametrize(("window", "t", "intervals"), [
    (RangeWindow(Span(4)), 6, [(2, 2), (2, 5), (4, 6)]),
    (RangeWindow(Span(3)), 6, [(3, 5), (4, 6)]),
    (RangeWindow(Span(3)), 20, []),
    (RangeWindow(Span(100)), 11, [(2, 2), (1, 5), (4, 9)]),
    (RangeWindow(Span(3), Span(5)), 9, [(2, 2), (2, 5), (4, 5)]),
    (RangeWindow(Span(0)), 4, [(4, 4), (4, 4)]),
    (NowWindow(), 2, [(2, 2), (2, 2)]),
    (AllWindow(), 3, [(2, 2), (1, 3)]),
    (TriplesWindow(1), 12, [(12, 12)]),
    (TriplesWindow(2), 12, [(12, 12), (4, 9)]),
    (TriplesWindow(3), 12, [(12, 12), (4, 9)]),
    (TriplesWindow(4), 12, [(12, 12), (4, 9), (1, 5)]),
    (TriplesWindow(3), 5, [(4, 5), (1, 5)]),
])
def test_contents(window: WindowFunction, t: int, intervals: list[tuple[int, int]]) -> None:
    found = [(element.start, element.end) for element in window_content(window, STREAM, t)]
    assert found == intervals
