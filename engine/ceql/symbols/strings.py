"""Strings as small numbers, the same in every batch, straight from Arrow's buffers."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...capacities import IN_USE
from ...checkpoints.declared import stateful
from ...kernels import compiled, inlined, replaced, sealed
from ..kernels.tecs import Words

Codes: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.uint8]

MISSING = -1
_LEAST = 8  # bytes of data; fewer are filled up
_ENTRY = np.uint64(3)  # the string as a number (or its hash), its length, its code plus one
_SHORT = np.uint64(8)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_BYTE = np.uint64(8)
_WORD = np.uint64(64)

# Registers of a vocabulary.
KNOWN = 0  # how many strings it has
USED = 1  # how many bytes they take
NEXT = 2  # the index of the string to go on from
CLOSED = 3  # 1: what it does not have gets the number after the last
REGISTERS = 4

DONE = 0
FULL = 1  # the table, the list of ends or the memory of bytes is full


def _load() -> Any:
    """`eight_bytes` as one instruction. No bound is checked."""
    from numba import types
    from numba.extending import intrinsic

    def load(context: Any, data: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            place = builder.gep(array.data, [arguments[1]])
            word = context.get_value_type(types.uint64)
            return builder.load(builder.bitcast(place, word.as_pointer()), align=1)

        return types.uint64(data, at), generate

    return intrinsic(load)


@replaced(_load)
def eight_bytes(data: Bytes, at: np.uint64) -> np.uint64:
    """The number that stands in data[at:at + 8], which need not be aligned."""
    return np.uint64(int.from_bytes(data[at : at + _SHORT].tobytes(), sys.byteorder))


@inlined
def place_of(word: np.uint64, length: np.uint64, mask: np.uint64) -> np.uint64:
    place: np.uint64 = ((word ^ word >> _HALF) + length) * _MIX >> _HALF & mask
    return place


# One function: where it is in the strings, the table and the bytes changes together at every step.
@compiled
def encode_strings(
    offsets: Codes,  # Arrow's: string i lies in data[offsets[i]:offsets[i + 1]]
    data: Bytes,  # of at least eight bytes
    valid: npt.NDArray[np.bool_],  # empty: all are
    state: Words,
    table: Words,  # open addressing; the capacity is a power of two
    ends: Words,  # by code: where the known string ends in `memory`
    memory: Bytes,
    codes: Codes,  # result; MISSING where it is not valid
) -> int:
    """Number strings in the order of their first occurrence."""
    mask = np.uint64(table.size) // _ENTRY - _ONE
    checked = valid.size > 0
    closed = state[CLOSED] != _ZERO
    count = np.uint64(codes.size)
    last = np.uint64(data.size) - _SHORT
    i = state[NEXT]
    while i < count:
        if checked and not valid[i]:
            codes[i] = MISSING
            i += _ONE
            continue
        begin, end = np.uint64(offsets[i]), np.uint64(offsets[i + _ONE])
        length = end - begin
        word = _ZERO
        if length > _SHORT:
            at = begin
            while at + _SHORT < end:
                word = (word ^ eight_bytes(data, at)) * _MIX
                word ^= word >> _HALF
                at += _SHORT
            word = (word ^ eight_bytes(data, end - _SHORT)) * _MIX
        elif length != _ZERO:
            if begin <= last:
                word = eight_bytes(data, begin) << (_WORD - length * _BYTE)
            else:  # the string ends where the data do
                word = eight_bytes(data, last)
                word = word >> (begin - last) * _BYTE << (_WORD - length * _BYTE)
        place = place_of(word, length, mask)
        while True:
            entry = place * _ENTRY
            code = table[entry + _TWO]
            if code == _ZERO:
                known = state[KNOWN]
                if closed:
                    code = known + _ONE
                    break
                if (
                    known == np.uint64(ends.size)
                    or state[USED] + length + _SHORT > np.uint64(memory.size)
                ):
                    state[NEXT] = i
                    return FULL
                to = state[USED]
                for offset in range(length):
                    memory[to + np.uint64(offset)] = data[begin + np.uint64(offset)]
                state[USED] = to + length
                ends[known] = state[USED]
                state[KNOWN] = known + _ONE
                code = known + _ONE
                table[entry] = word
                table[entry + _ONE] = length
                table[entry + _TWO] = code
                break
            if table[entry] == word and table[entry + _ONE] == length:
                if length <= _SHORT:
                    break
                stored = ends[code - _ONE] - length
                at = _SHORT
                while at < length and eight_bytes(memory, stored + at - _SHORT) == eight_bytes(
                    data, begin + at - _SHORT
                ):
                    at += _SHORT
                if at >= length and eight_bytes(memory, stored + length - _SHORT) == eight_bytes(
                    data, end - _SHORT
                ):
                    break
            place = (place + _ONE) & mask
        codes[i] = np.int32(code - _ONE)
        i += _ONE
    return DONE


@compiled
def place_anew(old: Words, table: Words) -> None:
    """Put the entries of a table into a larger one."""
    mask = np.uint64(table.size) // _ENTRY - _ONE
    for at in range(_ZERO, np.uint64(old.size), _ENTRY):
        if old[at + _TWO] == _ZERO:
            continue
        place = place_of(old[at], old[at + _ONE], mask)
        while table[place * _ENTRY + _TWO] != _ZERO:
            place = (place + _ONE) & mask
        for word in range(_ENTRY):
            table[place * _ENTRY + np.uint64(word)] = old[at + np.uint64(word)]


@stateful(kept=("_state", "_table", "_ends", "_memory"))
class Vocabulary:
    """The strings of a column so far, numbered from 0.

    A closed one has these `words` and no others: all other strings get the number after the last.
    """

    def __init__(self, words: Collection[str] | None = None) -> None:
        self._state = np.zeros(REGISTERS, np.uint64)
        self._make_room(128, 4096)
        if words is not None:
            self._close(words)

    def _make_room(self, strings: int, size: int) -> None:
        """Room for so many strings (a power of two) and bytes, of a vocabulary that has none."""
        self._table: Words = np.zeros(6 * strings, np.uint64)
        self._ends: Words = np.zeros(strings, np.uint64)
        self._memory: Bytes = np.zeros(size, np.uint8)

    def _close(self, words: Iterable[str]) -> None:
        encoded = [word.encode("utf-8", "surrogatepass") for word in dict.fromkeys(words)]
        offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
        self.codes(offsets, b"".join(encoded), None)
        self._state[CLOSED] = 1

    def resumed(self) -> None:
        """Raises ValueError where the arrays do not fit one another: kernels check no bounds."""
        strings, room = self._ends.size, self._table.size
        known, used = int(self._state[KNOWN]), int(self._state[USED])
        entries = self._table.reshape(-1, int(_ENTRY))
        codes = entries[:, 2]
        ends = self._ends[codes[codes > 0].astype(np.int64) - 1] if known <= strings else None
        if (
            not strings or strings & (strings - 1) or room != 6 * strings or known > strings
            or used > self._memory.size or (codes > known).any() or ends is None
            or (ends > used).any() or (entries[codes > 0, 1] > ends).any()
        ):
            raise ValueError("the arrays of a vocabulary do not fit one another")

    def __len__(self) -> int:
        """How many numbers there are, that of all other strings included."""
        return int(self._state[KNOWN]) + int(self._state[CLOSED])

    @property
    def is_full(self) -> bool:
        """Whether it is time for a new one: codes are not for ever."""
        return int(self._state[KNOWN]) > IN_USE.strings and not self._state[CLOSED]

    def words(self, first: int = 0) -> list[str]:
        """The strings from this code on; for all others, one that is longer than any."""
        known = int(self._state[KNOWN])
        ends = [int(self._ends[first - 1]) if first else 0]
        ends += self._ends[first:known].tolist()
        memory = self._memory[: ends[-1]].tobytes()
        found = [
            memory[begin:end].decode("utf-8", "surrogatepass")
            for begin, end in pairwise(ends)
        ]
        if self._state[CLOSED] and first <= known:
            found.append("?" * (int(self._state[USED]) + 1))
        return found

    def encoded(self, first: int = 0) -> tuple[Codes, Any]:
        """The strings from this code on as Arrow has them: where they begin and end, in bytes."""
        known = int(self._state[KNOWN])
        ends = self._ends[first:known].astype(np.int32)
        begin = np.int32(self._ends[first - 1] if first else 0)
        return np.append(begin, ends), self._memory

    def only(self, codes: npt.NDArray[np.int64]) -> Vocabulary:
        """Another one, of these strings in this order."""
        begins = np.append(np.uint64(0), self._ends)[codes].astype(np.int64)
        lengths = self._ends[codes].astype(np.int64) - begins
        offsets = np.append(0, np.cumsum(lengths))
        places = np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])
        chosen = Vocabulary()
        chosen._make_room(self._ends.size, self._memory.size)
        chosen.codes(offsets.astype(np.int32), self._memory[places], None)
        return chosen

    def codes(self, offsets: Codes, data: Any, valid: npt.NDArray[np.bool_] | None) -> Codes:
        """The codes of the strings that Arrow keeps in these buffers."""
        codes = np.empty(offsets.size - 1, np.int32)
        validity = np.zeros(0, np.bool_) if valid is None else valid
        as_bytes = np.frombuffer(data, np.uint8)
        if as_bytes.size < _LEAST:
            as_bytes = np.concatenate([as_bytes, np.zeros(_LEAST, np.uint8)])
        offsets, as_bytes = sealed(offsets), sealed(as_bytes)
        self._state[NEXT] = 0
        while encode_strings(
            offsets, as_bytes, validity, self._state, self._table, self._ends, self._memory, codes,
        ):  # fmt: skip
            self._grow(int(self._state[USED]) + int(offsets[-1] - offsets[0]) + 8)
        return sealed(codes)

    def _grow(self, bytes_at_most: int) -> None:
        """Twice the room, where it was too little."""
        if int(self._state[KNOWN]) == self._ends.size:
            self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
            old, self._table = self._table, np.zeros(2 * self._table.size, np.uint64)
            place_anew(old, self._table)
            return
        grown = np.zeros(max(2 * self._memory.size, min(bytes_at_most, 1 << 20)), np.uint8)
        grown[: self._memory.size] = self._memory
        self._memory = grown
