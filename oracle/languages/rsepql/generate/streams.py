"""Streams that a query's patterns ask for, one pattern after the other, and evaluation times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rdflib.term import URIRef

from .....semantics.model.items import TimeKind, TimestampedGraph
from .....semantics.model.terms import EMPTY_GRAPH, Graph
from .....semantics.model.trees import find, has
from .....semantics.rdf.syntax.tree import (
    Exists,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .....semantics.rsepql.syntax.evaluation import Evaluation
from .....semantics.rsepql.syntax.settings import PolicyName
from .....semantics.rsepql.syntax.tree import (
    CountWindow,
    First,
    IntervalWindow,
    Last,
    MatchPattern,
    Moment,
    NestedWindow,
    RsepqlQuery,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
    WindowPattern,
)
from .....semantics.rsepql.syntax.tree import Event as EventClause
from .....semantics.rsepql.syntax.tree import Sequence as EventSequence
from ....inputs.choices import Choices, Decided, several
from ....inputs.graphs import STREAMS, any_graph
from ....inputs.sparql_data import Usual, instance
from ....inputs.streams import (
    MOST_REMEMBERED,
    SECOND,
    WEIGHTED,
    Event,
    arranged,
    boundary_ticks,
    instant,
    streamset_of,
)
from ..features import RsepqlCase
from .queries import bounds_of, lets_go, time_based


class AskedPattern(NamedTuple):
    """A pattern that looks at a window, None being any; whether it is one of an EVENT, and whether
    there is an answer without it."""

    window: URIRef | None
    pattern: GroupGraphPattern
    event: bool
    optional: bool = False


def asked_of_windows(group: GroupGraphPattern | None) -> list[AskedPattern]:
    """Return the patterns that look at windows, in the order of the text.

    Triples outside of WINDOW look at the windows that are a part of the default graph, if any.
    """
    found: list[AskedPattern] = []
    for element in group.elements if group is not None else ():
        match element:
            case WindowPattern(window, pattern):
                name = window if isinstance(window, URIRef) else None
                found.append(AskedPattern(name, pattern, False))
            case MatchPattern(pattern):
                events = find(pattern, EventClause)
                found += (AskedPattern(each.window, each.pattern, True) for each in events)
            case TriplesBlock():
                found.append(AskedPattern(None, GroupGraphPattern((element,)), False))
            case OptionalPattern(inner):
                found += (each._replace(optional=True) for each in asked_of_windows(inner))
            case MinusPattern(inner) | Filter(Exists(inner)):
                found += asked_of_windows(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    found += asked_of_windows(alternative)
            case SubSelect(query):
                found += asked_of_windows(query.where)
            case _:
                pass
    return found


_GAPS = (1, 2, 1, 2, 0, 3)
_ROUNDS = ("rsepql/rounds", (1, 2, 1, 2, 3))
_FITTED: Decided[int | str | None] = (
    "rsepql/fitted windows", (None,) * 3 + (1, 0, 2, "two rounds", "two rounds", "three rounds")
)
_EXTRA = ("rsepql/noise", (0, 1, 0, 2, 3))
# Neither is left to swarms: where half of what is asked for is not there, nothing is found.
_LEFT_OUT = ("", (False,) * 14 + (True,))
_AT_FIRST = ("", (False, False, True))
_ABSENT = ("rsepql/streams may be absent", (True, False))
_FIRST_IS_ABSENT = ("", (False,) * 9 + (True,))
_LOOKS = ("rsepql/item", ("", "", "double"))
_OTHERS = ("rsepql/repeated item", ("the same", "another mapping"))
_AGAIN = ("rsepql/repeated items", (0, 1, 2, 2))
_AGAIN_TO_CHOOSE = ("rsepql/repeated items to choose among", (2, 1, 3, 0))
_GAPS_AGAIN = (0, 1, 0, 2)
_FRESH = ("rsepql/further item", ("alike", "alike", "any"))
_FRESH_IN_SNAPSHOT = ("rsepql/further triples", ("any", "alike"))
_POLICIES: Decided[PolicyName | None] = (
    "rsepql/policy",
    (None, "content-change", None, "window-close", "non-empty-content", "periodic"),
)
# What a count shows may come back, and is not new then.
_POLICIES_OF_COUNTS: Decided[PolicyName | None] = (
    "rsepql/policy of nested counts",
    ("content-change", None, "content-change", "window-close", "non-empty-content", "periodic"),
)
_BOUNDED = ("rsepql/bounds of evaluations", ("none",) * 5 + ("first", "last", "both"))
_TIMES = ("rsepql/times", ("some", "bounds", "all", "all"))
_PERIODS = ("rsepql/period", (2, 1, 3))
_ORIGINS = ("rsepql/origin of periods", (0, 0, 1))
_EVALUATED = (8, *range(2, 14))
_MOST_TIMES = 12
_WIDEST = 10
_IN_SNAPSHOT = 14
"""The number of items in a window whose snapshot is updated incrementally, not rebuilt."""


class _Item(NamedTuple):
    """An item's content, and the pattern that it matches."""

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


