"""EP-SPARQL inputs: patterns, rules, queries, streams, whole cases, drawn by choices."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from .....semantics.epsparql.syntax.tree import EpsparqlQuery
from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import cases_on, strategies
from ..case import EpsparqlCase
from .cases import case, readings, stream
from .patterns import pattern
from .queries import COLUMNAR, query

VALUE_TABLES = graph_value_tables(
    "epsparql", "SELECT * WHERE {{ {} }}",
)

epsparql_patterns = strategies(pattern)
epsparql_queries = strategies(query)
epsparql_readings = strategies(readings)
epsparql_streams = strategies(stream)


def epsparql_cases(
    queries: SearchStrategy[EpsparqlQuery] | None = None
) -> SearchStrategy[EpsparqlCase]:
    """Return a strategy of cases: queries (or those of `queries`) on streams they often match."""
    return cases_on(case, queries)


__all__ = [
    "COLUMNAR", "VALUE_TABLES", "case", "epsparql_cases", "epsparql_patterns", "epsparql_queries",
    "epsparql_readings", "epsparql_streams",
]
