"""The window of all queries of an enumeration."""

from __future__ import annotations

from .....semantics.ceql.syntax.tree import WindowUnit, Within
from ...enumeration import Bounds
from .tuple_streams import SECOND


def is_timed(bounds: Bounds) -> bool:
    """Whether the window measures time."""
    return bounds.within is not None and not bounds.events


def window(bounds: Bounds) -> Within | None:
    """WITHIN so many events or seconds."""
    if bounds.within is None:
        return None
    if bounds.events:
        return Within(bounds.within, WindowUnit.EVENTS)
    return Within(bounds.within * SECOND, WindowUnit.TIME)
