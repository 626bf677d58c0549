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
PREDICATES = TupleAlphabet(
    "predicates",
    "in CEQL: A FILTER A[P], P with comparisons, IN, LIKE, ranges, arithmetic, AND, OR and NOT "
    "over n (-3, 0, 1, 2), d (1.0, 1.5) and s ('p', 'pq'), which may be missing; windows of events",
    attributes=True,
)
CONDITIONS = TupleAlphabet(
    "conditions",
    "in CEQL: FILTER of A, A+, A ; A, A ; B, A : B and A OR B, or of A in a NOT, an iteration or a "
    "sequence, with AND, OR and NOT of conditions and of predicates, over x = 1 and y = 1; x and y "
    "are 1 or 2; windows of events",
    attributes=True,
)
MIXED = TupleAlphabet(
    "mixed",
    "in CEQL: FROM S, T, where x is 0 or 1 in S and in T a double or a string, and y a string; "
    "PARTITION BY [x], [x], [y] or [x, y], or else WITHIN N [x], and LIMIT 1, an operator; types "
    "as in strategies",
    attributes=True,
)
OUTPUTS = TupleAlphabet(
    "outputs",
    "in CEQL: as strategies, with AS X, an operator; SELECT of *, NONE and each variable that is "
    "bound, ANY, NEXT, LAST and MAX, LIMIT 1 and LIMIT 2, which are none; windows of events",
)

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        TYPES, ATTRIBUTES, STRATEGIES, PARTITIONS, PREDICATES, CONDITIONS, MIXED, OUTPUTS
    )
}
