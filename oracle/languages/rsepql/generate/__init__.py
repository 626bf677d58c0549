"""Strategies for RSEP-QL: windows, event patterns, queries, streams, whole cases."""

from ....fuzzing.value_tables import graph_value_tables
from .avoidable import OPTIONS
from .cases import rsepql_cases
from .cases import rsepql_cases as strategy
from .events import event_patterns
from .queries import rsepql_queries
from .windows import window_functions

VALUE_TABLES = graph_value_tables(
    "rsepql",
    "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 9 STEP 9] WHERE {{ WINDOW :w {{ {} }} }}",
    evaluation={"at": [9]},
)

__all__ = [
    "OPTIONS", "VALUE_TABLES", "event_patterns", "rsepql_cases", "rsepql_queries", "strategy",
    "window_functions",
]
