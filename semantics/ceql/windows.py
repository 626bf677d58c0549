"""WITHIN (CORE section 2.2): V(end) − V(start) ≤ ε, in the measure that the clause names."""

from __future__ import annotations

from ..errors import Impossible
from .readings import WithinReading
from .syntax import WindowUnit, Within
from .valuations import Stream, Valuation


def is_within(v: Valuation, within: Within, s: Stream, reading: WithinReading) -> bool:
    """Whether V(end) − V(start) ≤ ε.

    EVENTS measures positions of the merged stream, also in a partition; time is arrival time; an
    attribute is measured by the values that the first and the last tuple of the interval have, so
    a decreasing one is always within, and one that is missing or no number never. Under
    `within=core` a window of an attribute is one less.
    """
    match within.unit:
        case WindowUnit.EVENTS:
            return v.end - v.start <= within.value
        case WindowUnit.TIME:
            first, last = s[v.start].time, s[v.end].time
            if first is None or last is None:
                raise Impossible("a tuple without arrival time in a window of time")
            return last - first <= within.value
        case WindowUnit.ATTRIBUTE:
            a = within.attribute or ""
            start, end = s[v.start].get(a), s[v.end].get(a)
            if isinstance(start, str | bool | None) or isinstance(end, str | bool | None):
                return False
            epsilon = within.value - (1 if reading == "core" else 0)
            return end - start <= epsilon
