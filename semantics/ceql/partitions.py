"""PARTITION BY (CORE section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from ..streams.tuples import EventTuple, Value
from .readings import PartitionReading
from .valuations import Stream


def partitions(
    stream: Sequence[EventTuple],
    lists: Sequence[Sequence[str]],
    reading: PartitionReading = "paper",
) -> list[Stream]:
    """The maximal subsequences S1, S2, … whose tuples agree on every attribute of every list.

    Under `partition=core` they agree on one attribute of each list, the first that a tuple has. A
    tuple that lacks what is asked for is in none of them. Values agree if they are equal and of one
    type (an int and a double may be equal). Without lists S itself is the only one. They come in
    the order of their first tuples.
    """
    members: dict[tuple[tuple[str, Value], ...], dict[int, EventTuple]] = {}
    for position, t in enumerate(stream):
        found = [t.get(name) for name in asked(t, lists, reading)]
        if any(value is None for value in found):
            continue
        key = tuple((_type(value), value) for value in found if value is not None)
        members.setdefault(key, {})[position] = t
    return [Stream(tuples) for tuples in members.values()]


def asked(
    t: EventTuple, lists: Sequence[Sequence[str]], reading: PartitionReading
) -> list[str]:
    """The attributes of t on which its partition turns."""
    if reading == "paper":
        return [name for names in lists for name in names]
    return [next((name for name in names if t.get(name) is not None), names[0]) for names in lists]


def _type(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"
