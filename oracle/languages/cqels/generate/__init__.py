"""CQELS-CEP inputs: windows, sequences, queries, streams, whole cases, drawn by choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import add
from typing import Any, NamedTuple

from rdflib.term import URIRef

from .....semantics.cqels.syntax.readings import Inside, Readings
from .....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    RangeWindow,
    TripleSequence,
    TriplesWindow,
    WindowClause,
    WindowPattern,
    WindowSequence,
)
from .....semantics.model.items import Item, TimeKind, TimestampedGraph
from .....semantics.model.temporal_graphs import TemporalGraph
from .....semantics.model.terms import EMPTY_GRAPH, Graph
from .....semantics.rdf.syntax.tree import (
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from ....fuzzing.shrinking.stream_shrinking import moved
from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import Choices, Decided, several, strategies
from ....inputs.graphs import BACKGROUNDS, STREAMS, any_graph
from ....inputs.sparql_data import Usual, instance
from ....inputs.streams import (
    FEW_TO_WIDEN,
    MOST_REMEMBERED,
    SECOND,
    Event,
    arranged,
    boundary_ticks,
    first_with_results,
    instant,
    lasting,
    origin,
)
from ..features import CqelsCase
from .queries import (
    COLUMNAR,
    KINDS,
    Scripted,
    drawn,
    navigation,
    of_width,
    query,
    slide_of,
    width_of,
)

_GAPS = {"usual": (1, 2, 1, 2, 3, 0), "few": (0, 0, 1), "wide": (2, 3, 5)}
_GAP = ("cqels/gaps", ("usual", "few", "usual", "few", "wide"))
_LASTED = ("cqels/duration", (0, 0, 0, 1, 2, 4, 9))
_LAID_OUT = ("cqels/intervals", ("one after the other",) * 3 + ("as they end",))
_LOOKS = ("cqels/item", ("left out", *("",) * 9, "with more", "with more", "twice"))
_OPTIONAL_COMES = ("cqels/optional item", (True, False))
_MEETS = ("cqels/joined item", ("meets", "meets", "as others"))
_NEGATED_COMES = ("cqels/negated item", (False, True))
_ROUNDS = ("cqels/rounds", (1, 2))
_FITTED = ("cqels/fitted windows", (None,) * 3 + (0, 0, 1, -1, 3))
_NOISE = ("cqels/noise", (0, 0, 1, 2))
_TIMES = ("cqels/times", (None,) * 4 + ("all", "bounds", "some", "all", "bounds"))
_MOST_TIMES = 14
_WIDEST = 16


class _Item(NamedTuple):
    """An item's content and duration, and the pattern that it matches."""

    lasted: int
    graph: Graph
    pattern: GroupGraphPattern | None


def interval_stream(
    choices: Choices, *, document: URIRef = STREAMS[0], kind: TimeKind = TimeKind.INTEGER,
    max_size: int = 5,
) -> tuple[Item, ...]:
    """Draw a stream of instants and intervals, in the order of their ends."""
    drawn = [
        (
            choices.among("", range(2 * max_size + 1)), choices.among(*_LASTED),
            any_graph(choices, document),
        )
        for _ in range(choices.among("", range(max_size + 1)))
    ]
    return _stream_of(drawn, kind)


def _stream_of(events: Sequence[tuple[int, int, Graph]], kind: TimeKind) -> tuple[Item, ...]:
    """Return the stream of items with these ends and durations, in ticks."""
    return tuple(
        lasting(end, held, lasted, kind)
        for end, lasted, held in sorted(events, key=lambda event: event[0])
    )


class Played(NamedTuple):
    """A query, its windows fitted, streams on which it often has answers, and when it is asked.

    `encore` is what the query asks for, once and in order.
    """

    query: CqelsQuery
    streams: dict[URIRef, tuple[Item, ...]]
    at: tuple[int, ...] | None
    encore: Sequence[Event[URIRef, _Item]]


def played(
    choices: Choices, query: CqelsQuery, script: Sequence[Scripted], usual: Usual, kind: TimeKind
) -> Played:
    """Return streams for a query."""
    events, encore = _events(choices, script, usual)
    query = _fitted(choices, query, events, kind)
    functions = [clause.function for clause in query.windows]
    widths = sorted({w for each in functions if (w := width_of(each)) is not None})
    slides = sorted({s for each in functions if (s := slide_of(each)) is not None})

    def fresh(event: Event[URIRef, _Item]) -> _Item:
        item = event[2]
        made = (
            item.graph if item.pattern is None
            else instance(choices, item.pattern, event[1], usual)
        )
        return _Item(choices.among(*_LASTED), made, item.pattern)

    events = arranged(
        choices, "cqels/stream", events,
        widths=widths, slides=slides, fresh=fresh,
        most=None if len(widths) == len(functions) else MOST_REMEMBERED, dense=5,
    )
    named = {clause.stream for clause in query.windows}
    streams = {
        name: _stream_of(
            [(end, item.lasted, item.graph) for end, stream, item in events if stream == name],
            kind,
        )
        for name in sorted(named | {stream for _, stream, _ in events})
    }
    return Played(query, streams, _times(choices, events, widths, slides, kind), encore)


