"""The streaming dataset of a query (RSEP-QL Def. 4): which graphs, and which windows on what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...semantics.model.errors import QueryError
from ...semantics.model.items import TimeKind
from ...semantics.model.terms import EMPTY_GRAPH, Graph, URIRef
from ...semantics.model.trees import find, remembering
from ...semantics.rsepql.syntax.tree import (
    Moment,
    RsepqlQuery,
    WindowClause,
)
from ..checkpoints.declared import stateful
from ..rdf.data.graphs import EncodedTriple
from .windows.snapshots import Snapshot


@stateful(
    kept=("_time", "_latest", "_shown"), parts=("_snapshots",), compiled=("stream",)
)
class VaryingGraph:
    """A time-varying graph (Def. 2) that a stream replaces: the union of its latest graphs."""

    def __init__(self, stream: URIRef, snapshots: list[Snapshot]) -> None:
        self.stream = stream
        self._snapshots = snapshots
        self._time: int | None = None
        self._latest: list[list[EncodedTriple]] = []
        self._shown: list[list[EncodedTriple]] = []

    def arrive(self, time: int, triples: list[EncodedTriple]) -> None:
        """An item of the stream arrives."""
        if time != self._time:
            self._time = time
            self._latest = []
        self._latest.append(triples)

    def move(self) -> None:
        """The graph at an evaluation time."""
        if self._shown == self._latest:
            return
        for snapshot in self._snapshots:
            for triples in self._latest:
                snapshot.add(triples)
            for triples in self._shown:
                snapshot.discard(triples)
        self._shown = list(self._latest)

    def ids(self) -> Iterable[int]:
        """The term ids that are held, with repetitions."""
        for graphs in (self._latest, self._shown):
            for graph in graphs:
                for triple in graph:
                    yield from triple


@dataclass(frozen=True, slots=True)
class Described:
    """What FROM and FROM NAMED describe, windows apart.

    `default` are the background graphs in the default graph, `named` those with a name; streams
    whose latest graphs stand for a graph are named in `default_streams` and `named_streams`.
    """

    default: Graph
    named: Mapping[URIRef, Graph]
    default_streams: tuple[URIRef, ...]
    named_streams: tuple[URIRef, ...]


def described(
    query: RsepqlQuery, streams: Iterable[URIRef], kb: Mapping[URIRef, Graph]
) -> Described:
    """The graphs of a query; raises QueryError for one that is not there."""
    clause = query.form.dataset
    if clause is None:
        return Described(EMPTY_GRAPH, kb, (), ())
    there = frozenset(streams)
    for name in (*clause.default, *clause.named):
        if name not in kb and name not in there:
            raise QueryError(f"the query asks for the graph <{name}>, which is not there")
    return Described(
        EMPTY_GRAPH.union(*(kb[name] for name in clause.default if name in kb)),
        {name: kb[name] for name in clause.named if name in kb},
        tuple(dict.fromkeys(name for name in clause.default if name not in kb)),
        tuple(dict.fromkeys(name for name in clause.named if name not in kb)),
    )


def stream_of(clause: WindowClause, query: RsepqlQuery, streams: Iterable[URIRef]) -> URIRef:
    """The stream that a window is on; without ON there must be just one.

    A stream that stands for a graph does not count, unless a window is on it.
    """
    if clause.stream is not None:
        return clause.stream
    dataset = query.form.dataset
    graphs = () if dataset is None else (*dataset.default, *dataset.named)
    used = {each.stream for each in query.windows}
    candidates = [name for name in streams if name in used or name not in graphs]
    if len(candidates) != 1:
        raise QueryError(
            f"ON must say which of the {len(candidates)} streams the window is on"
            if candidates
            else "the window is on no stream: there is none",
            line=clause.position.line,
            column=clause.position.column,
        )
    return candidates[0]


def check_measure(query: RsepqlQuery, kind: TimeKind) -> None:
    """Raises QueryError for a window that does not measure as the streams count."""
    for moment in _moments(query):
        if moment.kind is not kind:
            measure = (
                "bare numbers" if moment.kind is TimeKind.INTEGER else "durations or dateTimes"
            )
            raise QueryError(
                f"the window is measured in {measure}, but the streams have {kind} times",
                line=moment.position.line,
                column=moment.position.column,
            )


@remembering
def _moments(query: RsepqlQuery) -> tuple[Moment, ...]:
    """By what the windows are measured."""
    return tuple(find(tuple(clause.function for clause in query.windows), Moment))
