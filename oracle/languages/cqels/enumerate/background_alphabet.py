"""The alphabet `background`: graphs beside the streams, which may change, and FROM and GRAPH."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rdflib.term import URIRef, Variable

from .....semantics.cqels.syntax.tree import (
    AllWindow,
    RangeWindow,
    Span,
    WindowFunction,
    WindowPattern,
)
from .....semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ...enumerated_graphs import EXAMPLE, OTHER
from ...enumeration import Bounds
from .further_alphabets import ONE, FurtherAlphabet, ShapeGroup
from .item_streams import Background, EndTimes, ItemSort, Kind
from .shapes import Body, Elements, QueryShape, joined, opened, sequences

_KNOWN = TriplePattern(Variable("x"), URIRef(EXAMPLE + "K"), Variable("k"))
_FURTHER = TriplePattern(Variable("k"), URIRef(EXAMPLE + "L"), Variable("l"))
_D, _E = (URIRef(EXAMPLE + name) for name in "de")

_DATASETS: tuple[tuple[tuple[URIRef, ...], tuple[URIRef, ...]], ...] = (
    ((), ()), ((_D,), ()), ((_D, _E), ()), ((), (_D,)), ((_D,), (_E,)), ((), (_D, _E)),
)
"""FROM and FROM NAMED"""

_BACKGROUNDS: tuple[Background, ...] = (
    (("d", ((None, "0"),)), ("e", ((None, "1"),))),
    (("d", ((None, "0"),)), ("e", ((None, ""),))),
    (("d", ((2, "0"),)), ("e", ((None, "1"),))),
    (("d", ((1, "0"), (2, "1"))), ("e", ((None, "0"),))),
    (("d", ((1, "0"), (3, "01"))), ("e", ((2, "1"),))),
)
"""Two graphs: fixed, or one or both of them changing while items come."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A window's pattern, or two joined or in sequence, and how the background stands by it."""

    windows: Body
    how: str
    background: Element

    def __call__(self, blocks: Sequence[WindowPattern]) -> Elements:
        before, behind = self.windows(blocks), (self.background,)
        group = GroupGraphPattern(behind)
        match self.how:
            case "joined":
                return *before, *behind
            case "optional":
                return *before, OptionalPattern(group)
            case "minus":
                return *before, MinusPattern(group)
            case "united":
                return (UnionPattern((GroupGraphPattern(before), group)),)
        return *behind, *(OptionalPattern(GroupGraphPattern((each,))) for each in before)


_TRIPLES = TriplesBlock((_KNOWN,)), TriplesBlock((_KNOWN, _FURTHER))
_GRAPHS: tuple[Element, ...] = tuple(
    NamedGraphPattern(name, GroupGraphPattern(_TRIPLES[:1])) for name in (Variable("g"), _D)
)


def _bodies(operators: int) -> Iterator[Body]:
    """The background is an operator, and so is each window beyond the first."""
    if operators == 0:
        yield joined
    elif operators == 1:
        for how in ("joined", "optional", "minus", "united", "first"):
            yield from (_Placed(joined, how, each) for each in (*_TRIPLES, *_GRAPHS))
    else:
        together: tuple[Body, ...] = joined, *sequences(operators)
        for windows in together:
            yield from (_Placed(windows, "joined", each) for each in (_TRIPLES[0], _GRAPHS[0]))


def _background(operators: int, bounds: Bounds) -> Iterator[ShapeGroup]:
    windows = max(operators, 1)
    width = 1 if bounds.within is None else bounds.within
    functions: tuple[WindowFunction, ...] = AllWindow(), RangeWindow(Span(width))
    shapes = tuple(
        replace(
            QueryShape(body, opened((function,) * windows), ONE * windows),
            default=default, named=named,
        )
        for body in _bodies(operators) for function in functions for default, named in _DATASETS
    )
    for background in _BACKGROUNDS if operators else _BACKGROUNDS[:1]:
        yield ShapeGroup(windows, shapes, _Beside(background))


@dataclass(frozen=True, slots=True)
class _Beside:
    """Items of the letters that the query names, one of others, and graphs beside them."""

    background: Background

    def __call__(self, letters: str) -> ItemSort:
        kinds = tuple(Kind("s", letter) for letter in letters + OTHER)
        return ItemSort(kinds, EndTimes(), 2, background=self.background)


BACKGROUND = FurtherAlphabet(
    "background",
    "in CQELS-CEP: windows are [ALL] or [RANGE N], beside two background graphs, fixed ones or "
    "such that change while items come; FROM, FROM NAMED and GRAPH; the background is an operator",
    _background,
)
