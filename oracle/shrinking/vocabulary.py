"""Plainer terms and variables: one term for two, an IRI for a blank node, 1 for an odd literal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

from rdflib.term import BNode, Literal, Node, URIRef, Variable

from ...semantics.rdf.syntax import GroupGraphPattern, TriplePattern
from ...semantics.rdf.terms import Triple
from ...semantics.spaseq.syntax import SpaseqQuery
from ..spaseq_case import SpaseqCase
from .bodies import ONE
from .trees import exchanged, leaves, nodes, rewrite, term_key, triple_key


def plainer_terms(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """With one term for another in the whole case, then at one place of the data."""
    predicates, others = _terms(case)
    for terms in (predicates, others):
        for term in reversed(terms):
            for plainer in _plainer(term, terms):
                changed = _in_patterns(case, _exchange(term, plainer))
                yield _in_data(changed, _exchange(term, plainer))
    for name, stream in case.streams.items():
        for k, item in enumerate(stream):
            for triple in sorted(item.graph, key=triple_key):
                for place, term in enumerate(triple):
                    for plainer in _plainer(term, predicates if place == 1 else others):
                        if place == 0 and isinstance(plainer, Literal):
                            continue
                        new = cast(Triple, (*triple[:place], plainer, *triple[place + 1 :]))
                        graph = (item.graph - {triple}) | {new}
                        items = (*stream[:k], replace(item, graph=graph), *stream[k + 1 :])
                        yield replace(case, streams={**case.streams, name: items})


def plainer_paths(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """With a predicate of the case for a property path, or for a variable predicate."""
    predicates, _ = _terms(case)
    for k, definition in enumerate(case.query.definitions):
        triples = [node for node in nodes(definition.pattern) if isinstance(node, TriplePattern)]
        for triple in triples:
            if isinstance(triple.predicate, URIRef):
                continue
            for predicate in predicates:
                plain = replace(triple, predicate=cast(URIRef, predicate))
                yield _with_body(case, k, exchanged(definition.pattern, triple, plain))


def _with_body(case: SpaseqCase, k: int, pattern: GroupGraphPattern) -> SpaseqCase:
    definitions = list(case.query.definitions)
    definitions[k] = replace(definitions[k], pattern=pattern)
    return replace(case, query=replace(case.query, definitions=tuple(definitions)))


def _terms(case: SpaseqCase) -> tuple[list[Node], list[Node]]:
    """The predicates and the other terms of patterns and data, the plainest first."""
    graphs = [item.graph for stream in case.streams.values() for item in stream]
    triples = {triple for graph in (*graphs, *case.kb.values()) for triple in graph}
    patterns = {
        t for d in case.query.definitions for t in leaves(d.pattern)
        if not isinstance(t, Variable | BNode)
    }
    data = {term for triple in triples for term in (triple[0], triple[2])}
    predicates = {triple[1] for triple in triples} | (
        {p for d in case.query.definitions for p in _predicates(d.pattern)}
    )
    others = (patterns - predicates) | data
    return sorted(predicates, key=term_key), sorted(others, key=term_key)


def _predicates(tree: object) -> Iterator[Node]:
    for node in nodes(tree):
        if isinstance(node, TriplePattern):
            yield from (p for p in leaves(node.predicate) if isinstance(p, URIRef))


def plainer_variables(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """With one variable for two that no GPM has both, in the whole query or in one definition."""
    variables = sorted({leaf for leaf in leaves(case.query) if isinstance(leaf, Variable)})
    bodies = [set(leaves(definition.pattern)) for definition in case.query.definitions]
    for k in reversed(range(len(variables))):
        for other in variables[:k]:
            if not any({variables[k], other} <= body for body in bodies):
                yield replace(case, query=_renamed(case.query, variables[k], other))
    fresh = next(v for v in _FRESH if v not in variables)
    for k, definition in enumerate(case.query.definitions):
        for variable in sorted(bodies[k], key=term_key):
            if not isinstance(variable, Variable | BNode):
                continue
            for other in [*variables, fresh]:
                if other in bodies[k]:
                    continue
                if other < variable or isinstance(variable, BNode):
                    pattern = rewrite(definition.pattern, _exchange(variable, other))
                    yield _with_body(case, k, pattern)


_FRESH = tuple(Variable(name) for name in ("x", "y", "z", "x1", *(f"x{k}" for k in range(2, 99))))


def _plainer(term: Node, terms: list[Node]) -> Iterator[Node]:
    match term:
        case BNode():
            yield from (t for t in terms if isinstance(t, URIRef))
        case Literal():
            if term != ONE:
                yield ONE
            for other in terms:
                if isinstance(other, Literal) and term_key(other) < term_key(term):
                    yield other
        case _:
            for other in terms:
                if isinstance(other, URIRef) and term_key(other) < term_key(term):
                    yield other


def _exchange(old: Node, new: Node) -> Callable[[Node], Node]:
    return lambda term: new if term == old else term


def _in_patterns(case: SpaseqCase, change: Callable[[Node], Node]) -> SpaseqCase:
    definitions = tuple(
        replace(d, pattern=rewrite(d.pattern, change)) for d in case.query.definitions
    )
    return replace(case, query=replace(case.query, definitions=definitions))


def _in_data(case: SpaseqCase, change: Callable[[Node], Node]) -> SpaseqCase:
    streams = {
        name: tuple(replace(item, graph=rewrite(item.graph, change)) for item in stream)
        for name, stream in case.streams.items()
    }
    kb = {name: rewrite(graph, change) for name, graph in case.kb.items()}
    return replace(case, streams=streams, kb=kb)


def _renamed(query: SpaseqQuery, old: Variable, new: Variable) -> SpaseqQuery:
    renamed = rewrite(query, _exchange(old, new))
    if renamed.select is None:
        return renamed
    return replace(renamed, select=tuple(dict.fromkeys(renamed.select)))