def played(choices: Choices, query: RsepqlQuery, usual: Usual, kind: TimeKind) -> Played:
    """Return streams for a query."""
    unit = SECOND if kind is TimeKind.DATETIME else 1
    asked = asked_of_windows(query.form.where)
    events, encore, span = _events(choices, query, asked, usual)
    query = _fitted(choices, query, span, len(asked), unit)
    origin = instant(0, kind)
    functions = [clause.function for clause in query.windows]
    clocks = [clock for each in functions for clock in time_based(each)]
    widths = sorted({clock.width.value // unit for clock in clocks})
    slides = sorted({clock.step.value // unit for clock in clocks if clock.step is not None})
    bounds = sorted({(t - origin) // unit for each in functions for t in bounds_of(each)})
    of_events = any(each.event for each in asked)

    def fresh(event: Event[URIRef, _Item]) -> _Item:
        _, stream, item = event
        further = _FRESH if of_events else _FRESH_IN_SNAPSHOT
        if item.pattern is None or choices.among(*further) == "any":
            return _Item(any_graph(choices, stream, max_size=2), item.pattern)
        return _Item(instance(choices, item.pattern, stream, usual), item.pattern)

    events = arranged(
        choices, "rsepql/stream", events,
        widths=widths or ([4] if all(map(lets_go, functions)) else []),
        slides=slides, bounds=bounds, fresh=fresh,
        most=None if all(map(lets_go, functions)) else MOST_REMEMBERED,
        dense=5 if of_events else _IN_SNAPSHOT,
        options=WEIGHTED if of_events else (*WEIGHTED, "long", "long", "duplicates"),
    )
    absent = STREAMS[0] if choices.among(*_ABSENT) and choices.among(*_FIRST_IS_ABSENT) else None
    named = {clause.stream for clause in query.windows if clause.stream is not None}
    dataset = query.form.dataset
    if dataset is not None:
        named |= {each for each in (*dataset.default, *dataset.named) if each in STREAMS}
    streams = streamset_of(
        [(tick, name, item.graph) for tick, name, item in events if name != absent],
        sorted(named - {absent} | named & {STREAMS[2]}),
        kind=kind,
        ties="sequence",
    )
    evaluation = _evaluation(choices, query, events, (widths, slides, bounds), kind)
    return Played(query, streams, evaluation, encore)


def with_encore(
    case: RsepqlCase, encore: Sequence[Event[URIRef, _Item]], kind: TimeKind
) -> RsepqlCase:
    """Return the case with its query's items once more at the end, after others."""
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
    choices: Choices, query: RsepqlQuery, asked: Sequence[AskedPattern], usual: Usual
) -> tuple[list[Event[URIRef, _Item]], list[Event[URIRef, _Item]], int]:
    """Return graphs in the order in which the query's patterns ask for them, and a few others.

    Also those of one round, and in how many ticks the query is given all that it asks for once.
    """
    placed: list[Event[URIRef, _Item]] = []
    encore: list[Event[URIRef, _Item]] = []
    tick = span = 0
    selects = (SequenceOperator.CHRONOLOGICAL, SequenceOperator.RECENT)
    chooses = has(query.form, First, Last) or any(
        each.operator in selects for each in find(query.form, EventSequence)
    )
    again = choices.among(*(_AGAIN_TO_CHOOSE if chooses else _AGAIN))
    rounds = choices.among(*_ROUNDS)
    for number in range(min(rounds, 2) if again else rounds):
        start = latest = tick
        for window, pattern, _, optional in asked:
            clause = query.window(window) if window is not None else query.windows[0]
            stream = clause.stream or STREAMS[0]
            looks = choices.among(*_LOOKS)
            made = instance(choices, pattern, stream, usual)
            if looks == "double":
                made |= instance(choices, pattern, stream, {})
            event = (tick, stream, _Item(made, pattern))
            if optional:  # not at first, so that some solutions go without
                if number or choices.among(*_AT_FIRST):
                    placed.append(event)
                continue
            if not choices.among(*_LEFT_OUT):
                placed.append(event)
            for _ in range(choices.among("", range(again + 1)) if again else 0):
                tick += choices.among("", _GAPS_AGAIN)
                other = choices.among(*_OTHERS) == "another mapping"
                more = instance(choices, pattern, stream, {}) if other else made
                placed.append((tick, stream, _Item(more, pattern)))
            if number == 0:
                encore.append(event)
            latest = tick
            tick += choices.among("", _GAPS)
        span = min(max(span, latest - start), _WIDEST)
    dataset = query.form.dataset
    varying = dataset is not None and STREAMS[2] in (*dataset.default, *dataset.named)
    for _ in range(choices.among(*_EXTRA) + 2 * varying):
        stream = STREAMS[2] if varying else choices.among("rsepql/noisy stream", STREAMS)
        at = choices.among("", range(max(8, tick) + 1))
        placed.append((at, stream, _Item(any_graph(choices, stream, max_size=2), None)))
    return sorted(placed, key=lambda event: event[0]), encore, span


def _fitted(
    choices: Choices, query: RsepqlQuery, span: int, count: int, unit: int
) -> RsepqlQuery:
    """Return windows that hold just what is asked for, or a little more or less: what is first
    leaves, or has left, when the last comes. Or what is asked for twice or three times: there are
    rivals."""
    spare = choices.among(*_FITTED)
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
    choices: Choices, query: RsepqlQuery, placed: Sequence[Event[URIRef, _Item]],
    measures: tuple[list[int], list[int], list[int]], kind: TimeKind,
) -> Evaluation:
    nested = any(
        has(each, NestedWindow) and has(each, CountWindow) for each in query.windows
    )
    policy = choices.among(*(_POLICIES_OF_COUNTS if nested else _POLICIES))
    last = max((tick for tick, _, _ in placed), default=0) + 2
    if policy is not None and suits(policy, query):
        bounded = _bounded(choices, Evaluation(policy=policy), last, kind)
        if policy != "periodic":
            return bounded
        unit = SECOND if kind is TimeKind.DATETIME else 1
        period = choices.among(*_PERIODS) * unit
        return replace(bounded, period=period, start=choices.among(*_ORIGINS) * unit)
    match choices.among(*_TIMES):
        case "bounds" if placed:
            widths, slides, bounds = measures
            worth = boundary_ticks(placed, widths=widths, slides=slides, bounds=bounds)
            places = several(choices, worth, 5)
            ticks = sorted({*places} | {last - 2})
        case "all":
            ticks = list(range(0, last + 3, last // _MOST_TIMES + 1))
        case _:
            ticks = sorted(several(choices, _EVALUATED, 4))
    return Evaluation(at=tuple(instant(tick, kind) for tick in ticks))


def _bounded(
    choices: Choices, evaluation: Evaluation, latest: int, kind: TimeKind
) -> Evaluation:
    """Draw a first and a last instant of a policy, each now and then, up to the tick `latest`."""
    bounds = choices.among(*_BOUNDED)
    if bounds in ("first", "both"):
        first = instant(choices.among("", range(latest + 1)), kind)
        evaluation = replace(evaluation, first=first)
    if bounds in ("last", "both"):
        last = instant(choices.among("", range(latest, -1, -1)), kind)
        evaluation = replace(evaluation, last=last)
    return evaluation


def suits(policy: PolicyName, query: RsepqlQuery) -> bool:
    """Return whether a window of the query closes, where the policy is window-close."""
    from .....semantics.rsepql.clauses import window
    from .....semantics.rsepql.evaluation_times import closes

    if policy != "window-close":
        return True
    return any(closes(window(clause.function)) for clause in query.windows)
