"""PARTITION BY (CORE section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from ..streams.tuples import EventTuple, Value
from .valuations import Stream


def partitions(stream: Sequence[EventTuple], lists: Sequence[Sequence[str]]) -> list[Stream]:
    """The maximal subsequences S1, S2, … whose tuples agree on every attribute of every list.

    A tuple that lacks one of the attributes is in none of them. Values agree if they are equal and
    of one type (an int and a double may be equal). Without lists S itself is the only one. They
    come in the order of their first tuples.
    """
    attributes = [name for names in lists for name in names]
    members: dict[tuple[tuple[str, Value], ...], dict[int, EventTuple]] = {}
    for position, t in enumerate(stream):
        values = [t.get(name) for name in attributes]
        if any(value is None for value in values):
            continue
        key = tuple((_type(value), value) for value in values if value is not None)
        members.setdefault(key, {})[position] = t
    return [Stream(tuples) for tuples in members.values()]


def _type(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"
