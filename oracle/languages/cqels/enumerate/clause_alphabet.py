"""The alphabet `clauses`: groups in groups, FILTER, BIND and CONSTRUCT."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from .....semantics.cqels.syntax.tree import (
    AllWindow,
    RangeWindow,
    Span,
    WindowFunction,
    WindowPattern,
)
from .....semantics.rdf.syntax.tree import (
    Bind,
    Comparison,
    Element,
    Expression,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    TriplePattern,
    UnionPattern,
)
from ...enumerated_graphs import EXAMPLE
from ...enumeration import Bounds
from .further_alphabets import ONE, FurtherAlphabet, Only, ShapeGroup
from .item_streams import EndTimes
from .shapes import PAIRS, Body, Elements, QueryShape, joined, namings, opened

_Part: TypeAlias = tuple[Element, ...]
_Join: TypeAlias = Callable[[_Part, _Part], _Part]


def _group(part: Sequence[Element]) -> GroupGraphPattern:
    return GroupGraphPattern(tuple(part))


def _both(first: _Part, second: _Part) -> _Part:
    return *first, *second


def _optional(first: _Part, second: _Part) -> _Part:
    return *first, OptionalPattern(_group(second))


def _minus(first: _Part, second: _Part) -> _Part:
    return *first, MinusPattern(_group(second))


def _united(first: _Part, second: _Part) -> _Part:
    return (UnionPattern((_group(first), _group(second))),)


_JOINS: tuple[_Join, ...] = (_both, _optional, _minus, _united)


_X, _Y, _Z = map(Variable, "xyz")
_CONDITIONS: tuple[Expression, ...] = (Comparison("=", _X, _Y), Comparison("!=", _X, _Y))
_APART = (("x", ""), ("y", ""))
"""?x :A ?a and ?y :B ?b"""
_TEMPLATES = tuple(
    (TriplePattern(_X, URIRef(EXAMPLE + "found"), Variable(found)),) for found in "xy"
)


@dataclass(frozen=True, slots=True)
class _Three:
    """Three patterns, the last two or the first two in a group of their own."""

    outer: _Join
    inner: _Join
    first: bool

    def __call__(self, blocks: Sequence[WindowPattern]) -> Elements:
        one, two, three = ((block,) for block in blocks)
        if self.first:
            return self.outer(self.inner(one, two), three)
        return self.outer(one, self.inner(two, three))


@dataclass(frozen=True, slots=True)
class _Filtered:
    """Two patterns, and conditions at the end of the OPTIONAL or of all."""

    join: _Join
    conditions: tuple[Expression, ...]
    inside: bool

    def __call__(self, blocks: Sequence[WindowPattern]) -> Elements:
        filters = tuple(map(Filter, self.conditions))
        one, two = ((block,) for block in blocks)
        if self.inside:
            return self.join(one, (*two, *filters))
        return *self.join(one, two), *filters


@dataclass(frozen=True, slots=True)
class _Bound:
    """One pattern or two, and BIND behind the first or behind both."""

    behind: int

    def __call__(self, blocks: Sequence[WindowPattern]) -> Elements:
        return *blocks[: self.behind], Bind(_X, _Z), *blocks[self.behind:]


def _clauses(operators: int, bounds: Bounds) -> Iterator[ShapeGroup]:
    function: WindowFunction = (
        AllWindow() if bounds.within is None else RangeWindow(Span(bounds.within))
    )

    def shape(body: Body, terms: Sequence[tuple[str, str]]) -> QueryShape:
        return QueryShape(body, opened((function,) * len(terms)), tuple(terms))

    def group(patterns: int, shapes: Iterator[QueryShape]) -> ShapeGroup:
        return ShapeGroup(patterns, tuple(shapes), Only(EndTimes(bounds.within), 2))

    def of_two() -> Iterator[QueryShape]:
        if operators == 1:
            yield from (shape(body, terms) for body in PAIRS for terms in (ONE * 2, _APART))
        if operators in (2, 3):
            for conditions in product(_CONDITIONS, repeat=operators - 1):
                for join in _JOINS:
                    yield shape(_Filtered(join, conditions, False), _APART)
                yield shape(_Filtered(_optional, conditions, True), _APART)
        if operators == 2:
            for behind, last in product((1, 2), "xyz"):
                if (behind, last) != (2, "z"):  # BIND may not name what is bound
                    yield shape(_Bound(behind), (("x", ""), (last, "")))
            for body, template, terms in product(PAIRS, _TEMPLATES, (ONE * 2, _APART)):
                yield replace(shape(body, terms), template=template)

    def of_three() -> Iterator[QueryShape]:
        names = [tuple((name, "") for name in each) for each in namings(3)]
        for first, outer, inner, terms in product((True, False), _JOINS, _JOINS, names):
            if first or inner is not _both:  # which says the same as without a group
                yield shape(_Three(outer, inner, first), terms)

    if operators == 0:
        yield group(1, iter([shape(joined, ONE)]))
    if operators == 1:
        yield group(1, iter([
            shape(_Bound(1), ONE), replace(shape(joined, ONE), template=_TEMPLATES[0])
        ]))
    if operators in (1, 2, 3):
        yield group(2, of_two())
    if operators == 2:
        yield group(3, of_three())


CLAUSES = FurtherAlphabet(
    "clauses",
    "in CQELS-CEP: three patterns in groups, and FILTER of one or two comparisons of variables, at "
    "the end or in OPTIONAL, BIND, and CONSTRUCT, each of them an operator; two nodes",
    _clauses,
)
