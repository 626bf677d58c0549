"""Bytes eight at a time: kernels that look for one, compare, and hash.

Positions are unsigned inside, so that they are not taken for places counted from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import compiled, inlined

Bytes = NDArray[np.uint8]

ONE, WIDTH, TOP = np.uint64(1), np.uint64(8), np.uint64(56)
LOWS = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_HALF, _SOME = np.uint64(32), np.uint64(29)


@inlined
def word(data: Bytes, at: np.uint64) -> np.uint64:
    """The eight bytes from here, the first one lowest; LLVM makes one load of it."""
    return (
        np.uint64(data[at])
        | (np.uint64(data[at + np.uint64(1)]) << np.uint64(8))
        | (np.uint64(data[at + np.uint64(2)]) << np.uint64(16))
        | (np.uint64(data[at + np.uint64(3)]) << np.uint64(24))
        | (np.uint64(data[at + np.uint64(4)]) << np.uint64(32))
        | (np.uint64(data[at + np.uint64(5)]) << np.uint64(40))
        | (np.uint64(data[at + np.uint64(6)]) << np.uint64(48))
        | (np.uint64(data[at + np.uint64(7)]) << np.uint64(56))
    )


@compiled
def place_of(data: Bytes, start: int, end: int, wanted: int) -> Any:
    """Where the byte stands first; `end` if it does not."""
    at, stop = np.uint64(start), np.uint64(end)
    pattern = np.uint64(wanted) * LOWS
    while at + WIDTH <= stop:
        differing = word(data, at) ^ pattern
        zeros = (differing - LOWS) & ~differing & HIGHS
        if zeros != np.uint64(0):
            before = (((zeros - ONE) & LOWS) * LOWS) >> TOP
            return np.int64(at + before - ONE)
        at += WIDTH
    while at < stop and data[at] != wanted:
        at += ONE
    return np.int64(at)


@compiled
def hash_of(data: Bytes, start: int, end: int) -> np.uint64:
    """A number that is another one for most other bytes."""
    at, stop = np.uint64(start), np.uint64(end)
    found = _SEED ^ (stop - at)
    if stop - at >= WIDTH:
        while at + WIDTH <= stop:
            found = (found ^ word(data, at)) * _FACTOR
            found ^= found >> _HALF
            at += WIDTH
        found = (found ^ word(data, stop - WIDTH)) * _FACTOR
    else:
        while at < stop:
            found = (found ^ np.uint64(data[at])) * _FACTOR
            at += ONE
    found = (found ^ (found >> _HALF)) * _FACTOR
    return found ^ (found >> _SOME)


@compiled
def are_equal(one: Bytes, start: int, end: int, other: Bytes, begin: int) -> bool:
    """Whether as many bytes of the other are the same."""
    at, stop, there = np.uint64(start), np.uint64(end), np.uint64(begin)
    if stop - at >= WIDTH:
        last = there + (stop - at) - WIDTH
        if word(one, stop - WIDTH) != word(other, last):
            return False
        while at + WIDTH <= stop:
            if word(one, at) != word(other, there):
                return False
            at += WIDTH
            there += WIDTH
        return True
    while at < stop:
        if one[at] != other[there]:
            return False
        at += ONE
        there += ONE
    return True
