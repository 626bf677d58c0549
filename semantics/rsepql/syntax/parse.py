"""The parser from text to RSEP-QL's syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.tree import Meta
from rdflib.term import Literal, URIRef, Variable

from ...model.errors import DenotaError, Position, QueryError, StreamError
from ...model.items import TimeKind
from ...model.time import (
    TooFineError,
    as_written,
    parse_datetime,
    parse_duration,
    parse_integer,
    parse_time,
)
from ...model.trees import find
from ...rdf.syntax import tree as s
from ...rdf.syntax.errors import syntax_error
from ...rdf.syntax.scoping import check_query, defined_once, refuse_unknown_window
from ...rdf.syntax.stream_queries import StreamQueryBuilder
from ...rdf.syntax.tree import (
    Bind,
    Filter,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from ...rdf.syntax.tree_builder import at, builds, load_grammar, parse_text
from .tree import (
    Bounds,
    ConsumptionPolicy,
    CountWindow,
    Event,
    First,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    NestedWindow,
    RsepqlQuery,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowClause,
    WindowFunction,
    WindowPattern,
)
from .tree import Sequence as EventSequence

_NAMES: dict[type, str] = {
    OptionalPattern: "OPTIONAL",
    UnionPattern: "a nested group or UNION",
    MinusPattern: "MINUS",
    SubSelect: "a sub-select",
}


def refuse_what_cannot_be_consumed(
    event: Event, policy: ConsumptionPolicy, error: Callable[[str, Any], QueryError]
) -> None:
    """𝒫^c and 𝒫^r need basic graph patterns (3.3); FILTER, BIND, VALUES and GRAPH do no harm.

    Raises what `error` makes of a message and a place.
    """
    for element in event.pattern.elements:
        match element:
            case Filter() | Bind() | InlineData() | NamedGraphPattern():
                continue
            case TriplesBlock(triples):
                for triple in triples:
                    if not isinstance(triple.predicate, URIRef | Variable):
                        _refuse("a property path", policy, error, triple.position)
            case _:
                _refuse(_NAMES[type(element)], policy, error, event.position)


def _refuse(
    what: str,
    policy: ConsumptionPolicy,
    error: Callable[[str, Any], QueryError],
    position: Position,
) -> None:
    raise error(
        f"{what} cannot stand in an EVENT under CONSUME {policy}:"
        " only triple patterns say which triples took part",
        position,
    )


def parse(text: str, *, source: str | None = "<query>") -> RsepqlQuery:
    """Return the tree of an RSEP-QL query (Def. 5).

    Raises QueryError, with line and column, for what does not follow the grammar, for names of
    windows that are unknown or given twice, and for windows that cannot be.
    """
    parser = load_grammar("rsepql/syntax/grammar.lark", ("query",))
    return cast(RsepqlQuery, parse_text(parser, _Builder(text, source=source), text, "query"))


@dataclass(frozen=True, slots=True)
class _Consume:
    policy: ConsumptionPolicy
    position: Position


@dataclass(frozen=True, slots=True)
class _Described:
    """The dataset: clauses for graphs, and for windows."""

    graphs: s.DatasetClause | None
    windows: tuple[WindowClause, ...]


@dataclass(frozen=True, slots=True)
class _OnStream:
    iri: URIRef


@dataclass(frozen=True, slots=True)
class _Step:
    moment: Moment


@dataclass(frozen=True, slots=True)
class _Start:
    moment: Moment


@dataclass(frozen=True, slots=True)
class _Written:
    """A time or duration: its text or literal, and where it stands."""

    value: str | Literal
    position: Position


@builds({
    "on_stream": _OnStream, "nested_window": NestedWindow, "identity": IdentityWindow,
    "first": First, "last": Last, "match_graph_pattern": MatchPattern,
    "window_graph_pattern": WindowPattern,
})
class _Builder(StreamQueryBuilder):
    """Adds RSEP-QL's own rules to those of graph patterns."""

    def __init__(self, text: str = "", *, source: str | None = None) -> None:
        super().__init__(text, source=source)
        self._windows: tuple[WindowClause, ...] = ()
        self._consumes: list[_Consume] = []

    def explain(self, error: UnexpectedInput, parser: Lark, text: str) -> QueryError:
        offset = error.pos_in_stream
        if offset is not None and _after_event_pattern(error):
            word = re.match(r"\w*", text[offset:])
            if word is not None and word[0].upper() in _BESIDE_MATCH:
                return self.error(
                    f"{word[0].upper()} cannot stand in MATCH: it stands inside the braces of an"
                    " EVENT, or beside MATCH { … }",
                    Position(error.line, error.column),
                )
        return syntax_error(error, parser, text, self.source, _WORDS)

    # --- queries ----------------------------------------------------------------------------

    @v_args(meta=True)
    def query(self, meta: Meta, children: Sequence[Any]) -> RsepqlQuery:
        form = next(child for child in children if isinstance(child, _FORMS))
        values = next((child for child in children if isinstance(child, s.InlineData)), None)
        form = replace(form, values=values, prologue=self.declared)
        check_query(form, lambda message: self.error(message, meta))
        self._check_names(form)
        operator = self.single_operator() or StreamOperator.RSTREAM
        policy = self._single_policy()
        if policy is not ConsumptionPolicy.UNRESTRICTED:
            for event in find(form, Event):
                refuse_what_cannot_be_consumed(event, policy, self.error)
        return RsepqlQuery(form, self._windows, operator, policy, self.output, self.declared)

    def select_query(self, children: Sequence[Any]) -> s.SelectQuery:
        form = next((child for child in children if type(child) is str), "")
        items = tuple(child for child in children if isinstance(child, s.Projection))
        return s.SelectQuery(
            items or None,
            _the(s.GroupGraphPattern, children),
            _the(s.SolutionModifier, children),
            form == "DISTINCT",
            form == "REDUCED",
            dataset=_the(_Described, children).graphs,
        )

    def construct_query(self, children: Sequence[Any]) -> s.ConstructQuery:
        template = next(child for child in children if type(child) is tuple)
        return s.ConstructQuery(
            template,
            _the(s.GroupGraphPattern, children),
            _the(s.SolutionModifier, children),
            dataset=_the(_Described, children).graphs,
        )

    def describe_query(self, children: Sequence[Any]) -> s.DescribeQuery:
        targets = tuple(child for child in children if isinstance(child, URIRef | Variable))
        where = next((c for c in children if isinstance(c, s.GroupGraphPattern)), None)
        return s.DescribeQuery(
            targets or None,
            where,
            _the(s.SolutionModifier, children),
            dataset=_the(_Described, children).graphs,
        )

    def ask_query(self, children: Sequence[Any]) -> s.AskQuery:
        return s.AskQuery(
            _the(s.GroupGraphPattern, children),
            _the(s.SolutionModifier, children),
            dataset=_the(_Described, children).graphs,
        )

    def consume(self, children: Sequence[Token]) -> _Consume:
        (word,) = children
        if word.upper() not in ConsumptionPolicy.__members__:
            known = ", ".join(ConsumptionPolicy)
            raise self.error(f"there is no consumption policy {word} (there are: {known})", word)
        consume = _Consume(ConsumptionPolicy(word.upper()), at(word))
        self._consumes.append(consume)
        return consume

    def _single_policy(self) -> ConsumptionPolicy:
        if len(self._consumes) > 1:
            raise self.error("a query has one CONSUME clause", self._consumes[1].position)
        return self._consumes[0].policy if self._consumes else ConsumptionPolicy.UNRESTRICTED

    def _check_names(self, form: s.SparqlQuery) -> None:
        named = ((each.name, each.position) for each in self._windows if each.name is not None)
        defined = defined_once("window", named, self.error)
        for part in find(form, WindowPattern, Event):
            name = part.window if isinstance(part, Event) else part.name
            if isinstance(name, URIRef):
                refuse_unknown_window(name, part.position, defined, self.error)

    # --- the dataset ------------------------------------------------------------------------

    def dataset_clauses(self, children: Sequence[Any]) -> _Described:  # type: ignore[override]
        self._windows = tuple(child for child in children if isinstance(child, WindowClause))
        graphs = [child for child in children if not isinstance(child, WindowClause)]
        return _Described(super().dataset_clauses(graphs), self._windows)

    @v_args(meta=True)
    def window_clause(self, meta: Meta, children: Sequence[Any]) -> WindowClause:
        return self._clause(meta, children, in_default=False)

    @v_args(meta=True)
    def default_window_clause(self, meta: Meta, children: Sequence[Any]) -> WindowClause:
        return self._clause(meta, children, in_default=True)

    def _clause(self, meta: Meta, children: Sequence[Any], in_default: bool) -> WindowClause:
        name = next((child for child in children if isinstance(child, URIRef)), None)
        stream = next((child.iri for child in children if isinstance(child, _OnStream)), None)
        function: WindowFunction = children[-1]
        kinds = {moment.kind: moment for moment in find(function, Moment)}
        if len(kinds) > 1:
            raise self.error(
                "a window cannot measure in bare numbers and in durations or dateTimes at once",
                max(moment.position for moment in kinds.values()),
            )
        return WindowClause(name, stream, function, in_default, at(meta))

    def time_based(self, children: Sequence[Any]) -> TimeBasedWindow:
        width, *others = children
        given: dict[type, Any] = {}
        for other in others:
            if type(other) in given:
                raise self.error("STEP, START and BOUNDS can stand once in a window",
                                 width.position)
            given[type(other)] = other
        step, start = given.get(_Step), given.get(_Start)
        return TimeBasedWindow(
            self._length(width, "RANGE"),
            step.moment if step is not None else None,
            start.moment if start is not None else None,
            given.get(Bounds, Bounds.OPEN_CLOSED),
        )

    def step(self, children: Sequence[_Written]) -> _Step:
        return _Step(self._length(children[0], "STEP"))

    def start(self, children: Sequence[_Written]) -> _Start:
        return _Start(self._instant(children[0], "START"))

    def bounds(self, children: Sequence[Token]) -> Bounds:
        return Bounds(" ".join(children).lower())

    def landmark(self, children: Sequence[_Written]) -> LandmarkWindow:
        return LandmarkWindow(self._instant(children[0], "FROM"))

    @v_args(meta=True)
    def interval(self, meta: Meta, children: Sequence[_Written]) -> IntervalWindow:
        first, last = (self._instant(child, "BETWEEN") for child in children)
        if first.kind is last.kind and last.value < first.value:
            raise self.error("the window ends before it begins", meta)
        return IntervalWindow(first, last)

    @v_args(meta=True)
    def counted(self, meta: Meta, children: Sequence[Token]) -> CountWindow:
        try:
            size, *step = map(parse_integer, children)
        except StreamError:
            raise self.error("a window cannot count that far", meta) from None
        if size <= 0 or 0 in step:
            raise self.error("a window counts 1 or more elements, in steps of 1 or more", meta)
        return CountWindow(size, *step)

    @v_args(meta=True)
    def moment(self, meta: Meta, children: Sequence[Token | Literal]) -> _Written:
        return _Written(as_written(children), at(meta))

    def _length(self, written: _Written, keyword: str) -> Moment:
        """Return the length after RANGE or STEP: a number of units, or a duration."""
        try:
            value, kind = parse_duration(written.value)
        except QueryError as error:
            raise self.error(f"{keyword}: {error.message}", written.position) from None
        if value <= 0:
            raise self.error(f"{keyword} must be longer than 0", written.position)
        return Moment(value, kind, written.position)

    def _instant(self, written: _Written, keyword: str) -> Moment:
        """Return the instant after FROM, BETWEEN, AND or START: an integer, or a dateTime."""
        value = written.value
        try:
            if isinstance(value, Literal) and value.datatype is not None:
                return Moment(*parse_time(value), written.position)
            return Moment(parse_datetime(str(value)), TimeKind.DATETIME, written.position)
        except TooFineError as error:
            raise self.error(f"{keyword}: {error.message}", written.position) from None
        except DenotaError:
            raise self.error(
                f"{keyword}: '{value}' is no instant, expected an integer or an xsd:dateTime",
                written.position,
            ) from None

    # --- patterns ---------------------------------------------------------------------------

    def sequence(self, children: Sequence[Any]) -> EventSequence:
        left, operator, right = children
        return EventSequence(
            SequenceOperator(operator.upper().replace("^", "")), left, right
        )

    @v_args(meta=True)
    def event(self, meta: Meta, children: Sequence[Any]) -> Event:
        window, pattern = children
        if isinstance(window, Variable):
            raise self.error(f"EVENT needs the name of a window, not a variable (?{window})", meta)
        for inner in find(pattern, WindowPattern, MatchPattern):
            keyword = "WINDOW" if isinstance(inner, WindowPattern) else "MATCH"
            raise self.error(
                f"{keyword} cannot stand inside EVENT, which looks at one graph of a window",
                inner.position,
            )
        return Event(window, pattern, at(meta))


_WORDS = {
    "SEQUENCE": "SEQ", "UNIT": "a unit of time", "DURATION": "a duration", "DATETIME": "a dateTime",
    "END": "OPEN or CLOSED", "CONSUMPTION": "a consumption policy",
}
_BESIDE_MATCH = ("FILTER", "BIND", "OPTIONAL", "UNION", "MINUS", "VALUES", "WINDOW", "GRAPH")


def _after_event_pattern(error: UnexpectedInput) -> bool:
    accepted = error.accepts if isinstance(error, UnexpectedToken) else None
    if isinstance(error, UnexpectedCharacters):
        accepted = error.allowed
    return accepted is not None and "SEQUENCE" in accepted


_FORMS = (s.SelectQuery, s.ConstructQuery, s.DescribeQuery, s.AskQuery)


def _the(kind: Any, children: Sequence[Any]) -> Any:
    return next(child for child in children if isinstance(child, kind))
