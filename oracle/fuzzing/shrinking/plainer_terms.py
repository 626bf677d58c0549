"""Plainer terms: one term for two, an IRI for a blank node, 1 for an odd literal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, Node, URIRef, Variable

from ....semantics.model.terms import literal
from ....semantics.model.trees import (
    changed,
    fields_of,
    instead,
    is_node,
    leaves,
    nodes,
    term_key,
    triple_key,
)
from ....semantics.rdf.syntax.tree import TriplePattern
from ...cases.case import Case

ONE = literal("1", str(XSD.integer))

_FRESH = tuple(map(Variable, "xyz"))


def plainer_terms(case: Case) -> Iterator[Any]:
    """With one term or variable for another in the whole case, or at one place of it."""
    terms = _terms(case)
    for term in reversed(terms):
        for plainer in _plainer(term, terms):
            yield changed(case, instead(term, plainer))
    yield from _in_one_part(case, [term for term in terms if isinstance(term, Variable)])
    yield from _plain_predicates(case)
    yield from _at_one_place(case, terms)


def graphs_of(case: Case) -> list[Any]:
    """Every graph of the streams and of the background."""
    graphs = [i.graph for s in case.stream_sources.values() for i in s if hasattr(i, "graph")]
    return graphs + [getattr(kb, "changes", kb) for kb in case.kb_sources.values()]


def terms_of(case: Case) -> list[Node]:
    """Every term and variable of the query and of the data, with repetitions."""
    return [*leaves(case.query), *(term for graph in graphs_of(case) for term in _in_data(graph))]


def _in_data(graph: Any) -> Iterator[Node]:
    return leaves(graph) if isinstance(graph, frozenset) else (
        term for _, each in graph for term in leaves(each)
    )


def _terms(case: Case) -> list[Node]:
    """The terms that mean nothing outside the case, the plainest first."""
    names = {*case.stream_sources, *case.kb_sources, *_clause_names(case.query)}
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


def _in_one_part(case: Case, variables: list[Variable]) -> Iterator[Any]:
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
                        plainer = changed(part, instead(term, other))
                        several = (*parts[:k], plainer, *parts[k + 1 :])
                        yield case.but(query=replace(query, **{field.name: several}))


def _plain_predicates(case: Case) -> Iterator[Any]:
    """With a predicate of the data for a property path, or for a variable predicate."""
    triples = {t for graph in graphs_of(case) if isinstance(graph, frozenset) for t in graph}
    predicates = sorted({triple[1] for triple in triples}, key=term_key)
    for node in nodes(case.query):
        if isinstance(node, TriplePattern) and not isinstance(node.predicate, URIRef):
            for predicate in predicates:
                plain = replace(node, predicate=predicate)
                yield case.but(query=changed(case.query, instead(node, plain)))


def _at_one_place(case: Case, terms: list[Node]) -> Iterator[Any]:
    for name, stream in case.stream_sources.items():
        for k, item in enumerate(stream):
            for triple in sorted(getattr(item, "graph", ()), key=triple_key):
                for place, term in enumerate(triple):
                    for plainer in _plainer(term, terms):
                        if isinstance(plainer, (URIRef, BNode, Literal)[: (2, 1, 3)[place]]):
                            new = (*triple[:place], plainer, *triple[place + 1 :])
                            graph = (item.graph - {triple}) | {new}
                            items = (*stream[:k], replace(item, graph=graph), *stream[k + 1 :])
                            yield case.but(streams={**case.stream_sources, name: items})
