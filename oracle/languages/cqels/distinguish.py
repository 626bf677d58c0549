"""The requirements of CQELS-CEP queries on their streams, for distinguishing two queries."""

from __future__ import annotations

from collections.abc import Iterator

from ....semantics.cqels.syntax.tree import CqelsQuery, Span, WindowPattern, WindowSequence
from ....semantics.model.trees import find
from ....semantics.rdf.syntax.tree import GroupGraphPattern
from ...distinguishing.graph_streams import ItemTemplate, QueryRequirements


def asked(query: CqelsQuery) -> QueryRequirements:
    """Return the requirements of a query."""
    lengths = [(span.value, span.kind) for span in find(query, Span)]
    return QueryRequirements([*_moulds(query)], lengths, query.named, query.default, query.where)


def _moulds(query: CqelsQuery) -> Iterator[ItemTemplate]:
    order = [
        element.name for part in find(query.where, WindowSequence) for element in part.elements
    ]
    blocks = list(find(query.where, WindowPattern))
    blocks.sort(key=lambda block: order.index(block.name) if block.name in order else -1)
    for block in blocks:
        stream = query.window(block.name).stream
        if isinstance(block.body, GroupGraphPattern):
            yield ItemTemplate(stream, block.body)
        else:
            for each in block.body.elements:
                yield ItemTemplate(stream, each.pattern)
