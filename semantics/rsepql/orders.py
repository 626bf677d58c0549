"""≺, the order by which events are first and last (RSEP-QL 4.2: "a partial order … is given")."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from .syntax.readings import Order

Span: TypeAlias = tuple[int, int]
"""(t1, t2), the first and the last instant of an event"""

Precedes: TypeAlias = Callable[[Span, Span], bool]


def order_named(name: Order) -> Precedes:
    """≺ of this name: whether (t1, t2) ≺ (t3, t4)."""
    return _ORDERS[name]


def reverse(precedes: Precedes) -> Precedes:
    """≻"""
    return lambda left, right: precedes(right, left)


_ORDERS: dict[Order, Precedes] = {
    "end-start": lambda left, right: (left[1], left[0]) < (right[1], right[0]),
    "start-end": lambda left, right: left < right,
    "end": lambda left, right: left[1] < right[1],
    "start": lambda left, right: left[0] < right[0],
    "before": lambda left, right: left[1] < right[0],
}
