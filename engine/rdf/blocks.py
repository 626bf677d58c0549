"""Basic graph patterns, paths included: one step a triple, in an order chosen beforehand."""

from __future__ import annotations

from collections.abc import Iterator
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
from .navigation import navigates
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
        waiting = self.patterns(triples)
        visible = (*layout.columns, *possible(TriplesBlock(triples)))
        while waiting:
            # max() keeps the written order among equals.
            known = layout
            best = max(waiting, key=lambda pattern: pattern.selectivity(known))
            waiting.remove(best)
            step, layout = best.compiled(layout)
            if not waiting and any(column not in visible for column in layout.columns):
                step, layout = _restricted(step, layout, visible)
            yield step, layout

    def patterns(self, triples: tuple[TriplePattern, ...]) -> list[Item]:
        """What a basic graph pattern is joined from, as it is written."""
        return [pattern for triple in triples for pattern in self._encoded(triple)]

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


def _restricted(
    step: Step, layout: Layout, visible: tuple[Variable, ...]
) -> tuple[Step, Layout]:
    kept = tuple(column for column in layout.columns if column in visible)
    arrange = rearrange(layout, kept)
    after = Layout(kept, layout.certain.intersection(kept), layout.injected)
    return (lambda graph, rows: arrange(step(graph, rows))), after
