"""Which graph patterns are kept as their snapshots change, and what stands in for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....semantics.model.terms import URIRef
from ....semantics.model.trees import find, has
from ....semantics.rdf.syntax.tree import GroupGraphPattern, SelectQuery, TriplesBlock
from ...rdf.data.dictionary import Dictionary
from ...rdf.extension import split
from ...rdf.variables import reads_active_graph
from ..patterns import InWindow, Matched, matched
from .movement import MovingWindow
from .snapshot_patterns import SnapshotPattern, can_be_kept
from .snapshots import Snapshot


def kept_in_window(
    select: SelectQuery,
    windows: Mapping[URIRef, MovingWindow],
    snapshots: Mapping[URIRef, Snapshot],
    dictionary: Dictionary,
) -> tuple[SelectQuery, SnapshotPattern | None]:
    """Where a query looks into one window once, what it finds there can be kept."""
    if len(list(find(select, InWindow))) != 1:
        return select, None
    for at, element in enumerate(select.where.elements):
        match element:
            case InWindow(URIRef() as name, pattern) if can_be_kept(pattern):
                kept = SnapshotPattern(pattern, snapshots[name], dictionary)
                windows[name].patterns.append(kept)
                elements = list(select.where.elements)
                elements[at] = matched(kept.variables, kept.variables, 0)
                return replace(select, where=GroupGraphPattern(tuple(elements))), kept
    return select, None


def kept_in_default(
    select: SelectQuery, windows: list[MovingWindow], default: Snapshot, dictionary: Dictionary
) -> tuple[SelectQuery, SnapshotPattern | None]:
    """So it can where it looks once at a default graph that windows are a part of."""
    blocks = [each for each in split(select.where)[0] if isinstance(each, TriplesBlock)]
    others = [each for each in select.where.elements if not isinstance(each, TriplesBlock)]
    pattern = GroupGraphPattern(tuple(blocks))
    if (
        len(blocks) != 1
        or not can_be_kept(pattern)
        or any(map(reads_active_graph, others))
        or has(select, InWindow, Matched)
    ):
        return select, None
    kept = SnapshotPattern(pattern, default, dictionary)
    for window in windows:
        if default in window.snapshots:
            window.patterns.append(kept)
    first = next(
        at for at, each in enumerate(select.where.elements) if isinstance(each, TriplesBlock)
    )
    elements = [
        matched(kept.variables, kept.variables, 0) if at == first else each
        for at, each in enumerate(select.where.elements)
        if at == first or not isinstance(each, TriplesBlock)
    ]
    return replace(select, where=GroupGraphPattern(tuple(elements))), kept
