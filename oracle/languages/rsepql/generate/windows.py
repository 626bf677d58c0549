"""Window functions (RSEP-QL Def. 3), and how long they hold an item."""

from __future__ import annotations

from .....semantics.model.items import TimeKind
from .....semantics.rsepql.syntax.tree import (
    Bounds,
    CountWindow,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Moment,
    NestedWindow,
    TimeBasedWindow,
    WindowFunction,
)
from ....inputs.choices import Choices
from ....inputs.streams import SECOND, instant

_NESTED = (
    "rsepql/OF", ("none",) * 22 + ("any", "of count") * 2 + ("count of",) * 6 + ("several",)
)
_FUNCTIONS = (
    "rsepql/window",
    ("time", "landmark") + ("time",) * 5 + ("count", "count", "interval", "identity"),
)
_IN_COUNT = ("rsepql/window in a count", ("time", "time", "time", "interval", "landmark"))
_EVERY_OF = ("rsepql/every of", (2, 3, 2, 3, 1))
_BESIDE_COUNT = ("rsepql/window beside a count", ("time", "interval", "landmark", "count"))
_WIDTHS = ("rsepql/width", (5, 3, 7, 4, 10, 2, 1, 6))
_STEPS = ("rsepql/step", (1, None, 1, 2, 3, 5))
_STARTS = ("rsepql/start", (0, 0, 0, 0, 1, 2))
_BOUNDS = ("rsepql/bounds", (Bounds.OPEN_CLOSED,) * 3 + tuple(Bounds))
_SIZES = ("rsepql/elements", (2, 1, 3, 4))
_EVERY = ("rsepql/every", (1, 1, 2, 3))
_LANDMARKS = ("rsepql/landmark", (0, 0, 1, 3))
_BEGINNINGS = ("begin of BETWEEN", (0, 1, 0, 2, 3))
_LENGTHS = ("length of BETWEEN", (8, 5, 12, 3, 2, 1, 0))


def window_function(
    choices: Choices, operators: int | None = None, *, kind: TimeKind = TimeKind.INTEGER
) -> WindowFunction:
    """Draw a window function, perhaps with a number of OFs.

    Args:
        choices: chooses.
        operators: the number of its OFs; default: none or one.
        kind: what it is measured in.
    """
    if operators is None:
        nested = choices.among(*_NESTED)
        if nested == "count of":  # what a count steps over depends on what the inner one holds
            counted = CountWindow(choices.among(*_SIZES), choices.among(*_EVERY_OF))
            return NestedWindow(counted, _function(choices, choices.among(*_IN_COUNT), kind))
        if nested == "of count":  # what the outer one never shows has been counted all the same
            counted = CountWindow(choices.among(*_SIZES), choices.among(*_EVERY))
            return NestedWindow(_function(choices, choices.among(*_BESIDE_COUNT), kind), counted)
        operators = {"any": 1, "several": 2}.get(nested, 0)
    if not operators:
        return _function(choices, choices.among(*_FUNCTIONS), kind)
    return NestedWindow(
        _function(choices, choices.among(*_FUNCTIONS), kind),
        window_function(choices, operators - 1, kind=kind),
    )


def _function(choices: Choices, what: str, kind: TimeKind) -> WindowFunction:
    def length(ticks: int) -> Moment:
        return Moment(ticks * (SECOND if kind is TimeKind.DATETIME else 1), kind)

    def at(tick: int) -> Moment:
        return Moment(instant(tick, kind), kind)

    match what:
        case "time":
            step = choices.among(*_STEPS)
            if step is None and kind is TimeKind.DATETIME:
                step = 1  # a microsecond is too short a step for some policies
            start = choices.among(*_STARTS)
            return TimeBasedWindow(
                length(choices.among(*_WIDTHS)),
                None if step is None else length(step),
                at(start) if start else None,
                choices.among(*_BOUNDS),
            )
        case "identity":
            return IdentityWindow()
        case "interval":
            first = choices.among(*_BEGINNINGS)
            return IntervalWindow(at(first), at(first + choices.among(*_LENGTHS)))
        case "count":
            return CountWindow(choices.among(*_SIZES), choices.among(*_EVERY))
        case _:
            return LandmarkWindow(at(choices.among(*_LANDMARKS)))


def stepping(width: int, step: int, kind: TimeKind) -> TimeBasedWindow:
    """[RANGE width STEP step], in ticks."""
    unit = SECOND if kind is TimeKind.DATETIME else 1
    return TimeBasedWindow(Moment(width * unit, kind), Moment(step * unit, kind))


def time_based(function: WindowFunction) -> list[TimeBasedWindow]:
    """The time-based windows in a window."""
    match function:
        case TimeBasedWindow():
            return [function]
        case NestedWindow(outer, inner):
            return time_based(outer) + time_based(inner)
        case _:
            return []


def lets_go(function: WindowFunction) -> bool:
    """Whether an item leaves the window some time."""
    match function:
        case TimeBasedWindow() | CountWindow() | IntervalWindow():
            return True
        case NestedWindow(outer, inner):
            return lets_go(outer) or lets_go(inner)
        case _:
            return False


def bounds_of(function: WindowFunction) -> list[int]:
    """The instants at which a window begins or ends by itself, in the streams' unit."""
    match function:
        case LandmarkWindow(start):
            return [start.value]
        case IntervalWindow(first, last):
            return [first.value, last.value]
        case NestedWindow(outer, inner):
            return bounds_of(outer) + bounds_of(inner)
        case TimeBasedWindow(_, _, start) if start is not None:
            return [start.value]
        case _:
            return []
