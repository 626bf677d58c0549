"""The dataset that the clauses of a query describe: FROM, FROM NAMED, FROM NAMED WINDOW."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from rdflib.term import URIRef

from ..model.errors import QueryError
from ..model.items import TimeKind
from ..model.terms import Graph
from ..model.trees import find, remembering
from ..streams.merging import merge
from . import window_functions as w
from .dataset import (
    Stream,
    StreamingDataset,
    TimeVaryingGraph,
    WindowedStream,
    latest,
    unchanging,
)
from .syntax.tree import (
    Bounds,
    CountWindow,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Moment,
    NestedWindow,
    RsepqlQuery,
    TimeBasedWindow,
    WindowClause,
    WindowFunction,
)


def streaming_dataset(
    query: RsepqlQuery,
    streams: Mapping[URIRef, Stream],
    kb: Mapping[URIRef, Graph],
) -> StreamingDataset:
    """Return the dataset that the clauses of a query describe.

    A graph of FROM or FROM NAMED is a graph of `kb`, or a stream that varies it. Without such a
    clause the named graphs are those of `kb` and the default graph is empty. A stream that is not
    there is empty. Raises QueryError for a graph that is not there, for a window without ON where
    there is not just one stream, and for windows that are not measured as the streams are;
    StreamError if a stream is none by Def. 1.
    """
    clause = query.form.dataset
    used = {each.stream for each in query.windows}
    kind = _kind(streams)

    def graph(name: URIRef) -> TimeVaryingGraph:
        if name in kb:
            return unchanging(kb[name])
        if name in streams:
            return latest(streams[name])
        raise QueryError(f"the query asks for the graph <{name}>, which is not there")

    def windowed(each: WindowClause) -> WindowedStream:
        if kind is not None:
            _check_kinds(each, kind)
        name = each.stream if each.stream is not None else only_stream(each)
        return WindowedStream(window(each.function), streams.get(name, ()))

    def only_stream(each: WindowClause) -> URIRef:
        graphs = () if clause is None else (*clause.default, *clause.named)
        left = [name for name in streams if name in used or name not in graphs]
        if len(left) != 1:
            raise QueryError(
                f"ON must say which of the {len(left)} streams the window is on"
                if left else "the window is on no stream: there is none",
                line=each.position.line, column=each.position.column,
            )
        return left[0]

    windows = [(each, windowed(each)) for each in query.windows]
    graphs = () if clause is None else (*clause.default, *clause.named)
    varying = (streams.get(name, ()) for name in graphs if name not in kb)
    used_streams = (*(built.stream for _, built in windows), *varying)
    return StreamingDataset(
        () if clause is None else tuple(map(graph, clause.default)),
        {name: graph(name) for name in (kb if clause is None else clause.named)},
        {each.name: built for each, built in windows if each.name is not None},
        tuple(built for each, built in windows if each.in_default),
        max((stream[-1].time for stream in used_streams if stream), default=None),
    )


def _kind(streams: Mapping[URIRef, Stream]) -> TimeKind | None:
    """Return the time kind of the streams; `merge` raises an error for an invalid stream."""
    kinds = [item.kind for item in merge(streams, "sequence")]
    return kinds[0] if kinds else None


def _check_kinds(clause: WindowClause, kind: TimeKind) -> None:
    for moment in _moments(clause.function):
        if moment.kind is not kind:
            raise QueryError(
                "the window is measured in "
                + ("bare numbers" if moment.kind is TimeKind.INTEGER else "durations or dateTimes")
                + f", but the streams have {kind} times",
                line=moment.position.line, column=moment.position.column,
            )


@remembering
def _moments(function: WindowFunction) -> tuple[Moment, ...]:
    return tuple(find(function, Moment))


def window(function: WindowFunction) -> w.Window:
    """W[p], as the query writes it; β is one unit of time where it is left out."""
    match function:
        case TimeBasedWindow(width, step, start, bounds):
            return w.TimeBased(
                width.value,
                step.value if step is not None else 1,
                start.value if start is not None else 0,
                from_included=bounds in (Bounds.CLOSED_OPEN, Bounds.CLOSED_CLOSED),
                to_included=bounds in (Bounds.OPEN_CLOSED, Bounds.CLOSED_CLOSED),
            )
        case LandmarkWindow(start):
            return w.Landmark(start.value)
        case IntervalWindow(first, last):
            return w.Interval(first.value, last.value)
        case IdentityWindow():
            return w.Identity()
        case CountWindow(size, step):
            return w.Counted(size, step)
        case NestedWindow(outer, inner):
            return w.Nested(window(outer), window(inner))
        case _:
            assert_never(function)  # mypy: a new window function is missing here
