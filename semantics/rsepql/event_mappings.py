"""Event mappings, the values of event patterns (RSEP-QL 4.2), and their order ≺."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef

from ..model.mappings import SolutionMapping
from ..model.terms import Triple
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


Part: TypeAlias = tuple[URIRef, Triple, int]
"""A triple of an item in a window."""


class EventMapping(NamedTuple):
    """(μ, t1, t2), and the parts of the windows that it is made of.

    The paper's is (μ, t1, t2) alone. What takes part in an event is of no concern to event
    patterns, but a consumption policy asks for it (4.4); without one it is empty. An event that
    comes about in several ways is there with the parts of each.
    """

    mu: SolutionMapping
    start: int
    end: int
    parts: frozenset[Part] = frozenset()

    @property
    def span(self) -> Span:
        """(t1, t2)"""
        return self.start, self.end


Events: TypeAlias = frozenset[EventMapping]


def joined(event1: EventMapping, event2: EventMapping) -> EventMapping:
    """(μ1 ∪ μ2, t1, t4) of (μ1, t1, t2) and (μ2, t3, t4)."""
    mu = event1.mu.merge(event2.mu)
    return EventMapping(mu, event1.start, event2.end, event1.parts | event2.parts)


def distinct(events: Events) -> Events:
    """Return the set of (μ, t1, t2), whatever each is made of."""
    return frozenset(each._replace(parts=frozenset()) for each in events)
