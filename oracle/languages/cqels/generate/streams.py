"""Streams of instants and intervals that a query's patterns ask for, and evaluation times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import URIRef

from .....semantics.cqels.syntax.tree import (
    CqelsQuery,
    RangeWindow,
    TriplesWindow,
    WindowClause,
)
from .....semantics.model.items import Item, TimeKind, TimestampedGraph
from .....semantics.model.terms import Graph
from .....semantics.rdf.syntax.tree import GroupGraphPattern
from ....fuzzing.strategies.choices import among, choice
from ....fuzzing.strategies.instances import Usual, instance
from ....fuzzing.strategies.profiles import (
    MOST_REMEMBERED,
    Event,
    boundary_ticks,
    profiled,
)
from ....fuzzing.strategies.streams import SECOND, instant, lasting
from ....fuzzing.strategies.terms import graphs
from ....fuzzing.strategies.vocabulary import STREAMS
from ..case import CqelsCase
from .queries import Scripted
from .windows import of_width, slide_of, width_of

_GAPS = {"usual": (1, 2, 1, 2, 3, 0), "few": (0, 0, 1), "wide": (2, 3, 5)}
_GAP = choice("cqels/gaps", ("usual", "few", "usual", "few", "wide"))
_LASTED = choice("cqels/duration", (0, 0, 0, 1, 2, 4, 9))
_LAID_OUT = choice("cqels/intervals", ("one after the other",) * 3 + ("as they end",))
_LOOKS = choice("cqels/item", ("left out", *("",) * 9, "with more", "with more", "twice"))
_OPTIONAL_COMES = choice("cqels/optional item", (True, False))
_MEETS = choice("cqels/joined item", ("meets", "meets", "as others"))
_NEGATED_COMES = choice("cqels/negated item", (False, True))
_ROUNDS = choice("cqels/rounds", (1, 2))
_FITTED = choice("cqels/fitted windows", (None,) * 3 + (0, 0, 1, -1, 3))
_NOISE = choice("cqels/noise", (0, 0, 1, 2))
_TIMES = choice("cqels/times", (None,) * 4 + ("all", "bounds", "some", "all", "bounds"))
_MOST_TIMES = 14
_WIDEST = 16


class _Item(NamedTuple):
    """What an item holds and how long it has lasted; the pattern that asks for such a one."""

    lasted: int
    graph: Graph
    pattern: GroupGraphPattern | None


@st.composite
def interval_streams(
    draw: DrawFn, *, document: URIRef = STREAMS[0], kind: TimeKind = TimeKind.INTEGER,
    max_size: int = 5,
) -> tuple[Item, ...]:
    """Streams of instants and intervals, in the order of their ends."""
    drawn = [
        (draw(st.integers(0, 2 * max_size)), draw(_LASTED), draw(graphs(document)))
        for _ in range(draw(st.integers(0, max_size)))
    ]
    return _stream_of(drawn, kind)


def _stream_of(events: Sequence[tuple[int, int, Graph]], kind: TimeKind) -> tuple[Item, ...]:
    """Items that end at a tick and have lasted for so many, as a stream."""
    return tuple(
        lasting(end, graph, lasted, kind)
        for end, lasted, graph in sorted(events, key=lambda event: event[0])
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
    draw: DrawFn, query: CqelsQuery, script: Sequence[Scripted], usual: Usual, kind: TimeKind
) -> Played:
    """Streams for a query."""
    events, encore = _events(draw, script, usual)
    query = _fitted(draw, query, events, kind)
    functions = [clause.function for clause in query.windows]
    widths = sorted({w for each in functions if (w := width_of(each)) is not None})
    slides = sorted({s for each in functions if (s := slide_of(each)) is not None})

    def fresh(event: Event[URIRef, _Item]) -> _Item:
        item = event[2]
        graph = (
            item.graph if item.pattern is None
            else instance(draw, item.pattern, event[1], usual)
        )
        return _Item(draw(_LASTED), graph, item.pattern)

    arranged = profiled(
        draw, "cqels/stream", events,
        widths=widths, slides=slides, fresh=fresh,
        most=None if len(widths) == len(functions) else MOST_REMEMBERED, dense=5,
    )
    named = {clause.stream for clause in query.windows}
    streams = {
        name: _stream_of(
            [(end, item.lasted, item.graph) for end, stream, item in arranged if stream == name],
            kind,
        )
        for name in sorted(named | {stream for _, stream, _ in arranged})
    }
    return Played(query, streams, _times(draw, arranged, widths, slides, kind), encore)


def with_encore(
    case: CqelsCase, encore: Sequence[Event[URIRef, _Item]], kind: TimeKind
) -> CqelsCase:
    """The case with what its query asks for once more at the end, when other things have been."""
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
    draw: DrawFn, script: Sequence[Scripted], usual: Usual
) -> tuple[list[Event[URIRef, _Item]], list[Event[URIRef, _Item]]]:
    """Events in the order in which the query's patterns ask for them, and a few others.

    Also those of one round, without what must not come.
    """
    tick = 0
    events: list[Event[URIRef, _Item]] = []
    encore: list[Event[URIRef, _Item]] = []
    apart = draw(_LAID_OUT) == "one after the other"
    gaps = among(_GAPS[draw(_GAP)])
    for number in range(draw(_ROUNDS)):
        for asked in script:
            looks = draw(_LOOKS)
            graph = instance(draw, asked.pattern, asked.stream, usual)
            if looks == "with more":
                graph |= draw(graphs(asked.stream))
            item = _Item(draw(_LASTED), graph, asked.pattern)
            meets = asked.joined and draw(_MEETS) == "meets"
            comes = looks != "left out"
            if asked.negated or asked.optional:
                comes = draw(_NEGATED_COMES if asked.negated else _OPTIONAL_COMES)
            for _ in range(comes + (comes and looks == "twice")):
                if not meets:
                    tick += draw(gaps) + (item.lasted if apart else 0)
                events.append((tick, asked.stream, item))
            if number == 0 and not asked.negated:
                encore.append((tick, asked.stream, item))
    for _ in range(draw(_NOISE)):
        # The third stream is one that no query names.
        stream = draw(choice("cqels/noisy stream", STREAMS))
        item = _Item(draw(_LASTED), draw(graphs(stream)), None)
        events.append((draw(st.integers(0, tick + 2)), stream, item))
    return sorted(events, key=lambda event: event[0]), encore


def _fitted(
    draw: DrawFn, query: CqelsQuery, events: Sequence[Event[URIRef, _Item]], kind: TimeKind
) -> CqelsQuery:
    """Windows as wide as all that is asked for, or one more or less: what is first is on the edge
    when the last comes."""
    spare = draw(_FITTED)
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
    draw: DrawFn, events: Sequence[Event[URIRef, _Item]],
    widths: Sequence[int], slides: Sequence[int], kind: TimeKind,
) -> tuple[int, ...] | None:
    how = draw(_TIMES)
    if how is None:
        return None
    last = max((end for end, _, _ in events), default=0) + 3
    if not events:
        return (instant(last, kind),)
    if how == "bounds":
        begun = [(end - item.lasted, stream, item) for end, stream, item in events]
        worth = boundary_ticks([*events, *begun], widths=widths, slides=slides)
        places = draw(st.lists(st.integers(0, len(worth) - 1), min_size=1, max_size=5))
        ticks = sorted({worth[place] for place in places} | {last - 3})
    elif how == "all":
        ticks = list(range(0, last, last // _MOST_TIMES + 1))
    else:
        ticks = sorted(draw(st.lists(st.integers(0, last), min_size=1, max_size=3, unique=True)))
    return tuple(instant(tick, kind) for tick in ticks)
