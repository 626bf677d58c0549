"""Streams on which two queries of SPAseq differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....semantics.model.trees import names_in, renamed
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.tree import KleenePlus, SpaseqQuery
from ...distinguishing import Side
from ...distinguishing.graphs import GraphStreams, ties
from ...distinguishing.moulds import Mould
from .case import atoms, gpm_names
from .shrink import GPM_NAMES, STREAM_NAMES


def space(a: Side, b: Side) -> GraphStreams:
    """The streams that two queries may tell apart."""
    return GraphStreams(a.query, b.query, intervals=False, ties=ties(a, b))


def compared(pairs: Iterable[Pair]) -> set[Pair]:
    """Pairs without their windows: two queries of different WITHIN differ where answers do."""
    return {replace(pair, window=None) for pair in pairs}


def plain(query: SpaseqQuery) -> SpaseqQuery:
    """The query with its patterns and streams renamed in order, without what it does not use."""
    found = names_in(query.sequence, GPM_NAMES)
    names = {name: f"E{number}" for number, name in enumerate(found, start=1)}
    streams = {clause.name: f"S{number}" for number, clause in enumerate(query.streams, start=1)}
    named = renamed(renamed(query, GPM_NAMES, names), STREAM_NAMES, streams)
    used = [each for each in named.definitions if each.name in names.values()]
    return replace(named, definitions=tuple(sorted(used, key=lambda each: each.name)))


def moulds(query: SpaseqQuery) -> Iterator[Mould]:
    """What a query asks its streams for, in the order in which it wants it."""
    for atom in atoms(query.sequence):
        for name in gpm_names(atom):
            definition = query.definition(name)
            stream = query.stream_iri(definition.stream)
            yield Mould(stream, definition.pattern, isinstance(atom, KleenePlus))
