"""The evaluation times of a query and its results: times t, R2S operators, CONSTRUCT.

The paper defines ⟦Q; t⟧ (`denotation`). Which t there are, and what becomes of the answers, it
leaves open; docs/semantics/cqels.md says what we rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rdflib.term import URIRef

from ..model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ..model.items import IntervalGraph, Item, TimeKind
from ..model.stream_operator import StreamOperator
from ..model.temporal_graphs import TemporalGraph
from ..model.terms import EMPTY_GRAPH, Dataset, Graph
from ..rdf.evaluation import Evaluation
from ..rdf.pattern_cache import GraphPatterns
from ..rdf.queries import construct
from ..streams.merging import merge_intervals
from .denotation import SINCE_EVER, Element, EvaluationContext, query_at
from .operators import Omega
from .syntax.analysis import check_background, check_kind
from .syntax.readings import Readings
from .syntax.tree import CqelsQuery


def evaluate(
    query: CqelsQuery,
    streams: Mapping[URIRef, Sequence[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
    readings: Readings | None = None,
    at: Sequence[int] | None = None,
) -> frozenset[IntervalResult]:
    """⋃ ⟦Q; t⟧ over the evaluation times t; with RSTREAM, ISTREAM or DSTREAM what that reports of
    ⟦Q; t⟧ at each t, given the answer at the time before. Of CONSTRUCT an item for each solution.

    `streams` hold their items in the order of their ends, `kb` the background graphs by name. With
    `at`, these are the times, and each looks at the streams as they are given, as the definition
    does: an item that is open at t is known as far as [t1, t]. Without, the query is evaluated when
    an item of a stream that it names arrives, at the item's end, on what has arrived by then.
    Raises `StreamError` for items out of order, `QueryError` if a window and the streams are of
    different kinds.
    """
    kind = next((item.kind for items in streams.values() for item in items), TimeKind.INTEGER)
    answers = [
        (context.t, query_at(query, context))
        for context in contexts(query, streams, kb, readings, at)
    ]
    if query.operator is None:
        return frozenset(results(query, frozenset().union(*(omega for _, omega in answers)), kind))
    found: set[IntervalResult] = set()
    before: Omega = frozenset()
    for t, now in answers:
        for result in results(query, reported(query.operator, now, before), kind):
            found.add(Reported(t, result))
        before = now
    return frozenset(found)


def reported(operator: StreamOperator, now: Omega, before: Omega) -> Omega:
    r"""Relation to stream: RSTREAM ⟦Q; t⟧, ISTREAM ⟦Q; t⟧ \ ⟦Q; t'⟧, DSTREAM ⟦Q; t'⟧ \ ⟦Q; t⟧, t'
    being the evaluation time before t"""
    match operator:
        case StreamOperator.RSTREAM:
            return now
        case StreamOperator.ISTREAM:
            return now - before
        case StreamOperator.DSTREAM:
            return before - now


def results(
    query: CqelsQuery, omega: Omega, kind: TimeKind
) -> Iterator[IntervalSolution | IntervalGraph]:
    """SELECT: the solutions. CONSTRUCT: the items ⟨μ(template) : [t1, t2]⟩ of an RDF stream, for
    another query to read (footnote 3); a blank node is a new one for each, and a graph without a
    triple is no item"""
    for each in omega:
        if query.template is None:
            yield each
        elif graph := construct(query.template, [each.mapping]):
            yield IntervalGraph(each.start, each.end, graph, kind)


def contexts(
    query: CqelsQuery,
    streams: Mapping[URIRef, Sequence[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
    readings: Readings | None = None,
    at: Sequence[int] | None = None,
) -> Iterator[EvaluationContext]:
    """Yield the evaluation context of the query at each of its times."""
    known = elements(query, streams, kb or {})
    remembered = GraphPatterns.lately()
    for t in arrivals(query, known) if at is None else sorted(set(at)):
        given = arrived(known, t) if at is None else known
        dataset, since = background(query, kb or {}, t)
        active = Evaluation(dataset, dataset.default)
        yield EvaluationContext(t, given, active, since, readings or Readings(), remembered)


def elements(
    query: CqelsQuery,
    streams: Mapping[URIRef, Sequence[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph],
) -> dict[URIRef, list[Element]]:
    """Return the streams S_s as elements ⟨g : [t1, t2]⟩, with what is wrong with a stream said."""
    found: dict[URIRef, list[Element]] = {name: [] for name in streams}
    for item in merge_intervals(streams):
        check_kind(query, item.kind)
        check_background(kb, item.kind)
        found[item.iri].append(Element(item.graph, item.start, item.end))
    return found


def arrivals(query: CqelsQuery, streams: Mapping[URIRef, Sequence[Element]]) -> list[int]:
    """Return the times at which items of the query's streams end; of any, if it names none."""
    named = {clause.stream for clause in query.windows} or set(streams)
    return sorted({each.end for name in named for each in streams.get(name, ())})


def arrived(
    streams: Mapping[URIRef, Sequence[Element]], t: int
) -> dict[URIRef, list[Element]]:
    """Return the streams as far as their items have ended by t."""
    return {name: [each for each in stream if each.end <= t] for name, stream in streams.items()}


def background(
    query: CqelsQuery, kb: Mapping[URIRef, Graph | TemporalGraph], t: int
) -> tuple[Dataset, int]:
    """D(t), and the time since which it has not changed.

    D is the graphs of FROM together, and those of FROM NAMED by name; all there are, by default.
    """
    default = query.default or (() if query.named else tuple(kb))
    named = query.named or tuple(kb)
    now = {name: graph_at(kb[name], t) for name in (*default, *named) if name in kb}
    dataset = Dataset(
        EMPTY_GRAPH.union(*(now[name][1] for name in default if name in now)),
        {name: now[name][1] for name in named if name in now},
    )
    return dataset, max((since for since, _ in now.values()), default=SINCE_EVER)


def graph_at(graph: Graph | TemporalGraph, t: int) -> tuple[int, Graph]:
    """Return the time of a graph's last change up to t, and what it says at t."""
    since, said = graph.at(t) if isinstance(graph, TemporalGraph) else (None, graph)
    return SINCE_EVER if since is None else since, said
