"""Window expressions, and how those of one query go together."""

from __future__ import annotations

from .....semantics.cqels.syntax.tree import (
    AllWindow,
    NowWindow,
    RangeWindow,
    Span,
    TriplesWindow,
    WindowFunction,
)
from .....semantics.model.items import TimeKind
from ....inputs.choices import Choices
from ....inputs.streams import SECOND

_KINDS = (
    "cqels/window", ("range",) * 9 + ("slide",) * 3 + ("triples",) * 4 + ("all", "now")
)
_WIDTHS = ("cqels/width", (10, 4, 6, 3, 10, 5, 2, 1, 0, 4, 6))
_SLIDES = ("cqels/slide", (1, 2, 3, 4))
_SIZES = ("cqels/triples", (1, 2, 1, 3, 4))


def window_function(choices: Choices, kind: TimeKind = TimeKind.INTEGER) -> WindowFunction:
    """Draw a window expression, mostly [RANGE T], measured in this kind of time."""
    size = SECOND if kind is TimeKind.DATETIME else 1
    match choices.among(*_KINDS):
        case "slide":
            slide = Span(choices.among(*_SLIDES) * size, kind)
            return RangeWindow(Span(choices.among(*_WIDTHS) * size, kind), slide)
        case "triples":
            return TriplesWindow(choices.among(*_SIZES))
        case "now":
            return NowWindow()
        case "all":
            return AllWindow()
        case _:
            return RangeWindow(Span(choices.among(*_WIDTHS) * size, kind))


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
