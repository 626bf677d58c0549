"""Streaming datasets: time-varying graphs and windows over streams (RSEP-QL Defs. 2 and 4).

Naming: SDS is `sds`, an evaluation time is `t`. At t nothing that comes after t has arrived: every
window looks at what there is of its stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rdflib.term import BNode, URIRef

from ..model.items import TimestampedGraph
from ..model.terms import EMPTY_GRAPH, Dataset, Graph
from .window_functions import Window, arrived

Stream: TypeAlias = Sequence[TimestampedGraph]

TimeVaryingGraph: TypeAlias = Callable[[int], Graph]
"""Def. 2: Ḡ : T → { G | G is an RDF graph }."""


@dataclass(frozen=True, slots=True)
class WindowedStream:
    """W_j(S_ℓ): a window function applied to a stream."""

    window: Window
    stream: Stream

    def at(self, t: int) -> Stream:
        """W_j(S_ℓ, t)."""
        return self.window(arrived(self.stream, t), t)


@dataclass(frozen=True, slots=True)
class Snapshots(Dataset):
    """A SPARQL dataset, and beside it the snapshots of the windows: GRAPH does not find them."""

    windows: Mapping[URIRef, Graph] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamingDataset:
    """Def. 4: the default graph Ḡ_0, {(g_i, Ḡ_i)} and {(w_j, W_j(S_ℓ))}.

    The default graph is the union of `default` and the snapshots of `default_windows`; `until` is
    the time of the last item of all the streams that the dataset is made of.
    """

    default: tuple[TimeVaryingGraph, ...]
    named: Mapping[URIRef, TimeVaryingGraph]
    windows: Mapping[URIRef, WindowedStream]
    default_windows: tuple[WindowedStream, ...] = ()
    until: int | None = None

    @property
    def all_windows(self) -> tuple[WindowedStream, ...]:
        """Every window, with a name or without."""
        unnamed = (w for w in self.default_windows if w not in self.windows.values())
        return (*self.windows.values(), *unnamed)

    def at(self, t: int) -> Snapshots:
        """Return the snapshots at t."""
        snapshots = {name: snapshot(each.at(t)) for name, each in self.windows.items()}
        default = EMPTY_GRAPH.union(
            *(graph(t) for graph in self.default),
            *(snapshot(each.at(t)) for each in self.default_windows),
        )
        return Snapshots(default, self.graphs(t), snapshots)

    def graphs(self, t: int) -> Mapping[URIRef | BNode, Graph]:
        """Return the named graphs Ḡ_i(t)."""
        return {name: graph(t) for name, graph in self.named.items()}


def snapshot(content: Iterable[TimestampedGraph]) -> Graph:
    """SDS_{w_j}(t) = ⋃ {G_k | (G_k, t_k) ∈ W_j(S_ℓ, t)}"""
    return EMPTY_GRAPH.union(*(item.graph for item in content))


def unchanging(graph: Graph) -> TimeVaryingGraph:
    """Return the time-varying graph that never varies."""
    return lambda t: graph


def latest(stream: Stream) -> TimeVaryingGraph:
    """Return the time-varying graph of a stream: at t, the graphs of its last timestamp."""

    def graph(t: int) -> Graph:
        past = arrived(stream, t)
        return snapshot(item for item in past if item.time == past[-1].time)

    return graph
