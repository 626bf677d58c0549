"""Strategies for SPAseq: sequences, queries, events, whole cases."""

from ....fuzzing.value_tables import graph_value_tables
from .avoidable import OPTIONS
from .cases import spaseq_cases as strategy

VALUE_TABLES = graph_value_tables(
    "spaseq", "SELECT * WITHIN 1 FROM STREAM S :s WHERE {{ SEQ(A) DEFINE GPM A ON S {{ {} }} }}",
    apart=True,
)

__all__ = ["VALUE_TABLES", "OPTIONS", "strategy"]
