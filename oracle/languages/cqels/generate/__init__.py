"""Strategies for CQELS-CEP: windows, sequences, queries, streams, whole cases."""

from ....fuzzing.value_tables import graph_value_tables
from .cases import cqels_cases
from .cases import cqels_cases as strategy
from .queries import cqels_queries, navigations
from .streams import interval_streams

VALUE_TABLES = graph_value_tables(
    "cqels", "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE {{ WINDOW :w {{ {} }} }}",
)

__all__ = [
    "VALUE_TABLES", "cqels_cases", "cqels_queries", "interval_streams", "navigations", "strategy",
]
