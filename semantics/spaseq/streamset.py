"""Streamsets (SPAseq Defs. 1–3), with the readings of equal timestamps within one stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from rdflib.term import URIRef

from ..model.items import TimestampedGraph
from ..model.terms import Graph
from .syntax.readings import Ties

Instant: TypeAlias = tuple[int, int]
"""(τ, k): the k-th event of its stream at τ, compared lexicographically.

k is 0 unless `ties=sequence`.
"""


class Event(NamedTuple):
    """Def. 1: an RDF graph event (τ, G), here with the name u of its stream."""

    time: Instant
    graph: Graph
    stream: URIRef


@dataclass(frozen=True, slots=True)
class Streamset:
    """Def. 3: Σ, restricted to time boundaries [τb, τe] and given as its events in time order."""

    events: Sequence[Event]
    _streams: dict[URIRef, list[Event]] = field(init=False)

    def __post_init__(self) -> None:
        streams: dict[URIRef, list[Event]] = {}
        for event in self.events:
            streams.setdefault(event.stream, []).append(event)
        object.__setattr__(self, "_streams", streams)

    def __call__(self, name: URIRef) -> Sequence[Event]:
        """Σ(u): the stream named u, the empty one if there is none."""
        return self._streams.get(name, ())

    @property
    def names(self) -> Iterable[URIRef]:
        """The u for which Σ(u) is not empty."""
        return self._streams


def events_of(name: URIRef, stream: Iterable[TimestampedGraph], ties: Ties) -> list[Event]:
    """Def. 2: a stream's events, one graph an instant.

    Where several graphs have one timestamp, `ties=merge` makes them one graph and `ties=sequence`
    counts them, (τ, 0), (τ, 1), …; without either it is an error that the caller has reported.
    """
    graphs: dict[int, list[Graph]] = {}
    for item in stream:
        graphs.setdefault(item.time, []).append(item.graph)
    if ties == "merge":
        return [Event((time, 0), frozenset().union(*at), name) for time, at in graphs.items()]
    return [
        Event((time, rank), graph, name)
        for time, at in graphs.items()
        for rank, graph in enumerate(at)
    ]


def merged(streams: Mapping[URIRef, Sequence[Event]], clauses: Sequence[URIRef]) -> list[Event]:
    """Return all events of Σ by time; at one instant in the order of the FROM STREAM clauses.

    Streams that no clause names come last, in the order of their IRIs.
    """
    order = {name: place for place, name in enumerate(dict.fromkeys(clauses))}
    return sorted(
        (event for events in streams.values() for event in events),
        key=lambda event: (event.time, order.get(event.stream, len(order)), event.stream),
    )
