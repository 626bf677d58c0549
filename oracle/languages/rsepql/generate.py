"""Strategies for RSEP-QL: windows, event patterns, queries, and cases that often have answers.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, URIRef, Variable

from ....semantics.model.errors import Impossible
from ....semantics.model.items import TimeKind
from ....semantics.model.terms import Graph
from ....semantics.rdf.embedding import in_query
from ....semantics.rdf.syntax.tree import (
    Aggregate,
    AskQuery,
    Bind,
    ConstructQuery,
    DatasetClause,
    DescribeQuery,
    Element,
    EmbeddedPattern,
    Exists,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    OrderCondition,
    Projection,
    SelectQuery,
    SolutionModifier,
    SparqlQuery,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ....semantics.rdf.syntax.variables import in_scope, possible_variables
from ....semantics.rsepql.syntax.evaluation import Evaluation, PolicyName
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import (
    Bounds,
    ConsumptionPolicy,
    CountWindow,
    Event,
    EventPattern,
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
    events,
)
from ....semantics.rsepql.syntax.tree import Sequence as EventSequence
from ...fuzzing.strategies.choices import among
from ...fuzzing.strategies.conditions import conditions
from ...fuzzing.strategies.dropping import dropped
from ...fuzzing.strategies.graph_patterns import graph_patterns
from ...fuzzing.strategies.instances import Usual, background_instance, instance
from ...fuzzing.strategies.streams import SECOND, instant, streamset_of
from ...fuzzing.strategies.terms import graphs
from ...fuzzing.strategies.vocabulary import BACKGROUNDS, LINK, PROLOGUE, STREAMS, THINGS, name
from .case import RsepqlCase

WINDOWS = (name("w1"), name("w2"), name("w3"))

_COIN = st.booleans()
_RARELY = st.sampled_from((False,) * 5 + (True,))
_KINDS = st.sampled_from((TimeKind.INTEGER,) * 6 + (TimeKind.DATETIME,))
_WINDOW_COUNTS = st.sampled_from((1, 2, 2, 1, 2, 3))
_STREAM_COUNTS = st.sampled_from((1, 1, 2))
_FUNCTIONS = st.sampled_from(
    ("landmark", "time", "landmark", "time", "time", "identity", "interval", "count", "nested")
)
_WIDTHS = st.sampled_from((5, 3, 7, 10, 2, 1))
_STEPS = st.sampled_from((1, None, 1, 2, 3, 5))
_BOUNDS = st.sampled_from((Bounds.OPEN_CLOSED,) * 5 + tuple(Bounds))
_TICKS = st.integers(0, 8)
_EVENT_COUNTS = st.sampled_from((2, 1, 2, 2, 3, 3))
_OPERATORS = st.sampled_from(tuple(SequenceOperator))
_SELECTIONS = st.sampled_from((None,) * 9 + (First, Last, Last))


# --- windows -------------------------------------------------------------------------------------


@st.composite
def window_functions(
    draw: DrawFn, *, kind: TimeKind = TimeKind.INTEGER, nested: bool = True
) -> WindowFunction:
    """Window functions (Def. 3), measured as streams of this kind are."""

    def length(ticks: int) -> Moment:
        return Moment(ticks * (SECOND if kind is TimeKind.DATETIME else 1), kind)

    def at(tick: int) -> Moment:
        return Moment(instant(tick, kind), kind)

    match draw(_FUNCTIONS):
        case "time":
            step = draw(_STEPS)
            if step is None and kind is TimeKind.DATETIME:
                step = 1  # a microsecond is too short a step for some policies
            start = draw(_RARELY) and draw(_TICKS)
            return TimeBasedWindow(
                length(draw(_WIDTHS)),
                None if step is None else length(step),
                at(start) if start else None,
                draw(_BOUNDS),
            )
        case "identity":
            return IdentityWindow()
        case "interval":
            first, last = sorted((draw(_TICKS), draw(_TICKS)))
            return IntervalWindow(at(first), at(last))
        case "count":
            return CountWindow(draw(among((2, 1, 3))), draw(among((1, 1, 2))))
        case "nested" if nested:
            return NestedWindow(
                draw(window_functions(kind=kind, nested=False)),
                draw(window_functions(kind=kind, nested=False)),
            )
    return LandmarkWindow(at(draw(among((0, 0, 1, 3)))))


# --- event patterns ------------------------------------------------------------------------------


@st.composite
def event_patterns(
    draw: DrawFn,
    *,
    windows: Sequence[URIRef] = WINDOWS[:2],
    consumed: bool = False,
    label: str = "e",
) -> EventPattern:
    """Event patterns over windows of these names; `consumed` says that CONSUME must allow them.

    `label` begins the labels of their blank nodes.
    """
    later: set[Variable] = set()
    basic: list[Event] = []
    count = draw(_EVENT_COUNTS)
    for number in reversed(range(count)):
        # The last one first: its variables are known to the filters of those before it.
        body = draw(graph_patterns(earlier=sorted(later), blank=BNode(f"{label}{number}")))
        if consumed:
            body = consumable(body)
        later |= possible_variables(body)
        window = draw(among([windows[number % len(windows)], *windows]))
        basic.insert(0, Event(window, body))
    patterns: list[EventPattern] = [_selected(draw, each) for each in basic]
    while len(patterns) > 1:
        place = 0 if len(patterns) == 2 or draw(_COIN) else 1
        left, right = patterns[place : place + 2]
        joined = EventSequence(draw(_OPERATORS), left, right)
        patterns[place : place + 2] = [_selected(draw, joined)]
    return patterns[0]


def _selected(draw: DrawFn, pattern: EventPattern) -> EventPattern:
    selection = draw(_SELECTIONS)
    return pattern if selection is None else selection(pattern)


def consumable(body: GroupGraphPattern) -> GroupGraphPattern:
    """What of a body an EVENT may say under a consumption policy."""
    kept: list[Element] = []
    for element in body.elements:
        match element:
            case TriplesBlock(triples):
                plain = tuple(
                    triple if isinstance(triple.predicate, URIRef | Variable)
                    else TriplePattern(triple.subject, LINK, triple.object)
                    for triple in triples
                )
                kept.append(TriplesBlock(plain))
            case Filter() | Bind() | InlineData() | NamedGraphPattern():
                kept.append(element)
            case _:
                pass
    return GroupGraphPattern(tuple(kept))


# --- queries -------------------------------------------------------------------------------------

_CONSUMPTIONS = st.sampled_from(
    (ConsumptionPolicy.UNRESTRICTED,) * 3
    + (ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT)
)
_STREAM_OPERATORS = st.sampled_from((StreamOperator.RSTREAM,) * 4 + tuple(StreamOperator))
_SHAPES = st.sampled_from(
    (
        "match", "match", "match", "window", "match", "match window", "optional window",
        "union", "minus", "match match", "default", "exists", "sub-select", "graph", "variable",
        "match optional",
    )
)
_FORMS = st.sampled_from(
    ("all",) * 12 + ("list", "list", "distinct", "count", "ask", "construct", "describe", "order")
)


@st.composite
def rsepql_queries(draw: DrawFn, *, kind: TimeKind | None = None) -> RsepqlQuery:
    """RSEP-QL queries (Def. 5): windows measured as streams of `kind` are, or of either kind."""
    chosen_kind = draw(_KINDS)
    kind = chosen_kind if kind is None else kind
    streams = STREAMS[: draw(_STREAM_COUNTS)]
    names = WINDOWS[: draw(_WINDOW_COUNTS)]
    clauses = tuple(
        WindowClause(
            window,
            streams[k % len(streams)],
            draw(window_functions(kind=kind)),
            in_default=draw(_RARELY),
        )
        for k, window in enumerate(names)
    )
    consumption = draw(_CONSUMPTIONS)
    where = draw(_bodies(names, consumption is not ConsumptionPolicy.UNRESTRICTED))
    form = _form(draw, where)
    if draw(_RARELY):
        form = replace(form, dataset=DatasetClause(BACKGROUNDS[:1], BACKGROUNDS[:1]))
    return RsepqlQuery(
        form,
        clauses,
        draw(_STREAM_OPERATORS),
        consumption,
        prologue=PROLOGUE,
    )


@st.composite
def _bodies(draw: DrawFn, windows: Sequence[URIRef], consumed: bool) -> GroupGraphPattern:
    labels = iter("abcdef")

    def match() -> Element:
        return MatchPattern(
            draw(event_patterns(windows=windows, consumed=consumed, label=next(labels)))
        )

    def body() -> GroupGraphPattern:
        return draw(graph_patterns(blank=BNode(f"{next(labels)}w")))

    def window() -> Element:
        return WindowPattern(draw(among(windows)), body())

    def group(*elements: Element) -> GroupGraphPattern:
        return GroupGraphPattern(elements)

    elements: list[Element] = []
    match draw(_SHAPES):
        case "window":
            elements = [window()]
        case "match window":
            elements = [match(), window()]
        case "optional window":
            elements = [window(), OptionalPattern(group(window()))]
        case "match optional":
            elements = [match(), OptionalPattern(group(window()))]
        case "union":
            elements = [UnionPattern((group(match()), group(window())))]
        case "minus":
            elements = [match(), MinusPattern(group(window()))]
        case "match match":
            elements = [match(), match()]
        case "default":
            elements = [*body().elements, window()]
        case "exists":
            elements = [match(), Filter(Exists(group(window()), negated=draw(_COIN)))]
        case "sub-select":
            count = Projection(Variable("matches"), Aggregate("COUNT", None))
            inner = SelectQuery(
                (Projection(THINGS[0]), count), group(match()),
                SolutionModifier(group_by=(THINGS[0],)),
            )
            elements = [window(), UnionPattern((group(SubSelect(inner)),))]
        case "graph":
            known = NamedGraphPattern(BACKGROUNDS[0], body())
            elements = [match(), known]
        case "variable":
            elements = [WindowPattern(Variable("w"), body())]
        case _:
            elements = [match()]
    made = GroupGraphPattern(tuple(elements))
    bound = sorted(possible_variables(made))
    if bound and draw(_RARELY):
        condition = draw(conditions(bound))
        if not dropped(draw):
            made = GroupGraphPattern((*elements, Filter(condition)))
    return made


def _form(draw: DrawFn, where: GroupGraphPattern) -> SparqlQuery:
    bound = in_scope(where)
    listed = tuple(map(Projection, bound[: draw(among((1, 2)))]))
    match draw(_FORMS):
        case "list" if bound:
            return SelectQuery(listed, where)
        case "distinct" if bound:
            return SelectQuery(listed, where, distinct=True)
        case "count":
            count = Projection(Variable("count"), Aggregate("COUNT", None))
            if not bound:
                return SelectQuery(None, where)
            return SelectQuery(
                (Projection(bound[0]), count), where, SolutionModifier(group_by=(bound[0],))
            )
        case "order" if bound:
            order = SolutionModifier(order_by=tuple(map(OrderCondition, bound)))
            return SelectQuery(None, where, order)
        case "ask":
            return AskQuery(where)
        case "construct" if bound:
            template = (TriplePattern(bound[0], LINK, bound[-1]),)
            return ConstructQuery(template, where)
        case "describe" if bound:
            return DescribeQuery((bound[0],), where)
    return SelectQuery(None, where)


# --- cases ---------------------------------------------------------------------------------------

_READINGS = st.sampled_from(
    [
        Readings.of(
            {"rivals": rivals, "consumption": consumption, "order": order, "exists": exists}
        )
        for rivals, consumption, order, exists in product(
            ("same", "same", "any"),
            ("occurrence", "triple"),
            ("end-start", "end-start", "start-end", "end", "start", "before"),
            ("restricted", "substituted"),
        )
    ]
)
_GAPS = st.sampled_from((1, 2, 1, 2, 0, 3))
_ROUNDS = st.sampled_from((1, 1, 2, 2, 3))
_EXTRA_COUNTS = st.sampled_from((0, 1, 0, 2, 3))
_LOOKS = st.sampled_from(("left out", *("",) * 12, "double"))
_POLICIES: SearchStrategy[PolicyName | None] = st.sampled_from(
    (None, "content-change", None, "window-close", "non-empty-content", "periodic")
)
_EVALUATED = st.lists(st.sampled_from((8, *range(2, 14))), min_size=1, max_size=4, unique=True)
_ABSENT = st.sampled_from((None,) * 9 + STREAMS[:1])


@st.composite
def rsepql_cases(draw: DrawFn) -> RsepqlCase:
    """Cases of RSEP-QL that have a meaning: queries on streams that they often match."""
    kind = draw(_KINDS)
    query = draw(rsepql_queries(kind=kind))
    usual: Usual = {}
    placed = _events(draw, query, usual)
    absent = draw(_ABSENT)
    used = {clause.stream for clause in query.windows if clause.stream is not None}
    streams = streamset_of(
        [event for event in placed if event[1] != absent],
        sorted(used - {absent}),
        kind=kind,
        ties="sequence",
    )
    case = RsepqlCase(
        query=query,
        streams=streams,
        kb=_background(draw, query, usual),
        readings=draw(_READINGS),
        evaluation=_evaluation(draw, query, kind),
    )
    return case if draw(_RARELY) else _likelier(case)


def _likelier(case: RsepqlCase) -> RsepqlCase:
    """The case, or if it has no answer one that has: evaluated at other times, with wide windows,
    without the filters of its patterns."""
    if case.denotation():
        return case
    often = replace(case, evaluation=Evaluation())
    everything = tuple(
        replace(clause, function=IdentityWindow()) for clause in case.query.windows
    )
    wide = replace(often, query=replace(case.query, windows=everything))
    bare = replace(wide, query=replace(wide.query, form=_without_filters(wide.query.form)))
    timed = replace(wide, evaluation=case.evaluation) if case.evaluation.at is not None else wide
    candidates = (often, timed, wide, bare)
    return next((likely for likely in candidates if likely.denotation()), case)


def _without_filters(form: SparqlQuery) -> SparqlQuery:
    def bare(pattern: GroupGraphPattern) -> GroupGraphPattern:
        return GroupGraphPattern(tuple(e for e in pattern.elements if not isinstance(e, Filter)))

    def change(element: EmbeddedPattern) -> Element:
        if isinstance(element, WindowPattern):
            return replace(element, pattern=bare(element.pattern))
        assert isinstance(element, MatchPattern)
        return replace(element, event=event(element.event))

    def event(e: EventPattern) -> EventPattern:
        match e:
            case Event(window, pattern):
                return Event(window, bare(pattern))
            case First(operand) | Last(operand):
                return type(e)(event(operand))
            case EventSequence(operator, left, right):
                return EventSequence(operator, event(left), event(right))
        raise Impossible(f"not an event pattern: {e!r}")

    return in_query(form, change)


def _events(draw: DrawFn, query: RsepqlQuery, usual: Usual) -> list[tuple[int, URIRef, Graph]]:
    """Graphs in the order in which the query's patterns ask for them, and a few others."""
    asked = _patterns(query.form.where)
    placed: list[tuple[int, URIRef, Graph]] = []
    tick = 0
    for _ in range(draw(_ROUNDS)):
        for window, pattern in asked:
            clause = query.window(window) if window is not None else query.windows[0]
            stream = clause.stream or STREAMS[0]
            looks = draw(_LOOKS)
            graph = instance(draw, pattern, stream, usual)
            if looks == "double":
                graph |= instance(draw, pattern, stream, {})
            if looks != "left out":
                placed.append((tick, stream, graph))
            tick += draw(_GAPS)
    for _ in range(draw(_EXTRA_COUNTS)):
        at, stream = draw(_TICKS), draw(among(STREAMS[:2]))
        placed.append((at, stream, draw(graphs(stream, max_size=2))))
    return placed


