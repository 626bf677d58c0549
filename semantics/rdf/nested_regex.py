"""Nested regular expressions (nSPARQL, Pérez, Arenas and Gutierrez, section 3; CQELS-CEP Table 1).

⟦exp⟧_G is a binary relation on voc(G), the subjects, predicates and objects of the graph. An axis
gives triples (x, y, z): from x it leads to y, and z is what `axis::a` and `axis::[exp]` look at.
SPARQL's links are next::a, and its operators are those of the expressions. Naming: G is `graph`.
"""

from __future__ import annotations

from typing import TypeAlias

from rdflib.term import URIRef

from ..model.terms import Graph, Term
from ..model.trees import has
from .syntax import tree as s

Relation: TypeAlias = set[tuple[Term, Term]]
Steps: TypeAlias = set[tuple[Term, Term, Term]]


def navigates(path: s.Path) -> bool:
    """Return True if the path contains an axis and is thus a nested regular expression."""
    return has(path, s.AxisPath)


def voc(graph: Graph) -> set[Term]:
    """voc(G): whatever stands in a triple of the graph."""
    return {term for triple in graph for term in triple}


def relation(graph: Graph, exp: s.Path) -> Relation:
    """⟦exp⟧_G, operator by operator."""
    match exp:
        case URIRef():
            return {(x, y) for x, z, y in graph if z == exp}
        case s.AxisPath():
            return axis(graph, exp)
        case s.InversePath(inner):
            return inverse(relation(graph, inner))
        case s.SequencePath((first, *rest)):
            composed = relation(graph, first)
            for step in rest:
                composed = composition(composed, relation(graph, step))
            return composed
        case s.AlternativePath(alternatives):
            return set().union(*(relation(graph, each) for each in alternatives))
        case s.ZeroOrOnePath(inner):
            return self_pairs(graph) | relation(graph, inner)
        case s.OneOrMorePath(inner):
            return closure(relation(graph, inner))
        case s.ZeroOrMorePath(inner):
            return self_pairs(graph) | closure(relation(graph, inner))
        case s.NegatedPropertySet(forward, backward):
            ahead = {(x, y) for x, z, y in graph if z not in forward}
            back = {(y, x) for x, z, y in graph if z not in backward}
            return (ahead if forward or not backward else set()) | (back if backward else set())
        case s.NestedPath(inner, test):
            beginning = domain(relation(graph, test))
            return {(x, y) for x, y in relation(graph, inner) if y in beginning}
        case s.NodeTest(inner, object_):
            pairs = relation(graph, inner)
            return {(x, x) for x, y in pairs if object_ is None or y == object_}
    raise AssertionError(f"no such path: {exp!r}")


# --- axes ----------------------------------------------------------------------------------------


def axis(graph: Graph, step: s.AxisPath) -> Relation:
    """⟦axis⟧, ⟦axis::a⟧ and ⟦axis::[exp]⟧; of axis⁻¹ the inverse."""
    along = labelled(graph, step)
    return inverse(along) if step.inverse else along


def labelled(graph: Graph, step: s.AxisPath) -> Relation:
    """⟦axis::a⟧ = {(x, y) | (x, y, a) in the axis}; ⟦axis::[exp]⟧ = {(x, y) | there are z, w with
    (x, y, z) in the axis and (z, w) ∈ ⟦exp⟧}; ⟦self::a⟧ = {(a, a)}."""
    if step.axis is s.Axis.SELF and step.label is not None:
        return {(step.label, step.label)}
    steps = _AXES[step.axis](graph)
    if step.label is not None:
        return {(x, y) for x, y, z in steps if z == step.label}
    if step.nested is not None:
        beginning = domain(relation(graph, step.nested))
        return {(x, y) for x, y, z in steps if z in beginning}
    return {(x, y) for x, y, _ in steps}


def self_axis(graph: Graph) -> Steps:
    """self: from x ∈ voc(G) to x, looking at x"""
    return {(x, x, x) for x in voc(graph)}


def next_axis(graph: Graph) -> Steps:
    """next: (x, z, y) ∈ G leads from x to y, looking at z"""
    return {(x, y, z) for x, z, y in graph}


def edge_axis(graph: Graph) -> Steps:
    """edge: (x, y, z) ∈ G leads from x to its predicate y, looking at z"""
    return {(x, y, z) for x, y, z in graph}


def node_axis(graph: Graph) -> Steps:
    """node: (z, x, y) ∈ G leads from its predicate x to y, looking at z"""
    return {(x, y, z) for z, x, y in graph}


_AXES = {
    s.Axis.SELF: self_axis,
    s.Axis.NEXT: next_axis,
    s.Axis.EDGE: edge_axis,
    s.Axis.NODE: node_axis,
}


# --- relations -----------------------------------------------------------------------------------


def self_pairs(graph: Graph) -> Relation:
    """⟦self⟧ = {(x, x) | x ∈ voc(G)}"""
    return {(x, x) for x in voc(graph)}


def inverse(pairs: Relation) -> Relation:
    """{(y, x) | (x, y) ∈ R}"""
    return {(y, x) for x, y in pairs}


def domain(pairs: Relation) -> set[Term]:
    """{x | there is y with (x, y) ∈ R}"""
    return {x for x, _ in pairs}


def composition(first: Relation, second: Relation) -> Relation:
    """{(x, z) | there is y with (x, y) ∈ R1 and (y, z) ∈ R2}"""
    return {(x, z) for x, y in first for reached, z in second if reached == y}


def closure(pairs: Relation) -> Relation:
    """R ∪ R/R ∪ R/R/R ∪ …"""
    closed = pairs
    while True:
        further = closed | composition(closed, pairs)
        if further == closed:
            return closed
        closed = further
