"""FILTER on tuples with attributes: with every predicate of the language, or with every condition.

`predicates` has one formula and one variable, A FILTER A[P]; `conditions` a few predicates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from string import ascii_uppercase

from rdflib.term import URIRef

from .....semantics.ceql.syntax.tree import (
    CeqlQuery,
    Contiguous,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    NotFormula,
    Predicate,
    Sequence,
)
from .....semantics.model.trees import changed, find
from .....semantics.model.tuples import EventTuple
from ....ranks.chosen_letters import ChosenLetters
from ....ranks.families import Family
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one
from ...enumeration import Bounds
from ..alphabets import PREDICATES
from .over_tuples import OverTuples
from .predicates import OF_ALL_KINDS, OF_TWO_ATTRIBUTES, Gap, conditions
from .tuple_streams import STREAM

_STREAM = URIRef(STREAM)
_A, _B = EventType("A"), EventType("B")
_OF_B = 1 << 10
"""What a query asks for that names B: that its tuples have attributes, too."""


class Filters(OverTuples[int]):
    """Streams are of A and B; those that the formula names have the attributes it asks for."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.only_events()
        self._simple = self.alphabet is PREDICATES
        self._predicates = OF_ALL_KINDS if self._simple else OF_TWO_ATTRIBUTES
        self._streams: dict[tuple[int, int], NumberedStreams] = {}
        self._made: dict[tuple[int, ...], EventTuple] = {}

    def families(
        self, operators: int
    ) -> list[Family[CeqlQuery, tuple[Predicate, ...], int]]:
        return [
            Family(
                1,
                ChosenLetters(
                    [self._predicates.of(gap.operators) for gap in find(formula, Gap)],
                    _OF_B if _B in find(formula, EventType) else 0,
                ),
                partial(self._query, formula),
            )
            for formula in (_simple if self._simple else _formulas)(operators)
        ]

    def _query(
        self, formula: Formula, shape: int, chosen: tuple[Predicate, ...]
    ) -> CeqlQuery:
        waiting = iter(chosen)
        written = changed(formula, lambda part: next(waiting) if isinstance(part, Gap) else part)
        return CeqlQuery(written, streams=(STREAM,), within=self.window)

    def streams(self, about: int, events: int) -> NumberedStreams:
        if (about, events) not in self._streams:
            made = product(self._tuples(about), repeat=events)
            width = 1 + len(self._predicates.values)
            self._streams[about, events] = held_one_by_one(made, events, width)
        return self._streams[about, events]

    def _tuples(self, about: int) -> Iterator[tuple[int, ...]]:
        """The type, and which value each attribute has; 0 is missing."""
        codes = [
            range(0 if self._predicates.missing else 1, 1 + len(values))
            if about & 1 << place else (0,)
            for place, values in enumerate(self._predicates.values.values())
        ]
        yield from product((0,), *codes)
        yield from product((1,), *(codes if about & _OF_B else [(0,) for _ in codes]))

    def written(self, about: int, streams: Symbols) -> str:
        asked = [name for place, name in enumerate(self._predicates.values) if about & 1 << place]
        rows = [
            ",".join([each.type, *(str(each.attributes.get(name, "")) for name in asked)])
            for each in map(self._tuple, streams)
        ]
        return json.dumps({STREAM: {"csv": "\n".join([",".join(["type", *asked]), *rows]) + "\n"}})

    def items(self, about: int, streams: Symbols) -> dict[URIRef, tuple[EventTuple, ...]]:
        return {_STREAM: tuple(map(self._tuple, streams))}

    def _tuple(self, said: tuple[int, ...]) -> EventTuple:
        if said not in self._made:
            number, *codes = said
            self._made[said] = EventTuple(ascii_uppercase[number], {
                name: values[code - 1]
                for code, (name, values) in zip(
                    codes, self._predicates.values.items(), strict=True
                ) if code
            })
        return self._made[said]


def _simple(operators: int) -> list[Formula]:
    return [Filter(_A, each) for each in conditions(operators, "A")[:1]]


@cache
def _formulas(operators: int) -> list[Formula]:
    """Those of so many operators beside those of their predicates, with gaps for these."""
    found: list[Formula] = [Filter(_A, each) for each in conditions(operators, "A")]
    if operators:
        for formula, variables in (
            (Iteration(_A), "A"), (Sequence(_A, _A), "A"), (Sequence(_A, _B), "AB"),
            (Contiguous(_A, _B), "AB"), (Disjunction(_A, _B), "AB"),
        ):
            found += [Filter(formula, each) for each in conditions(operators - 1, variables)]
        for condition in conditions(operators - 1, "A"):
            filtered = Filter(_A, condition)
            found += (NotFormula(filtered), Iteration(filtered), Sequence(filtered, _B))
    return found

