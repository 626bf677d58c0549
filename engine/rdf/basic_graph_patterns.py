"""Basic graph patterns, paths included: one step a triple, in an order chosen beforehand."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from ...semantics.model.errors import Impossible
from ...semantics.model.terms import BNode, Literal, Term, URIRef, Variable
from ...semantics.rdf.syntax.tree import (
    InversePath,
    Path,
    SequencePath,
    TriplePattern,
    TriplesBlock,
)
from .data.dictionary import Dictionary
from .data.layout import Layout, Step, rearrange
from .data.triples import EncodedPattern, Place
from .nested_regex import navigates
from .paths import PathPattern, compile_path
from .variables import possible

Item: TypeAlias = EncodedPattern | PathPattern
"""What a basic graph pattern is joined from."""


class BlockCompiler:
    """Compiles basic graph patterns for one dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._count = 0

    def steps(
        self, triples: tuple[TriplePattern, ...], layout: Layout
    ) -> Iterator[tuple[Step, Layout]]:
        """A basic graph pattern, one step a triple, the most selective first."""
        visible = frozenset((*layout.columns, *possible(TriplesBlock(triples))))
        ordered = self.ordered(triples, layout)
        for number, pattern in enumerate(ordered, 1):
            step, layout = pattern.compiled(layout)
            if number == len(ordered) and not visible.issuperset(layout.columns):
                step, layout = _restricted(step, layout, visible)
            yield step, layout

    def ordered(self, triples: Iterable[TriplePattern], layout: Layout) -> list[Item]:
        """The patterns to join: each is the most selective one behind those before it.

        Among equals the written order is kept.
        """
        patterns = [pattern for triple in triples for pattern in self._encoded(triple)]
        order = JoinOrder(
            [pattern.variables for pattern in patterns],
            lambda number, known: patterns[number].selectivity(known),
        )
        return [patterns[n] for n in order.starting_with({*layout.columns, *layout.injected})]

    def _encoded(self, triple: TriplePattern) -> Iterator[Item]:
        """The pattern over ids; a blank node becomes a variable that no query can name."""
        subject, obj = self._place(triple.subject), self._place(triple.object)
        if isinstance(triple.predicate, Variable):
            yield EncodedPattern(subject, triple.predicate, obj)
        elif isinstance(triple.predicate, (Literal, BNode)):
            raise Impossible("a predicate that the grammar does not have")
        else:
            yield from self._path(subject, triple.predicate, obj)

    def _path(self, subject: Place, path: Path, obj: Place) -> Iterator[Item]:
        """Paths as triple patterns where that is what they mean (18.2.2.4)."""
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
        """A new variable that no query can name."""
        self._count += 1
        return Variable(f".{self._count}")

    def _constant(self, term: Term) -> int:
        """The id of a constant of the query."""
        return self.dictionary.encode(term, permanent=True)

    def _place(self, term: Term | Variable) -> Place:
        """A position of a triple pattern."""
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
        """The patterns' numbers when these variables are known; one pattern can be left out.

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
