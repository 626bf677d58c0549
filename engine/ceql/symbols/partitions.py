"""PARTITION BY: each event's partition as a small number (CORE sections 2.2 and 4.4).

The values of one attribute become 64-bit integers (strings are numbered, floats are their bits),
tuples of them are numbered in a hash table. When there are many numbers whose partition holds no
run any more, the others move up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...checkpoints.state_schema import stateful
from ...kernels import compiled, sealed
from ..kernels.tables import NOWHERE, Codes
from .columns import Column, Dictionary, Strings, Vocabulary
from .terms import Truths

Integers: TypeAlias = npt.NDArray[np.int64]

_FREE = -1
_BOOLEAN, _NUMBER, _STRING, _FRACTION = (np.array([tag], np.int64) for tag in (1, 2, 3, 4))
_TAGS = {"boolean": _BOOLEAN, "number": _NUMBER, "string": _STRING}
_ALL = np.zeros(0, np.bool_)
_NO_CODES: Codes = np.zeros(0, np.uint32)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)


@compiled
def number_pairs(
    firsts: Integers,
    seconds: Integers,  # one for all, or one for each
    valid: npt.NDArray[np.bool_],  # empty: all are
    begin: int,
    table: Integers,  # triples: first, second, number (or _FREE); the capacity is a power of two
    counted: Integers,  # [numbers given out]
    numbers: Integers,  # result; -1 where it is not valid
) -> int:
    """Number pairs in order of first occurrence; returns where it stopped for want of room."""
    capacity = table.size // 3
    mask = np.uint64(capacity - 1)
    checked = valid.size > 0
    each = -1 if seconds.size > 1 else 0
    for i in range(begin, firsts.size):
        if checked and not valid[i]:
            numbers[i] = -1
            continue
        first, second = firsts[i], seconds[i & each]
        mixed = np.uint64(first) ^ np.uint64(first) >> _SHIFT
        mixed = (mixed ^ np.uint64(second) * _MULTIPLIER) * _MULTIPLIER
        at = np.int64((mixed ^ mixed >> _SHIFT) & mask)
        while True:
            found = table[3 * at + 2]
            if found < 0:
                if 2 * (counted[0] + 1) > capacity:
                    return i
                found = counted[0]
                table[3 * at] = first
                table[3 * at + 1] = second
                table[3 * at + 2] = found
                counted[0] = found + 1
                break
            if table[3 * at] == first and table[3 * at + 1] == second:
                break
            at = (at + 1) & np.int64(mask)
        numbers[i] = found
    return firsts.size


@stateful(kept=("_table", "_counted"))
class _Pairs:
    """Numbers for pairs of integers."""

    def __init__(self) -> None:
        self._table = _table(256)
        self._counted = np.zeros(1, np.int64)

    def resumed(self) -> None:
        """Raise ValueError where the arrays do not fit one another: kernels check no bounds."""
        capacity = self._table.size // 3
        taken = int((self._table[2::3] != _FREE).sum())
        if (
            not capacity or capacity & (capacity - 1) or self._table.size != 3 * capacity
            or self._counted.shape != (1,) or taken != self._counted[0] or 2 * taken > capacity
        ):
            raise ValueError("a table of pairs does not fit what it counts")

    @property
    def count(self) -> int:
        return int(self._counted[0])

    def numbers(self, firsts: Integers, seconds: Integers, valid: Truths | None) -> Integers:
        result = np.empty(firsts.size, np.int64)
        validity = _ALL if valid is None else valid
        firsts, seconds = sealed(firsts), sealed(seconds)
        at = 0
        while True:
            at = number_pairs(firsts, seconds, validity, at, self._table, self._counted, result)
            if at == firsts.size:
                return result
            self._grow()

    def _grow(self) -> None:
        self.replace(self.in_order(), 2 * self._table.size // 3)

    def in_order(self) -> Integers:
        """Return the pairs that have numbers, in the order of their numbers."""
        table = self._table.reshape(-1, 3)
        taken = np.flatnonzero(table[:, 2] != _FREE)
        pairs = np.empty((taken.size, 2), np.int64)
        pairs[table[taken, 2]] = table[taken, :2]
        return pairs

    def replace(self, pairs: Integers, capacity: int = 256) -> None:
        """Number these pairs from 0, and no others."""
        while capacity < 4 * len(pairs):
            capacity *= 2
        self._table = _table(capacity)
        self._counted[0] = 0
        result = np.empty(len(pairs), np.int64)
        firsts, seconds = pairs[:, 0].copy(), pairs[:, 1].copy()
        sizes = self._table, self._counted
        number_pairs(sealed(firsts), sealed(seconds), _ALL, 0, *sizes, result)


def _table(capacity: int) -> Integers:
    table = np.zeros((capacity, 3), np.int64)
    table[:, 2] = _FREE
    return table.reshape(-1)


@stateful(
    kept=("_strings", "_typed", "_unequal"), anew=("_source", "_known", "_table")
)
class _Attribute:
    """The values of one attribute, numbered; -1 where one is missing.

    Values are equal if they are equal and of one type, an int and a double may be equal.
    """

    def __init__(self) -> None:
        self._strings = Vocabulary()
        self._typed = _Pairs()
        self._unequal = 0
        self._source: Vocabulary | Dictionary | None = None  # the latest column's strings
        self._known = 0  # how many of them have numbers in the table
        self._table: Integers = np.zeros(16, np.int64)  # by code plus one

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Discard the values with other numbers; renumber the kept ones without gaps."""
        pairs = self._typed.in_order()[kept]
        strings = pairs[:, 1] == _STRING
        self._strings = self._strings.only(pairs[strings, 0])
        pairs[strings, 0] = np.arange(np.count_nonzero(strings))
        self._typed.replace(pairs)
        self._source = None

    @property
    def count(self) -> int:
        return self._typed.count

    def numbers(self, column: Column) -> tuple[Integers, Truths | None]:
        if isinstance(column, Strings):
            numbers = self._numbers_of(column.vocabulary)[column.codes + 1]
            return self._tagged(numbers, "string", column.valid)
        data = column.data
        if data.dtype == np.float64:
            return self._floats(data, column.valid)
        return self._tagged(data.astype(np.int64, copy=False), column.kind, column.valid)

    def _numbers_of(self, source: Vocabulary | Dictionary) -> Integers:
        """Return the number of each string, by its code in this vocabulary plus one."""
        if source is not self._source:
            self._source, self._known = source, 0
        if len(source) > self._known:
            new = self._strings.codes(*source.encoded(self._known), None)
            begin, end = self._known + 1, self._known + 1 + new.size
            if end > self._table.size:
                more = np.zeros(max(end, self._table.size), np.int64)
                self._table = np.concatenate([self._table, more])
            self._table[begin:end] = new
            self._known += new.size
        return self._table

    def _floats(
        self, data: npt.NDArray[np.float64], valid: Truths | None
    ) -> tuple[Integers, Truths | None]:
        whole = (data == np.floor(data)) & (np.abs(data) < 2.0**63)
        integers = np.where(whole, data, 0.0).astype(np.int64)
        bits = data.view(np.int64).copy()
        for row in np.flatnonzero(np.isnan(data)).tolist():  # equal to nothing
            self._unequal += 1
            bits[row] = -self._unequal
        tags = np.where(whole, _NUMBER, _FRACTION)
        return self._typed.numbers(np.where(whole, integers, bits), tags, valid), valid

    def _tagged(
        self, data: Integers, kind: str, valid: Truths | None
    ) -> tuple[Integers, Truths | None]:
        return self._typed.numbers(data, _TAGS[kind], valid), valid


