"""The model of a query (CQELS-CEP section 3.2): W, TSP and EC, as the WHERE clause has them.

The paper's WHERE clause is a set of event clauses {EC1, …, ECm} and a graph pattern P (`printed`).
Here it is any group of SPARQL 1.1 whose elements may be event clauses, translated to SPARQL's
algebra (18.2.2.6). A pattern that names no stream stays one pattern on the background.
"""

# The operators of SPARQL's algebra are declared over SPARQL's own; here they hold ours too.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeAlias, TypeVar

from rdflib.term import URIRef

from ..model.trees import remembering
from ..rdf import algebra as a
from ..rdf import translation
from ..rdf.syntax import tree as s
from .syntax.analysis import blocks, holds_windows
from .syntax.tree import CqelsQuery, TripleSequence, WindowFunction, WindowPattern, WindowSequence

X = TypeVar("X")


@dataclass(frozen=True, slots=True)
class Seq(Generic[X]):
    """SEQ(X1, …, Xi−1, !Xi, Xi+1, …, Xn): `before`, `negated` and `after`.

    SEQ(X1, …, Xn), without a negated element, has X1, …, Xn in `before`.
    """

    before: tuple[X, ...]
    negated: X | None = None
    after: tuple[X, ...] = ()


@dataclass(frozen=True, slots=True)
class TSP:
    """A triple sequence pattern, Pj or SEQ(P1, …, !Pi, …, Pℓ), and the filters that follow it."""

    pattern: s.GroupGraphPattern | Seq[s.GroupGraphPattern]
    filters: tuple[s.Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowSpecification:
    """W = (s, ω, TSP)."""

    stream: URIRef
    omega: WindowFunction
    tsp: TSP


EventClause: TypeAlias = WindowSpecification | Seq[WindowSpecification]
"""EC: W, or SEQ(W1, …, !Wi, …, Wn)"""


@dataclass(frozen=True, slots=True)
class BackgroundPattern:
    """P, a pattern on the background data D."""

    pattern: a.Algebra


Where: TypeAlias = a.Algebra | EventClause | BackgroundPattern


def seq(elements: list[tuple[X, bool]]) -> Seq[X]:
    """SEQ of its elements, each with whether it is negated: one is at most."""
    for i, (element, negated) in enumerate(elements):
        if negated:
            before, after = elements[:i], elements[i + 1 :]
            return Seq(tuple(x for x, _ in before), element, tuple(x for x, _ in after))
    return Seq(tuple(x for x, _ in elements))


def window_specification(block: WindowPattern, query: CqelsQuery) -> WindowSpecification:
    """WINDOW w { TSP }, with s and ω from FROM NAMED WINDOW w ON s [ω]"""
    clause = query.window(block.name)
    match block.body:
        case TripleSequence(elements, filters):
            tsp = TSP(seq([(each.pattern, each.negated) for each in elements]), filters)
        case pattern:
            tsp = TSP(pattern)
    return WindowSpecification(clause.stream, clause.function, tsp)


def event_clause(
    element: WindowPattern | WindowSequence,
    named: Mapping[URIRef, WindowPattern],
    query: CqelsQuery,
) -> EventClause:
    """Return a WINDOW block, or a sequence of the blocks that it names."""
    match element:
        case WindowPattern():
            return window_specification(element, query)
        case WindowSequence(elements):
            return seq([
                (window_specification(named[each.name], query), each.negated) for each in elements
            ])


@remembering
def translated(query: CqelsQuery) -> Where:
    """Return the WHERE clause: EC and P, and what else SPARQL makes of them."""

    def translate(group: s.GroupGraphPattern) -> Where:
        if not holds_windows(group):
            return BackgroundPattern(translation.translate(group))
        named = blocks(group)

        def with_element(before: Where, element: s.Element) -> Where:
            match element:
                case WindowPattern(name) if name in named:
                    return before
                case WindowPattern() | WindowSequence():
                    return translation.join(before, event_clause(element, named, query))
                case s.OptionalPattern() | s.MinusPattern() | s.UnionPattern() | s.Bind():
                    return translation.followed_by(before, element, translate)
            pattern = translation.translate(s.GroupGraphPattern((element,)))
            return translation.join(before, BackgroundPattern(pattern))

        return translation.translate(group, with_element)

    return translate(query.where)


@remembering
def printed(pattern: Where) -> tuple[tuple[EventClause, ...], BackgroundPattern | None] | None:
    """{EC1, …, ECm} and P, if the WHERE clause is as the paper has it; P may be absent."""
    clauses: list[EventClause] = []
    patterns: list[a.Algebra] = []
    for part in _joined(pattern):
        match part:
            case WindowSpecification() | Seq():
                clauses.append(part)
            case BackgroundPattern(P):
                patterns.append(P)
            case a.BGP(()):
                pass
            case _:
                return None
    return tuple(clauses), BackgroundPattern(reduce(a.Join, patterns)) if patterns else None


def _joined(pattern: Where) -> Iterator[Where]:
    match pattern:
        case a.Join(left, right):
            yield from _joined(left)
            yield from _joined(right)
        case _:
            yield pattern
