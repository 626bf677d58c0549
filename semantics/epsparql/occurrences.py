"""RDF streams as sets of triple occurrences ⟨⟨s, p, o⟩, t, t'⟩ (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ..model.terms import Graph, Triple
from ..streams.merging import StreamItem


@dataclass(frozen=True, slots=True)
class Occurrence:
    """⟨⟨s, p, o⟩, t, t'⟩; a triple of background knowledge has no time: [+∞, −∞]."""

    triple: Triple
    start: float = math.inf
    end: float = -math.inf


RdfStream: TypeAlias = frozenset[Occurrence]
"""S"""


def occurrences(items: Iterable[StreamItem]) -> RdfStream:
    """S: each triple of a graph occurs over the interval of the graph, [t, t] for one at t."""
    return frozenset(
        Occurrence(triple, item.start, item.end) for item in items for triple in item.graph
    )


def timeless(graph: Graph) -> RdfStream:
    """Background knowledge, as what has no time."""
    return frozenset(Occurrence(triple) for triple in graph)
