"""Event mappings, what event patterns evaluate to (RSEP-QL 4.2)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef

from ..model.mappings import SolutionMapping
from ..model.terms import Triple
from .orders import Span

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
    """The set of (μ, t1, t2), whatever each is made of."""
    return frozenset(each._replace(parts=frozenset()) for each in events)
