"""Streams on which two queries of CQELS-CEP differ."""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.cqels.syntax import tree as cqels
from ....semantics.rdf.syntax.tree import GroupGraphPattern
from ...distinguishing import Side
from ...distinguishing.alphabet import parts
from ...distinguishing.graphs import GraphStreams, ties
from ...distinguishing.moulds import Mould


def space(a: Side, b: Side) -> GraphStreams:
    """The streams that two queries may tell apart."""
    return GraphStreams(a.query, b.query, intervals=True, ties=ties(a, b))


def moulds(query: cqels.CqelsQuery) -> Iterator[Mould]:
    """What a query asks its streams for, in the order in which it wants it."""
    order = [
        element.name for part in parts(query.where) if isinstance(part, cqels.WindowSequence)
        for element in part.elements
    ]
    blocks = [part for part in parts(query.where) if isinstance(part, cqels.WindowPattern)]
    blocks.sort(key=lambda block: order.index(block.name) if block.name in order else -1)
    for block in blocks:
        stream = query.window(block.name).stream
        if isinstance(block.body, GroupGraphPattern):
            yield Mould(stream, block.body)
        else:
            for each in block.body.elements:
                yield Mould(stream, each.pattern)
