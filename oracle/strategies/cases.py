"""Strategies for whole SPAseq cases: a query, streams that it often matches, and how to read it."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from ...semantics.rdf.terms import Graph
from ...semantics.spaseq.readings import Readings
from ...semantics.spaseq.syntax import SpaseqQuery, WithinUnit
from ...semantics.streams.items import TimeKind
from ..shrinking.trees import rewrite
from ..spaseq_case import SpaseqCase
from .events import extra_events, scripted_events
from .graph_patterns import graph_names
from .instances import Usual, background_instance
from .schemas import schema_graphs
from .spaseq import readings_of, spaseq_queries
from .streams import instant, streamset_of
from .terms import graphs
from .vocabulary import BACKGROUNDS, blank_node

_RARELY = st.sampled_from((False,) * 7 + (True,))
_ORIGINS = st.sampled_from((0,) * 7 + (-2,))
_STARTS = st.sampled_from((None,) * 12 + (0, -1, 1))


@st.composite
def spaseq_cases(
    draw: DrawFn, queries: SearchStrategy[SpaseqQuery] | None = None
) -> SpaseqCase:
    """Cases of SPAseq that have a meaning: queries (or those of `queries`) on fitting streams."""
    query = draw(queries if queries is not None else spaseq_queries())
    readings = draw(readings_of(query))
    for _ in range(_ATTEMPTS):
        case = _on_some_data(draw, query, readings)
        # Under an absence, an empty result is often what a case is about.
        if readings.negation == "absence" or case.denotation():
            break
    return case


_ATTEMPTS = 3
"""Data on which nothing matches are drawn anew, at most so often."""


def _on_some_data(draw: DrawFn, query: SpaseqQuery, readings: Readings) -> SpaseqCase:
    unit = query.within.unit
    kind = TimeKind.DATETIME if unit is WithinUnit.MICROSECONDS else TimeKind.INTEGER
    usual: Usual = {}
    events = scripted_events(draw, query, readings, usual) + extra_events(draw, query, usual)
    origin = draw(_ORIGINS)
    # Σ(u) = ∅ for a stream that the query names and that is not there (SPAseq, before Def. 7).
    present = [clause.iri for clause in query.streams if not draw(_RARELY)]
    streams = streamset_of(
        [(tick + origin, stream, graph) for tick, stream, graph in events],
        present,
        kind=kind,
        ties=readings.ties,
    )
    start = draw(_STARTS)
    return SpaseqCase(
        query=query,
        streams=streams,
        kb=_background(draw, query, readings, usual),
        readings=readings,
        start=None if start is None else instant(start + origin, kind),
    )


# --- background ----------------------------------------------------------------------------------


def _background(
    draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
) -> dict[URIRef, Graph]:
    asked = {g for d in query.definitions for g in graph_names(d.pattern)}
    kb: dict[URIRef, Graph] = {}
    for graph_name in BACKGROUNDS:
        wanted = graph_name in asked or (graph_name == BACKGROUNDS[0] and Variable("g") in asked)
        if not wanted and not draw(_RARELY):
            continue
        made = [
            background_instance(draw, definition.pattern, graph_name, usual)
            for definition in query.definitions
            if graph_names(definition.pattern)
        ]
        if readings.entailment == "rdfs":
            made.append(_in_document(graph_name, draw(schema_graphs(max_size=3))))
        kb[graph_name] = frozenset().union(*made, draw(graphs(graph_name, max_size=2)))
    return kb


def _in_document(document: URIRef, graph: Graph) -> Graph:
    own = blank_node(document)
    return rewrite(graph, lambda term: own if isinstance(term, BNode) else term)
