"""CQELS-CEP inputs: windows, sequences, queries, streams, whole cases, drawn by choices."""

from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import strategies
from .cases import case
from .queries import COLUMNAR, navigation, query
from .streams import interval_stream

VALUE_TABLES = graph_value_tables(
    "cqels", "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE {{ WINDOW :w {{ {} }} }}",
)

cqels_cases = strategies(case)
cqels_queries = strategies(query)
interval_streams = strategies(interval_stream)
navigations = strategies(navigation)

__all__ = [
    "COLUMNAR", "VALUE_TABLES", "case", "cqels_cases", "cqels_queries", "interval_streams",
    "navigations",
]
