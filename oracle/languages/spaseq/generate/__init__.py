"""SPAseq inputs: sequences, queries, events, whole cases, drawn by choices."""

from __future__ import annotations

from hypothesis.strategies import DrawFn, SearchStrategy, composite

from .....semantics.spaseq.syntax.tree import SequenceExpression, SpaseqQuery
from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import HypothesisChoices, cases_on, strategies
from ..case import SpaseqCase
from .cases import case
from .queries import COLUMNAR, query, readings, sequence_expression
from .restrictions import RESTRICTIONS

VALUE_TABLES = graph_value_tables(
    "spaseq", "SELECT * WITHIN 1 FROM STREAM S :s WHERE {{ SEQ(A) DEFINE GPM A ON S {{ {} }} }}",
    apart=True,
)

spaseq_queries = strategies(query)
readings_of = strategies(readings)


@composite
def sequence_expressions(draw: DrawFn) -> SequenceExpression:
    """Return a strategy of sequence expressions with at most nine operators."""
    choices = HypothesisChoices(draw)
    return sequence_expression(choices, choices.among("", range(10)))


def spaseq_cases(
    queries: SearchStrategy[SpaseqQuery] | None = None
) -> SearchStrategy[SpaseqCase]:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return cases_on(case, queries)


__all__ = [
    "COLUMNAR", "RESTRICTIONS", "VALUE_TABLES", "case", "readings_of", "sequence_expressions",
    "spaseq_cases", "spaseq_queries",
]
