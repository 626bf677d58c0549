"""SPAseq cases: a query, streams that it often matches, and readings, drawn by choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from rdflib.term import URIRef, Variable

from .....semantics.model.items import TimeKind
from .....semantics.model.terms import Graph
from .....semantics.rdf.syntax.tree import Filter, GroupGraphPattern
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import Extent, SpaseqQuery, WithinUnit
from ....inputs.choices import Choices
from ....inputs.graph_patterns import graph_names
from ....inputs.graphs import any_graph, in_document, schema_graph
from ....inputs.instances import Usual, background_instance
from ....inputs.profiles import arranged
from ....inputs.streams import instant, streamset_of
from ....inputs.vocabulary import BACKGROUNDS, STREAMS
from ..bounded_work import MOST_GENERATED, work
from ..case import SpaseqCase
from .events import Event, event_like, extra_events, scripted_events
from .queries import query as drawn_query
from .queries import readings as drawn_readings
from .queries import ticks
from .sequences import absence_is_possible, names_in

_ABSENT = ("spaseq/absent stream", (None,) * 9 + STREAMS)
_UNASKED = ("spaseq/unasked background", (None,) * 14 + BACKGROUNDS)
_ORIGINS = ("spaseq/origin", (0,) * 7 + (-2,))
_STARTS = ("spaseq/start", (None,) * 12 + (0, -1, 1, 2))
_FITS = (
    "spaseq/window fits", ("as drawn",) * 5 + ("tight", "tight", "one less", "one more", "wide")
)
_LIKELIER = (
    "spaseq/made likelier", ("as drawn", *("fewer filters",) * 4, "wider", "wider")
)
_WIDE = 15
_FEWER = (16, 12, 9, 7, 5, 4, 3, 2, 1)
"""So many events a window are left, one after the other, of a case that is too much work."""


def case(choices: Choices, asked: SpaseqQuery | None = None) -> SpaseqCase:
    """Draw a query, unless one is given, with streams that it often matches, and readings."""
    query = drawn_query(choices) if asked is None else asked
    readings = drawn_readings(choices, query)
    usual: Usual = {}
    events = scripted_events(choices, query, readings, usual)
    if asked is None:
        query = _fitting(query, events, choices.among(*_FITS))
    scripted = events = events + extra_events(choices, query, usual)
    size, unit = ticks(query.within.unit), query.within.unit
    start = choices.among(*_STARTS)
    events = arranged(
        choices,
        "spaseq/streams",
        events,
        widths=[query.within.value // size],
        slides=[] if query.slide is None else [query.slide.value // size],
        bounds=[start or 0],
        fresh=lambda event: event_like(choices, query, event, usual),
    )
    kind = TimeKind.DATETIME if unit is WithinUnit.MICROSECONDS else TimeKind.INTEGER
    origin = choices.among(*_ORIGINS)
    # Σ(u) = ∅ for a stream that the query names and that is not there (SPAseq, before Def. 7).
    absent = choices.among(*_ABSENT)
    kb = _background(choices, query, readings, usual)
    how = choices.among(*_LIKELIER)

    def on(events: Sequence[Event]) -> SpaseqCase:
        streams = streamset_of(
            [(tick + origin, stream, graph) for tick, stream, graph in events],
            [clause.iri for clause in query.streams if clause.iri != absent],
            kind=kind,
            ties=readings.ties,
        )
        began = None if start is None else instant(start + origin, kind)
        return SpaseqCase(query, streams, kb, readings, began)

    def affordable(events: Sequence[Event]) -> SpaseqCase:
        case = on(events)
        for most in _FEWER:
            if _is_affordable(case):
                break
            events = _thinned(events, query.within, most)
            case = on(events)
        return case

    case = affordable(events)
    if asked is not None or how == "as drawn":
        return case
    likely = _likelier(case, how)
    if not events or events == scripted or likely.denotation():
        return likely
    return _likelier(affordable(scripted), how)


def _is_affordable(case: SpaseqCase) -> bool:
    return work(case, MOST_GENERATED) <= MOST_GENERATED


def _thinned(events: Sequence[Event], within: Extent, most: int) -> list[Event]:
    """The events, in time order, but for those that are one too many in a window."""
    ordered = sorted(events, key=lambda event: event[0])
    if within.unit is WithinUnit.EVENTS:
        return ordered[:most]
    kept: list[Event] = []
    for event in ordered:
        if len(kept) < most or event[0] - kept[-most][0] > within.value // ticks(within.unit):
            kept.append(event)
    return kept


def _fitting(query: SpaseqQuery, events: Sequence[Event], how: str) -> SpaseqQuery:
    """The query with a window that just holds its script, or just does not, or easily does."""
    span = max((tick for tick, _, _ in events), default=0)
    widths = {"tight": span, "one less": span - 1, "one more": span + 1, "wide": _WIDE}
    return query if how == "as drawn" else _with_width(query, max(widths[how], 1))


def _with_width(query: SpaseqQuery, width: int) -> SpaseqQuery:
    return replace(
        query, within=replace(query.within, value=width * ticks(query.within.unit))
    )


def _likelier(case: SpaseqCase, how: str) -> SpaseqCase:
    """The case, or if nothing matches one where something does: fewer filters, say, or steps."""
    if case.denotation():
        return case
    likelier = chain(
        (case.but(query=_with_width(case.query, _WIDE), evaluation={}),) if how == "wider"
        else _fewer_filters(case),
        _fewer_steps(case),
    )
    return next(
        (likely for likely in likelier if _is_affordable(likely) and likely.denotation()), case
    )


def _fewer_filters(case: SpaseqCase) -> Iterator[SpaseqCase]:
    definitions = case.query.definitions
    for k, definition in enumerate(definitions):
        elements = definition.pattern.elements
        kept = tuple(element for element in elements if not isinstance(element, Filter))
        if len(kept) < len(elements):
            bare = replace(definition, pattern=GroupGraphPattern(kept))
            some = (*definitions[:k], bare, *definitions[k + 1 :])
            yield case.but(query=replace(case.query, definitions=some))


def _fewer_steps(case: SpaseqCase) -> Iterator[SpaseqCase]:
    query = case.query
    for count in range(len(query.sequence.steps) - 1, 0, -1):
        sequence = replace(query.sequence, steps=query.sequence.steps[:count])
        if case.readings.negation == "event" or absence_is_possible(sequence):
            names = names_in(sequence)
            definitions = tuple(each for each in query.definitions if each.name in names)
            bound = set().union(*(possible_variables(each.pattern) for each in definitions))
            select = tuple(each for each in query.select or () if each in bound) or None
            shorter = replace(query, sequence=sequence, definitions=definitions, select=select)
            yield case.but(query=shorter)


# --- background ----------------------------------------------------------------------------------


def _background(
    choices: Choices, query: SpaseqQuery, readings: Readings, usual: Usual
) -> dict[URIRef, Graph]:
    named = [(each.pattern, graph_names(each.pattern)) for each in query.definitions]
    asked = {name for _, names in named for name in names}
    kb: dict[URIRef, Graph] = {}
    unasked = choices.among(*_UNASKED)
    for graph_name in BACKGROUNDS:
        wanted = graph_name in asked or (graph_name == BACKGROUNDS[0] and Variable("g") in asked)
        if not wanted and graph_name != unasked:
            continue
        made = [
            background_instance(choices, pattern, graph_name, usual)
            for pattern, names in named if names
        ]
        if readings.entailment == "rdfs":
            made.append(in_document(schema_graph(choices, max_size=3), graph_name))
        kb[graph_name] = frozenset().union(*made, any_graph(choices, graph_name, max_size=2))
    return kb
