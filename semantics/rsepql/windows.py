"""From a query's windows to window functions (RSEP-QL Def. 3)."""

from __future__ import annotations

from ..model.errors import Impossible
from . import window_functions as w
from .syntax.tree import (
    Bounds,
    CountWindow,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    NestedWindow,
    TimeBasedWindow,
    WindowFunction,
)


def window(function: WindowFunction) -> w.Window:
    """W[p], as the query writes it; β is one unit of time where it is left out."""
    match function:
        case TimeBasedWindow(width, step, start, bounds):
            return w.TimeBased(
                width.value,
                step.value if step is not None else 1,
                start.value if start is not None else 0,
                from_included=bounds in (Bounds.CLOSED_OPEN, Bounds.CLOSED_CLOSED),
                to_included=bounds in (Bounds.OPEN_CLOSED, Bounds.CLOSED_CLOSED),
            )
        case LandmarkWindow(start):
            return w.Landmark(start.value)
        case IntervalWindow(first, last):
            return w.Interval(first.value, last.value)
        case IdentityWindow():
            return w.Identity()
        case CountWindow(size, step):
            return w.Counted(size, step)
        case NestedWindow(outer, inner):
            return w.Nested(window(outer), window(inner))
    raise Impossible(f"not a window: {function!r}")
