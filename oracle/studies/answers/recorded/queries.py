"""The query that recorded answers are to: a SPARQL query over snapshots of its windows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rdflib.term import URIRef, Variable

from .....semantics.model.errors import DenotaError, QueryError, UnsupportedError
from .....semantics.model.items import TimeKind
from .....semantics.model.time import parse_duration
from .....semantics.model.trees import changed, find, has
from .....semantics.rdf.syntax import tree as s
from .....semantics.rsepql.syntax.dialects import parse_dialect
from .....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    MatchPattern,
    Moment,
    RsepqlQuery,
    TimeBasedWindow,
    WindowClause,
    WindowPattern,
)


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
    """A query to judge answers of.

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
    """The query of a text in RSEP-QL, C-SPARQL, CQELS or SPARQLstream.

    `streams` are the streams there are, `kind` what their times count. A text without windows is
    plain SPARQL over a `window` of the only stream: its range, or range/slide. Raises QueryError
    for a text that is none of these, UnsupportedError for one whose answers cannot be judged.
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
    """The same for a query that is parsed already."""
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
    """Whether the query sees nothing but the snapshot of one window."""
    if len(windows) != 1 or form.dataset is not None:
        return False
    if has(form.where, s.NamedGraphPattern):
        return False
    if windows[0].in_default:
        return not has(form.where, WindowPattern)
    if any(isinstance(window.name, Variable) for window in find(form.where, WindowPattern)):
        return False
    return not has(form.where, s.TriplesBlock, but=WindowPattern)
