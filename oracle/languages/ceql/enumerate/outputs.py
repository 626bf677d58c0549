"""Every formula of at most two types, also with AS, under every SELECT and LIMIT.

What is selected, strategies and LIMIT are no operators here; AS is one. Streams are of two types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import Any

from rdflib.term import URIRef

from .....semantics.ceql.syntax.analysis import variables
from .....semantics.ceql.syntax.tree import (
    As,
    CeqlQuery,
    EventType,
    Formula,
    Name,
    Selected,
    Strategy,
)
from ....ranks.chosen_letters import ChosenLetters
from ....ranks.families import Family
from ....ranks.grammars import Grammar
from ....ranks.numbered_streams import NumberedStreams, Symbols, words
from ...enumeration import Bounds
from .formulas import FORMULAS
from .over_tuples import OverTuples
from .tuple_streams import STREAM, tuples, written
from .two_letters import MOST

_VARIABLE = "X"
_NO_NAMES: ChosenLetters[Any] = ChosenLetters(())


def _called(formula: Formula) -> As:
    return As(formula, _VARIABLE)


_FORMULAS: Grammar[Formula] = Grammar(
    FORMULAS.leaf, FORMULAS.hole, unary=(*FORMULAS.unary, _called), binary=FORMULAS.binary,
    more=FORMULAS.more, once=(_called,),
)


class Outputs(OverTuples[int]):
    """SELECT *, NONE and each variable that the formula binds; LIMIT 1 and 2."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.only_events()

    def families(self, operators: int) -> list[Family[CeqlQuery, tuple[Any, ...], int]]:
        return [
            Family(len(_selections(operators)), _NO_NAMES, partial(self._query, clauses, operators))
            for clauses in _clauses()
        ]

    def _query(
        self, clauses: dict[str, Any], operators: int, shape: int, word: tuple[Any, ...]
    ) -> CeqlQuery:
        formula, selected = _selections(operators)[shape]
        return CeqlQuery(
            formula, select=selected, streams=(STREAM,), within=self.window, **clauses
        )

    def streams(self, about: int, events: int) -> NumberedStreams:
        return words([(number, 0, 0) for number in range(MOST)], events)

    def written(self, about: int, streams: Symbols) -> str:
        return written(streams, attributes=False, timed=False)

    def items(self, about: int, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return dict(tuples(streams, timed=False))


def _clauses() -> Iterator[dict[str, Any]]:
    for strategy, limit in product((Strategy.ALL, Strategy.ANY), (None, 1, 2)):
        yield {"strategy": strategy, "limit": limit}
    for strategy in (Strategy.NEXT, Strategy.LAST, Strategy.MAX):
        yield {"strategy": strategy}


@cache
def _selections(operators: int) -> Sequence[tuple[Formula, tuple[Selected, ...] | None]]:
    """Each formula with what may be selected of it; held: 30,000 of 3 operators."""
    return [
        (formula, selected)
        for formula, letters in _FORMULAS.lettered(operators, EventType) if len(letters) <= MOST
        for selected in (
            None, (), *((Selected(Name(each)),) for each in sorted(variables(formula)))
        )
    ]
