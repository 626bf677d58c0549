"""Every formula of at most two types over two streams that give an attribute different types.

The tuples of T follow those of S. Its x is an int in S, and in T a double or a string; y is a
string in both. Without a window every query is partitioned by x or by both; a window measures x,
which then is a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from itertools import combinations, product
from string import ascii_uppercase
from typing import Any, TypeAlias

from rdflib.term import URIRef

from .....semantics.ceql.syntax.tree import CeqlQuery, EventType, WindowUnit, Within
from .....semantics.model.tuples import EventTuple, Value
from ....ranks.families import Family
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one
from ...enumeration import Bounds, BoundsError
from .formulas import ATTRIBUTE, FORMULAS
from .over_tuples import OverTuples
from .two_letters import MOST, TwoLetters

_FIRST, _SECOND = "S", "T"
_OTHER_ATTRIBUTE = "y"
_DOUBLE, _STRING = 1, 2
_BOTH_STREAMS = (_FIRST, _SECOND)
_WORDS = ("p", "q")


Keys: TypeAlias = tuple[tuple[str, ...], ...]
"""What streams need to know of a query: how it is partitioned, if it is."""


class TwoStreams(OverTuples[Keys]):
    """A window is WITHIN N [x]."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        if bounds.events:
            raise BoundsError(f"over the alphabet '{self.alphabet.name}' a window measures x")
        self._streams: dict[tuple[Keys, int], NumberedStreams] = {}

    def families(self, operators: int) -> list[Family[CeqlQuery, str, Keys]]:
        return [
            Family(
                FORMULAS.count(inner, leaves), TwoLetters(leaves, keys),
                partial(self._query, {"limit": limit, "partition": keys}, inner, leaves),
            )
            for limit in (None, 1) for keys in self._keys
            for inner in (operators - (limit is not None),)
            for leaves in range(1, inner + 2)
        ]

    @property
    def _keys(self) -> list[Keys]:
        if self.bounds.within is not None:
            return [()]
        one, other = ATTRIBUTE, _OTHER_ATTRIBUTE
        return [((one,),), ((one,), (other,)), ((one, other),)]

    def _query(
        self, clauses: dict[str, Any], operators: int, leaves: int, shape: int, word: str
    ) -> CeqlQuery:
        formula = FORMULAS.written(operators, leaves, shape, word, EventType)
        return CeqlQuery(formula, streams=_BOTH_STREAMS, within=self.window, **clauses)

    @property
    def window(self) -> Within | None:
        within = self.bounds.within
        return None if within is None else Within(within, WindowUnit.ATTRIBUTE, ATTRIBUTE)

    def streams(self, about: Keys, events: int) -> NumberedStreams:
        if (about, events) not in self._streams:
            measured = None if about else self.bounds.within
            joint = self.readings.partition == "core" and len(about) == 1
            self._streams[about, events] = held_one_by_one(
                _streams(about, events, measured, joint=joint), events, 4
            )
        return self._streams[about, events]

    def written(self, about: Keys, streams: Symbols) -> str:
        names = [ATTRIBUTE, *([_OTHER_ATTRIBUTE] if _by_both(about) else [])]
        given = self.items(about, streams)
        return json.dumps({
            str(name): {"csv": "\n".join([
                ",".join(["type", *names]),
                *(",".join([each.type, *(str(each.attributes.get(a, "")) for a in names)])
                  for each in tuples),
            ]) + "\n"}
            for name, tuples in given.items()
        })

    def items(self, about: Keys, streams: Symbols) -> dict[URIRef, tuple[EventTuple, ...]]:
        first = sum(not told for _, told, _, _ in streams)
        made = tuple(map(_tuple, streams))
        return {URIRef(_FIRST): made[:first], URIRef(_SECOND): made[first:]}


def _by_both(keys: Keys) -> bool:
    """Whether y matters."""
    return any(_OTHER_ATTRIBUTE in names for names in keys)


def _streams(
    keys: Keys, events: int, measured: int | None, *, joint: bool
) -> Iterator[Symbols]:
    """(number of the type, type of x if it comes in T, codes of x and y); 0 is missing.

    `joint`: x and y are compared where both are strings.
    """
    values = range(3 if measured is None else _highest(events, measured) + 2)
    contents = list(product(
        range(MOST), values, range(3) if _by_both(keys) else (0,)
    ))
    for first in range(events, -1, -1):
        for told in (_DOUBLE, _STRING) if measured is None else (_DOUBLE,):
            if told == _STRING and first == events:
                continue
            for chosen in product(contents, repeat=events):
                stream = tuple(
                    (kind, 0 if place < first else told, x, y)
                    for place, (kind, x, y) in enumerate(chosen)
                )
                if told == _STRING and not any(x for _, of, x, _ in stream if of):
                    continue  # the same as with doubles
                if measured is None:
                    if _named_in_order(stream, joint=joint):
                        yield stream
                elif _lowest([x for _, _, x, _ in stream if x], measured):
                    yield stream


def _named_in_order(stream: Symbols, *, joint: bool) -> bool:
    """Whether of values that may be renamed the first one is the first that comes."""
    named: dict[str, int] = {}
    for _, told, x, y in stream:
        for names, code in (
            ("strings" if told == _STRING else "numbers", x),
            ("strings" if joint else _OTHER_ATTRIBUTE, y),
        ):
            if code and named.setdefault(names, code) != 1:
                return False
    return True


def _highest(events: int, within: int) -> int:
    return max(events - 1, 0) * (within + 1)


def _lowest(codes: list[int], within: int) -> bool:
    """Whether these are the lowest values of which any two differ in this way by the window."""
    return tuple(codes) == _lowest_like(_told(codes, within), len(codes), within)


def _told(codes: list[int] | tuple[int, ...], within: int) -> tuple[int, ...]:
    gaps = (later - earlier for earlier, later in combinations(codes, 2))
    return tuple(
        (gap > 0) - (gap < 0) if not within else
        ((gap > 0) - (gap < 0)) * (1 + (abs(gap) >= within) + (abs(gap) > within)) for gap in gaps
    )


@cache
def _lowest_like(told: tuple[int, ...], count: int, within: int) -> tuple[int, ...]:
    values = range(1, _highest(count, within) + 2)
    return min(
        (codes for codes in product(values, repeat=count) if _told(codes, within) == told),
        key=lambda codes: (max(codes, default=0), codes),
    )


@cache
def _tuple(said: tuple[int, ...]) -> EventTuple:
    number, told, x, y = said
    attributes: dict[str, Value] = {}
    if x:
        attributes[ATTRIBUTE] = (
            _WORDS[x - 1] if told == _STRING else float(x - 1) if told else x - 1
        )
    if y:
        attributes[_OTHER_ATTRIBUTE] = _WORDS[y - 1]
    return EventTuple(ascii_uppercase[number], attributes)