def with_encore(
    case: CqelsCase, encore: Sequence[Event[URIRef, _Item]], kind: TimeKind
) -> CqelsCase:
    """Return the case with its query's items once more at the end, after others."""
    streams = dict(case.streams)
    unit = SECOND if kind is TimeKind.DATETIME else 1
    t = max((items[-1].end for items in streams.values() if items), default=instant(0, kind))
    for _, stream, item in encore:
        t += unit
        came = streams.get(stream, ())
        streams[stream] = (*came, TimestampedGraph(t, item.graph, kind))
    at = None if case.at is None else tuple(sorted({*case.at, t}))
    return case.but(streams=streams, evaluation={} if at is None else {"at": list(at)})


def _events(
    choices: Choices, script: Sequence[Scripted], usual: Usual
) -> tuple[list[Event[URIRef, _Item]], list[Event[URIRef, _Item]]]:
    """Return events in the order in which the query's patterns ask for them, and a few others.

    Also those of one round, without what must not come.
    """
    tick = 0
    events: list[Event[URIRef, _Item]] = []
    encore: list[Event[URIRef, _Item]] = []
    apart = choices.among(*_LAID_OUT) == "one after the other"
    gaps = _GAPS[choices.among(*_GAP)]
    for number in range(choices.among(*_ROUNDS)):
        for asked in script:
            looks = choices.among(*_LOOKS)
            made = instance(choices, asked.pattern, asked.stream, usual)
            if looks == "with more":
                made |= any_graph(choices, asked.stream)
            item = _Item(choices.among(*_LASTED), made, asked.pattern)
            meets = asked.joined and choices.among(*_MEETS) == "meets"
            comes = looks != "left out"
            if asked.negated or asked.optional:
                comes = choices.among(*(_NEGATED_COMES if asked.negated else _OPTIONAL_COMES))
            for _ in range(comes + (comes and looks == "twice")):
                if not meets:
                    tick += choices.among("", gaps) + (item.lasted if apart else 0)
                events.append((tick, asked.stream, item))
            if number == 0 and not asked.negated:
                encore.append((tick, asked.stream, item))
    for _ in range(choices.among(*_NOISE)):
        # The third stream is one that no query names.
        stream = choices.among("cqels/noisy stream", STREAMS)
        item = _Item(choices.among(*_LASTED), any_graph(choices, stream), None)
        events.append((choices.among("", range(tick + 3)), stream, item))
    return sorted(events, key=lambda event: event[0]), encore


def _fitted(
    choices: Choices, query: CqelsQuery, events: Sequence[Event[URIRef, _Item]], kind: TimeKind
) -> CqelsQuery:
    """Return windows as wide as all that is asked for, or one more or less: what is first is on the
    edge when the last comes."""
    spare = choices.among(*_FITTED)
    if spare is None or not events:
        return query
    span = min(events[-1][0] - events[0][0], _WIDEST)

    def fitted(clause: WindowClause) -> WindowClause:
        match clause.function:
            case RangeWindow() as function:
                return replace(clause, function=of_width(max(span + spare, 0), function, kind))
            case TriplesWindow():
                held = sum(len(item.graph) for _, name, item in events if name == clause.stream)
                return replace(clause, function=TriplesWindow(max(held + spare, 1)))
            case _:
                return clause

    return replace(query, windows=tuple(map(fitted, query.windows)))


