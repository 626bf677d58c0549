"""Strings as small numbers, the same in every batch, straight from Arrow's buffers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .compiled import compiled
from .tecs import Words

Codes: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.uint8]

MISSING = -1
_MOST = 1 << 16  # strings remembered by one vocabulary
_ENTRY = np.uint64(3)  # the string as a number (or its hash), its length, its code plus one
_SHORT = np.uint64(8)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0x100000001B3)
_HALF = np.uint64(32)
_BYTE = np.uint64(8)

DONE = 0
FULL = 1  # the table, the list of ends or the memory of bytes is full


@compiled
def encode_strings(
    offsets: Codes,  # Arrow's: string i lies in data[offsets[i]:offsets[i + 1]]
    data: Bytes,
    valid: npt.NDArray[np.bool_],  # empty: all are
    state: Words,  # [strings known, bytes used, the index to go on from]
    table: Words,  # open addressing; the capacity is a power of two
    ends: Words,  # by code: where the known string ends in `memory`
    memory: Bytes,
    codes: Codes,  # result; MISSING where it is not valid
) -> int:
    """Number strings in the order of their first occurrence."""
    mask = np.uint64(table.size) // _ENTRY - _ONE
    checked = valid.size > 0
    count = np.uint64(codes.size)
    i = state[2]
    while i < count:
        if checked and not valid[i]:
            codes[i] = MISSING
            i += _ONE
            continue
        begin, end = np.uint64(offsets[i]), np.uint64(offsets[i + _ONE])
        length = end - begin
        word = _ZERO
        if length <= _SHORT:
            at = end
            while at > begin:
                at -= _ONE
                word = word << _BYTE | np.uint64(data[at])
        else:
            at = begin
            while at < end:
                word = (word ^ np.uint64(data[at])) * _PRIME
                at += _ONE
        mixed = (word + length) * _MIX
        place = (mixed ^ mixed >> _HALF) & mask
        while True:
            entry = place * _ENTRY
            code = table[entry + _TWO]
            if code == _ZERO:
                known = state[0]
                if known == np.uint64(ends.size) or state[1] + length > np.uint64(memory.size):
                    state[2] = i
                    return FULL
                to = state[1]
                for offset in range(length):
                    memory[to + np.uint64(offset)] = data[begin + np.uint64(offset)]
                state[1] = to + length
                ends[known] = state[1]
                state[0] = known + _ONE
                code = known + _ONE
                table[entry] = word
                table[entry + _ONE] = length
                table[entry + _TWO] = code
                break
            if table[entry] == word and table[entry + _ONE] == length:
                if length <= _SHORT:
                    break
                stored = ends[code - _ONE] - length
                same = True
                for offset in range(length):
                    if memory[stored + np.uint64(offset)] != data[begin + np.uint64(offset)]:
                        same = False
                        break
                if same:
                    break
            place = (place + _ONE) & mask
        codes[i] = np.int32(code - _ONE)
        i += _ONE
    return DONE


class Vocabulary:
    """The strings of a column so far, numbered from 0."""

    def __init__(self) -> None:
        self._state = np.zeros(3, np.uint64)
        self._table: Words = np.zeros(3 * 256, np.uint64)
        self._ends: Words = np.zeros(128, np.uint64)
        self._memory: Bytes = np.zeros(4096, np.uint8)

    def __len__(self) -> int:
        return int(self._state[0])

    @property
    def is_full(self) -> bool:
        """Whether it is time for a new one: codes are not for ever."""
        return len(self) > _MOST

    def words(self, first: int = 0) -> list[str]:
        """The strings from this code on."""
        ends = [int(self._ends[first - 1]) if first else 0]
        ends += self._ends[first : len(self)].tolist()
        memory = self._memory[: ends[-1]].tobytes()
        return [
            memory[begin:end].decode("utf-8", "surrogatepass")
            for begin, end in pairwise(ends)
        ]

    def codes(self, offsets: Codes, data: Bytes, valid: npt.NDArray[np.bool_] | None) -> Codes:
        """The codes of the strings that Arrow keeps in these buffers."""
        codes = np.empty(offsets.size - 1, np.int32)
        validity = np.zeros(0, np.bool_) if valid is None else valid
        self._state[2] = 0
        while encode_strings(
            offsets, data, validity, self._state, self._table, self._ends, self._memory, codes
        ):
            self._grow()
        return codes

    def _grow(self) -> None:
        """Twice the room, and the entries in their new places."""
        old = self._table.reshape(-1, 3)
        entries = old[old[:, 2] > 0]
        capacity = 2 * len(old)
        self._table = np.zeros(3 * capacity, np.uint64)
        table = self._table.reshape(-1, 3)
        mixed: Any = (entries[:, 0] + entries[:, 1]) * _MIX
        places = ((mixed ^ mixed >> _HALF) & np.uint64(capacity - 1)).astype(np.int64).tolist()
        for place, entry in zip(places, entries, strict=True):
            while table[place, 2]:
                place = (place + 1) % capacity
            table[place] = entry
        self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
        longest = np.zeros(max(self._memory.size, 1 << 20), np.uint8)
        self._memory = np.concatenate([self._memory, longest])
