"""RSEP-QL, evaluated incrementally: items in, the answers of each evaluation time out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...semantics.model.items import TimestampedGraph
from ...semantics.model.terms import Graph, URIRef
from ...semantics.rsepql.syntax.evaluation import Evaluation
from ...semantics.rsepql.syntax.readings import Readings
from ...semantics.rsepql.syntax.results import TimedAnswer
from ...semantics.rsepql.syntax.tree import RsepqlQuery
from .runtime import RsepqlEngine, Statistics
from .streaming_query import RsepqlStreamingQuery


def run(
    query: RsepqlQuery,
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    evaluation: Evaluation | None = None,
) -> Iterator[TimedAnswer]:
    """Yield the answers of a query by evaluation time, each as soon as it is final.

    An answer is certain when time has moved on: by an item of a later time, a heartbeat, silence,
    or the end. `streams` may be unbounded iterators; with several, each is read one item ahead.
    Where the evaluation times are listed, nothing is read behind the last.
    """
    running = RsepqlStreamingQuery(query, tuple(streams), kb, readings, evaluation)
    return running.run(running.elements(streams))


__all__ = ["RsepqlEngine", "Statistics", "run"]
