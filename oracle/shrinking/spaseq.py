"""Shrinking SPAseq cases: which simplifications there are and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from rdflib.term import URIRef

from ...semantics.streams.items import TimestampedGraph
from ..spaseq_case import SpaseqCase, atoms, gpm_names
from .affirming import affirmed
from .data import fewer_events, fewer_triples, integer_times, plainer_times
from .greedy import Descent
from .measure import measure
from .queries import fewer_streams, plainer_settings, smaller_bodies, smaller_sequences
from .sequences import renamed
from .vocabulary import plainer_terms, plainer_variables

PASSES: tuple[Callable[[SpaseqCase], Iterator[SpaseqCase]], ...] = (
    smaller_sequences,
    affirmed,
    fewer_events,
    integer_times,
    smaller_bodies,
    fewer_triples,
    fewer_streams,
    plainer_settings,
    plainer_variables,
    plainer_terms,
    plainer_times,
)

GPM_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def shrink_spaseq(
    case: SpaseqCase, fails: Callable[[SpaseqCase], bool], *, limit: int = 10_000
) -> SpaseqCase:
    """The simplest case found that `fails` still, after at most `limit` calls of `fails`.

    `fails(case)` must be true of the case itself and depend on nothing but the case.
    """
    descent = Descent(fails, passes=PASSES, measure=measure, identity=identity, limit=limit)
    simplest = descent.from_value(case)
    for tidy in (_with_named_streams, _with_names_in_order):
        tidied = tidy(simplest)
        if identity(tidied) != identity(simplest) and fails(tidied):
            simplest = tidied
    return simplest


def identity(case: SpaseqCase) -> Hashable:
    """A value that two cases share iff they are the same case."""
    return (
        case.query, frozenset(case.streams.items()), frozenset(case.kb.items()), case.readings,
        case.start,
    )


# --- tidying: no simpler, but easier to read -----------------------------------------------------


def _with_named_streams(case: SpaseqCase) -> SpaseqCase:
    """With an empty stream for each that the query names and that is not there."""
    named: dict[URIRef, tuple[TimestampedGraph, ...]] = {
        clause.iri: () for clause in case.query.streams
    }
    return replace(case, streams={**named, **case.streams})


def _with_names_in_order(case: SpaseqCase) -> SpaseqCase:
    """With GPMs called A, B, … and streams S1, S2, … in the order of the text."""
    query = case.query
    order = dict.fromkeys(n for atom in atoms(query.sequence) for n in gpm_names(atom))
    names = dict(zip(order, GPM_NAMES, strict=False))
    streams = {clause.name: f"S{k}" for k, clause in enumerate(query.streams, start=1)}
    definitions = [
        replace(d, name=names[d.name], stream=streams[d.stream])
        for d in query.definitions if d.name in names
    ]
    tidied = replace(
        query,
        sequence=renamed(query.sequence, names),
        streams=tuple(replace(clause, name=streams[clause.name]) for clause in query.streams),
        definitions=tuple(sorted(definitions, key=lambda d: d.name)),
    )
    return replace(case, query=tidied)
