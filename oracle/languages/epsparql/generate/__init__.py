"""Strategies for EP-SPARQL: patterns, rules, queries, streams, whole cases."""

from ....fuzzing.value_tables import graph_value_tables
from .cases import epsparql_cases, epsparql_readings
from .cases import epsparql_cases as strategy
from .patterns import epsparql_patterns
from .queries import epsparql_queries
from .streams import epsparql_streams

VALUE_TABLES = graph_value_tables(
    "epsparql", "SELECT * WHERE {{ {} }}",
)

__all__ = [
    "VALUE_TABLES", "epsparql_cases", "epsparql_patterns", "epsparql_queries", "epsparql_readings",
    "epsparql_streams", "strategy",
]
