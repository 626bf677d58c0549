"""The shrinking of EP-SPARQL cases: a rule less, with the SELECT in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....semantics.epsparql.syntax.tree import EpsparqlQuery, Form, StreamClause, TemporalPattern
from ....semantics.model.trees import nodes
from ....semantics.rdf.syntax.tree import SelectQuery
from ...fuzzing.shrinking.tree_shrinking import Hook
from .cost_estimate import affordable
from .features import EpsparqlCase


def proposals(case: EpsparqlCase) -> Iterator[EpsparqlCase]:
    """Yield queries without a stream and its FROM, and with SELECT * of the body or of a rule's."""
    query = case.query
    for clause in query.streams:
        left = {name: stream for name, stream in case.stream_sources.items() if name != clause.iri}
        streams = tuple(each for each in query.streams if each != clause)
        yield case.but(streams=left, query=replace(query, streams=streams))
    asked = [query.select.where] if query.select is not None else []
    for where in (*asked, *(rule.where for rule in query.rules)):
        plain = replace(query, select=SelectQuery(None, where), form=Form.SELECT, described=())
        yield case.but(query=plain)
        yield case.but(query=replace(plain, rules=()))
    if query.rules:
        alone = replace(query, select=None, form=Form.SELECT, described=())
        yield case.but(query=alone)


def pruned(query: EpsparqlQuery) -> EpsparqlQuery:
    """Return the query with each stream named once."""
    streams: dict[object, StreamClause] = {clause.iri: clause for clause in query.streams}
    return replace(query, streams=tuple(streams.values()))


HOOK = Hook(
    affordable=affordable,
    operators=lambda query: len(query.rules) + sum(
        isinstance(node, TemporalPattern) for node in nodes(query)
    ),
    proposals=proposals,
    pruned=pruned,
)
