"""Plainer terms: one term for two, an IRI for a blank node, 1 for an odd literal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, Node, URIRef, Variable

from ....semantics.model.terms import literal
from ....semantics.model.trees import (
    exchanged,
    fields_of,
    instead,
    is_node,
    leaves,
    nodes,
    rewrite,
    term_key,
    triple_key,
)
from ....semantics.rdf.syntax.tree import TriplePattern

ONE = literal("1", str(XSD.integer))

_FRESH = tuple(map(Variable, "xyz"))


def plainer_terms(case: Any) -> Iterator[Any]:
    """With one term or variable for another in the whole case, or at one place of it."""
    terms = _terms(case)
    for term in reversed(terms):
        for plainer in _plainer(term, terms):
            yield _exchanged(case, instead(term, plainer))
    yield from _in_one_part(case, [term for term in terms if isinstance(term, Variable)])
    yield from _plain_predicates(case)
    yield from _at_one_place(case, terms)


def graphs_of(case: Any) -> list[Any]:
    """Every graph of the streams and of the background."""
    graphs = [i.graph for s in case.streams.values() for i in s if hasattr(i, "graph")]
    return graphs + [getattr(kb, "changes", kb) for kb in getattr(case, "kb", {}).values()]


def terms_of(case: Any) -> list[Node]:
    """Every term and variable of the query and of the data, with repetitions."""
    return [*leaves(case.query), *(term for graph in graphs_of(case) for term in _in_data(graph))]


def _in_data(graph: Any) -> Iterator[Node]:
    return leaves(graph) if isinstance(graph, frozenset) else (
        term for _, each in graph for term in leaves(each)
    )


def _terms(case: Any) -> list[Node]:
    """The terms that mean nothing outside the case, the plainest first."""
    names = {*case.streams, *getattr(case, "kb", {}), *_clause_names(case.query)}
    return sorted({term for term in terms_of(case) if term not in names}, key=term_key)


def _clause_names(query: Any) -> Iterator[Any]:
    """What the clauses of a query call its windows and streams."""
    for field in fields_of(query):
        value = getattr(query, field.name)
        for part in value if isinstance(value, tuple) else ():
            yield from (getattr(part, name, None) for name in ("name", "stream", "iri"))


def _plainer(term: Node, terms: list[Node]) -> Iterator[Node]:
    for other in terms:
        alike = type(term) is type(other) or (isinstance(term, BNode) and isinstance(other, URIRef))
        if alike and term_key(other) < term_key(term):
            yield other
    if isinstance(term, Literal) and term != ONE:
        yield ONE


def _exchanged(case: Any, change: Callable[[Node], Node]) -> Any:
    changed: dict[str, Any] = {"query": rewrite(case.query, change)}
    changed["streams"] = {
        name: tuple(
            replace(item, graph=rewrite(item.graph, change)) if hasattr(item, "graph") else item
            for item in stream
        )
        for name, stream in case.streams.items()
    }
    if getattr(case, "kb", {}):
        changed["kb"] = {
            name: replace(kb, changes=rewrite(kb.changes, change))
            if hasattr(kb, "changes") else rewrite(kb, change)
            for name, kb in case.kb.items()
        }
    return replace(case, **changed)


def _in_one_part(case: Any, variables: list[Variable]) -> Iterator[Any]:
    """With another variable in one definition, one rule, one clause of the query."""
    query = case.query
    for field in fields_of(query):
        parts = getattr(query, field.name)
        if not isinstance(parts, tuple):
            continue
        for k, part in enumerate(parts):
            own = set(leaves(part)) if is_node(part) else set()
            for term in sorted(own, key=term_key):
                if not isinstance(term, Variable | BNode):
                    continue
                for other in dict.fromkeys((*variables, *_FRESH)):
                    if other not in own and (other < term or isinstance(term, BNode)):
                        changed = (*parts[:k], rewrite(part, instead(term, other)), *parts[k + 1 :])
                        yield replace(case, query=replace(query, **{field.name: changed}))


def _plain_predicates(case: Any) -> Iterator[Any]:
    """With a predicate of the data for a property path, or for a variable predicate."""
    triples = {t for graph in graphs_of(case) if isinstance(graph, frozenset) for t in graph}
    predicates = sorted({triple[1] for triple in triples}, key=term_key)
    for node in nodes(case.query):
        if isinstance(node, TriplePattern) and not isinstance(node.predicate, URIRef):
            for predicate in predicates:
                plain = replace(node, predicate=predicate)
                yield replace(case, query=exchanged(case.query, node, plain))


def _at_one_place(case: Any, terms: list[Node]) -> Iterator[Any]:
    for name, stream in case.streams.items():
        for k, item in enumerate(stream):
            for triple in sorted(getattr(item, "graph", ()), key=triple_key):
                for place, term in enumerate(triple):
                    for plainer in _plainer(term, terms):
                        if isinstance(plainer, (URIRef, BNode, Literal)[: (2, 1, 3)[place]]):
                            new = (*triple[:place], plainer, *triple[place + 1 :])
                            graph = (item.graph - {triple}) | {new}
                            items = (*stream[:k], replace(item, graph=graph), *stream[k + 1 :])
                            yield replace(case, streams={**case.streams, name: items})
