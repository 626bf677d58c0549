"""Strategies for whole CEQL cases: a query on streams that it often matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .....semantics.ceql.syntax.tree import (
    As,
    Attribute,
    CeqlQuery,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Projection,
    WindowUnit,
)
from .....semantics.ceql.syntax.tree import Sequence as Followed
from .....semantics.model.trees import find
from .....semantics.model.tuples import EventTuple, Value, merged
from ....fuzzing.strategies.choices import among, choice
from ....fuzzing.strategies.profiles import profiled
from ..bounded_work import work
from ..case import CeqlCase
from .formulas import STREAMS, TYPES
from .queries import SECOND, ceql_queries, ceql_readings
from .tuples import OTHER_TYPES, keys, look, retyped, values

Payload: TypeAlias = tuple[str, dict[str, Value]]
"""(type, attributes without `t`)"""

Event: TypeAlias = tuple[int, str, Payload]
"""(tick, stream, …)"""

_MOST_WORK = 8_000
"""So many pairs of valuations the definitions look at in a moment."""

_STREAMS_UNNAMED = choice("ceql/streams without FROM", (1, 2))
_SCRIPT = choice("ceql/script", ("asked",) * 3 + ("any events",))
_EVENTS = choice("ceql/events of any order", (5, 6, 4, 7, 8))
_ROUNDS = choice("ceql/rounds", (1, 1, 2, 2, 3))
_NEXT_ROUND = choice("ceql/next round", ("after", "after", "in between"))
_NEXT_ROUND_OF_SEVERAL = choice("ceql/next round, partitioned", ("in between", "after"))
_AGREEING = choice("ceql/keys of a round", ("the same", "the same", "any"))
_GAPS = choice("ceql/gap", (1, 0, 1, 2, 1, 3))
_EXTRAS = choice("ceql/extra events", (0, 1, 2, 1, 3))
_FITS = choice("ceql/window fits", ("as drawn",) * 4 + ("tight", "one less", "one more"))
_MEASURED = choice("ceql/t", ("time",) * 4 + ("falls", "half", "slow"))
_RETYPED = choice("ceql/types in another stream", OTHER_TYPES)
_ITERATIONS = choice("ceql/iterations", (1, 2, 2, 3))
_LEFT_OUT = st.sampled_from((True,) + (False,) * 19)
_MEASURES = st.integers(0, 6)
_COIN = st.booleans()
_ATTEMPTS = 3
"""Streams on which nothing matches are drawn anew, at most so often."""


@st.composite
def ceql_cases(draw: DrawFn, queries: SearchStrategy[CeqlQuery] | None = None) -> CeqlCase:
    """Cases of CEQL: queries (or those of `queries`) on streams that they often match."""
    query = draw(queries if queries is not None else ceql_queries())
    readings = draw(ceql_readings(query))
    names = query.streams or STREAMS[: draw(_STREAMS_UNNAMED)]
    for _ in range(_ATTEMPTS):
        script = _script(draw, query, names)
        asked = query if queries is not None else _fitting(query, script, draw(_FITS))
        streams = _bounded(asked, _streams(draw, asked, names, script))
        case = CeqlCase(asked, streams, readings)
        if case.denotation():
            break
    return case


# --- events that the formula asks for ---------------------------------------------------------


def _script(draw: DrawFn, query: CeqlQuery, names: Sequence[str]) -> list[Event]:
    """The formula's events, once or several times, or any events of its types."""
    if draw(_SCRIPT) == "any events":
        return _any_events(draw, query, names)
    script: list[Event] = []
    tick = 0
    several = len(query.partition) > 0
    for number in range(draw(_ROUNDS) + several):
        if number and draw(_NEXT_ROUND_OF_SEVERAL if several else _NEXT_ROUND) == "in between":
            tick = 0
        agreed = keys(draw) if draw(_AGREEING) == "the same" else {}
        for kind, told in _word(draw, query.formula):
            gap = draw(_GAPS)
            tick += gap if script else 0
            stream = draw(among(names)) if told is None else told
            if not draw(_LEFT_OUT) and stream in names:
                script.append((tick, stream, (kind, {**values(draw), **agreed})))
        tick = max((event[0] for event in script), default=0)
    return script


