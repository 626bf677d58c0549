"""A query that answers were recorded to, and its answers over the contents of its windows.

The query is a SPARQL query over snapshots of its windows. The contents of a window are a range of
its stream's items, so an answer depends on a pair of positions for each window; it is computed
once. It is found by the production engine's matcher, which is checked against the definitions
elsewhere, or by the definitions themselves, which take some hundred times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from rdflib.term import BNode, URIRef, Variable

from ...engine.rdf.data.dictionary import Dictionary
from ...engine.rdf.matcher import Matcher, compile_pattern
from ...semantics.model.errors import DenotaError, QueryError, UnsupportedError
from ...semantics.model.items import TimeKind, TimestampedGraph
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import EMPTY_GRAPH, Dataset, Graph
from ...semantics.model.time import parse_duration
from ...semantics.model.trees import changed, find, has
from ...semantics.rdf.queries import evaluate_query
from ...semantics.rdf.syntax import tree as s
from ...semantics.rsepql.denotation import answers
from ...semantics.rsepql.syntax.dialects import parse_dialect
from ...semantics.rsepql.syntax.evaluation import Evaluation
from ...semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    IdentityWindow,
    MatchPattern,
    Moment,
    RsepqlQuery,
    TimeBasedWindow,
    WindowClause,
    WindowPattern,
)
from .values import Comparer


@dataclass(frozen=True, slots=True)
class JudgedWindow:
    """A time-based window over a stream: the last `width` time units, every `slide` of them."""

    name: URIRef | None
    stream: URIRef
    width: int
    slide: int
    in_default: bool


@dataclass(frozen=True)
class ContinuousQuery:
    """A query to check answers of.

    `select` is plain SPARQL: what stood in WINDOW w { … } stands in GRAPH w { … }, or, if `flat`,
    in a group of its own, because the snapshot of the only window is all that the query looks at.
    With `events` it has MATCH, which is more than SPARQL: then `parsed` is what is evaluated.
    `dialect` is whose language the text was in.
    """

    select: s.SelectQuery
    windows: tuple[JudgedWindow, ...]
    flat: bool
    events: bool
    dialect: str
    parsed: RsepqlQuery

    @cached_property
    def where(self) -> s.SelectQuery:
        """SELECT * of the WHERE clause: what is matched, before grouping and projection."""
        return s.SelectQuery(None, self.select.where, prologue=self.select.prologue)

    @property
    def graphs(self) -> s.DatasetClause:
        """The background graphs that it names."""
        return self.parsed.form.dataset or s.DatasetClause()


def continuous_query(
    text: str,
    streams: Collection[URIRef],
    kind: TimeKind,
    *,
    window: str | None = None,
    source: str | None = "<query>",
) -> ContinuousQuery:
    """Return the query of a text in RSEP-QL, C-SPARQL, CQELS or SPARQLstream.

    `streams` are the streams there are, `kind` what their times count. A text without windows is
    plain SPARQL over a `window` of the only stream: its range, or range/slide. Raises QueryError
    for a text that is none of these, UnsupportedError for one whose answers cannot be checked.
    """
    dialect, query = parse_dialect(text, source=source)
    if window is not None:
        if query.windows:
            raise QueryError("the query has windows of its own, there is no need for another",
                             source=source)
        query = replace(query, windows=(_written_window(window),))
    return judged(query, streams, kind, dialect=dialect, source=source)


def _written_window(written: str) -> WindowClause:
    parts = [part.strip() for part in written.split("/")]
    if len(parts) > 2 or not all(parts):
        raise QueryError(f"a window is written RANGE or RANGE/SLIDE, as in 10s/2s, not '{written}'")
    width, step = (Moment(*parse_duration(part)) for part in (parts[0], parts[-1]))
    return WindowClause(None, None, TimeBasedWindow(width, step), in_default=True)


def judged(
    query: RsepqlQuery,
    streams: Collection[URIRef],
    kind: TimeKind,
    *,
    dialect: str = "rsepql",
    source: str | None = "<query>",
) -> ContinuousQuery:
    """Return the same for a query that is parsed already."""
    if not isinstance(query.form, s.SelectQuery):
        raise UnsupportedError("answers are judged for SELECT queries only", source=source)
    if not query.windows:
        raise QueryError(
            "the query has no window: answers are judged for FROM NAMED WINDOW w ON stream "
            "[RANGE a STEP b] (or FROM STREAM, FROM NAMED STREAM, STREAM … [RANGE a …])",
            source=source,
        )
    windows = tuple(_window(clause, streams, kind, source) for clause in query.windows)
    events = has(query.form.where, MatchPattern)
    if query.consumption is not ConsumptionPolicy.UNRESTRICTED:
        raise UnsupportedError(
            "what is consumed depends on all evaluations before: answers of queries with CONSUME"
            " are not judged", source=source,
        )
    flat = not events and _is_flat(query.form, windows)

    def plain(part: Any) -> Any:
        if not isinstance(part, WindowPattern):
            return part
        if flat:
            return s.UnionPattern((part.pattern,))
        return s.NamedGraphPattern(part.name, part.pattern)

    select = replace(changed(query.form, plain), dataset=None)
    return ContinuousQuery(select, windows, flat, events, dialect, query)


def _window(
    clause: WindowClause, streams: Collection[URIRef], kind: TimeKind, source: str | None
) -> JudgedWindow:
    try:
        return _time_based(clause, streams, kind)
    except DenotaError as error:
        raise error.at(source, clause.position.line, clause.position.column) from None


def _time_based(
    clause: WindowClause, streams: Collection[URIRef], kind: TimeKind
) -> JudgedWindow:
    if not isinstance(clause.function, TimeBasedWindow):
        raise UnsupportedError(
            "answers are judged for time-based windows [RANGE a STEP b] only"
        )
    stream = clause.stream
    if stream is None:
        if len(streams) != 1:
            raise QueryError("the window does not say ON which of the streams it is")
        (stream,) = streams
    if stream not in streams:
        given = ", ".join(f"<{iri}>" for iri in sorted(streams)) or "none"
        raise QueryError(f"the stream <{stream}> is not given (given: {given})")
    width, step = clause.function.width, clause.function.step or clause.function.width
    for length in (width, step):
        if length.kind is not kind:
            wanted = "a length of time such as 10s" if kind is TimeKind.DATETIME else "an integer"
            raise QueryError(f"on a stream with {kind} times a window's length is {wanted}")
        if length.value <= 0:
            raise QueryError("a window's range and slide are positive")
    return JudgedWindow(clause.name, stream, width.value, step.value, clause.in_default)


def _is_flat(form: s.SelectQuery, windows: tuple[JudgedWindow, ...]) -> bool:
    """Return True if the query reads only the snapshot of one window."""
    if len(windows) != 1 or form.dataset is not None:
        return False
    if has(form.where, s.NamedGraphPattern):
        return False
    if windows[0].in_default:
        return not has(form.where, WindowPattern)
    if any(isinstance(window.name, Variable) for window in find(form.where, WindowPattern)):
        return False
    return not has(form.where, s.TriplesBlock, but=WindowPattern)


# --- snapshots ------------------------------------------------------------------------------------

Range: TypeAlias = tuple[int, int]
"""The items i, …, j − 1 of a stream."""

Contents: TypeAlias = tuple[Range, ...]
"""The content of each window of a query."""

RowKey: TypeAlias = frozenset[tuple[str, Hashable]]
"""The key of a solution in comparisons: equal answers have equal keys."""

Bag: TypeAlias = Counter[RowKey]


def row_key(mu: SolutionMapping, comparer: Comparer) -> RowKey:
    """Return the key of a solution."""
    return frozenset(
        (str(name), comparer.key(value))
        for name, value in mu.items()
        if not isinstance(value, tuple)
    )


class Snapshots:
    """⟦Q⟧ over snapshots of its windows; `items` are those of each window's stream."""

    def __init__(
        self,
        query: ContinuousQuery,
        streams: Mapping[URIRef, Sequence[TimestampedGraph]],
        kb: Mapping[URIRef, Graph] | None = None,
        *,
        by_definition: bool = False,
    ) -> None:
        self.query = query
        self.items = [streams[window.stream] for window in query.windows]
        self._by_definition = by_definition
        described = query.graphs
        self._kb = kb = dict(kb or {})
        self._background = EMPTY_GRAPH.union(
            *(kb.get(name, EMPTY_GRAPH) for name in described.default)
        )
        self._named: dict[URIRef | BNode, Graph] = {
            name: graph
            for name, graph in kb.items()
            if not (described.default or described.named) or name in described.named
        }
        self._dictionary = Dictionary(query.select.prologue.base)
        self._matchers: dict[int, Matcher] = {}
        self._unions: dict[tuple[int, Range], Graph] = {}
        self._answers: dict[tuple[Contents, bool], tuple[SolutionMapping, ...]] = {}

    def answer(self, contents: Contents) -> tuple[SolutionMapping, ...]:
        """Return the bag of the query's solutions."""
        return self._found(contents, matched=False)

    def matches(self, contents: Contents) -> tuple[SolutionMapping, ...]:
        """Return the bag of solutions of the WHERE clause, before grouping and projection."""
        return self._found(contents, matched=True)

    def _found(self, contents: Contents, *, matched: bool) -> tuple[SolutionMapping, ...]:
        key = contents, matched
        known = self._answers.get(key)
        if known is None:
            if self.query.events:
                known = self._with_events(contents, matched=matched)
            else:
                query = self.query.where if matched else self.query.select
                known = tuple(self._evaluate(query, contents))
            self._answers[key] = known
        return known

    def _with_events(self, contents: Contents, *, matched: bool) -> tuple[SolutionMapping, ...]:
        """Return the same for a query with MATCH, by RSEP-QL's definitions: its windows are the
        streams that hold these contents and nothing else."""
        query = self.query.parsed
        form = self.query.where if matched else query.form
        windows, streams = [], {}
        last = 0
        for number, (clause, held) in enumerate(zip(query.windows, contents, strict=True)):
            stream = URIRef(f"urn:denota:contents:{number}")
            items = streams[stream] = tuple(self.items[number][slice(*held)])
            last = max(last, items[-1].time if items else 0)
            windows.append(replace(clause, stream=stream, function=IdentityWindow()))
        at_last = Evaluation(at=(last,))
        asked = replace(query, form=form, windows=tuple(windows))
        ((_, _, omega),) = answers(asked, streams, self._kb, evaluation=at_last)
        return omega

    def _evaluate(self, query: s.SelectQuery, contents: Contents) -> list[SolutionMapping]:
        dataset = self._dataset(contents)
        if self._by_definition:
            result = evaluate_query(query, dataset)
            return list(result.solutions)  # type: ignore[union-attr]
        matcher = self._matcher(query, dataset)
        decode = self._dictionary.decode_value
        return [
            SolutionMapping(
                (variable, decode(number))
                for variable, number in zip(matcher.columns, row, strict=True)
                if number
            )
            for row in matcher.match(dataset.default)
        ]

    def _matcher(self, query: s.SelectQuery, dataset: Dataset) -> Matcher:
        group = s.GroupGraphPattern((s.SubSelect(query),))
        if not self.query.flat:  # the matcher is compiled for its named graphs
            return compile_pattern(group, self._dictionary, dataset.named, defer=False)  # type: ignore[arg-type]
        known = self._matchers.get(id(query))
        if known is None:
            known = compile_pattern(group, self._dictionary, dataset.named, defer=False)  # type: ignore[arg-type]
            self._matchers[id(query)] = known
        return known

    def _dataset(self, contents: Contents) -> Dataset:
        """18.2 of SPARQL with windows: the default graph holds the unnamed windows' snapshots."""
        default = [self._background]
        named = dict(self._named)
        for number, (window, held) in enumerate(zip(self.query.windows, contents, strict=True)):
            snapshot = self._union(number, held)
            if window.in_default or self.query.flat:
                default.append(snapshot)
            if window.name is not None:
                named[window.name] = snapshot
        if self.query.flat and not self._background:
            return Dataset(default[-1], self._named)
        return Dataset(EMPTY_GRAPH.union(*default), named)

    def _union(self, number: int, held: Range) -> Graph:
        known = self._unions.get((number, held))
        if known is None:
            items = self.items[number][slice(*held)]
            known = EMPTY_GRAPH.union(*(item.graph for item in items))
            self._unions[number, held] = known
        return known


def variables_of(query: ContinuousQuery) -> tuple[Variable, ...]:
    """Return the projected variables of the query."""
    from ...semantics.rdf.syntax.variables import selected_variables

    return selected_variables(query.select)
