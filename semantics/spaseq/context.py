"""The evaluation context of an expression: the subscript (Σ, D) and superscript [τb, τe] of ⟦·⟧.

Whether a match lies within boundaries depends on its first and its last event alone, since all
definitions look strictly between them. So a window is given as the events that it holds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rdflib.term import URIRef, Variable

from ..model.errors import QueryError
from ..model.items import TimeKind, TimestampedGraph
from ..model.mappings import Solutions
from ..model.terms import Graph
from ..model.trees import remembering
from ..rdf.entailment import entailed
from ..rdf.pattern_cache import GraphPatterns
from ..rdf.syntax.variables import possible_variables
from ..streams.merging import merge
from .stateful_filters import GpmExpression, Owing, gpm_expression
from .streamset import Event, Streamset, events_of, merged
from .syntax.readings import Readings
from .syntax.tree import Extent, SpaseqQuery, WithinUnit


class WindowContent(NamedTuple):
    """A window's boundaries, as a result shows them, and its events in time order."""

    boundaries: tuple[int, int] | None
    events: Sequence[Event]


def windows(
    query: SpaseqQuery, events: Sequence[Event], start: int, readings: Readings
) -> Iterator[WindowContent]:
    """Yield the windows that hold an event; `events` are those from t on, t being `start`."""
    omega = query.within.value
    beta = query.slide.value if query.slide else omega
    if query.within.unit is WithinUnit.EVENTS:
        yield from counted(events, omega, beta)
    elif readings.window == "match":
        yield from spanned(events, omega)
    else:
        closed = readings.window != "tumbling-half-open"
        yield from timed(events, start, omega, beta, closed)


def timed(
    events: Sequence[Event], start: int, omega: int, beta: int, closed: bool
) -> Iterator[WindowContent]:
    """[t + k·β, t + k·β + ω] for k ≥ 0, without its end if not `closed`; β = ω if they tumble."""
    times = [event.time[0] for event in events]
    begins = sorted({
        start + k * beta
        for time in set(times)
        for k in range(max(0, -((start + omega - time) // beta)), (time - start) // beta + 1)
    })
    for begin in begins:
        end = begin + omega
        last = bisect_right(times, end) if closed else bisect_left(times, end)
        held = events[bisect_left(times, begin) : last]
        if held:
            yield WindowContent((begin, end), held)


def spanned(events: Sequence[Event], omega: int) -> Iterator[WindowContent]:
    """`window=match`: [τ, τ + ω] for every τ with an event.

    The matches of these windows together are those with τ_last − τ_first ≤ ω.
    """
    times = [event.time[0] for event in events]
    for begin in sorted(set(times)):
        held = events[bisect_left(times, begin) : bisect_right(times, begin + omega)]
        yield WindowContent(None, held)


def counted(events: Sequence[Event], n: int, m: int) -> Iterator[WindowContent]:
    """WITHIN n EVENTS SLIDE m EVENTS: the items k·m … k·m + n − 1; the last ones may be fewer."""
    for first in range(0, len(events), m):
        yield WindowContent((first, first + n - 1), events[first : first + n])


@dataclass(frozen=True, slots=True)
class Context:
    """Σ within [τb, τe]; ⟦P⟧_G over D; each GPM and its vars(P) by name; and readings.

    Every definition looks at events within the boundaries only, so Σ is given restricted to them.
    """

    streamset: Streamset
    graph_pattern: GraphPatterns
    gpms: Mapping[str, GpmExpression]
    bindable: Mapping[str, frozenset[Variable]]
    readings: Readings

    def gpm_solutions(self, name: str, graph: Graph) -> Solutions:
        """⟦P⟧_G of a GPM, each μ with the conditions that it owes."""
        gpm, bindable = self.gpms[name], self.bindable[name]
        return frozenset(
            Owing(mu, gpm.conditions, bindable) for mu in self.graph_pattern(gpm.pattern, graph)
        )


def contexts(
    query: SpaseqQuery,
    streams: Mapping[URIRef, Sequence[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    start: int | None = None,
) -> Iterator[tuple[tuple[int, int] | None, Context]]:
    """Return the windows of Def. 16: their boundaries, and the input of SeqExp in each."""
    readings = (readings or Readings()).applied_to(query)
    return contexts_over(query, all_events(query, streams, readings), kb, readings, start)


def contexts_over(
    query: SpaseqQuery,
    events: Sequence[Event],
    kb: Mapping[URIRef, Graph] | None,
    readings: Readings,
    start: int | None = None,
) -> Iterator[tuple[tuple[int, int] | None, Context]]:
    """Yield the same over `all_events` of Σ, under readings that apply to the query."""
    if start is None:
        start = events[0].time[0] if events else 0
    events = [event for event in events if event.time[0] >= start]
    gpms, bindable = _gpm_expressions(readings.rewritten(query))
    gamma = {name: entailed(graph, readings.entailment) for name, graph in (kb or {}).items()}
    graph_pattern = GraphPatterns.lately(gamma)
    for boundaries, held in windows(query, events, start, readings):
        yield boundaries, Context(Streamset(held), graph_pattern, gpms, bindable, readings)


def all_events(
    query: SpaseqQuery, streams: Mapping[URIRef, Sequence[TimestampedGraph]], readings: Readings
) -> list[Event]:
    """Defs. 2 and 3: the events of Σ in time order."""
    clauses = [clause.iri for clause in query.streams]
    # `merge` says what is wrong with a stream. It also ranks and orders the items, but the engine
    # relies on that: here it is judged, so both are done again.
    kinds = {item.kind for item in merge(streams, readings.ties, clauses)}
    for kind in kinds:
        _check_unit(query.within, kind)
        _check_unit(query.slide or query.within, kind)
    events = {name: events_of(name, stream, readings.ties) for name, stream in streams.items()}
    return merged(events, clauses)


def _check_unit(extent: Extent, kind: TimeKind) -> None:
    fits = {WithinUnit.INTEGER: TimeKind.INTEGER, WithinUnit.MICROSECONDS: TimeKind.DATETIME}
    if fits.get(extent.unit, kind) is kind:
        return
    written = "a bare number" if extent.unit is WithinUnit.INTEGER else "a duration"
    wanted = "a bare number" if kind is TimeKind.INTEGER else "a duration such as 30 MINUTES"
    raise QueryError(
        f"the window is {written}, but the streams have {kind} times, which need {wanted}",
        line=extent.position.line,
        column=extent.position.column,
    )


@remembering
def _gpm_expressions(
    query: SpaseqQuery,
) -> tuple[dict[str, GpmExpression], dict[str, frozenset[Variable]]]:
    gpms = {
        each.name: gpm_expression(each, query.stream_iri(each.stream))
        for each in query.definitions
    }
    bindable = {each.name: possible_variables(each.pattern) for each in query.definitions}
    return gpms, bindable