def _times(
    choices: Choices, events: Sequence[Event[URIRef, _Item]],
    widths: Sequence[int], slides: Sequence[int], kind: TimeKind,
) -> tuple[int, ...] | None:
    how = choices.among(*_TIMES)
    if how is None:
        return None
    last = max((end for end, _, _ in events), default=0) + 3
    if not events:
        return (instant(last, kind),)
    if how == "bounds":
        begun = [(end - item.lasted, stream, item) for end, stream, item in events]
        worth = boundary_ticks([*events, *begun], widths=widths, slides=slides)
        places = several(choices, worth, 5)
        ticks = sorted({*places} | {last - 3})
    elif how == "all":
        ticks = list(range(0, last, last // _MOST_TIMES + 1))
    else:
        ticks = sorted(several(choices, range(last + 1), 3))
    return tuple(instant(tick, kind) for tick in ticks)


_INSIDE: Decided[Inside] = ("cqels/inside", ("closed", "closed", "open"))
_BACKGROUND_KINDS = (
    "cqels/background", ("constant",) * 4 + ("changing", "changing", "absent")
)
_SECOND_GRAPH = ("cqels/second graph", (False, False, True))
_HELPED = ("cqels/helped", (*(True,) * 7, False))
_WIDENED = ("cqels/widened", (False, False, True))
_WIDE = 15


def case(choices: Choices) -> CqelsCase:
    """Draw a query, with streams that it often matches, and readings."""
    kind = choices.among(*KINDS)
    query, script = drawn(choices, kind)
    usual: Usual = {}
    found = played(choices, query, script, usual, kind)
    # Numbers are not moved: time starts at 0 (CQELS-CEP, 2.2).
    by = origin(choices, kind) if kind is TimeKind.DATETIME else 0
    made = CqelsCase(
        query=found.query,
        streams=found.streams,
        kb=_kb(choices, query, usual, kind),
        readings=Readings(inside=choices.among(*_INSIDE)),
        at=found.at,
    )
    if by:
        made = moved(made, partial(add, by))
    encored = with_encore(made, found.encore, kind)
    if not choices.among(*_HELPED):
        return made
    return first_with_results(
        _likelier(made, encored, widened=choices.among(*_WIDENED)),
        lambda case: bool(case.denotation()),
    )


def _likelier(case: CqelsCase, encored: CqelsCase, *, widened: bool) -> Iterator[CqelsCase]:
    """Yield the case, then cases that are more likely to have a result.

    They have the item that completes a match once more at the end (`encored`), are evaluated on
    arrival, and have no filters and other elements beside windows. Wider windows come last and only
    with `widened`: no item leaves them, so they test no expiry.
    """
    yield case
    yield encored
    often = encored.but(evaluation={})
    yield often
    where = _without(case.query.where, Filter | TriplesBlock | MinusPattern | NamedGraphPattern)
    bare = often.but(query=replace(case.query, where=where))
    yield bare
    if widened and sum(map(len, case.streams.values())) <= FEW_TO_WIDEN:
        yield from (each.but(query=_wider(each.query)) for each in (case, bare))


def _wider(query: CqelsQuery) -> CqelsQuery:
    def wide(window: WindowClause) -> WindowClause:
        function = window.function
        if width_of(function) is None:
            return replace(window, function=AllWindow())
        kind = getattr(getattr(function, "width", None), "kind", TimeKind.INTEGER)
        return replace(window, function=of_width(_WIDE, function, kind))

    return replace(query, windows=tuple(map(wide, query.windows)))


def _without(where: GroupGraphPattern, kinds: Any) -> GroupGraphPattern:
    def bare(element: Element) -> Element:
        if not isinstance(element, WindowPattern):
            return element
        body = element.body
        if isinstance(body, TripleSequence):
            parts = tuple(
                replace(part, pattern=_without(part.pattern, Filter)) for part in body.elements
            )
            return replace(element, body=TripleSequence(parts))
        return replace(element, body=_without(body, Filter))

    return GroupGraphPattern(
        tuple(bare(element) for element in where.elements if not isinstance(element, kinds))
    )


# --- the background ------------------------------------------------------------------------------


def _kb(
    choices: Choices, query: CqelsQuery, usual: Usual, kind: TimeKind
) -> dict[URIRef, Graph | TemporalGraph]:
    static = [
        element for element in query.where.elements
        if not isinstance(element, WindowPattern | WindowSequence)
    ]
    if not static:
        return {}
    kb: dict[URIRef, Graph | TemporalGraph] = {}
    for place, graph_name in enumerate(BACKGROUNDS):
        how = choices.among(*_BACKGROUND_KINDS)
        if how == "absent" or (place and not choices.among(*_SECOND_GRAPH)):
            continue
        made = EMPTY_GRAPH.union(*(
            instance(choices, GroupGraphPattern(_asked(element)), graph_name, usual)
            for element in static
        ), any_graph(choices, graph_name, max_size=2))
        if how == "changing":
            kb[graph_name] = _changing(choices, made, graph_name, kind)
        else:
            kb[graph_name] = made
    return kb


def _changing(choices: Choices, first: Graph, name: URIRef, kind: TimeKind) -> TemporalGraph:
    """Return a graph with this content at some time; other or smaller content before or after."""
    ticks = sorted(several(choices, range(10), 3))
    states = [first]
    for _ in ticks[1:]:
        how = choices.among(*_CHANGES)
        other = any_graph(choices, name, max_size=2)
        states.append(other if how == "other" else first | other if how == "more" else first)
    if choices.among(*_BACKWARDS):
        states.reverse()
    return TemporalGraph(
        tuple((instant(t, kind), state) for t, state in zip(ticks, states, strict=True)), kind
    )


_CHANGES = ("cqels/change", ("more", "other", "same"))
_BACKWARDS = ("cqels/changes", (False, True))


def _asked(element: Element) -> tuple[Element, ...]:
    match element:
        case NamedGraphPattern(_, inner) | Filter(Exists(inner)) | OptionalPattern(inner):
            return tuple(e for e in inner.elements if isinstance(e, TriplesBlock))
        case _:
            return (element,) if isinstance(element, TriplesBlock | UnionPattern) else ()


VALUE_TABLES = graph_value_tables(
    "cqels", "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE {{ WINDOW :w {{ {} }} }}",
)

cqels_cases = strategies(case)
cqels_queries = strategies(query)
interval_streams = strategies(interval_stream)
navigations = strategies(navigation)

__all__ = [
    "COLUMNAR", "VALUE_TABLES", "case", "cqels_cases", "cqels_queries", "interval_streams",
    "navigations",
]
