"""The requirements of RSEP-QL queries on their streams, for distinguishing two queries."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib.term import URIRef

from ....semantics.model.trees import find
from ....semantics.rsepql.syntax import tree as rsepql
from ...distinguishing.graph_streams import ONLY, ItemTemplate, QueryRequirements


def asked(query: rsepql.RsepqlQuery) -> QueryRequirements:
    """Return the requirements of a query."""
    dataset = query.form.dataset
    return QueryRequirements(
        [*_moulds(query)], [(each.value, each.kind) for each in find(query, rsepql.Moment)],
        dataset.named if dataset is not None else (),
        dataset.default if dataset is not None else (), query.form.where, ties=True,
    )


def _moulds(query: rsepql.RsepqlQuery) -> Iterator[ItemTemplate]:
    for part in find(query.form, rsepql.Event, rsepql.WindowPattern):
        if isinstance(part, rsepql.Event):
            yield ItemTemplate(query.window(part.window).stream or ONLY, part.pattern)
            continue
        for clause in query.windows:
            if not isinstance(part.name, URIRef) or clause.name == part.name:
                yield ItemTemplate(clause.stream or ONLY, part.pattern)
    for clause in query.windows:
        if clause.in_default and query.form.where is not None:
            yield ItemTemplate(clause.stream or ONLY, query.form.where)
