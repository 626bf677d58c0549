"""Hypothesis strategies for streams of graphs and of tuples, and for queries.

Small alphabets, simplest choices first: what is generated matches often and shrinks well.

    >>> from hypothesis import given
    >>> from denota.strategies import spaseq_cases
"""

from __future__ import annotations

from .oracle.fuzzing.rounds import cases
from .oracle.fuzzing.strategies.choices import choice
from .oracle.fuzzing.strategies.conditions import conditions
from .oracle.fuzzing.strategies.graph_patterns import graph_patterns
from .oracle.fuzzing.strategies.instances import instances
from .oracle.fuzzing.strategies.profiles import boundary_ticks, profiled
from .oracle.fuzzing.strategies.pulling_engines import PullingEngine
from .oracle.fuzzing.strategies.schemas import schema_graphs
from .oracle.fuzzing.strategies.sparql import expressions, group_graph_patterns, paths
from .oracle.fuzzing.strategies.sparql_data import datasets, rdf_graphs
from .oracle.fuzzing.strategies.streaming_machines import RunningEngine, streaming_machine
from .oracle.fuzzing.strategies.streams import streams, streamsets
from .oracle.fuzzing.strategies.swarms import Swarm, swarms, under
from .oracle.fuzzing.strategies.terms import (
    blank_nodes,
    graphs,
    iris,
    literals,
    numbers,
    resources,
    terms,
    triples,
)
from .oracle.languages.ceql.case import CeqlCase
from .oracle.languages.ceql.generate import ceql_cases, ceql_queries, ceql_readings, tuple_streams
from .oracle.languages.cqels.case import CqelsCase
from .oracle.languages.cqels.generate import (
    cqels_cases,
    cqels_queries,
    interval_streams,
    navigations,
)
from .oracle.languages.epsparql.case import EpsparqlCase
from .oracle.languages.epsparql.generate import (
    epsparql_cases,
    epsparql_patterns,
    epsparql_queries,
    epsparql_streams,
)
from .oracle.languages.rsepql.case import RsepqlCase
from .oracle.languages.rsepql.generate import (
    event_patterns,
    rsepql_cases,
    rsepql_queries,
    window_functions,
)
from .oracle.languages.spaseq.case import SpaseqCase
from .oracle.languages.spaseq.generate.cases import spaseq_cases
from .oracle.languages.spaseq.generate.queries import readings_of, spaseq_queries
from .oracle.languages.spaseq.generate.sequences import sequence_expressions

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
