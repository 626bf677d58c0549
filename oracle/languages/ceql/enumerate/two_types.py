"""Every formula of at most two types under every strategy, on streams of two types.

A stream has tuples of the types A and B, whether the formula names both or A alone. Strategies and
CONSUME BY are no operators here: what few operators say is asked under all of them. `partitions`
adds an attribute x, by which every query is partitioned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from string import ascii_uppercase
from typing import Any, TypeAlias

from rdflib.term import URIRef

from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.tree import CeqlQuery, Consumption, EventType, Strategy
from ....ranks.families import Family, Weight, word_at, words_total
from ....ranks.moments import moments
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one, words
from ...enumeration import Bounds, Enumeration
from .formulas import ATTRIBUTE, FORMULAS
from .tuple_streams import STREAM, tuples, written
from .windows_asked import is_timed, window

_TYPES = 2
_STRATEGIES = (Strategy.ALL, Strategy.NEXT, Strategy.LAST, Strategy.MAX, Strategy.STRICT)

Nothing: TypeAlias = tuple[()]
"""All queries have the same streams."""


class TwoTypes(Enumeration[CeqlQuery, Nothing, Readings]):
    """Windows are of events or seconds; in `partitions` every query has PARTITION BY [x]."""

    language, readings_type = "ceql", Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self._partitioned = bounds.alphabet_of(self.language).attributes
        self._timed = is_timed(bounds)
        self._streams: dict[int, NumberedStreams] = {}

    def families(self, operators: int) -> list[Family[CeqlQuery, str, Nothing]]:
        return [
            Family(
                FORMULAS.count(operators, leaves), _Words(leaves),
                partial(self._query, clauses, operators, leaves),
            )
            for clauses in self._clauses() for leaves in range(1, operators + 2)
        ]

    def _query(
        self, clauses: dict[str, Any], operators: int, leaves: int, shape: int, word: str
    ) -> CeqlQuery:
        formula = FORMULAS.written(operators, leaves, shape, word, EventType)
        return CeqlQuery(formula, streams=(STREAM,), within=window(self.bounds), **clauses)

    def _clauses(self) -> Iterator[dict[str, Any]]:
        """What stands beside the formula and the window."""
        policies = tuple(Consumption) if self._partitioned else (Consumption.NONE, Consumption.ANY)
        partition: dict[str, Any] = {"partition": ((ATTRIBUTE,),)} if self._partitioned else {}
        for consumption, strategy in product(policies, _STRATEGIES):
            yield {**partition, "consume": consumption, "strategy": strategy}

    def streams(self, about: Nothing, events: int) -> NumberedStreams:
        if not self._partitioned and not self._timed:
            return words([(number, 0, 0) for number in range(_TYPES)], events)
        if events not in self._streams:
            self._streams[events] = held_one_by_one(self._made(events), events, 3)
        return self._streams[events]

    def _made(self, events: int) -> Iterator[Symbols]:
        within = self.bounds.within if self._timed else None
        times = [(0,) * events] if within is None else list(moments(events, within))
        values = (1, 2) if self._partitioned else (0,)
        for chosen in product(product(range(_TYPES), values), repeat=events):
            if not chosen or chosen[0][1] < 2:  # only equality counts: the first x is 1
                for each in times:
                    yield tuple((*said, at) for said, at in zip(chosen, each, strict=True))

    def written(self, about: Nothing, streams: Symbols) -> str:
        return written(streams, attributes=self._partitioned, timed=self._timed)

    def items(self, about: Nothing, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return dict(tuples(streams, timed=self._timed))


@dataclass(frozen=True, slots=True)
class _Words:
    """Words of one or two letters."""

    length: int

    def total(self, weight: Weight[Nothing]) -> int:
        """The weight of all."""
        return words_total(self.length, _TYPES, (weight(()),) * (_TYPES + 1))

    def at(self, rank: int, weight: Weight[Nothing]) -> tuple[str, Nothing, int]:
        """The word that holds this rank, and the rank in it."""
        names, rest = word_at(self.length, _TYPES, (weight(()),) * (_TYPES + 1), rank)
        return "".join(ascii_uppercase[name] for name in names), (), rest
