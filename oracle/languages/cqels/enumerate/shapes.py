"""Queries of the further alphabets: windows of several kinds, and what joins their patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from .....semantics.cqels.syntax.tree import (
    CqelsQuery,
    PatternElement,
    TripleSequence,
    WindowClause,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from .....semantics.model.stream_operator import StreamOperator
from .....semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    Projection,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ...enumerated_graphs import EXAMPLE, PROLOGUE

Elements: TypeAlias = tuple[Element, ...]
Body: TypeAlias = Callable[[Sequence[WindowPattern]], Elements]
"""What a WHERE clause makes of its windows' patterns."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One of a query's windows: a function over a stream."""

    function: WindowFunction
    stream: str


def opened(
    functions: Sequence[WindowFunction], streams: Sequence[str] | None = None
) -> tuple[Opening, ...]:
    """Windows of these functions over these streams, or all over one."""
    return tuple(map(Opening, functions, streams or ["s"] * len(functions)))


@dataclass(frozen=True, slots=True)
class QueryShape:
    """A query without the letters of its patterns.

    Each pattern is `{ ?s :A ?o }`; `terms` are s and o of each, of which o may be empty: a variable
    of the letter's own. A sequence inside a window has one window for all its patterns.
    """

    body: Body
    windows: tuple[Opening, ...]
    terms: tuple[tuple[str, str], ...]
    operator: StreamOperator | None = None
    template: tuple[TriplePattern, ...] | None = None
    default: tuple[URIRef, ...] = ()
    named: tuple[URIRef, ...] = ()

    def query(self, word: str) -> CqelsQuery:
        """The query, its patterns written with these letters."""
        blocks = [
            WindowPattern(_name(number), GroupGraphPattern((TriplesBlock((
                _pattern(letter, *terms),
            )),)))
            for number, (letter, terms) in enumerate(zip(word, self.terms, strict=True), start=1)
        ]
        clauses = tuple(
            WindowClause(_name(number), URIRef(EXAMPLE + opening.stream), opening.function)
            for number, opening in enumerate(self.windows, start=1)
        )
        return CqelsQuery(
            _projected(self.template), clauses, GroupGraphPattern(self.body(blocks)),
            default=self.default, named=self.named, prologue=PROLOGUE, template=self.template,
            operator=self.operator,
        )


def _projected(template: Sequence[TriplePattern] | None) -> tuple[Projection, ...] | None:
    """Everything, or the variables of the template."""
    if template is None:
        return None
    terms = (term for each in template for term in (each.subject, each.predicate, each.object))
    return tuple(map(Projection, dict.fromkeys(t for t in terms if isinstance(t, Variable))))


def _name(number: int) -> URIRef:
    return URIRef(f"{EXAMPLE}w{number}")


def _pattern(letter: str, subject: str, object_: str) -> TriplePattern:
    return TriplePattern(
        Variable(subject), URIRef(EXAMPLE + letter), Variable(object_ or letter.lower())
    )


# --- bodies --------------------------------------------------------------------------------------


def joined(blocks: Sequence[WindowPattern]) -> Elements:
    """W1 W2 …"""
    return tuple(blocks)


def optional(blocks: Sequence[WindowPattern]) -> Elements:
    """W1 OPTIONAL { W2 }"""
    first, second = blocks
    return first, OptionalPattern(GroupGraphPattern((second,)))


def minus(blocks: Sequence[WindowPattern]) -> Elements:
    """W1 MINUS { W2 }"""
    first, second = blocks
    return first, MinusPattern(GroupGraphPattern((second,)))


def united(blocks: Sequence[WindowPattern]) -> Elements:
    """{ W1 } UNION { W2 }"""
    return (UnionPattern(tuple(GroupGraphPattern((block,)) for block in blocks)),)


PAIRS: tuple[Body, ...] = (joined, optional, minus, united)


@dataclass(frozen=True, slots=True)
class SequenceBody:
    """SEQ, the element at the place `negated` behind a `!`; over windows or inside the first."""

    negated: int | None
    inside: bool = False

    def __call__(self, blocks: Sequence[WindowPattern]) -> Elements:
        if not self.inside:
            elements = tuple(
                WindowElement(block.name, place == self.negated)
                for place, block in enumerate(blocks)
            )
            return *blocks, WindowSequence(elements)
        return (WindowPattern(blocks[0].name, TripleSequence(tuple(
            PatternElement(group, place == self.negated)
            for place, group in enumerate(group for block in blocks for group in block.groups())
        ))),)


def sequences(elements: int, *, inside: bool = False) -> Iterator[SequenceBody]:
    """Every sequence of so many elements, one of them negated or none."""
    for negated in (None, *range(elements)):
        yield SequenceBody(negated, inside)


def namings(places: int) -> Iterator[tuple[str, ...]]:
    """Every way to put variables at so many places, each of them new or known."""
    names = "xyzuvw"

    def longer(before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if len(before) == places:
            yield before
            return
        for name in names[: len(set(before)) + 1]:
            yield from longer((*before, name))

    yield from longer(())
