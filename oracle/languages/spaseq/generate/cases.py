"""Strategies for whole SPAseq cases: a query, streams that it often matches, and how to read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from .....semantics.model.items import TimeKind
from .....semantics.model.terms import Graph
from .....semantics.model.trees import rewrite
from .....semantics.rdf.syntax.tree import Filter, GroupGraphPattern
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import SpaseqQuery, WithinUnit
from ....fuzzing.strategies.graph_patterns import graph_names
from ....fuzzing.strategies.instances import Usual, background_instance
from ....fuzzing.strategies.schemas import schema_graphs
from ....fuzzing.strategies.streams import SECOND, instant, streamset_of
from ....fuzzing.strategies.terms import graphs
from ....fuzzing.strategies.vocabulary import BACKGROUNDS, STREAMS, blank_node
from ..case import SpaseqCase
from .events import extra_events, scripted_events
from .queries import readings_of, spaseq_queries

_ABSENT = st.sampled_from((None,) * 9 + STREAMS)
_UNASKED = st.sampled_from((None,) * 14 + BACKGROUNDS)
_AS_DRAWN = st.booleans()
_WIDE = 15
_ORIGINS = st.sampled_from((0,) * 7 + (-2,))
_STARTS = st.sampled_from((None,) * 16 + (0, -1, 1))


@st.composite
def spaseq_cases(
    draw: DrawFn, queries: SearchStrategy[SpaseqQuery] | None = None
) -> SpaseqCase:
    """Cases of SPAseq that have a meaning: queries (or those of `queries`) on fitting streams."""
    query = draw(queries if queries is not None else spaseq_queries())
    readings = draw(readings_of(query))
    unit = query.within.unit
    kind = TimeKind.DATETIME if unit is WithinUnit.MICROSECONDS else TimeKind.INTEGER
    usual: Usual = {}
    events = scripted_events(draw, query, readings, usual) + extra_events(draw, query, usual)
    origin = draw(_ORIGINS)
    # Σ(u) = ∅ for a stream that the query names and that is not there (SPAseq, before Def. 7).
    absent = draw(_ABSENT)
    streams = streamset_of(
        [(tick + origin, stream, graph) for tick, stream, graph in events],
        [clause.iri for clause in query.streams if clause.iri != absent],
        kind=kind,
        ties=readings.ties,
    )
    start = draw(_STARTS)
    case = SpaseqCase(
        query=query,
        streams=streams,
        kb=_background(draw, query, readings, usual),
        readings=readings,
        start=None if start is None else instant(start + origin, kind),
    )
    return case if draw(_AS_DRAWN) or queries is not None else _likelier(case)


def _likelier(case: SpaseqCase) -> SpaseqCase:
    """The case, or if nothing matches one where something does: with wider windows or without a
    GPM's filters."""
    if case.denotation():
        return case
    wider = _wider(case)
    fewer = [f for c in (case, wider) for f in _fewer_filters(c)]
    return next((likely for likely in (wider, *fewer) if likely.denotation()), case)


def _wider(case: SpaseqCase) -> SpaseqCase:
    within = case.query.within
    size = SECOND if within.unit is WithinUnit.MICROSECONDS else 1
    wide = replace(within, value=_WIDE * size)
    return replace(case, query=replace(case.query, within=wide), start=None)


def _fewer_filters(case: SpaseqCase) -> Iterator[SpaseqCase]:
    definitions = case.query.definitions
    for k, definition in enumerate(definitions):
        elements = definition.pattern.elements
        kept = tuple(element for element in elements if not isinstance(element, Filter))
        if len(kept) < len(elements):
            bare = replace(definition, pattern=GroupGraphPattern(kept))
            some = (*definitions[:k], bare, *definitions[k + 1 :])
            yield replace(case, query=replace(case.query, definitions=some))


# --- background ----------------------------------------------------------------------------------


def _background(
    draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
) -> dict[URIRef, Graph]:
    asked = {g for d in query.definitions for g in graph_names(d.pattern)}
    kb: dict[URIRef, Graph] = {}
    unasked = draw(_UNASKED)
    for graph_name in BACKGROUNDS:
        wanted = graph_name in asked or (graph_name == BACKGROUNDS[0] and Variable("g") in asked)
        if not wanted and graph_name != unasked:
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
