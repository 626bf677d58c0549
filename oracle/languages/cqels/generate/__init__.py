"""Strategies for CQELS-CEP: windows, sequences, queries, streams, whole cases."""

from .cases import cqels_cases
from .cases import cqels_cases as strategy
from .queries import cqels_queries, navigations
from .streams import interval_streams

__all__ = ["cqels_cases", "cqels_queries", "interval_streams", "navigations", "strategy"]
