"""When one case is simpler than another: the order that shrinking descends in."""

from __future__ import annotations

from typing import Any, TypeAlias

from rdflib.term import BNode, Variable

from ...semantics.spaseq.syntax import WithinUnit
from ..readings import departures
from ..spaseq_case import SpaseqCase
from .bodies import ONE
from .data import instants
from .queries import ROOMY
from .sequences import SIMPLEST_FIRST, operator_count, operators
from .trees import leaves, term_key, weight

Measure: TypeAlias = tuple[Any, ...]

_UNITS = (WithinUnit.INTEGER, WithinUnit.EVENTS, WithinUnit.MICROSECONDS)


def measure(case: SpaseqCase) -> Measure:
    """Compared from the left: operators, events, patterns, triples, …, down to single terms.

    The order is well-founded: there is no endless descent in it.
    """
    query = case.query
    data = [item.graph for stream in case.streams.values() for item in stream]
    background = list(case.kb.values())
    named = {clause.iri for clause in query.streams}
    return (
        operator_count(query.sequence),
        sum(map(len, case.streams.values())),
        sum(weight(definition.pattern) for definition in query.definitions),
        sum(map(len, data)) + sum(map(len, background)),
        len(query.definitions) + len(query.streams) + len(background)
        + len(case.streams.keys() - named),
        _settings(case),
        _terms(case),
        tuple(SIMPLEST_FIRST.index(operator) for operator in operators(query.sequence)),
        _times(case),
    )


def _settings(case: SpaseqCase) -> Measure:
    query = case.query
    within = query.within.value
    return (
        len(departures(case.readings)) + (case.start is not None) + (query.slide is not None),
        _UNITS.index(query.within.unit),
        0 if query.select is None else len(query.select),
        (within != ROOMY, within),
        0 if query.slide is None else query.slide.value,
    )


def _terms(case: SpaseqCase) -> Measure:
    patterns = [leaf for d in case.query.definitions for leaf in leaves(d.pattern)]
    data = [
        leaf
        for graph in (
            *(item.graph for stream in case.streams.values() for item in stream),
            *case.kb.values(),
        )
        for leaf in leaves(graph)
    ]
    everything = {*patterns, *data}
    return (
        sum(isinstance(term, BNode) for term in everything),
        len(everything),
        sum(isinstance(term, Variable) for term in patterns),
        sorted((term != ONE, *term_key(term)) for term in (*patterns, *data)),
    )


def _times(case: SpaseqCase) -> Measure:
    times = instants(case)
    if not times:
        return (0, 0)
    return (
        abs(times[0]) + times[-1] - times[0] + abs(case.start or 0),
        sum(item.time - times[0] for stream in case.streams.values() for item in stream),
    )