def _patterns(group: GroupGraphPattern | None) -> list[tuple[URIRef | None, GroupGraphPattern]]:
    """The patterns that look at windows, in the order of the text; None is any window."""
    found: list[tuple[URIRef | None, GroupGraphPattern]] = []
    for element in group.elements if group is not None else ():
        match element:
            case WindowPattern(window, pattern):
                found.append((window if isinstance(window, URIRef) else None, pattern))
            case MatchPattern(pattern):
                found += ((event.window, event.pattern) for event in events(pattern))
            case OptionalPattern(inner) | MinusPattern(inner) | Filter(Exists(inner)):
                found += _patterns(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    found += _patterns(alternative)
            case SubSelect(query):
                found += _patterns(query.where)
            case _:
                pass
    return found


def _background(draw: DrawFn, query: RsepqlQuery, usual: Usual) -> dict[URIRef, Graph]:
    """The graphs of the query's dataset; the first is there in any case, for GRAPH."""
    where = query.form.where or GroupGraphPattern()
    graph_name = BACKGROUNDS[0]
    bodies = [where, *(pattern for _, pattern in _patterns(where))]
    made = [background_instance(draw, body, graph_name, usual) for body in bodies]
    own = GroupGraphPattern(tuple(e for e in where.elements if isinstance(e, TriplesBlock)))
    if query.form.dataset is not None:
        made.append(instance(draw, own, graph_name, usual))
    kb = {graph_name: frozenset().union(*made, draw(graphs(graph_name, max_size=2)))}
    if draw(_RARELY):
        kb[BACKGROUNDS[1]] = draw(graphs(BACKGROUNDS[1], max_size=2))
    return kb


def _evaluation(draw: DrawFn, query: RsepqlQuery, kind: TimeKind) -> Evaluation:
    policy = draw(_POLICIES)
    ticks = draw(_EVALUATED)
    if policy is None or not _suits(policy, query):
        return Evaluation(at=tuple(sorted(instant(tick, kind) for tick in ticks)))
    period = draw(among((2, 1, 3))) * (SECOND if kind is TimeKind.DATETIME else 1)
    return Evaluation(policy=policy, period=period if policy == "periodic" else None)


def _suits(policy: PolicyName, query: RsepqlQuery) -> bool:
    from ....semantics.rsepql.report_policies import closes
    from ....semantics.rsepql.windows import window

    if policy != "window-close":
        return True
    return any(closes(window(clause.function)) for clause in query.windows)


strategy = rsepql_cases
