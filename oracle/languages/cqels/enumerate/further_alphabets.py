"""The further alphabets of CQELS-CEP: which queries each has, and on which items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from .....semantics.cqels.syntax.tree import (
    AllWindow,
    NowWindow,
    RangeWindow,
    Span,
    TriplesWindow,
    WindowFunction,
)
from .....semantics.model.stream_operator import StreamOperator
from ...enumerated_graphs import OTHER
from ...enumeration import Bounds
from .item_streams import EndTimes, ItemSort, Kind
from .shapes import PAIRS, Body, QueryShape, joined, namings, opened, sequences


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """Shapes of so many patterns, and what items there are for the letters of their patterns."""

    patterns: int
    shapes: tuple[QueryShape, ...]
    items: Callable[[str], ItemSort]


@dataclass(frozen=True, slots=True)
class FurtherAlphabet:
    """Queries of other forms, and their items."""

    name: str
    summary: str
    groups: Callable[[int, Bounds], Iterator[ShapeGroup]]
    """Of exactly so many operators."""
    slides: bool = False
    """Whether a window may slide."""


ONE = (("x", ""),)
"""?x :A ?a, in each pattern."""


def _width(bounds: Bounds) -> int:
    return 1 if bounds.within is None else bounds.within


# --- windows -------------------------------------------------------------------------------------

_BOTH = ("s", "t")
_ELSEWHERE = Kind("u", OTHER)
"""An item of a stream that no query names."""


def _windows(operators: int, bounds: Bounds) -> Iterator[ShapeGroup]:
    width = _width(bounds)
    slide = width + 1 if bounds.slide is None else bounds.slide
    functions: tuple[WindowFunction, ...] = (
        RangeWindow(Span(width)), RangeWindow(Span(width), Span(slide)), NowWindow(), AllWindow()
    )
    patterns = operators + 1
    bodies = [*(PAIRS if patterns == 2 else ()), *(
        sequences(patterns) if patterns > 1 else (joined,)
    )]
    for streams in (("s",) * patterns, _BOTH) if patterns == 2 else (("s",) * patterns,):
        for sliding in (None, slide):
            shapes = tuple(
                QueryShape(body, opened(chosen, streams), ONE * patterns)
                for chosen in product(functions, repeat=patterns)
                if any(
                    isinstance(each, RangeWindow) and each.slide is not None for each in chosen
                ) == (sliding is not None)
                for body in bodies
            )
            yield ShapeGroup(patterns, shapes, _ItemsAt(streams, EndTimes(width, sliding)))


@dataclass(frozen=True, slots=True)
class _ItemsAt:
    """Items of each letter on the streams of its patterns, and two of which no pattern knows."""

    streams: tuple[str, ...]
    instants: EndTimes

    def __call__(self, letters: str) -> ItemSort:
        if len(set(self.streams)) == 1:
            known = [Kind(self.streams[0], letter) for letter in letters]
        elif len(letters) == 1:
            known = [Kind(stream, letters) for stream in self.streams]
        else:
            known = [*map(Kind, self.streams, letters)]
        return ItemSort((*known, Kind("s", OTHER), _ELSEWHERE), self.instants)


# --- counts --------------------------------------------------------------------------------------


def _counts(operators: int, bounds: Bounds) -> Iterator[ShapeGroup]:
    wide: WindowFunction = (
        AllWindow() if bounds.within is None else RangeWindow(Span(bounds.within))
    )
    functions: tuple[WindowFunction, ...] = TriplesWindow(1), TriplesWindow(2), wide
    patterns = operators + 1
    bodies = [*(PAIRS if patterns == 2 else ()), *(
        sequences(patterns) if patterns > 1 else (joined,)
    )]
    across = [
        QueryShape(body, opened(chosen), ONE * patterns)
        for chosen in product(functions, repeat=patterns) for body in bodies
    ]
    within = [
        QueryShape(body, opened((function,)), ONE * patterns)
        for function in functions if patterns > 1 for body in sequences(patterns, inside=True)
    ]
    yield ShapeGroup(patterns, (*across, *within), _Counted(EndTimes(bounds.within)))


@dataclass(frozen=True, slots=True)
class _Counted:
    """Items of one triple or of two, with different letters."""

    instants: EndTimes

    def __call__(self, letters: str) -> ItemSort:
        some = letters + OTHER
        pairs = (
            one + other for place, one in enumerate(some) for other in some[place + 1:]
        )
        return ItemSort(tuple(Kind("s", each) for each in (*some, *pairs)), self.instants)


# --- leaving -------------------------------------------------------------------------------------

_REPORTS = (None, *StreamOperator)


def _leaving(operators: int, bounds: Bounds) -> Iterator[ShapeGroup]:
    """A stream operator is an operator."""
    functions: tuple[WindowFunction, ...] = AllWindow(), RangeWindow(Span(_width(bounds)))
    for operator in _REPORTS if operators else (None,):
        patterns = operators + (operator is None)
        if patterns > 3:
            continue
        chosen = [opened(each) for each in product(functions, repeat=patterns)]
        lasting = EndTimes(lasting=True)
        if patterns == 1:
            shapes = tuple(QueryShape(joined, each, ONE, operator) for each in chosen)
            yield ShapeGroup(1, shapes, Only(lasting))
            continue
        if patterns == 2:
            shapes = tuple(
                QueryShape(body, each, ONE * 2, operator) for each in chosen for body in PAIRS
            )
            yield ShapeGroup(2, shapes, Only(lasting))
        shapes = tuple(
            QueryShape(body, each, ONE * patterns, operator)
            for each in chosen for body in sequences(patterns)
        )
        yield ShapeGroup(patterns, shapes, Only(EndTimes()))


@dataclass(frozen=True, slots=True)
class Only:
    """Items of the letters that the query names."""

    instants: EndTimes
    nodes: int = 1
    objects: bool = False

    def __call__(self, letters: str) -> ItemSort:
        kinds = tuple(Kind("s", letter) for letter in letters)
        return ItemSort(kinds, self.instants, self.nodes, self.objects)


# --- variables -----------------------------------------------------------------------------------


def _variables(operators: int, bounds: Bounds) -> Iterator[ShapeGroup]:
    patterns = operators + 1
    function: WindowFunction = (
        AllWindow() if bounds.within is None else RangeWindow(Span(bounds.within))
    )
    bodies: list[tuple[Body, int]] = []
    if patterns == 1:
        bodies = [(joined, 1)]
    else:
        bodies += [(each, patterns) for each in sequences(patterns)]
        bodies += [(each, 1) for each in sequences(patterns, inside=True)]
    if patterns == 2:
        bodies += [(each, 2) for each in PAIRS]
    objects = patterns < 3
    terms = [
        tuple(zip(names[::2], names[1::2], strict=True)) if objects
        else tuple((name, "") for name in names)
        for names in namings(patterns * (2 if objects else 1))
    ]
    shapes = tuple(
        QueryShape(body, opened((function,) * windows), each)
        for body, windows in bodies for each in terms
    )
    yield ShapeGroup(patterns, shapes, Only(EndTimes(bounds.within), 2, objects))


FURTHER = (
    FurtherAlphabet(
        "windows",
        "in CQELS-CEP: every window is [RANGE N], [RANGE N SLIDE N+1] (or as --slide says), [NOW] "
        "or [ALL], N being 1 unless --within says more; two windows over one stream or two; no "
        "names but those of patterns",
        _windows,
        slides=True,
    ),
    FurtherAlphabet(
        "counts",
        "in CQELS-CEP: every window is [TRIPLES 1], [TRIPLES 2] or as in steps; items have one "
        "triple or two",
        _counts,
    ),
    FurtherAlphabet(
        "leaving",
        "in CQELS-CEP: every window is [ALL] or [RANGE N], and a stream operator is an operator; "
        "three windows at most, no names but those of patterns",
        _leaving,
    ),
    FurtherAlphabet(
        "variables",
        "in CQELS-CEP: as steps, and patterns share variables or not, ?x :A ?y, in sequences of "
        "three the subjects only; two nodes at most",
        _variables,
    ),
)
