"""Simpler SPAseq queries and readings: whatever of a case is not its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rdflib.term import URIRef

from ...semantics.spaseq.readings import Readings
from ...semantics.spaseq.syntax import Extent, SequenceExpression, SpaseqQuery, WithinUnit
from ...semantics.streams.items import TimestampedGraph
from ..readings import nearer_to_default
from ..spaseq_case import SpaseqCase, atoms, gpm_names
from .bodies import simpler_groups
from .data import without_ties
from .sequences import renamed, simpler_sequences

MICROSECONDS_A_SECOND = 1_000_000

ROOMY = 10
"""A window that most small streams fit into: the plainest one to read."""


def smaller_sequences(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """With a simpler sequence expression, without the definitions that it no longer names."""
    for sequence in simpler_sequences(case.query.sequence):
        yield replace(case, query=pruned(replace(case.query, sequence=sequence)))
    names = [definition.name for definition in case.query.definitions]
    for k, name in enumerate(names):
        for other in names[:k]:
            sequence = renamed(case.query.sequence, {name: other})
            yield replace(case, query=pruned(replace(case.query, sequence=sequence)))


def pruned(query: SpaseqQuery) -> SpaseqQuery:
    """Without the definitions that SEQ does not name."""
    used = _used(query.sequence)
    return replace(
        query, definitions=tuple(d for d in query.definitions if d.name in used)
    )


def _used(sequence: SequenceExpression) -> set[str]:
    return {name for atom in atoms(sequence) for name in gpm_names(atom)}


def smaller_bodies(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """With a simpler graph pattern in one definition."""
    definitions = case.query.definitions
    for k, definition in enumerate(definitions):
        for pattern in simpler_groups(definition.pattern):
            changed = replace(definition, pattern=pattern)
            query = replace(
                case.query, definitions=(*definitions[:k], changed, *definitions[k + 1 :])
            )
            yield replace(case, query=query)


def fewer_streams(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Without an unused FROM STREAM clause; with one stream's events and GPMs moved to another."""
    query = case.query
    used = {definition.stream for definition in query.definitions}
    for clause in query.streams:
        if clause.name not in used:
            yield replace(
                case, query=replace(query, streams=tuple(s for s in query.streams if s != clause))
            )
    for k, clause in enumerate(query.streams):
        for target in query.streams[:k]:
            definitions = tuple(
                replace(d, stream=target.name) if d.stream == clause.name else d
                for d in query.definitions
            )
            moved = replace(
                query,
                definitions=definitions,
                streams=tuple(s for s in query.streams if s != clause),
            )
            yield replace(case, query=moved, streams=_together(case, clause.iri, target.iri))


def _together(
    case: SpaseqCase, source: URIRef, target: URIRef
) -> dict[URIRef, tuple[TimestampedGraph, ...]]:
    both = (*case.streams.get(target, ()), *case.streams.get(source, ()))
    rest = {name: items for name, items in case.streams.items() if name != source}
    return {**rest, target: tuple(sorted(both, key=lambda item: item.time))}


def plainer_settings(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Default readings, no start, SELECT *, no SLIDE, a plain window."""
    query = case.query
    for readings in nearer_to_default(case.readings):
        yield replace(case, readings=readings)
    if case.readings.ties != Readings().ties:
        yield without_ties(case)
    if case.start is not None:
        yield replace(case, start=None)
    if query.select is not None:
        yield replace(case, query=replace(query, select=None))
        for k in range(len(query.select)):
            if len(query.select) > 1:
                select = query.select[:k] + query.select[k + 1 :]
                yield replace(case, query=replace(query, select=select))
    if query.slide is not None:
        plain = replace(case.readings, window="tumbling")
        yield replace(case, query=replace(query, slide=None), readings=plain)
    if query.within.unit is WithinUnit.EVENTS:
        within, slide = _in_integers(query.within), query.slide
        yield replace(
            case,
            query=replace(
                query, within=within, slide=None if slide is None else _in_integers(slide)
            ),
        )
    unit = MICROSECONDS_A_SECOND if query.within.unit is WithinUnit.MICROSECONDS else 1
    for value in (ROOMY, *range(1, ROOMY), query.within.value // unit // 2):
        within = replace(query.within, value=value * unit)
        if value:
            yield replace(case, query=replace(query, within=within))
    if query.slide is not None:
        for value in range(1, ROOMY):
            slide = replace(query.slide, value=value * unit)
            yield replace(case, query=replace(query, slide=slide))


def _in_integers(extent: Extent) -> Extent:
    return Extent(extent.value, WithinUnit.INTEGER)
