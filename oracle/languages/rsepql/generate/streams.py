"""Streams that a query's patterns ask for, and evaluation times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import URIRef

from .....semantics.model.items import TimeKind, TimestampedGraph
from .....semantics.model.terms import EMPTY_GRAPH, Graph
from .....semantics.model.trees import find, has
from .....semantics.rdf.syntax.tree import GroupGraphPattern
from .....semantics.rsepql.syntax.evaluation import Evaluation
from .....semantics.rsepql.syntax.settings import PolicyName
from .....semantics.rsepql.syntax.tree import (
    CountWindow,
    First,
    IntervalWindow,
    Last,
    Moment,
    NestedWindow,
    RsepqlQuery,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
)
from .....semantics.rsepql.syntax.tree import Sequence as EventSequence
from ....fuzzing.strategies.choices import among, choice
from ....fuzzing.strategies.instances import Usual, instance
from ....fuzzing.strategies.profiles import (
    MOST_REMEMBERED,
    WEIGHTED,
    Event,
    boundary_ticks,
    profiled,
)
from ....fuzzing.strategies.streams import SECOND, instant, streamset_of
from ....fuzzing.strategies.terms import graphs
from ....fuzzing.strategies.vocabulary import STREAMS
from ..case import RsepqlCase
from .asked import AskedPattern, asked_of_windows
from .windows import bounds_of, lets_go, time_based

_GAPS = (1, 2, 1, 2, 0, 3)
_ROUNDS = choice("rsepql/rounds", (1, 2, 1, 2, 3))
_FITTED: SearchStrategy[int | str | None] = choice(
    "rsepql/fitted windows", (None,) * 3 + (1, 0, 2, "two rounds", "two rounds", "three rounds")
)
_EXTRA = choice("rsepql/noise", (0, 1, 0, 2, 3))
# Neither is left to swarms: where half of what is asked for is not there, nothing is found.
_LEFT_OUT = among((False,) * 14 + (True,))
_AT_FIRST = among((False, False, True))
_ABSENT = choice("rsepql/streams may be absent", (True, False))
_FIRST_IS_ABSENT = among((False,) * 9 + (True,))
_LOOKS = choice("rsepql/item", ("", "", "double"))
_OTHERS = choice("rsepql/repeated item", ("the same", "another mapping"))
_AGAIN = choice("rsepql/repeated items", (0, 1, 2, 2))
_AGAIN_TO_CHOOSE = choice("rsepql/repeated items to choose among", (2, 1, 3, 0))
_GAPS_AGAIN = (0, 1, 0, 2)
_FRESH = choice("rsepql/further item", ("alike", "alike", "any"))
_FRESH_IN_SNAPSHOT = choice("rsepql/further triples", ("any", "alike"))
_POLICIES: SearchStrategy[PolicyName | None] = choice(
    "rsepql/policy",
    (None, "content-change", None, "window-close", "non-empty-content", "periodic"),
)
# What a count shows may come back, and is not new then.
_POLICIES_OF_COUNTS: SearchStrategy[PolicyName | None] = choice(
    "rsepql/policy of nested counts",
    ("content-change", None, "content-change", "window-close", "non-empty-content", "periodic"),
)
_TIMES = choice("rsepql/times", ("some", "bounds", "all", "all"))
_PERIODS = choice("rsepql/period", (2, 1, 3))
_ORIGINS = choice("rsepql/origin of periods", (0, 0, 1))
_EVALUATED = st.lists(st.sampled_from((8, *range(2, 14))), min_size=1, max_size=4, unique=True)
_MOST_TIMES = 12
_WIDEST = 10
_IN_SNAPSHOT = 14
"""So many items as a window has where its snapshot is brought up to date, not made anew."""


class _Item(NamedTuple):
    """What an item holds; the pattern that asks for such a one."""

    graph: Graph
    pattern: GroupGraphPattern | None


class Played(NamedTuple):
    """A query, its windows fitted, streams on which it often has answers, and when it is asked.

    `encore` is what the query asks for, once and in order.
    """

    query: RsepqlQuery
    streams: dict[URIRef, tuple[TimestampedGraph, ...]]
    evaluation: Evaluation
    encore: Sequence[Event[URIRef, _Item]]


def played(draw: DrawFn, query: RsepqlQuery, usual: Usual, kind: TimeKind) -> Played:
    """Streams for a query."""
    unit = SECOND if kind is TimeKind.DATETIME else 1
    asked = asked_of_windows(query.form.where)
    events, encore, span = _events(draw, query, asked, usual)
    query = _fitted(draw, query, span, len(asked), unit)
    origin = instant(0, kind)
    functions = [clause.function for clause in query.windows]
    clocks = [clock for each in functions for clock in time_based(each)]
    widths = sorted({clock.width.value // unit for clock in clocks})
    slides = sorted({clock.step.value // unit for clock in clocks if clock.step is not None})
    bounds = sorted({(t - origin) // unit for each in functions for t in bounds_of(each)})
    of_events = any(each.event for each in asked)

    def fresh(event: Event[URIRef, _Item]) -> _Item:
        _, stream, item = event
        if item.pattern is None or draw(_FRESH if of_events else _FRESH_IN_SNAPSHOT) == "any":
            return _Item(draw(graphs(stream, max_size=2)), item.pattern)
        return _Item(instance(draw, item.pattern, stream, usual), item.pattern)

    arranged = profiled(
        draw, "rsepql/stream", events,
        widths=widths or ([4] if all(map(lets_go, functions)) else []),
        slides=slides, bounds=bounds, fresh=fresh,
        most=None if all(map(lets_go, functions)) else MOST_REMEMBERED,
        dense=5 if of_events else _IN_SNAPSHOT,
        options=WEIGHTED if of_events else (*WEIGHTED, "long", "long", "duplicates"),
    )
    absent = STREAMS[0] if draw(_ABSENT) and draw(_FIRST_IS_ABSENT) else None
    named = {clause.stream for clause in query.windows if clause.stream is not None}
    dataset = query.form.dataset
    if dataset is not None:
        named |= {each for each in (*dataset.default, *dataset.named) if each in STREAMS}
    streams = streamset_of(
        [(tick, name, item.graph) for tick, name, item in arranged if name != absent],
        sorted(named - {absent} | named & {STREAMS[2]}),
        kind=kind,
        ties="sequence",
    )
    evaluation = _evaluation(draw, query, arranged, (widths, slides, bounds), kind)
    return Played(query, streams, evaluation, encore)


def with_encore(
    case: RsepqlCase, encore: Sequence[Event[URIRef, _Item]], kind: TimeKind
) -> RsepqlCase:
    """The case with what its query asks for once more at the end, when other things have been."""
    unit = SECOND if kind is TimeKind.DATETIME else 1
    streams = dict(case.streams)
    t = max((items[-1].time for items in streams.values() if items), default=instant(0, kind))
    for _, stream, item in encore:
        t += unit
        came = streams.get(stream, ())
        streams[stream] = (*came, TimestampedGraph(t, item.graph, kind))
    times = {t}
    if case.query.operator is StreamOperator.DSTREAM:  # and what has gone after that
        t += (_WIDEST + 1) * unit
        times.add(t)
        for stream, came in streams.items():
            streams[stream] = (*came, TimestampedGraph(t, EMPTY_GRAPH, kind))
    evaluation = case.evaluation
    if "at" in evaluation:
        evaluation = {**evaluation, "at": sorted({*evaluation["at"], *times})}
    return case.but(streams=streams, evaluation=evaluation)


def _events(
    draw: DrawFn, query: RsepqlQuery, asked: Sequence[AskedPattern], usual: Usual
) -> tuple[list[Event[URIRef, _Item]], list[Event[URIRef, _Item]], int]:
    """Graphs in the order in which the query's patterns ask for them, and a few others.

    Also those of one round, and in how many ticks the query is given all that it asks for once.
    """
    placed: list[Event[URIRef, _Item]] = []
    encore: list[Event[URIRef, _Item]] = []
    tick = span = 0
    selects = (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT)
    chooses = has(query.form, First, Last) or any(
        each.operator in selects for each in find(query.form, EventSequence)
    )
    again = draw(_AGAIN_TO_CHOOSE if chooses else _AGAIN)
    rounds = draw(_ROUNDS)
    for number in range(min(rounds, 2) if again else rounds):
        start = latest = tick
        for window, pattern, _, optional in asked:
            clause = query.window(window) if window is not None else query.windows[0]
            stream = clause.stream or STREAMS[0]
            looks = draw(_LOOKS)
            graph = instance(draw, pattern, stream, usual)
            if looks == "double":
                graph |= instance(draw, pattern, stream, {})
            event = (tick, stream, _Item(graph, pattern))
            if optional:  # not at first, so that some solutions go without
                if number or draw(_AT_FIRST):
                    placed.append(event)
                continue
            if not draw(_LEFT_OUT):
                placed.append(event)
            for _ in range(draw(among(range(again + 1))) if again else 0):
                tick += draw(among(_GAPS_AGAIN))
                other = draw(_OTHERS) == "another mapping"
                more = instance(draw, pattern, stream, {}) if other else graph
                placed.append((tick, stream, _Item(more, pattern)))
            if number == 0:
                encore.append(event)
            latest = tick
            tick += draw(among(_GAPS))
        span = min(max(span, latest - start), _WIDEST)
    dataset = query.form.dataset
    varying = dataset is not None and STREAMS[2] in (*dataset.default, *dataset.named)
    for _ in range(draw(_EXTRA) + 2 * varying):
        stream = STREAMS[2] if varying else draw(choice("rsepql/noisy stream", STREAMS))
        at = draw(st.integers(0, max(8, tick)))
        placed.append((at, stream, _Item(draw(graphs(stream, max_size=2)), None)))
    return sorted(placed, key=lambda event: event[0]), encore, span


def _fitted(
    draw: DrawFn, query: RsepqlQuery, span: int, count: int, unit: int
) -> RsepqlQuery:
    """Windows that hold just what is asked for, or a little more or less: what is first leaves, or
    has left, when the last comes. Or what is asked for twice or three times: there are rivals."""
    spare = draw(_FITTED)
    if spare is None:
        return query
    if isinstance(spare, str):
        more = 1 if spare == "two rounds" else 2
        width, size = (more + 1) * (span + 1), (more + 1) * count
    else:
        width, size = span + spare, count + spare - 1

    def fitted(function: WindowFunction) -> WindowFunction:
        match function:
            case TimeBasedWindow():
                return replace(
                    function, width=Moment(max(width, 1) * unit, function.width.kind)
                )
            case CountWindow(_, step):
                return CountWindow(max(size, 1), step)
            case IntervalWindow(first, last):
                length = Moment(first.value + max(width, 1) * unit, first.kind)
                return IntervalWindow(first, max(last, length, key=lambda each: each.value))
            case NestedWindow(CountWindow() as counted, TimeBasedWindow() as inner):
                # More than the count shows, so that it shows something else when one has left.
                more = Moment((2 * max(width, 1) + 1) * unit, inner.width.kind)
                return NestedWindow(counted, replace(inner, width=more))
            case NestedWindow(outer, inner):
                return NestedWindow(outer, fitted(inner))
            case _:
                return function

    clauses = tuple(replace(each, function=fitted(each.function)) for each in query.windows)
    return replace(query, windows=clauses)


# --- evaluation times ----------------------------------------------------------------------------


def _evaluation(
    draw: DrawFn, query: RsepqlQuery, placed: Sequence[Event[URIRef, _Item]],
    measures: tuple[list[int], list[int], list[int]], kind: TimeKind,
) -> Evaluation:
    policy = draw(_POLICIES_OF_COUNTS if any(
        has(each, NestedWindow) and has(each, CountWindow) for each in query.windows
    ) else _POLICIES)
    if policy is not None and _suits(policy, query):
        if policy != "periodic":
            return Evaluation(policy=policy)
        unit = SECOND if kind is TimeKind.DATETIME else 1
        period = draw(_PERIODS) * unit
        return Evaluation(policy=policy, period=period, start=draw(_ORIGINS) * unit)
    last = max((tick for tick, _, _ in placed), default=0) + 2
    match draw(_TIMES):
        case "bounds" if placed:
            widths, slides, bounds = measures
            worth = boundary_ticks(placed, widths=widths, slides=slides, bounds=bounds)
            places = draw(st.lists(st.integers(0, len(worth) - 1), min_size=1, max_size=5))
            ticks = sorted({worth[place] for place in places} | {last - 2})
        case "all":
            ticks = list(range(0, last + 3, last // _MOST_TIMES + 1))
        case _:
            ticks = sorted(draw(_EVALUATED))
    return Evaluation(at=tuple(instant(tick, kind) for tick in ticks))


def _suits(policy: PolicyName, query: RsepqlQuery) -> bool:
    from .....semantics.rsepql.clauses import window
    from .....semantics.rsepql.report_policies import closes

    if policy != "window-close":
        return True
    return any(closes(window(clause.function)) for clause in query.windows)
