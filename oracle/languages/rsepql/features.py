"""An RSEP-QL case, and what it is about: operators, windows, constructs and readings.

Statistics of generated cases count these names; two discrepancies with different names of the query
and its readings are taken for different ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rdflib.term import URIRef, Variable

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.terms import Graph
from ....semantics.model.trees import find, parts
from ....semantics.rdf.syntax import tree as s
from ....semantics.rsepql.syntax import tree as r
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ...cases.case import Case
from ..rdf_languages import GRAPH_PATTERN_FEATURES, graph_pattern_features
from ..readings import reading_features


class RsepqlCase(Case):
    """An RSEP-QL query with its inputs: streams, background graphs and evaluation times (ET)."""

    query: RsepqlQuery

    def __init__(
        self,
        query: RsepqlQuery,
        streams: Mapping[URIRef, tuple[TimestampedGraph, ...]],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        evaluation: Evaluation | None = None,
    ) -> None:
        when = Evaluation() if evaluation is None else evaluation
        super().__init__("rsepql", query, streams, kb, readings or Readings(), when.named())


_WINDOWS: dict[type, str] = {
    r.TimeBasedWindow: "RANGE",
    r.LandmarkWindow: "FROM",
    r.IntervalWindow: "BETWEEN",
    r.IdentityWindow: "ALL",
    r.CountWindow: "ELEMENTS",
    r.NestedWindow: "OF",
}
_CONSTRUCTS: dict[type, str] = {
    r.WindowPattern: "WINDOW",
    r.MatchPattern: "MATCH",
    r.First: "FIRST",
    r.Last: "LAST",
    s.Aggregate: "aggregate",
}
_FORMS: dict[type, str] = {
    s.AskQuery: "ASK", s.ConstructQuery: "CONSTRUCT", s.DescribeQuery: "DESCRIBE",
}


CAPABILITIES = {
    "operators": frozenset({*map(str, r.SequenceOperator), "FIRST", "LAST"}),
    "windows": frozenset({*_WINDOWS.values(), "FROM WINDOW"}),
    "patterns": GRAPH_PATTERN_FEATURES | {
        "WINDOW", "WINDOW ?w", "MATCH", "aggregate", "several patterns",
    },
    "clauses": frozenset({
        *_FORMS.values(), *map(str, r.StreamOperator), *map(str, r.ConsumptionPolicy), "dataset",
    }),
}  # fmt: skip
"""The features that a query may require of an engine, in groups (`capabilities`)."""


def query_features(query: r.RsepqlQuery) -> frozenset[str]:
    """Return sequence operators, windows, patterns, form, operator and consumption."""
    return frozenset(_of_query(query))


def operator_count(query: r.RsepqlQuery) -> int:
    """Return the number of operators in the query's event patterns."""
    return len(list(find(query.form.where, r.Sequence, r.First, r.Last)))


def data_features(case: RsepqlCase) -> frozenset[str]:
    """Return coverage points of the streams, and how evaluation times are found."""
    asked = Evaluation.of(case.evaluation)
    found: set[str] = {"at" if asked.at is not None else asked.policy}
    for stream in case.streams.values():
        times = [item.time for item in stream]
        if len(times) > len(set(times)):
            found.add("equal timestamps")
    if not all(case.streams.values()):
        found.add("empty stream")
    return frozenset(found)


def features(case: RsepqlCase) -> frozenset[str]:
    """Return all features."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def title_of(query: r.RsepqlQuery) -> str:
    """Return the query's patterns in a line."""
    return " ".join(words_of(query)[1:]) or "a query without patterns"


def words_of(query: r.RsepqlQuery) -> list[str]:
    """Return the query's operators as words."""
    found = query_features(query)
    known = [*r.SequenceOperator, "FIRST", "LAST", "MATCH", "WINDOW", *r.ConsumptionPolicy]
    return ["rsepql", *(str(word).lower() for word in known if word in found)]


def _of_query(query: r.RsepqlQuery) -> Iterator[str]:
    for node in parts(query):
        for names in (_WINDOWS, _CONSTRUCTS, _FORMS):
            if type(node) in names:
                yield names[type(node)]
        yield from graph_pattern_features(node)
        if isinstance(node, r.Sequence):
            yield node.operator
        if isinstance(node, r.WindowPattern) and isinstance(node.name, Variable):
            yield "WINDOW ?w"
        if isinstance(node, r.WindowClause) and node.in_default:
            yield "FROM WINDOW"
    if query.operator is not r.StreamOperator.RSTREAM:
        yield query.operator
    if query.consumption is not r.ConsumptionPolicy.UNRESTRICTED:
        yield query.consumption
    if len(list(find(query.form, r.WindowPattern, r.MatchPattern))) > 1:
        yield "several patterns"
    dataset = query.form.dataset
    if dataset is not None:
        yield "dataset"
