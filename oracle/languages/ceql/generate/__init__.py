"""Strategies for CEQL: formulas, queries, streams of tuples, and whole cases.

Three event types, three variables and a handful of attributes with few values: what is generated
matches often. Streams have missing attributes, equal arrival times, tuples that are in no
partition, and attributes that fall as well as grow.
"""

from .avoidable import OPTIONS
from .cases import ceql_cases
from .formulas import conditions, formulas, predicates
from .queries import ceql_queries, ceql_readings
from .tuples import tuple_streams
from .value_tables import VALUE_TABLES

strategy = ceql_cases

__all__ = [
    "OPTIONS", "VALUE_TABLES",
    "ceql_cases", "ceql_queries", "ceql_readings", "conditions", "formulas", "predicates",
    "strategy", "tuple_streams",
]
