"""The triples that a solution of a graph pattern uses, by triple pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, cast

from rdflib.term import BNode, URIRef, Variable

from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.terms import EMPTY_GRAPH, Graph, Triple
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    Axis,
    AxisPath,
    Element,
    GroupGraphPattern,
    InversePath,
    NamedGraphPattern,
    NegatedPropertySet,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    OptionalPattern,
    Path,
    SequencePath,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ...semantics.rdf.syntax.variables import selected_variables
from .derivations import Step
from .wording import Words

Named: TypeAlias = Mapping[Any, Graph]
Bound: TypeAlias = Mapping[Variable | BNode, Any]

_MAX_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Rests:
    """A triple pattern with its matching triple, or triples for a path.

    `graph` is the name of their graph, None for the default graph."""

    pattern: TriplePattern
    triples: tuple[Triple, ...]
    graph: URIRef | None = None


def grounds(
    words: Words, group: GroupGraphPattern, mu: SolutionMapping, graph: Graph, named: Named
) -> list[Step]:
    """Return a step for each triple pattern, with its triples and the name of their graph."""
    found = rests_on(group, mu, graph, named)
    steps = [Step(_match_text(words, each), detail=True) for each in found[:_MAX_SHOWN]]
    if len(found) > _MAX_SHOWN:
        steps.append(Step(f"… and {len(found) - _MAX_SHOWN} more triple patterns", detail=True))
    return steps


def _match_text(words: Words, rests: Rests) -> str:
    pattern = words.text(TriplesBlock((rests.pattern,)))
    where = "" if rests.graph is None else f" of {words.term(rests.graph)}"
    if not rests.triples:
        return f"{pattern} matches a zero-length path"
    return f"{pattern} matches {', '.join(map(words.triple, rests.triples))}{where}"


def rests_on(
    group: GroupGraphPattern, mu: SolutionMapping, graph: Graph, named: Named
) -> list[Rests]:
    """Return the triples of each triple pattern of a group for this solution.

    The list is empty if they are unknown, as for an inferred triple."""
    return next(_elements(group.elements, dict(mu.items()), _At(graph, named, None)), ([], {}))[0]


@dataclass(frozen=True, slots=True)
class _At:
    """The graph that patterns are matched against."""

    graph: Graph
    named: Named
    name: URIRef | None


_Ways: TypeAlias = Iterator[tuple[list[Rests], Bound]]


def _elements(elements: Sequence[Element], bound: Bound, at: _At) -> _Ways:
    if not elements:
        yield [], bound
        return
    for here, then in _element(elements[0], bound, at):
        for rest, last in _elements(elements[1:], then, at):
            yield here + rest, last


def _element(element: Element, bound: Bound, at: _At) -> _Ways:
    match element:
        case TriplesBlock(triples):
            yield from _block(triples, bound, at)
        case GroupGraphPattern(elements):
            yield from _elements(elements, bound, at)
        case NamedGraphPattern(name, pattern):
            chosen = bound.get(name) if isinstance(name, Variable) else name
            known = at.named.get(chosen, EMPTY_GRAPH)
            inside = _At(known, at.named, chosen if isinstance(chosen, URIRef) else None)
            yield from _elements(pattern.elements, bound, inside)
        case UnionPattern(alternatives):
            for each in alternatives:
                yield from _elements(each.elements, bound, at)
        case OptionalPattern(pattern):
            yield from _elements(pattern.elements, bound, at)
            yield [], bound
        case SubSelect(query):
            # A variable that is not selected is local to the sub-query (18.2.1).
            selected = selected_variables(query)
            inner = {v: value for v, value in bound.items() if v in selected}
            for here, _ in _elements(query.where.elements, inner, at):
                yield here, bound
        case _:  # FILTER, BIND, VALUES and MINUS have no triples of their own
            yield [], bound


def _block(patterns: Sequence[TriplePattern], bound: Bound, at: _At) -> _Ways:
    if not patterns:
        yield [], bound
        return
    for triples, then in _triple(patterns[0], bound, at.graph):
        for rest, last in _block(patterns[1:], then, at):
            yield [Rests(patterns[0], triples, at.name), *rest], last


def _triple(
    pattern: TriplePattern, bound: Bound, graph: Graph
) -> Iterator[tuple[tuple[Triple, ...], Bound]]:
    predicate = pattern.predicate
    if isinstance(predicate, URIRef | Variable):
        for triple in sorted(graph, key=str):
            made = _bind((pattern.subject, predicate, pattern.object), triple, bound)
            if made is not None:
                yield (triple,), made
        return
    path = cast(Path, predicate)
    starts: Iterable[Any] = (pattern.subject,)
    if isinstance(pattern.subject, Variable | BNode):
        nodes = {term for triple in graph for term in triple}  # an axis leads from a link too
        known = bound.get(pattern.subject)
        starts = sorted(nodes, key=str) if known is None else (known,)
    for start in starts:
        for triples, end in _steps(path, start, graph):
            made = _bind((pattern.subject, pattern.object), (start, end), bound)
            if made is not None:
                yield triples, made


def _bind(parts: Sequence[Any], terms: Sequence[Any], bound: Bound) -> Bound | None:
    """Return the bindings under which parts of a pattern match terms; None without a match."""
    made = dict(bound)
    for part, term in zip(parts, terms, strict=True):
        if isinstance(part, Variable | BNode):
            if made.setdefault(part, term) != term:
                return None
        elif part != term:
            return None
    return made


_Steps: TypeAlias = Iterator[tuple[tuple[Triple, ...], Any]]


def _steps(path: Path, start: Any, graph: Graph, *, back: bool = False) -> _Steps:
    """Yield the ends of a path from a node, with its triples; `back` inverts the path."""
    match path:
        case URIRef():
            yield from _links(start, graph, back, lambda predicate: predicate == path)
        case NegatedPropertySet(forward, inverse):
            for way, excluded in ((back, forward), (not back, inverse)):
                if excluded or way == back:
                    yield from _links(start, graph, way, lambda p, no=excluded: p not in no)  # type: ignore[misc]
        case InversePath(inner):
            yield from _steps(inner, start, graph, back=not back)
        case SequencePath(steps):
            yield from _through(steps[::-1] if back else steps, start, graph, back)
        case AlternativePath(alternatives):
            for each in alternatives:
                yield from _steps(each, start, graph, back=back)
        case ZeroOrOnePath(inner):
            yield (), start
            yield from _steps(inner, start, graph, back=back)
        case ZeroOrMorePath(inner):
            yield (), start
            yield from _closure(inner, start, graph, back)
        case OneOrMorePath(inner):
            yield from _closure(inner, start, graph, back)
        case AxisPath():
            yield from _axis(path, start, graph, back)
        case NestedPath(inner, test):
            for tested in _first_path(test, start, graph) if back else [()]:
                for triples, end in _steps(inner, start, graph, back=back):
                    for more in [()] if back else _first_path(test, end, graph):
                        yield (*tested, *triples, *more), end
        case NodeTest(inner, object):
            for triples, end in _steps(inner, start, graph):
                if object in (None, end):
                    yield triples, start
                    return


_TRAVERSED = {Axis.NEXT: (0, 2, 1), Axis.EDGE: (0, 1, 2), Axis.NODE: (1, 2, 0)}
"""The positions in a triple: the start and end of an axis, and the subject of its test."""


def _axis(path: AxisPath, start: Any, graph: Graph, back: bool) -> _Steps:
    """Yield the steps of an nSPARQL axis: axis, axis::a or axis::[exp]."""
    if path.axis is Axis.SELF:
        if path.label in (None, start):
            yield from ((triples, start) for triples in _first_path(path.nested, start, graph))
        return
    first, last, aside = _TRAVERSED[path.axis]
    if path.inverse != back:
        first, last = last, first
    for triple in sorted(graph, key=str):
        if triple[first] == start and path.label in (None, triple[aside]):
            for tested in _first_path(path.nested, triple[aside], graph):
                yield (triple, *tested), triple[last]


def _first_path(path: Path | None, node: Any, graph: Graph) -> list[tuple[Triple, ...]]:
    """Return the triples of one path from a node, in a list; empty if there is none."""
    if path is None:
        return [()]
    return [triples for triples, _ in islice(_steps(path, node, graph), 1)]


def _links(start: Any, graph: Graph, back: bool, fits: Callable[[Any], bool]) -> _Steps:
    for triple in sorted(graph, key=str):
        subject, predicate, object = triple
        here, there = (object, subject) if back else (subject, object)
        if here == start and fits(predicate):
            yield (triple,), there


def _through(steps: Sequence[Path], start: Any, graph: Graph, back: bool) -> _Steps:
    if not steps:
        yield (), start
        return
    for triples, node in _steps(steps[0], start, graph, back=back):
        for more, end in _through(steps[1:], node, graph, back):
            yield triples + more, end


def _closure(path: Path, start: Any, graph: Graph, back: bool) -> _Steps:
    """Yield the nodes that one or more steps reach, each with a shortest path."""
    reached: dict[Any, tuple[Triple, ...]] = {}
    front: list[tuple[tuple[Triple, ...], Any]] = [((), start)]
    while front:
        following = []
        for before, node in front:
            for triples, end in _steps(path, node, graph, back=back):
                if end not in reached:
                    reached[end] = before + triples
                    following.append((reached[end], end))
        front = following
    yield from ((triples, end) for end, triples in reached.items())