def _any_events(draw: DrawFn, query: CeqlQuery, names: Sequence[str]) -> list[Event]:
    """Four to eight events of the types that the formula asks for, in any order.

    They match more often than not, in ways that no single word of the formula would think of.
    """
    kinds = [(phi.name, phi.stream) for phi in find(query.formula, EventType)] or [("A", None)]
    agreed = keys(draw) if draw(_AGREEING) == "the same" else {}
    script: list[Event] = []
    tick = 0
    for _ in range(draw(_EVENTS)):
        kind, told = draw(among(kinds))
        stream = told if told is not None and told in names else draw(among(names))
        script.append((tick, stream, (kind, {**values(draw), **agreed})))
        tick += draw(_GAPS)
    return script


def _extras(draw: DrawFn, query: CeqlQuery, names: Sequence[str], last: int) -> list[Event]:
    """Events of any type at any time."""
    kinds = [phi.name for phi in find(query.formula, EventType)]
    return [
        (draw(st.integers(0, last + 1)), draw(among(names)),
         (draw(among((*kinds, *kinds, "A", "D"))), values(draw)))
        for _ in range(draw(_EXTRAS))
    ]


def _word(draw: DrawFn, phi: Formula) -> list[tuple[str, str | None]]:
    """Types of tuples that the formula matches, with their streams if it tells them."""
    match phi:
        case EventType(name, stream):
            return [(name, stream)]
        case Followed(left, right) | Contiguous(left, right):
            return _word(draw, left) + _word(draw, right)
        case Disjunction(left, right):
            return _word(draw, left if draw(_COIN) else right)
        case Iteration(inner) | ContiguousIteration(inner):
            return [each for _ in range(draw(_ITERATIONS)) for each in _word(draw, inner)]
        case As(inner) | Filter(inner) | Projection(inner):
            return _word(draw, inner)
        case NotFormula():
            return [(draw(among(TYPES)), None)]


def _fitting(query: CeqlQuery, script: Sequence[Event], how: str) -> CeqlQuery:
    """The query with a window that just holds its script, or just does not."""
    if query.within is None or how == "as drawn" or not script:
        return query
    ticks = [tick for tick, _, _ in script]
    counted = query.within.unit is WindowUnit.EVENTS
    span = len(script) - 1 if counted else max(ticks) - min(ticks)
    extent = max({"tight": span, "one less": span - 1, "one more": span + 1}[how], 0)
    size = SECOND if query.within.unit is WindowUnit.TIME else 1
    return replace(query, within=replace(query.within, value=extent * size))


# --- streams ----------------------------------------------------------------------------------


def _streams(
    draw: DrawFn, query: CeqlQuery, names: Sequence[str], script: list[Event]
) -> dict[str, tuple[EventTuple, ...]]:
    last = max((tick for tick, _, _ in script), default=0)
    within = query.within
    size = SECOND if within is not None and within.unit is WindowUnit.TIME else 1
    seen = look(draw, _asked(query))
    arranged = profiled(
        draw,
        "ceql/streams",
        script + _extras(draw, query, names, last),
        widths=[] if within is None else [within.value // size],
        fresh=lambda event: (event[2][0], values(draw)),
    )
    measured = draw(_MEASURED)
    types = {name: draw(_RETYPED) if k else "the same" for k, name in enumerate(names)}
    streams: dict[str, list[EventTuple]] = {name: [] for name in names}
    for tick, stream, (kind, own) in sorted(arranged, key=lambda event: event[0]):
        t: Value = draw(_MEASURES) if measured == "falls" else tick
        t = {"half": tick / 2, "slow": tick // 2}.get(measured, t)
        attributes = retyped(seen.of(draw, {**own, "t": t}), types[stream])
        streams[stream].append(EventTuple(kind, attributes, tick * SECOND))
    return {name: tuple(stream) for name, stream in streams.items()}


def _asked(query: CeqlQuery) -> list[str]:
    """The attributes that the query asks for."""
    named = [attribute.name for attribute in find(query.formula, Attribute)]
    measured = [] if query.within is None else [query.within.attribute or ""]
    return [*named, *measured, *(name for names in query.partition for name in names)]


def _bounded(
    query: CeqlQuery, streams: dict[str, tuple[EventTuple, ...]]
) -> dict[str, tuple[EventTuple, ...]]:
    """The streams without their last tuples where the definitions would have too much to do."""
    while work(query, [t.type for t in merged(streams, query.streams)], _MOST_WORK) > _MOST_WORK:
        longest = max(streams, key=lambda name: len(streams[name]))
        kept = 4 * len(streams[longest]) // 5
        streams = {**streams, longest: streams[longest][:kept]}
    return streams


