"""Strategies for EP-SPARQL: patterns, rules, queries, streams, whole cases."""

from .cases import epsparql_cases, epsparql_readings
from .cases import epsparql_cases as strategy
from .patterns import epsparql_patterns
from .queries import epsparql_queries
from .streams import epsparql_streams

__all__ = [
    "epsparql_cases", "epsparql_patterns", "epsparql_queries", "epsparql_readings",
    "epsparql_streams", "strategy",
]
