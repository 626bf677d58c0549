"""RSEP-QL inputs: windows, event patterns, queries, streams, whole cases, drawn by choices."""

from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import strategies
from .cases import case
from .events import event_pattern
from .queries import query
from .restrictions import COLUMNAR, RESTRICTIONS
from .windows import window_function

VALUE_TABLES = graph_value_tables(
    "rsepql",
    "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 9 STEP 9] WHERE {{ WINDOW :w {{ {} }} }}",
    evaluation={"at": [9]},
)

event_patterns = strategies(event_pattern)
rsepql_cases = strategies(case)
rsepql_queries = strategies(query)
window_functions = strategies(window_function)

__all__ = [
    "COLUMNAR", "RESTRICTIONS", "VALUE_TABLES", "case", "event_patterns", "rsepql_cases",
    "rsepql_queries", "window_functions",
]
