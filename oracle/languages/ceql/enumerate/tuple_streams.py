"""Streams of tuples: each event is (number of its type in the alphabet, x, seconds).

An x of 0 is missing. There are times only where a window measures them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from string import ascii_uppercase

from rdflib.term import URIRef

from .....semantics.model.tuples import EventTuple
from ....ranks.moments import moments
from ....ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one
from .formulas import ATTRIBUTE

STREAM = "S"
OTHER = "Z"
SECOND = 1_000_000_000

_STREAM = URIRef(STREAM)
_TIME = "time"


@dataclass(frozen=True, slots=True)
class ToldApart:
    """What a query can tell apart: types, whether x is 1, which tuples have the same x."""

    letters: str
    filtered: bool = False
    partitioned: bool = False


def tuple_streams(told: ToldApart, events: int, within: int | None) -> NumberedStreams:
    """Every stream of so many tuples; `within` seconds may be told apart."""
    return held_one_by_one(_streams(told, events, within), events, 3)


def _streams(told: ToldApart, events: int, within: int | None) -> Iterator[Symbols]:
    nothing = (0,) * events
    times = [nothing] if within is None else list(moments(events, within))
    for chosen in product(_contents(told), repeat=events):
        values = [value for _, value in chosen if value]
        # Where only equality counts, the first value is 1.
        if told.filtered or values[:1] != [2]:
            for each in times:
                yield tuple((*content, at) for content, at in zip(chosen, each, strict=True))


def _contents(told: ToldApart) -> Iterator[tuple[int, int]]:
    """Types with x. Without x, a tuple is in no partition: as if it were of another type."""
    values = (1, 2) if told.filtered or told.partitioned else (0,)
    for letter in told.letters:
        yield from product((ascii_uppercase.index(letter),), values)
    other = ascii_uppercase.index(OTHER)
    yield from product((other,), (*values, 0) if told.partitioned else (0,))


def written(streams: Symbols, *, attributes: bool, timed: bool) -> str:
    """The stream as a JSON object of its text."""
    header = ["type", *([ATTRIBUTE] if attributes else []), *([_TIME] if timed else [])]
    rows = (
        ",".join([
            ascii_uppercase[number],
            *([str(value or "")] if attributes else []),
            *([str(seconds)] if timed else []),
        ])
        for number, value, seconds in streams
    )
    return json.dumps({STREAM: {"csv": "\n".join([",".join(header), *rows]) + "\n"}})


def tuples(streams: Symbols, *, timed: bool) -> dict[URIRef, tuple[EventTuple, ...]]:
    """The stream as tuples."""
    return {_STREAM: tuple(_tuple(*event, timed) for event in streams)}


@cache
def _tuple(number: int, value: int, seconds: int, timed: bool) -> EventTuple:
    attributes = {ATTRIBUTE: value} if value else {}
    if timed:
        attributes[_TIME] = seconds
    return EventTuple(ascii_uppercase[number], attributes, seconds * SECOND if timed else None)
