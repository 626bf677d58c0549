"""The detection policies chronological and recent, by way of RSEP-QL.

ETALIS detects when something arrives. So the translated sequence is evaluated at every instant of
the stream, with what the policy has consumed at earlier ones being gone, and its solutions are
those of all these evaluations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rdflib.term import URIRef

from ..model.errors import StreamError
from ..model.items import TimestampedGraph
from ..model.terms import Graph
from ..rsepql.clauses import streaming_dataset
from ..rsepql.consumption_history import EventHistory
from ..rsepql.event_mappings import distinct
from ..rsepql.syntax.readings import Readings as RsepqlReadings
from ..rsepql.syntax.tree import MatchPattern, Moment
from ..streams.merging import StreamItem
from .background import Background, conclusions
from .intervals import Timed
from .operators import Bag
from .syntax.readings import Policy
from .syntax.to_rsepql import chain_of, to_rsepql
from .syntax.tree import EpsparqlQuery

_STREAM = URIRef("urn:denota:stream")


def detected(
    query: EpsparqlQuery, policy: Policy, items: Sequence[StreamItem], known: Background
) -> Bag:
    """⟨μ, t1, t2⟩ of the query's sequence, without the FILTERs of the whole of it"""
    select = query.select
    chain = chain_of(query)
    if any(item.start < item.end for item in items):
        raise StreamError(
            f"policy={policy} is about what happens at instants, an item has an interval"
        )
    if not items or select is None:
        return []
    bare = replace(query, select=replace(select, where=chain.group), dataset=None)
    translated = to_rsepql(bare, policy, _STREAM, Moment(items[0].end, items[0].kind))
    stream = [
        TimestampedGraph(item.end, _with_conclusions(item.graph, known.schema), item.kind)
        for item in items
    ]
    sds = streaming_dataset(translated, {_STREAM: stream}, known.named)
    (match,) = translated.form.where.elements if translated.form.where is not None else ()
    assert isinstance(match, MatchPattern)
    times = sorted({item.time for item in stream})
    history = EventHistory(
        match.event, translated.consumption, sds, times, RsepqlReadings()
    )
    return [
        Timed(event.mu, event.start, event.end)
        for i in range(len(times))
        for event in distinct(history.events(i))
    ]


def _with_conclusions(graph: Graph, schema: Graph) -> Graph:
    if not schema:
        return graph
    return graph.union(*(conclusions(triple, schema) for triple in graph))