@stateful(kept=("_tuples",), parts=("_columns",), compiled=("keys", "attributes"))
class Partitions:
    """The partitions of PARTITION BY, numbered from 0 as they occur.

    Each of `keys` is an attribute, or several of which the first counts that an event has.
    """

    def __init__(self, keys: Sequence[Sequence[str]]) -> None:
        self.keys = tuple(dict.fromkeys(map(tuple, keys)))
        self.attributes = tuple(dict.fromkeys(name for names in self.keys for name in names))
        self.restart()

    def restart(self) -> None:
        """Discard all partitions."""
        self._columns = [_Attribute() for _ in self.keys]
        self._tuples = [_Pairs() for _ in self.keys[1:]]

    @property
    def count(self) -> int:
        if self._tuples:
            return self._tuples[-1].count
        return self._columns[0].count if self.keys else 1

    def of(self, columns: Mapping[str, Column], which: Codes | None, rows: int) -> Codes:
        """Return partitions of events, NOWHERE where an attribute is missing; [] without a clause.

        Of these events, or of all rows.
        """
        if not self.keys:
            return _NO_CODES
        numbers: Integers | None = None
        valid: Truths | None = None
        for place, pairs in enumerate([None, *self._tuples]):
            found = self._first_known(place, columns, which)
            if found is None:
                return np.full(rows if which is None else which.size, NOWHERE, np.uint32)
            data, known = found
            if known is not None:
                valid = known if valid is None else valid & known
            numbers = data if numbers is None or pairs is None else pairs.numbers(
                numbers, data, valid
            )
        return np.asarray(numbers).astype(np.uint32)

    def _first_known(
        self, place: int, columns: Mapping[str, Column], which: Codes | None
    ) -> tuple[Integers, Truths | None] | None:
        """Return the numbered values of a key, and where there are any; None without a column."""
        data: Integers | None = None
        known: Truths | None = None
        for name in self.keys[place]:
            column = columns.get(name)
            if column is None:
                continue
            asked = column if which is None else column.taken(which)
            numbers, there = self._columns[place].numbers(asked)
            if data is None:
                data, known = numbers, there
            elif known is not None:
                data = np.where(known, data, numbers)
                known = None if there is None else known | there
            if known is None:
                break
        return None if data is None else (data, known)

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Discard the partitions with other numbers; renumber the kept ones without gaps."""
        for depth in range(len(self._tuples), 0, -1):
            pairs = self._tuples[depth - 1].in_order()[kept]
            before = self._tuples[depth - 2].count if depth > 1 else self._first.count
            column = self._columns[depth]
            firsts, seconds = _marked(pairs[:, 0], before), _marked(pairs[:, 1], column.count)
            column.keep(seconds)
            moved = [_moved(pairs[:, 0], firsts), _moved(pairs[:, 1], seconds)]
            self._tuples[depth - 1].replace(np.stack(moved, axis=1))
            kept = firsts
        self._first.keep(kept)

    @property
    def _first(self) -> _Attribute:
        return self._columns[0]


def _marked(numbers: Integers, count: int) -> npt.NDArray[np.bool_]:
    marks = np.zeros(count, np.bool_)
    marks[numbers] = True
    return marks


def _moved(numbers: Integers, kept: npt.NDArray[np.bool_]) -> Integers:
    """Return the numbers after renumbering, in which only those that are kept are counted."""
    return (np.cumsum(kept) - 1)[numbers]
