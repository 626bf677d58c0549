"""Window expressions, and how those of one query go together."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .....semantics.cqels.syntax.tree import (
    AllWindow,
    NowWindow,
    RangeWindow,
    Span,
    TriplesWindow,
    WindowFunction,
)
from .....semantics.model.items import TimeKind
from ....fuzzing.strategies.choices import choice
from ....fuzzing.strategies.streams import SECOND

_KINDS = choice(
    "cqels/window", ("range",) * 9 + ("slide",) * 3 + ("triples",) * 4 + ("all", "now")
)
_WIDTHS = choice("cqels/width", (10, 4, 6, 3, 10, 5, 2, 1, 0, 4, 6))
_SLIDES = choice("cqels/slide", (1, 2, 3, 4))
_SIZES = choice("cqels/triples", (1, 2, 1, 3, 4))


@st.composite
def window_functions(draw: DrawFn, kind: TimeKind = TimeKind.INTEGER) -> WindowFunction:
    """Window expressions, mostly [RANGE T], measured in this kind of time."""
    size = SECOND if kind is TimeKind.DATETIME else 1
    match draw(_KINDS):
        case "slide":
            slide = Span(draw(_SLIDES) * size, kind)
            return RangeWindow(Span(draw(_WIDTHS) * size, kind), slide)
        case "triples":
            return TriplesWindow(draw(_SIZES))
        case "now":
            return NowWindow()
        case "all":
            return AllWindow()
        case _:
            return RangeWindow(Span(draw(_WIDTHS) * size, kind))


def of_width(ticks: int, function: WindowFunction, kind: TimeKind) -> WindowFunction:
    """The window as wide as that, where it has a width."""
    if not isinstance(function, RangeWindow):
        return function
    size = SECOND if kind is TimeKind.DATETIME else 1
    return RangeWindow(Span(ticks * size, kind), function.slide)


def width_of(function: WindowFunction) -> int | None:
    """How many ticks an item of no length stays in a window; None where time says nothing."""
    match function:
        case RangeWindow(width):
            return width.value // (SECOND if width.kind is TimeKind.DATETIME else 1)
        case NowWindow():
            return 0
        case _:
            return None


def slide_of(function: WindowFunction) -> int | None:
    """Every how many ticks a window moves, where it does not do so all the time."""
    if isinstance(function, RangeWindow) and function.slide is not None:
        return function.slide.value // (SECOND if function.slide.kind is TimeKind.DATETIME else 1)
    return None
