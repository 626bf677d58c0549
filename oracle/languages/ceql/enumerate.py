"""All CEQL cases up to a size: every formula on every stream.

The operators are ; : + :+ OR NOT, one for a selection strategy, one for CONSUME BY ANY. Event types
are renamed as isomorphism allows: a formula's are A, B, … as it names them first, and all types
that it does not name are Z.
"""

from __future__ import annotations

import json
from functools import partial
from string import ascii_uppercase

from rdflib.term import URIRef

from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import (
    CeqlQuery,
    Consumption,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Formula,
    Iteration,
    NotFormula,
    Sequence,
    Strategy,
    WindowUnit,
    Within,
)
from ....semantics.model.tuples import EventTuple
from ...ranks.families import Family, Letters
from ...ranks.grammars import Grammar
from ...ranks.numbered_streams import NumberedStreams, Symbols, words
from ..enumeration import Bounds, BoundsError, Enumeration

STREAM = "S"
OTHER = "Z"

_STREAM = URIRef(STREAM)
_TUPLES = tuple(map(EventTuple, ascii_uppercase))

_LEAF = EventType("")
FORMULAS: Grammar[Formula] = Grammar(
    _LEAF, _LEAF, unary=(Iteration, ContiguousIteration),
    binary=(Sequence, Contiguous, Disjunction), more=(NotFormula(_LEAF),),
)
_STRATEGIES = (Strategy.NEXT, Strategy.LAST, Strategy.MAX, Strategy.STRICT)


class CeqlEnumeration(Enumeration[CeqlQuery, str, Readings]):
    """A window is of so many events; a stream is (number of the type in the alphabet,) …"""

    language, readings_type = "ceql", Readings

    def __init__(self, bounds: Bounds) -> None:
        if bounds.slide is not None or (bounds.within is not None and not bounds.events):
            raise BoundsError("windows of CEQL are 'N EVENTS', without SLIDE")
        super().__init__(bounds)

    def families(self, operators: int) -> list[Family[CeqlQuery, str, str]]:
        return [
            Family(
                FORMULAS.count(inner, leaves), Letters(leaves),
                partial(self._query, consume, strategy, inner, leaves),
            )
            for consume in (Consumption.NONE, Consumption.ANY)
            for strategy in (Strategy.ALL, *_STRATEGIES)
            for inner in (
                operators - (consume is not Consumption.NONE) - (strategy is not Strategy.ALL),
            )
            for leaves in range(1, inner + 2)
        ]

    def _query(
        self, consume: Consumption, strategy: Strategy, operators: int, leaves: int,
        shape: int, word: str,
    ) -> CeqlQuery:
        within = self.bounds.within
        return CeqlQuery(
            FORMULAS.written(operators, leaves, shape, word, EventType),
            strategy=strategy, streams=(STREAM,),
            within=None if within is None else Within(within, WindowUnit.EVENTS),
            consume=consume,
        )

    def streams(self, about: str, events: int) -> NumberedStreams:
        return words([ascii_uppercase.index(letter) for letter in about + OTHER], events)

    def written(self, about: str, streams: Symbols) -> str:
        types = (ascii_uppercase[number] for number, in streams)
        return json.dumps({STREAM: {"csv": "\n".join(["type", *types]) + "\n"}})

    def items(self, about: str, streams: Symbols) -> dict[URIRef, tuple[EventTuple, ...]]:
        return {_STREAM: tuple(_TUPLES[number] for number, in streams)}


ENUMERATION = CeqlEnumeration
