"""The graphs of enumerated events, whatever their triples are.

Two cases are *isomorphic* if one becomes the other by renaming GPM names, variables, streams and
constants, and by moving the events in time without changing their order or which of them share a
window. A renaming must keep what a query can see: where a filter compares values by `<`, values may
only be replaced in a way that keeps their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeAlias

Triple: TypeAlias = tuple[Any, ...]
"""What the alphabet makes a triple of."""

Content: TypeAlias = tuple[Triple, ...]
"""An event's graph: its triples, ascending; no triple stands for the graph that nothing matches."""

Names: TypeAlias = tuple[tuple[str, str, str], ...]
"""Triples by the local names of their terms; digits are an integer."""

NOTHING_TO_MATCH: Content = ()


class EventGraphs(Protocol):
    """The graphs that events have."""

    def __hash__(self) -> int: ...

    @property
    def streams(self) -> int:
        """How many streams events come on."""

    @property
    def triples(self) -> Sequence[Triple]:
        """Every triple that an event's graph may have."""

    @property
    def contents(self) -> Sequence[Content]:
        """Every graph that an event may have, that of no triple first."""

    def names(self, content: Content, /) -> Names:
        """The triples of a graph."""

    def renamings(
        self, used: frozenset[Triple], *, ordered: bool
    ) -> Iterator[dict[Triple, Triple]]:
        """The renamings of the constants in `used` that a query cannot tell apart.

        If the query is `ordered`, the values become the least ones that are in the same order.
        """
