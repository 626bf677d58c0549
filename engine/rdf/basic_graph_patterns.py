"""Basic graph patterns, paths included: one step a triple, in an order chosen beforehand.

Property paths are relations between nodes (SPARQL 1.1 Query, 9 and 18.4). A relation gives, for a
node, the bag of nodes that the path leads to, forward and backward. Links, sequences, alternatives
and negated sets count every way; `*`, `+` and `?` count each node once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TypeAlias

from ...semantics.model.errors import Impossible
from ...semantics.model.terms import BNode, Literal, Term, URIRef, Variable
from ...semantics.model.trees import changed
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    AxisPath,
    InversePath,
    NegatedPropertySet,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    Path,
    SequencePath,
    TriplePattern,
    TriplesBlock,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from .data.dictionary import UNBOUND, Dictionary
from .data.graphs import IndexedGraph
from .data.layout import IdRow, Layout, Rows, Step, in_order, inject, rearrange
from .data.triples import EncodedPattern, Place
from .nested_regex import Reach, compile_navigation, navigates, one_or_more, self_labels
from .variables import possible


@dataclass(frozen=True, slots=True)
class Relation:
    """The nodes that a path leads to from a node, and those from which it leads to a node."""

    forward: Reach
    backward: Reach
    everywhere: frozenset[int] | None = None
    """if it is one of all terms of a graph, predicates too (nSPARQL), and of these constants"""
    nowhere: int = 0
    """in how many ways it leads from a constant that is no node of a graph to that constant"""


def compile_path(path: Path, encode: Callable[[Term], int]) -> Relation:
    """Return the relation of a path; `encode` gives the ids of its terms."""
    path = changed(path, _closed_once)
    if navigates(path):
        constants = frozenset(map(encode, self_labels(path)))
        return Relation(*compile_navigation(path, encode), everywhere=constants)
    return replace(_compile_path(path, encode), nowhere=_nowhere(path, ends=2))


def _closed_once(path: Path) -> Path:
    """Return an equal path in which nothing is closed that a closure around it closes again.

    (P*)*, (P*)+, (P+)?, … are P*. Evaluated as it stands, each `*` in a `*` would multiply the
    steps by the number of nodes.
    """
    match path:
        case ZeroOrMorePath(inner):
            return ZeroOrMorePath(_step_of(inner)[0])
        case OneOrMorePath(inner):
            step, maybe_none = _step_of(inner)
            return ZeroOrMorePath(step) if maybe_none else OneOrMorePath(step)
        case ZeroOrOnePath(ZeroOrMorePath() | ZeroOrOnePath() as inner):
            return inner
        case ZeroOrOnePath(OneOrMorePath(inner)):
            return ZeroOrMorePath(inner)
    return path


def _step_of(path: Path) -> tuple[Path, bool]:
    """Return a path with the closure of this one, and whether this one may have no step."""
    match path:
        case ZeroOrMorePath(inner) | ZeroOrOnePath(inner):
            return _step_of(inner)[0], True
        case OneOrMorePath(inner):
            return _step_of(inner)
        case InversePath(inner):
            step, maybe_none = _step_of(inner)
            return InversePath(step), maybe_none
        case AlternativePath(alternatives):
            steps, maybe_none_each = zip(*map(_step_of, alternatives), strict=True)
            return AlternativePath(steps), any(maybe_none_each)
    return path, False


def _nowhere(path: Path, ends: int) -> int:
    """Return in how many ways a path leads from a term outside the graph to itself.

    One end of it is a constant, or both are (18.4). Between two steps stands a variable, which each
    of the two may bind to the constant at its other end.
    """
    match path:
        case InversePath(inner):
            return _nowhere(inner, ends)
        case AlternativePath(alternatives):
            return sum(_nowhere(each, ends) for each in alternatives)
        case SequencePath((first, second)) if ends == 2:
            return _nowhere(first, 1) * _nowhere(second, 1)
        case ZeroOrOnePath() | ZeroOrMorePath():
            return 1
        case OneOrMorePath(inner):
            return min(_nowhere(inner, 1), 1)
        case NestedPath(inner, test):
            return _nowhere(inner, ends) if _nowhere(test, 1) else 0
    return 0


def _compile_path(path: Path, encode: Callable[[Term], int]) -> Relation:
    match path:
        case URIRef():
            return _link(encode(path))
        case InversePath(inner):
            relation = _compile_path(inner, encode)
            return Relation(relation.backward, relation.forward)
        case SequencePath(steps):
            relations = [_compile_path(step, encode) for step in steps]
            return Relation(
                _composed([each.forward for each in relations]),
                _composed([each.backward for each in reversed(relations)]),
            )
        case AlternativePath(alternatives):
            relations = [_compile_path(each, encode) for each in alternatives]
            return Relation(
                _joined([each.forward for each in relations]),
                _joined([each.backward for each in relations]),
            )
        case ZeroOrOnePath(inner):
            return _both(_compile_path(inner, encode), _zero_or_one)
        case ZeroOrMorePath(inner):
            return _both(_compile_path(inner, encode), _zero_or_more)
        case OneOrMorePath(inner):
            return _both(_compile_path(inner, encode), one_or_more)
        case NegatedPropertySet(forward, inverse):
            return _negated(
                frozenset(map(encode, forward)), frozenset(map(encode, inverse))
            )
        case NestedPath(inner, test):
            return _tested(_compile_path(inner, encode), _compile_path(test, encode))
        case NodeTest(inner, object_):
            wanted = None if object_ is None else encode(object_)
            return _staying(_compile_path(inner, encode), wanted)
        case AxisPath():
            raise Impossible("a path with an axis is a nested regular expression")


def _tested(relation: Relation, test: Relation) -> Relation:
    """elt[elt]: as often as the first, where a path of the second begins."""

    def begins(graph: IndexedGraph, node: int) -> bool:
        return any(True for _ in test.forward(graph, node))

    return Relation(
        lambda graph, node: [
            found for found in relation.forward(graph, node) if begins(graph, found)
        ],
        lambda graph, node: relation.backward(graph, node) if begins(graph, node) else (),
    )


def _staying(relation: Relation, wanted: int | None) -> Relation:
    """[path] and [path object]: at a node of the graph where such a path begins."""

    def stay(graph: IndexedGraph, node: int) -> Iterable[int]:
        if node not in graph.nodes:
            return ()
        found = relation.forward(graph, node)
        holds = any(True for _ in found) if wanted is None else wanted in found
        return (node,) if holds else ()

    return Relation(stay, stay)


def _both(relation: Relation, closure: Callable[[Reach], Reach]) -> Relation:
    return Relation(closure(relation.forward), closure(relation.backward))


def _link(predicate: int) -> Relation:
    return Relation(
        lambda graph, node: graph.objects(predicate).get(node, ()),
        lambda graph, node: graph.subjects(predicate).get(node, ()),
    )


def _composed(reaches: list[Reach]) -> Reach:
    def reach(graph: IndexedGraph, node: int) -> Iterable[int]:
        current: Iterable[int] = [node]
        for number, step in enumerate(reaches):
            if number:
                # Between two steps stands a variable, which a zero-length path binds to a node of
                # the graph, or to a constant at its other end: but see `_nowhere`.
                current = [each for each in current if each in graph.nodes]
            current = [found for each in current for found in step(graph, each)]
        return current

    return reach


def _joined(reaches: list[Reach]) -> Reach:
    return lambda graph, node: [found for each in reaches for found in each(graph, node)]


def _zero_or_one(step: Reach) -> Reach:
    return lambda graph, node: {node, *step(graph, node)}


def _zero_or_more(step: Reach) -> Reach:
    further = one_or_more(step)
    return lambda graph, node: {node, *further(graph, node)}


def _negated(forward: frozenset[int], inverse: frozenset[int]) -> Relation:
    """!(…): any triple with another predicate; read backward only if inverse links are listed."""

    def along(graph: IndexedGraph, node: int) -> list[int]:
        return [o for _, p, o in graph.by_subject.get(node, ()) if p not in forward]

    def against(graph: IndexedGraph, node: int) -> list[int]:
        return [s for s, p, _ in graph.by_object.get(node, ()) if p not in forward]

    def inverse_along(graph: IndexedGraph, node: int) -> list[int]:
        return [s for s, p, _ in graph.by_object.get(node, ()) if p not in inverse]

    def inverse_against(graph: IndexedGraph, node: int) -> list[int]:
        return [o for _, p, o in graph.by_subject.get(node, ()) if p not in inverse]

    if not inverse:
        return Relation(along, against)
    if not forward:
        return Relation(inverse_along, inverse_against)
    return Relation(_joined([along, inverse_along]), _joined([against, inverse_against]))


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A triple pattern whose predicate is a path, over ids."""

    subject: Place
    relation: Relation
    object: Place
    substitutes: bool = False
    """An injected value is a constant."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of appearance."""
        places = (self.subject, self.object)
        return tuple(dict.fromkeys(place for place in places if isinstance(place, Variable)))

    def selectivity(self, known: Container[Variable]) -> int:
        """Return the selectivity as for triple patterns; a path with two open ends comes last."""
        ends = (self.subject, self.object)
        return 4 * sum(not isinstance(end, Variable) or end in known for end in ends) - 1

    def compiled(self, layout: Layout) -> tuple[Step, Layout]:
        """Return the step that extends rows of the layout by the path's matches."""
        injection, layout = inject(self.variables, layout)
        after = layout.extended(self.variables, self.variables)
        padding = (UNBOUND,) * (after.width - layout.width)
        given = after.injected if self.substitutes else ()
        start = _end(self.subject, after, given)
        stop = _end(self.object, after, given)
        relation = self.relation

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            out: Rows = []
            for row in rows:
                _extend(graph, relation, start, stop, row + padding, out)
            return out

        return in_order([injection, step]), after


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a path: a column, or -1 and a constant.

    A zero-length path matches a constant that is no node of the graph, but not a variable: not
    even one that the rows at hand bind, for the path's own solutions bind it to nodes only.
    """

    column: int
    constant: int
    fixed: bool
    """True if it is a constant, or a variable that counts as one."""

    def value(self, row: IdRow) -> int:
        return self.constant if self.column < 0 else row[self.column]


def _end(place: Place, layout: Layout, given: Collection[Variable]) -> _End:
    if isinstance(place, Variable):
        return _End(layout.column(place), UNBOUND, place in given)
    return _End(-1, place, True)


def _extend(
    graph: IndexedGraph, relation: Relation, start: _End, stop: _End, row: IdRow, out: Rows
) -> None:
    first, last = start.value(row), stop.value(row)
    if relation.everywhere is not None:
        _extend_everywhere(graph, relation, start, stop, row, out)
    elif start.fixed and stop.fixed and first == last and first not in graph.nodes:
        out.extend([row] * relation.nowhere)
    elif first and (start.fixed or stop.fixed or first in graph.nodes):
        if start.fixed or not stop.fixed:
            found = relation.forward(graph, first)
            if last:
                out.extend([row] * sum(node == last for node in found))
            else:
                out.extend([_with(row, stop.column, node) for node in found])
        else:
            found = relation.backward(graph, last)
            out.extend([row] * sum(node == first for node in found))
    elif first:
        return
    elif last:
        if stop.fixed or last in graph.nodes:
            found = relation.backward(graph, last)
            out.extend([_with(row, start.column, node) for node in found])
    else:
        for node in graph.nodes:
            for other in relation.forward(graph, node):
                if start.column != stop.column:
                    out.append(_with(_with(row, start.column, node), stop.column, other))
                elif node == other:
                    out.append(_with(row, start.column, node))


def _extend_everywhere(
    graph: IndexedGraph, relation: Relation, start: _End, stop: _End, row: IdRow, out: Rows
) -> None:
    first, last = start.value(row), stop.value(row)
    if first:
        found = set(relation.forward(graph, first))
        if last:
            out.extend([row] if last in found else [])
        elif start.column == stop.column:
            out.extend([row] if first in found else [])
        else:
            out.extend([_with(row, stop.column, term) for term in found])
    elif last:
        out.extend(
            [_with(row, start.column, term) for term in set(relation.backward(graph, last))]
        )
    else:
        for term in graph.vocabulary.union(relation.everywhere or ()):
            for other in set(relation.forward(graph, term)):
                if start.column != stop.column:
                    out.append(_with(_with(row, start.column, term), stop.column, other))
                elif term == other:
                    out.append(_with(row, start.column, term))


def _with(row: IdRow, column: int, value: int) -> IdRow:
    return (*row[:column], value, *row[column + 1 :])


Item: TypeAlias = EncodedPattern | PathPattern
"""An operand of a basic graph pattern's join."""


