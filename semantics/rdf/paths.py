"""Property paths (SPARQL 1.1 Query, 18.4).

⟦Path(X, path, Y)⟧ as a bag of pairs (x, y). An end that is a term is given, an end that is a
variable is None; a zero-length path joins a given term to itself, and a variable to itself on the
nodes of the graph only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from rdflib.term import URIRef

from ..model.terms import Graph, Term
from .nested_regex import relation
from .syntax import tree as s

Pair: TypeAlias = tuple[Term, Term]


def nodes(graph: Graph) -> set[Term]:
    """18.4, nodes(G): the subjects and objects of the graph."""
    return {term for subject, _, object_ in graph for term in (subject, object_)}


def pairs(graph: Graph, path: s.Path, x: Term | None, y: Term | None) -> Iterator[Pair]:
    """The pairs that the path joins, each as often as the definitions say."""
    match path:
        case URIRef():
            return _link(graph, path, x, y)
        case s.InversePath(inner):
            return ((b, a) for a, b in pairs(graph, inner, y, x))
        case s.SequencePath(steps):
            return _sequence(graph, steps, x, y)
        case s.AlternativePath(alternatives):
            return (pair for inner in alternatives for pair in pairs(graph, inner, x, y))
        case s.NegatedPropertySet(forward, inverse):
            return _negated_property_set(graph, forward, inverse, x, y)
        case s.ZeroOrOnePath(inner):
            return iter(_zero_length(graph, x, y) | set(pairs(graph, inner, x, y)))
        # A closure of a closure is one: ALP visits a term once, however it has come to it.
        case s.ZeroOrMorePath(
            s.ZeroOrMorePath(inner) | s.OneOrMorePath(inner) | s.ZeroOrOnePath(inner)
        ) | s.OneOrMorePath(s.ZeroOrMorePath(inner) | s.ZeroOrOnePath(inner)):
            return pairs(graph, s.ZeroOrMorePath(inner), x, y)
        case s.OneOrMorePath(s.OneOrMorePath(inner)):
            return pairs(graph, s.OneOrMorePath(inner), x, y)
        case s.ZeroOrMorePath(inner):
            return iter(_zero_length(graph, x, y) | _one_or_more(graph, inner, x, y))
        case s.OneOrMorePath(inner):
            return iter(_one_or_more(graph, inner, x, y))
        case s.NestedPath(inner, test):
            return ((a, b) for a, b in pairs(graph, inner, x, y) if _begins(graph, test, b))
        case s.NodeTest(inner, object_):
            return (
                (node, node)
                for node in nodes(graph)
                if x in (None, node) and y in (None, node) and _begins(graph, inner, node, object_)
            )
    raise AssertionError(f"no such path: {path!r}")


def nested_pairs(
    graph: Graph, path: s.Path, x: Term | None, y: Term | None
) -> Iterator[Pair]:
    """The pairs of a nested regular expression (nSPARQL), between these ends where they are given.

    A variable or a term, an end is one of a pair of the relation.
    """
    return (
        (start, end)
        for start, end in relation(graph, path)
        if x in (None, start) and y in (None, end)
    )


def _begins(graph: Graph, path: s.Path, x: Term, y: Term | None = None) -> bool:
    """elt[elt] (CQELS-CEP 3.1): whether a path begins at x (and leads to y, if it is given)."""
    return next(pairs(graph, path, x, y), None) is not None


def _link(graph: Graph, link: URIRef, x: Term | None, y: Term | None) -> Iterator[Pair]:
    """X iri Y"""
    for subject, predicate, object_ in graph:
        if predicate == link and x in (None, subject) and y in (None, object_):
            yield subject, object_


def _sequence(
    graph: Graph, steps: tuple[s.Path, ...], x: Term | None, y: Term | None
) -> Iterator[Pair]:
    """X P / Q Y: Join(X P ?v, ?v Q Y) with a fresh variable v; from the last step to the first"""
    starts = (x, *(None for _ in steps[1:]))
    ends = (*(None for _ in steps[1:]), y)
    found: list[Pair] | None = None
    for start, step, end in reversed(list(zip(starts, steps, ends, strict=True))):
        one = pairs(graph, step, start, end)
        found = list(one) if found is None else [
            (first, last) for first, via in one for here, last in found if here == via
        ]
    yield from found or ()


def _negated_property_set(
    graph: Graph,
    forward: tuple[URIRef, ...],
    inverse: tuple[URIRef, ...],
    x: Term | None,
    y: Term | None,
) -> Iterator[Pair]:
    """X !(iri1|…|^iri2|…) Y: the union of the forward and the inverse set, where there is one."""
    for subject, predicate, object_ in graph:
        along = (forward or not inverse) and predicate not in forward
        if along and x in (None, subject) and y in (None, object_):
            yield subject, object_
        against = inverse and predicate not in inverse
        if against and x in (None, object_) and y in (None, subject):
            yield object_, subject


def _zero_length(graph: Graph, x: Term | None, y: Term | None) -> set[Pair]:
    """X path{0} Y"""
    if x is not None and y is not None:
        return {(x, x)} if x == y else set()
    if x is not None:
        return {(x, x)}
    if y is not None:
        return {(y, y)}
    return {(node, node) for node in nodes(graph)}


def _one_or_more(graph: Graph, path: s.Path, x: Term | None, y: Term | None) -> set[Pair]:
    """X path+ Y"""
    if x is not None:
        reached = _reachable(graph, path, x)
        return {(x, end) for end in reached if y in (None, end)}
    if y is not None:
        return {(start, y) for start in _reachable(graph, s.InversePath(path), y)}
    return {(start, end) for start in nodes(graph) for end in _reachable(graph, path, start)}


def _reachable(graph: Graph, path: s.Path, start: Term) -> set[Term]:
    """ALP: the terms that one or more steps along the path lead to, each visited once."""
    reached: set[Term] = set()
    frontier = [start]
    while frontier:
        for _, end in pairs(graph, path, frontier.pop(), None):
            if end not in reached:
                reached.add(end)
                frontier.append(end)
    return reached
