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

STRATEGIES = TupleAlphabet(
    "strategies",
    "in CEQL: two types in streams, of which a formula names A, or A and B; every selection "
    "strategy, with and without CONSUME BY ANY, none of which is an operator; windows of events or "
    "of seconds",
)
PARTITIONS = TupleAlphabet(
    "partitions",
    "in CEQL: as strategies, with PARTITION BY [x] in every query, x being 1 or 2, and CONSUME BY "
    "PARTITION",
    attributes=True,
)

ALPHABETS = {
    alphabet.name: alphabet for alphabet in (TYPES, ATTRIBUTES, STRATEGIES, PARTITIONS)
}
