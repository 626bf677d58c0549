"""What enumerated formulas and streams of tuples are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TupleAlphabet:
    """Event types, and perhaps the attribute x."""

    name: str
    summary: str
    attributes: bool = False


TYPES = TupleAlphabet(
    "types",
    "in CEQL: event types, those of a formula A, B, … as it names them first, all others Z; "
    "windows of events",
)
ATTRIBUTES = TupleAlphabet(
    "attributes",
    "in CEQL: types, and FILTER R[x = 1] of any formula, R being the last type that it binds, "
    "NOT(R FILTER R[x = 1]), PARTITION BY [x] and CONSUME BY PARTITION, each of them an operator; "
    "x is 1, 2 or missing; windows of events or of seconds",
    attributes=True,
)

ALPHABETS = {alphabet.name: alphabet for alphabet in (TYPES, ATTRIBUTES)}
