"""A digest of verdicts that does not depend on how the work was cut, or in which order it was done.

Each verdict is hashed by itself, with the number of its case, to two words of 64 bits; the digest
of many is the sum of each word modulo 2^64. So parts are added, whatever they are parts of.

The hash of (number, outcome, missing, unexpected, repeated) in a lane: begin with the lane's seed;
for each of the five, in this order, add it and the constant 0x9E3779B97F4A7C15, and mix. To mix is
the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
OOPSLA 2014): x ^= x >> 30; x *= 0xBF58476D1CE4E5B9; x ^= x >> 27; x *= 0x94D049BB133111EB;
x ^= x >> 31, all modulo 2^64. Outcomes are numbered as in `OUTCOMES`. It notices accidents; it is
no defence against someone who wants two sets of verdicts to have one digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..judging.verdicts import Outcome

OUTCOMES: tuple[Outcome, ...] = (
    Outcome.PASS, Outcome.FAIL, Outcome.UNSUPPORTED, Outcome.TIMEOUT, Outcome.CRASH,
)
"""The outcomes by their numbers."""

Integers: TypeAlias = npt.NDArray[np.int64] | Sequence[int]

_SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # of π, as good as any
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_WORD = 1 << 64


def digest_of(
    numbers: Integers,
    outcomes: Integers,
    missing: Integers | int = 0,
    unexpected: Integers | int = 0,
    repeated: Integers | int = 0,
) -> int:
    """The digest of verdicts on the cases of these numbers; no verdict has the digest 0.

    >>> whole = digest_of([0, 1, 2], [0, 1, 0], [0, 4, 0])
    >>> whole == plus(digest_of([2, 0], [0, 0]), digest_of([1], [1], [4]))
    True
    """
    columns = [_words(column) for column in (numbers, outcomes, missing, unexpected, repeated)]
    high, low = (_lane(seed, columns) for seed in _SEEDS)
    return high * _WORD + low


def plus(one: int, other: int) -> int:
    """The digest of the verdicts of both."""
    high = (one // _WORD + other // _WORD) % _WORD
    return high * _WORD + (one + other) % _WORD


def digest_text(digest: int) -> str:
    """A digest as it is written: 32 hexadecimal digits."""
    return f"{digest:032x}"


def _words(column: Integers | int) -> npt.NDArray[np.uint64]:
    return np.asarray(column, dtype=np.int64).astype(np.uint64)


def _lane(seed: int, columns: Sequence[npt.NDArray[np.uint64]]) -> int:
    state = np.full(columns[0].shape, seed, dtype=np.uint64)
    for column in columns:
        state = state + column + _STEP
        state ^= state >> np.uint64(30)
        state *= _FIRST
        state ^= state >> np.uint64(27)
        state *= _SECOND
        state ^= state >> np.uint64(31)
    return int(state.sum(dtype=np.uint64))
