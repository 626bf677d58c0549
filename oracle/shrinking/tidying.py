"""Tidying a shrunk case: no simpler, but easier to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rdflib.term import Node, URIRef, Variable

from ...semantics.streams.items import TimestampedGraph
from ..spaseq_case import SpaseqCase, atoms, gpm_names
from .sequences import renamed
from .trees import leaves, rewrite, triple_key

GPM_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# Names that mean nothing in themselves: each sort is used from its beginning.
_SORTS: tuple[tuple[Node, ...], ...] = (
    tuple(map(Variable, "xyz")),
    tuple(map(Variable, "nml")),
    tuple(URIRef(f"http://example.org/{name}") for name in "abc"),
)

_STREAMS = tuple(URIRef(f"http://example.org/s{number}") for number in (1, 2, 3))


def with_named_streams(case: SpaseqCase) -> SpaseqCase:
    """With an empty stream for each that the query names and that is not there."""
    named: dict[URIRef, tuple[TimestampedGraph, ...]] = {
        clause.iri: () for clause in case.query.streams
    }
    return replace(case, streams={**named, **case.streams})


def with_names_in_order(case: SpaseqCase) -> SpaseqCase:
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


def with_terms_in_order(case: SpaseqCase) -> SpaseqCase:
    """With variables ?x, ?y, … and things :a, :b, … in the order of the text."""
    met = dict.fromkeys(leaves(case.query.definitions))
    for stream in case.streams.values():
        for item in stream:
            for triple in sorted(item.graph, key=triple_key):
                met.update(dict.fromkeys(triple))
    new: dict[Node, Node] = {}
    for sort in _SORTS:
        new.update(zip([term for term in met if term in sort], sort, strict=False))
        # A permutation, so that no two terms become one.
        left = [term for term in sort if term not in new.values()]
        new.update(zip([term for term in sort if term not in new], left, strict=True))

    def change(term: Node) -> Node:
        return new.get(term, term)

    query = rewrite(case.query, change)
    streams = {
        name: tuple(replace(item, graph=rewrite(item.graph, change)) for item in stream)
        for name, stream in case.streams.items()
    }
    kb = {name: rewrite(graph, change) for name, graph in case.kb.items()}
    return replace(case, query=query, streams=streams, kb=kb)


def with_streams_in_order(case: SpaseqCase) -> SpaseqCase:
    """With streams :s1, :s2, … in the order of the FROM STREAM clauses."""
    met = [clause.iri for clause in case.query.streams if clause.iri in _STREAMS]
    others = [iri for iri in _STREAMS if iri not in met]
    new = dict(zip([*met, *others], _STREAMS, strict=True))
    query = replace(
        case.query,
        streams=tuple(replace(c, iri=new.get(c.iri, c.iri)) for c in case.query.streams),
    )
    streams = {new.get(iri, iri): items for iri, items in case.streams.items()}
    return replace(case, query=query, streams=streams)


TIDYING: tuple[Callable[[SpaseqCase], SpaseqCase], ...] = (
    with_named_streams,
    with_names_in_order,
    with_streams_in_order,
    with_terms_in_order,
)
