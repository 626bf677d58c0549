"""Nested regular expressions as relations (nSPARQL, Pérez, Arenas and Gutierrez, section 3).

An axis follows a triple (x, z, y): self stays, next leads from x to y, edge from x to z, node from
z to y. What a step looks at (`axis::a`, `axis::[exp]`) is the part of the triple that it leaves
out, for self the node itself. Unlike a path of SPARQL, such an expression visits predicates too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from ...semantics.model.terms import Term, URIRef
from ...semantics.model.trees import find, has
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    Axis,
    AxisPath,
    InversePath,
    NegatedPropertySet,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    Path,
    SequencePath,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from .data.graphs import EncodedTriple, IndexedGraph

Reach: TypeAlias = Callable[[IndexedGraph, int], Iterable[int]]
Looks: TypeAlias = Callable[[IndexedGraph, int], bool]

# Places in a triple: where a step starts, where it leads, and what it looks at.
_PLACES = {Axis.NEXT: (0, 2, 1), Axis.EDGE: (0, 1, 2), Axis.NODE: (1, 2, 0)}


def navigates(path: Path) -> bool:
    """Return True if the path has an axis, and so is more than SPARQL with tests."""
    return has(path, AxisPath)


def self_labels(path: Path) -> Iterator[Term]:
    """Yield the terms a of its steps self::a, which these lead to in every graph."""
    for part in find(path, AxisPath):
        if part.axis is Axis.SELF and part.label is not None:
            yield part.label


def compile_navigation(path: Path, encode: Callable[[Term], int]) -> tuple[Reach, Reach]:
    """Return two functions: the terms reached from a term, and those from which it is reached."""
    match path:
        case URIRef():
            return _compiled_axis(AxisPath(Axis.NEXT, label=path), encode)
        case AxisPath():
            return _compiled_axis(path, encode)
        case InversePath(inner):
            forward, backward = compile_navigation(inner, encode)
            return backward, forward
        case SequencePath(steps):
            pairs = [compile_navigation(step, encode) for step in steps]
            return (
                _one_after_another([forward for forward, _ in pairs]),
                _one_after_another([backward for _, backward in reversed(pairs)]),
            )
        case AlternativePath(alternatives):
            pairs = [compile_navigation(each, encode) for each in alternatives]
            return (
                _any_of([forward for forward, _ in pairs]),
                _any_of([backward for _, backward in pairs]),
            )
        case ZeroOrOnePath(inner):
            forward, backward = compile_navigation(inner, encode)
            return _any_of([_stay, forward]), _any_of([_stay, backward])
        case ZeroOrMorePath(inner):
            forward, backward = compile_navigation(inner, encode)
            return _any_of([_stay, one_or_more(forward)]), _any_of([_stay, one_or_more(backward)])
        case OneOrMorePath(inner):
            forward, backward = compile_navigation(inner, encode)
            return one_or_more(forward), one_or_more(backward)
        case NegatedPropertySet(ahead, back):
            return _compiled_negation(
                frozenset(map(encode, ahead)), frozenset(map(encode, back))
            )
        case NestedPath(inner, test):
            forward, backward = compile_navigation(inner, encode)
            looks = _begins(compile_navigation(test, encode)[0])
            return _tested_after(forward, looks), _tested_before(backward, looks)
        case NodeTest(inner, object_):
            reach = compile_navigation(inner, encode)[0]
            wanted = None if object_ is None else encode(object_)
            stay = _tested_before(_self, _begins(reach, wanted))
            return stay, stay


# --- axes ----------------------------------------------------------------------------------------


def _compiled_axis(step: AxisPath, encode: Callable[[Term], int]) -> tuple[Reach, Reach]:
    if step.axis is Axis.SELF:
        return _compiled_self(step, encode)
    whence, whither, seen = _PLACES[step.axis]
    looks = _looking(step, encode)
    label = None if step.label is None else encode(step.label)
    forward = _along(whence, whither, seen, looks, label)
    backward = _along(whither, whence, seen, looks, label)
    return (backward, forward) if step.inverse else (forward, backward)


def _compiled_self(step: AxisPath, encode: Callable[[Term], int]) -> tuple[Reach, Reach]:
    if step.label is not None:  # ⟦self::a⟧ = {(a, a)}, wherever a stands
        label = encode(step.label)
        only: Reach = lambda graph, term: (term,) if term == label else ()  # noqa: E731
        return only, only
    looks = _looking(step, encode)
    stay = _stay if looks is None else _tested_before(_stay, looks)
    return stay, stay


def _looking(step: AxisPath, encode: Callable[[Term], int]) -> Looks | None:
    if step.nested is None:
        return None
    return _begins(compile_navigation(step.nested, encode)[0])


def _along(
    whence: int, whither: int, seen: int, looks: Looks | None, label: int | None
) -> Reach:
    if label is not None and seen == 1:
        return _links(label, forward=whence == 0)

    def reach(graph: IndexedGraph, term: int) -> Iterable[int]:
        found = set()
        for triple in _holding(graph, whence, term):
            part = triple[seen]
            if (label is None or part == label) and (looks is None or looks(graph, part)):
                found.add(triple[whither])
        return found

    return reach


def _links(predicate: int, *, forward: bool) -> Reach:
    if forward:
        return lambda graph, term: graph.objects(predicate).get(term, ())
    return lambda graph, term: graph.subjects(predicate).get(term, ())


def _holding(graph: IndexedGraph, place: int, term: int) -> Iterable[EncodedTriple]:
    """Return the triples that have the term in this place."""
    if place == 0:
        return graph.by_subject.get(term, ())
    if place == 2:
        return graph.by_object.get(term, ())
    return ((s, term, o) for s, o in graph.by_predicate.get(term, ()))


def _compiled_negation(ahead: frozenset[int], back: frozenset[int]) -> tuple[Reach, Reach]:
    along = _without(0, 2, ahead)
    against = _without(2, 0, ahead)
    inverse_along = _without(2, 0, back)
    inverse_against = _without(0, 2, back)
    if not back:
        return along, against
    if not ahead:
        return inverse_along, inverse_against
    return _any_of([along, inverse_along]), _any_of([against, inverse_against])


def _without(whence: int, whither: int, excluded: frozenset[int]) -> Reach:
    return lambda graph, term: {
        triple[whither] for triple in _holding(graph, whence, term) if triple[1] not in excluded
    }


# --- operators -----------------------------------------------------------------------------------


def _self(graph: IndexedGraph, term: int) -> Iterable[int]:
    return (term,)


def _stay(graph: IndexedGraph, term: int) -> Iterable[int]:
    return (term,) if term in graph.vocabulary else ()


def _one_after_another(steps: list[Reach]) -> Reach:
    def reach(graph: IndexedGraph, term: int) -> Iterable[int]:
        current: Iterable[int] = (term,)
        for step in steps:
            current = {found for each in current for found in step(graph, each)}
        return current

    return reach


def _any_of(alternatives: list[Reach]) -> Reach:
    return lambda graph, term: {
        found for reach in alternatives for found in reach(graph, term)
    }


def one_or_more(step: Reach) -> Reach:
    """Return the transitive closure of a relation between nodes."""

    def reach(graph: IndexedGraph, node: int) -> Iterable[int]:
        seen: set[int] = set()
        waiting = list(step(graph, node))
        while waiting:
            found = waiting.pop()
            if found not in seen:
                seen.add(found)
                waiting.extend(step(graph, found))
        return seen

    return reach


def _begins(reach: Reach, wanted: int | None = None) -> Looks:
    """Return the test that the expression begins at a term (and leads to the wanted one)."""
    if wanted is None:
        return lambda graph, term: any(True for _ in reach(graph, term))
    return lambda graph, term: wanted in reach(graph, term)


def _tested_after(reach: Reach, looks: Looks) -> Reach:
    return lambda graph, term: [each for each in reach(graph, term) if looks(graph, each)]


def _tested_before(reach: Reach, looks: Looks) -> Reach:
    return lambda graph, term: reach(graph, term) if looks(graph, term) else ()
