"""The requirements of SPAseq queries on their streams, for distinguishing two queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....semantics.model.items import TimeKind
from ....semantics.model.trees import find, names_in, renamed
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.scoping import atoms
from ....semantics.spaseq.syntax.tree import (
    Extent,
    KleenePlus,
    Reference,
    SpaseqQuery,
    WithinUnit,
)
from ...distinguishing.graph_streams import ItemTemplate, QueryRequirements
from .shrink import GPM_NAMES, STREAM_NAMES


def asked(query: SpaseqQuery) -> QueryRequirements:
    """Return the requirements of a query."""
    kinds = {WithinUnit.MICROSECONDS: TimeKind.DATETIME, WithinUnit.INTEGER: TimeKind.INTEGER}
    lengths = [
        (extent.value, kinds[extent.unit]) for extent in find(query, Extent) if extent.unit in kinds
    ]
    return QueryRequirements([*_moulds(query)], lengths)


def _moulds(query: SpaseqQuery) -> Iterator[ItemTemplate]:
    for atom in atoms(query.sequence):
        for reference in find(atom, Reference):
            definition = query.definition(reference.name)
            stream = query.stream_iri(definition.stream)
            yield ItemTemplate(stream, definition.pattern, isinstance(atom, KleenePlus))


def compared(pairs: Iterable[Pair]) -> set[Pair]:
    """Return pairs without windows: queries of different WITHIN differ where answers do."""
    return {replace(pair, window=None) for pair in pairs}


def plain(query: SpaseqQuery) -> SpaseqQuery:
    """Return the query with patterns and streams renamed in order, without unused parts."""
    found = names_in(query.sequence, GPM_NAMES)
    names = {name: f"E{number}" for number, name in enumerate(found, start=1)}
    streams = {clause.name: f"S{number}" for number, clause in enumerate(query.streams, start=1)}
    named = renamed(renamed(query, GPM_NAMES, names), STREAM_NAMES, streams)
    used = [each for each in named.definitions if each.name in names.values()]
    return replace(named, definitions=tuple(sorted(used, key=lambda each: each.name)))
