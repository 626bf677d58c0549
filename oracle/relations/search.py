"""The smallest stream on which a claim fails: all streams over an alphabet, the shortest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from ...semantics.rdf.terms import Graph
from ...semantics.streams.items import TimestampedGraph
from .rows import Events


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found: the witness, or how many streams there are without one."""

    witness: Events | None
    tried: int


def streams(alphabet: Sequence[Graph], events: int) -> Iterator[Events]:
    """All streams of so many events, one an instant from 1 on."""
    for graphs in product(alphabet, repeat=events):
        yield tuple(TimestampedGraph(time, graph) for time, graph in enumerate(graphs, start=1))


def smallest(
    fails: Callable[[Events], bool], alphabet: Sequence[Graph], most_events: int
) -> Found:
    """A stream with the fewest events on which a claim fails; none up to so many events."""
    tried = 0
    for events in range(most_events + 1):
        for stream in streams(alphabet, events):
            tried += 1
            if fails(stream):
                return Found(stream, tried)
    return Found(None, tried)