class BlockCompiler:
    """Compiles basic graph patterns for one dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._count = 0

    def steps(
        self, triples: tuple[TriplePattern, ...], layout: Layout
    ) -> Iterator[tuple[Step, Layout]]:
        """Yield the steps of a basic graph pattern, one per triple, the most selective first."""
        visible = frozenset((*layout.columns, *possible(TriplesBlock(triples))))
        ordered = self.ordered(triples, layout)
        for number, pattern in enumerate(ordered, 1):
            step, layout = pattern.compiled(layout)
            if number == len(ordered) and not visible.issuperset(layout.columns):
                step, layout = _restricted(step, layout, visible)
            yield step, layout

    def ordered(self, triples: Iterable[TriplePattern], layout: Layout) -> list[Item]:
        """Return the patterns to join: each is the most selective one behind those before it.

        Among equals the written order is kept.
        """
        patterns = [pattern for triple in triples for pattern in self._encoded(triple)]
        order = JoinOrder(
            [pattern.variables for pattern in patterns],
            lambda number, known: patterns[number].selectivity(known),
        )
        return [patterns[n] for n in order.starting_with({*layout.columns, *layout.injected})]

    def _encoded(self, triple: TriplePattern) -> Iterator[Item]:
        """Yield the pattern over ids; a blank node becomes a variable that no query can name."""
        subject, obj = self._place(triple.subject), self._place(triple.object)
        if isinstance(triple.predicate, Variable):
            yield EncodedPattern(subject, triple.predicate, obj)
        elif isinstance(triple.predicate, (Literal, BNode)):
            raise Impossible("a predicate that the grammar does not have")
        else:
            yield from self._path(subject, triple.predicate, obj)

    def _path(self, subject: Place, path: Path, obj: Place) -> Iterator[Item]:
        """Yield paths as triple patterns where they are equivalent (18.2.2.4)."""
        match path:
            case _ if navigates(path):
                yield self._relation(subject, path, obj)
            case URIRef():
                yield EncodedPattern(subject, self._constant(path), obj)
            case InversePath(inner):
                yield from self._path(obj, inner, subject)
            case SequencePath(steps):
                places = [subject, *(self._hidden() for _ in steps[1:]), obj]
                for start, step, end in zip(places, steps, places[1:], strict=False):
                    yield from self._path(start, step, end)
            case _:
                yield self._relation(subject, path, obj)

    def _relation(self, subject: Place, path: Path, obj: Place) -> PathPattern:
        relation = compile_path(path, self._constant)
        return PathPattern(subject, relation, obj, self.dictionary.substitutes)

    def _hidden(self) -> Variable:
        """Return a new variable that no query can name."""
        self._count += 1
        return Variable(f".{self._count}")

    def _constant(self, term: Term) -> int:
        """Return the id of a constant of the query."""
        return self.dictionary.encode(term, permanent=True)

    def _place(self, term: Term | Variable) -> Place:
        """Return a position of a triple pattern."""
        if isinstance(term, Variable):
            return term
        if isinstance(term, BNode):
            return Variable(f"_:{term}")
        return self._constant(term)


class JoinOrder:
    """In which order patterns are joined: each is the most selective one of those left.

    Among equals the first is. `selectivity` of a pattern's number grows with the known variables.
    """

    def __init__(
        self,
        variables: Sequence[Iterable[Variable]],
        selectivity: Callable[[int, Container[Variable]], int],
    ) -> None:
        self._variables = variables
        self._selectivity = selectivity
        self._mentions: dict[Variable, list[int]] = {}
        for number, each in enumerate(variables):
            for variable in each:
                self._mentions.setdefault(variable, []).append(number)
        self._alone = sorted((-selectivity(n, ()), n) for n in range(len(variables)))

    def starting_with(self, known: set[Variable], but: int | None = None) -> Iterator[int]:
        """Yield the patterns' numbers when these variables are known; one pattern can be left out.

        `known` gains the variables of each number that is returned.
        """
        done = set() if but is None else {but}
        queue: list[tuple[int, int]] = []
        self._queue(queue, known, known, done)
        alone = iter(self._alone)
        following = next(alone, None)
        while queue or following is not None:
            # A pattern is queued again when it becomes more selective; its first entry counts.
            if following is None or (queue and queue[0] < following):
                _, number = heappop(queue)
            else:
                _, number = following
                following = next(alone, None)
            if number in done:
                continue
            done.add(number)
            yield number
            new = [each for each in self._variables[number] if each not in known]
            known.update(new)
            self._queue(queue, new, known, done)

    def _queue(
        self, queue: list[tuple[int, int]], new: Iterable[Variable], known: set[Variable],
        done: set[int],
    ) -> None:
        for variable in new:
            for number in self._mentions.get(variable, ()):
                if number not in done:
                    heappush(queue, (-self._selectivity(number, known), number))


def _restricted(
    step: Step, layout: Layout, visible: frozenset[Variable]
) -> tuple[Step, Layout]:
    kept = tuple(column for column in layout.columns if column in visible)
    arrange = rearrange(layout, kept)
    after = Layout(kept, layout.certain.intersection(kept), layout.injected)
    return (lambda graph, rows: arrange(step(graph, rows))), after
