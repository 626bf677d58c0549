"""Strategies for RSEP-QL: windows, event patterns, queries, streams, whole cases."""

from .avoidable import OPTIONS
from .cases import rsepql_cases
from .cases import rsepql_cases as strategy
from .events import event_patterns
from .queries import rsepql_queries
from .windows import window_functions

__all__ = [
    "OPTIONS", "event_patterns", "rsepql_cases", "rsepql_queries", "strategy", "window_functions",
]
