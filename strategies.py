"""Hypothesis strategies for streams of graphs and of tuples, and for queries.

Small alphabets, simplest choices first: what is generated matches often and shrinks well.

    >>> from hypothesis import given
    >>> from denota.strategies import spaseq_cases
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Literal, URIRef

from .oracle.fuzzing.rounds import cases
from .oracle.fuzzing.strategies.stateful_testing import (
    PullingEngine,
    RunningEngine,
    streaming_machine,
)
from .oracle.inputs import graph_patterns as _graph_patterns
from .oracle.inputs import graphs as _graphs
from .oracle.inputs import sparql as _sparql
from .oracle.inputs import sparql_data as _sparql_data
from .oracle.inputs import streams as _streams
from .oracle.inputs.choices import HypothesisChoices, choice, strategies
from .oracle.inputs.graphs import NUMBERS, ODD_LITERALS, RESOURCES, STREAMS, blank_node
from .oracle.inputs.sparql_data import instance
from .oracle.inputs.streams import Event, arranged, boundary_ticks
from .oracle.inputs.swarms import Swarm, swarms, under
from .oracle.languages.ceql.features import CeqlCase
from .oracle.languages.ceql.generate import ceql_cases, ceql_queries, ceql_readings, tuple_streams
from .oracle.languages.cqels.features import CqelsCase
from .oracle.languages.cqels.generate import (
    cqels_cases,
    cqels_queries,
    interval_streams,
    navigations,
)
from .oracle.languages.epsparql.features import EpsparqlCase
from .oracle.languages.epsparql.generate import (
    epsparql_cases,
    epsparql_patterns,
    epsparql_queries,
    epsparql_streams,
)
from .oracle.languages.rsepql.features import RsepqlCase
from .oracle.languages.rsepql.generate import (
    event_patterns,
    rsepql_cases,
    rsepql_queries,
    window_functions,
)
from .oracle.languages.spaseq.case import SpaseqCase
from .oracle.languages.spaseq.generate import (
    readings_of,
    sequence_expressions,
    spaseq_cases,
    spaseq_queries,
)
from .semantics.model.terms import Term

P = TypeVar("P")

conditions = strategies(_graph_patterns.condition)
datasets = strategies(_sparql_data.dataset)
expressions = strategies(_sparql.expression)
graph_patterns = strategies(_graph_patterns.graph_pattern)
graphs = strategies(_graphs.any_graph)
group_graph_patterns = strategies(_sparql.group_graph_pattern)
instances = strategies(instance)
paths = strategies(_sparql.path)
rdf_graphs = strategies(_sparql_data.rdf_graph)
schema_graphs = strategies(_graphs.schema_graph)
streams = strategies(_streams.stream)
streamsets = strategies(_streams.streamset)
triples = strategies(_graphs.triple)


def iris() -> SearchStrategy[URIRef]:
    """Return a strategy of IRIs of resources."""
    return st.sampled_from(RESOURCES)


def blank_nodes(document: URIRef = STREAMS[0]) -> SearchStrategy[BNode]:
    """Return a strategy of blank nodes of one document; those of different documents differ."""
    return st.just(blank_node(document))


def numbers() -> SearchStrategy[Literal]:
    """Return a strategy of small integers in canonical form."""
    return st.sampled_from(NUMBERS)


def literals() -> SearchStrategy[Literal]:
    """Return a strategy of small integers, literals equal to them by value only, and others."""
    return st.sampled_from((*NUMBERS, *ODD_LITERALS))


def resources(document: URIRef = STREAMS[0]) -> SearchStrategy[URIRef | BNode]:
    """Return a strategy of terms that may be subjects: IRIs and the document's blank node."""
    return st.sampled_from(_graphs.resources(document))


def terms(document: URIRef = STREAMS[0]) -> SearchStrategy[Term]:
    """Return a strategy of RDF terms of all three kinds, as they may stand in one document."""
    return st.sampled_from(_graphs.terms(document))


def profiled(
    draw: DrawFn, name: str, events: Sequence[Event[Any, P]], **options: Any
) -> list[Event[Any, P]]:
    """Return events as `oracle.inputs.streams.arranged` arranges them, in a strategy of `draw`."""
    return arranged(HypothesisChoices(draw), name, events, **options)


__all__ = [
    "CeqlCase", "CqelsCase", "EpsparqlCase", "PullingEngine", "RsepqlCase", "RunningEngine",
    "SpaseqCase", "Swarm", "blank_nodes", "boundary_ticks", "cases", "ceql_cases",
    "ceql_queries", "ceql_readings", "choice", "conditions", "cqels_cases", "cqels_queries",
    "datasets", "epsparql_cases", "epsparql_patterns", "epsparql_queries", "epsparql_streams",
    "event_patterns", "expressions", "graph_patterns", "graphs", "group_graph_patterns",
    "instances", "interval_streams", "iris", "literals", "navigations", "numbers", "paths",
    "profiled", "rdf_graphs", "readings_of", "resources", "rsepql_cases", "rsepql_queries",
    "schema_graphs", "sequence_expressions", "spaseq_cases", "spaseq_queries",
    "streaming_machine", "streams", "streamsets", "swarms", "terms", "triples", "tuple_streams",
    "under", "window_functions",
]
