"""A CQELS-CEP case, and what it is about: operators, windows, readings and kinds of data.

Statistics of generated cases count these names; two discrepancies with different names of the query
and its readings are taken for different ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rdflib.term import URIRef

from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    RangeWindow,
    TripleSequence,
    TriplesWindow,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from ....semantics.model.items import Item
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph
from ....semantics.model.trees import find, has, parts
from ....semantics.rdf.syntax.tree import TriplePattern
from ...cases.case import Case
from ..rdf_languages import GRAPH_PATTERN_FEATURES, graph_pattern_features
from ..readings import reading_features


class CqelsCase(Case):
    """A CQELS-CEP query with its inputs: streams, background graphs and evaluation times.

    `at` are the evaluation times, None for whenever an item arrives.
    """

    query: CqelsQuery

    def __init__(
        self,
        query: CqelsQuery,
        streams: Mapping[URIRef, tuple[Item, ...]],
        kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
        readings: Readings | None = None,
        at: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(
            "cqels", query, streams, kb, readings or Readings(),
            {} if at is None else {"at": list(at)},
        )

    @property
    def at(self) -> tuple[int, ...] | None:
        """The evaluation times."""
        return tuple(self.evaluation["at"]) if "at" in self.evaluation else None


_WORDS = {
    "SEQ": "sequence", "SEQ of windows": "window-sequence", "SEQ_WO": "without",
    "NO_HEAD": "no-head", "NO_TAIL": "no-tail", "JOIN": "join", "background": "background",
}


CAPABILITIES = {
    "operators": frozenset({
        "SEQ", "SEQ of windows", "JOIN", "SEQ_WO", "NO_HEAD", "NO_TAIL", "background",
    }),
    "windows": frozenset({"[RANGE]", "[RANGE SLIDE]", "[NOW]", "[ALL]", "[TRIPLES]"}),
    "patterns": GRAPH_PATTERN_FEATURES,
    "clauses": frozenset({"CONSTRUCT", "SELECT AS", *map(str, StreamOperator)}),
}  # fmt: skip
"""The features that a query may require of an engine, in groups (`capabilities`)."""


def query_features(query: CqelsQuery) -> frozenset[str]:
    """Return windows, sequences and their negations, and SPARQL's constructs."""
    return frozenset(_of_query(query))


def _of_query(query: CqelsQuery) -> Iterator[str]:
    clauses = list(find(query.where, WindowPattern, WindowSequence))
    used = {clause.name for clause in clauses if isinstance(clause, WindowPattern)}
    yield from (f"[{_window(each.function)}]" for each in query.windows if each.name in used)
    for clause in clauses:
        if isinstance(clause, WindowSequence):
            yield "SEQ of windows"
            yield from _negation([part.negated for part in clause.elements])
        elif isinstance(clause, WindowPattern) and isinstance(clause.body, TripleSequence):
            if len(clause.body.elements) > 1:
                yield "SEQ"
            yield from _negation([part.negated for part in clause.body.elements])
    if len(used) > 1 and not any(isinstance(each, WindowSequence) for each in clauses):
        yield "JOIN"
    for part in parts(query.where):
        yield from graph_pattern_features(part)
    if has(query.where, TriplePattern, but=WindowPattern):
        yield "background"
    if query.template is not None:
        yield "CONSTRUCT"
    if query.operator is not None:
        yield str(query.operator)
    if query.select is not None and any(item.expression is not None for item in query.select):
        yield "SELECT AS"


def _window(function: WindowFunction) -> str:
    match function:
        case RangeWindow(_, None):
            return "RANGE"
        case RangeWindow():
            return "RANGE SLIDE"
        case NowWindow():
            return "NOW"
        case AllWindow():
            return "ALL"
        case TriplesWindow():
            return "TRIPLES"


def _negation(negated: Sequence[bool]) -> Iterator[str]:
    if any(negated):
        yield "NO_HEAD" if negated[0] else "NO_TAIL" if negated[-1] else "SEQ_WO"


def features(case: CqelsCase) -> frozenset[str]:
    """Return the features of the query, the readings and the streams."""
    return query_features(case.query) | reading_features(case.readings) | data_features(case)


def data_features(case: CqelsCase) -> frozenset[str]:
    """Return the features of the streams."""
    return frozenset(_of_data(case))


def _of_data(case: CqelsCase) -> Iterator[str]:
    items = [item for stream in case.streams.values() for item in stream]
    if any(item.start < item.end for item in items):
        yield "intervals"
    if "at" in case.evaluation:
        yield "at"
    if any(isinstance(graph, TemporalGraph) for graph in case.kb.values()):
        yield "changing background"


def title_of(query: CqelsQuery) -> str:
    """Return the query in a line."""
    found = query_features(query)
    return ", ".join(sorted(found)) or "no window"


def words_of(query: CqelsQuery) -> list[str]:
    """Return the query in words that can be part of a file's name."""
    found = query_features(query)
    words = [word for name, word in _WORDS.items() if name in found]
    words += sorted(
        name.lower().replace(" ", "-")
        for name in found
        if name not in _WORDS and not name.startswith("[")
    )
    return words or ["window"]
