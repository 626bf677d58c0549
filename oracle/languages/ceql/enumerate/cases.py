"""All CEQL cases over event types, and over types and an attribute.

The operators are ; : + :+ OR NOT, one for a selection strategy, one for CONSUME BY, and in the
alphabet `attributes` FILTER and PARTITION BY. Event types are renamed as isomorphism allows: a
formula's are A, B, … as it names them first, and all types that it does not name are Z.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from rdflib.term import URIRef

from .....semantics.ceql.syntax.tree import CeqlQuery, Consumption, Strategy
from ....ranks.families import Family, Letters, Weight
from ....ranks.numbered_streams import NumberedStreams, Symbols, words
from ...enumeration import Bounds
from .formulas import ATTRIBUTE, formula, shapes
from .over_tuples import OverTuples
from .tuple_streams import OTHER, STREAM, ToldApart, tuple_streams, tuples, written

_STRATEGIES = (Strategy.ALL, Strategy.NEXT, Strategy.LAST, Strategy.MAX, Strategy.STRICT)


class TypesAndAttributes(OverTuples[ToldApart]):
    """A window is of so many events or, over `attributes`, of so many seconds."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        if not self.alphabet.attributes:
            self.only_events()
        self._streams: dict[tuple[ToldApart, int], NumberedStreams] = {}

    def families(self, operators: int) -> list[Family[CeqlQuery, str, ToldApart]]:
        return list(self._families(operators))

    def _families(self, operators: int) -> Iterator[Family[CeqlQuery, str, ToldApart]]:
        """Each clause is an operator."""
        for clauses in self._clauses():
            inner = operators - len(clauses)
            for leaves in range(1, inner + 2):
                for filtered in (False, True) if self.alphabet.attributes else (False,):
                    numbers = shapes(inner, leaves, filtered=filtered)
                    yield Family(
                        len(numbers), _TypeLetters(leaves, filtered, "partition" in clauses),
                        partial(self._query, clauses, inner, leaves, filtered),
                    )

    def _query(
        self, clauses: dict[str, Any], operators: int, leaves: int, filtered: bool,
        shape: int, word: str,
    ) -> CeqlQuery:
        number = shapes(operators, leaves, filtered=filtered)[shape]
        return CeqlQuery(
            formula(operators, leaves, number, word, filtered=filtered),
            streams=(STREAM,), within=self.window, **clauses,
        )

    def _clauses(self) -> Iterator[dict[str, Any]]:
        """What stands beside the formula and the window."""
        for partition in ({}, {"partition": ((ATTRIBUTE,),)}):
            if partition and not self.alphabet.attributes:
                return
            for consumption in Consumption:
                if consumption is Consumption.PARTITION and not partition:
                    continue
                consume = {} if consumption is Consumption.NONE else {"consume": consumption}
                for each in _STRATEGIES:
                    strategy = {} if each is Strategy.ALL else {"strategy": each}
                    yield {**partition, **consume, **strategy}

    def streams(self, about: ToldApart, events: int) -> NumberedStreams:
        if not self.alphabet.attributes:
            types = [ord(letter) - ord("A") for letter in about.letters + OTHER]
            return words([(number, 0, 0) for number in types], events)
        if (about, events) not in self._streams:
            self._streams[about, events] = tuple_streams(
                about, events, self.bounds.within if self.timed else None
            )
        return self._streams[about, events]

    def written(self, about: ToldApart, streams: Symbols) -> str:
        return written(streams, attributes=self.alphabet.attributes, timed=self.timed)

    def items(self, about: ToldApart, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return dict(tuples(streams, timed=self.timed))


@dataclass(frozen=True, slots=True)
class _TypeLetters:
    """Words of event types, where the rest of what a query asks is known."""

    length: int
    filtered: bool
    partitioned: bool

    def total(self, weight: Weight[ToldApart]) -> int:
        """The weight of all."""
        return Letters(self.length).total(lambda letters: weight(self._told(letters)))

    def at(self, rank: int, weight: Weight[ToldApart]) -> tuple[str, ToldApart, int]:
        """The word that holds this rank, what its streams need to know, and the rank in it."""
        word, letters, rest = Letters(self.length).at(
            rank, lambda letters: weight(self._told(letters))
        )
        return word, self._told(letters), rest

    def _told(self, letters: str) -> ToldApart:
        return ToldApart(letters, self.filtered, self.partitioned)
