"""Every formula of at most two types under every strategy, on streams of two types.

A stream has tuples of the types A and B, whether the formula names both or A alone. Strategies and
CONSUME BY are no operators here: what few operators say is asked under all of them. `partitions`
adds an attribute x, by which every query is partitioned.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from rdflib.term import URIRef

from .....semantics.ceql.syntax.tree import CeqlQuery, Consumption, EventType, Strategy
from ....ranks.families import Family
from ....ranks.moments import moments
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one, words
from ...enumeration import Bounds
from .formulas import ATTRIBUTE, FORMULAS
from .over_tuples import OverTuples
from .tuple_streams import STREAM, tuples, written
from .two_letters import MOST, TwoLetters

_STRATEGIES = (Strategy.ALL, Strategy.NEXT, Strategy.LAST, Strategy.MAX, Strategy.STRICT)


class TwoTypes(OverTuples[int]):
    """Windows are of events or seconds; in `partitions` every query has PARTITION BY [x]."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self._partitioned = self.alphabet.attributes
        self._streams: dict[int, NumberedStreams] = {}

    def families(self, operators: int) -> list[Family[CeqlQuery, str, int]]:
        return [
            Family(
                FORMULAS.count(operators, leaves), TwoLetters(leaves, 0),
                partial(self._query, clauses, operators, leaves),
            )
            for clauses in self._clauses() for leaves in range(1, operators + 2)
        ]

    def _query(
        self, clauses: dict[str, Any], operators: int, leaves: int, shape: int, word: str
    ) -> CeqlQuery:
        formula = FORMULAS.written(operators, leaves, shape, word, EventType)
        return CeqlQuery(formula, streams=(STREAM,), within=self.window, **clauses)

    def _clauses(self) -> Iterator[dict[str, Any]]:
        """What stands beside the formula and the window."""
        policies = tuple(Consumption) if self._partitioned else (Consumption.NONE, Consumption.ANY)
        partition: dict[str, Any] = {"partition": ((ATTRIBUTE,),)} if self._partitioned else {}
        for consumption, strategy in product(policies, _STRATEGIES):
            yield {**partition, "consume": consumption, "strategy": strategy}

    def streams(self, about: int, events: int) -> NumberedStreams:
        if not self._partitioned and not self.timed:
            return words([(number, 0, 0) for number in range(MOST)], events)
        if events not in self._streams:
            self._streams[events] = held_one_by_one(self._made(events), events, 3)
        return self._streams[events]

    def _made(self, events: int) -> Iterator[Symbols]:
        within = self.bounds.within if self.timed else None
        times = [(0,) * events] if within is None else list(moments(events, within))
        values = (1, 2) if self._partitioned else (0,)
        for chosen in product(product(range(MOST), values), repeat=events):
            if not chosen or chosen[0][1] < 2:  # only equality counts: the first x is 1
                for each in times:
                    yield tuple((*said, at) for said, at in zip(chosen, each, strict=True))

    def written(self, about: int, streams: Symbols) -> str:
        return written(streams, attributes=self._partitioned, timed=self.timed)

    def items(self, about: int, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return dict(tuples(streams, timed=self.timed))

