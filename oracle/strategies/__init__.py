"""Hypothesis strategies for streams of graphs and of tuples, and for queries.

Small alphabets, simplest choices first: what is generated matches often and shrinks well. Public
as `denota.strategies`.

    >>> from hypothesis import given
    >>> from denota.strategies import spaseq_cases
"""

from __future__ import annotations

from ..ceql_case import CeqlCase
from ..cqels_case import CqelsCase
from ..epsparql_case import EpsparqlCase
from ..rsepql_case import RsepqlCase
from ..spaseq_case import SpaseqCase
from .cases import spaseq_cases
from .ceql import ceql_cases, ceql_queries, ceql_readings, tuple_streams
from .conditions import conditions
from .cqels import cqels_cases, cqels_queries, interval_streams, navigations
from .epsparql import epsparql_cases, epsparql_patterns, epsparql_queries, epsparql_streams
from .graph_patterns import graph_patterns
from .instances import instances
from .rsepql import event_patterns, rsepql_cases, rsepql_queries, window_functions
from .schemas import schema_graphs
from .sequences import sequence_expressions
from .sparql import datasets, expressions, group_graph_patterns, paths, rdf_graphs
from .spaseq import readings_of, spaseq_queries
from .streams import streams, streamsets
from .terms import blank_nodes, graphs, iris, literals, numbers, resources, terms, triples

__all__ = [
    "CeqlCase", "CqelsCase", "EpsparqlCase", "RsepqlCase", "SpaseqCase", "blank_nodes",
    "ceql_cases", "ceql_queries", "ceql_readings", "conditions", "cqels_cases", "cqels_queries",
    "datasets", "epsparql_cases", "epsparql_patterns", "epsparql_queries", "epsparql_streams",
    "event_patterns", "expressions", "graph_patterns", "graphs", "group_graph_patterns",
    "instances", "interval_streams", "iris", "literals", "navigations", "numbers", "paths",
    "rdf_graphs", "readings_of", "resources", "rsepql_cases", "rsepql_queries", "schema_graphs",
    "sequence_expressions", "spaseq_cases", "spaseq_queries", "streams", "streamsets", "terms",
    "triples", "tuple_streams", "window_functions",
]
