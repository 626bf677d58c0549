"""Temporal joins over columns: rows that have ended wait, by key, for rows that begin later.

The rows of a bucket of keys are a list from the latest to the earliest: they come in the order of
their ends, so that whoever looks for partners passes by what ended too late at its beginning, and
stops where everything ended too long ago.

One for all languages whose sequences are `end of the left < start of the right`: EP-SPARQL's SEQ,
CQELS-CEP's SEQ in a window. A batch of left rows and a batch of right rows give the rows of both;
nothing depends on how rows are cut into batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels import KERNELS, compiled
from ...tuning import IN_USE
from ..columns.batch import Column
from ..data.layout import IdRow, Layout

Table = NDArray[np.int64]
"""[m, k]: a row of ids for each solution, 0 for unbound"""

ALWAYS: Final = 1 << 61
"""A deadline that never comes, later than any time of an item; `-ALWAYS` is earlier than any."""

FURTHEST: Final = ALWAYS // 2
"""Times may be so far from 0."""


class Timed(NamedTuple):
    """m rows in the order of their ends."""

    rows: Table
    start: Column
    end: Column
    deadline: Column
    """[m]: the last time at which something that happens then may follow the row"""

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.end)

    def taken(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Timed:
        """Return the rows with these numbers, or where it is true."""
        return Timed(
            self.rows[chosen], self.start[chosen], self.end[chosen], self.deadline[chosen]
        )

    def in_order(self) -> Timed:
        """Return the same rows by their ends; those that end at once as they stand."""
        if self.size < 2 or bool((self.end[1:] >= self.end[:-1]).all()):
            return self
        return self.taken(np.argsort(self.end, kind="stable"))

    def tuples(self) -> Iterable[tuple[IdRow, int, int]]:
        """Return each row with its interval, as item-at-a-time engines represent them."""
        ids: Iterable[IdRow] = map(tuple, self.rows.tolist())
        return zip(ids, self.start.tolist(), self.end.tolist(), strict=True)


def nothing(width: int) -> Timed:
    """Return an empty table of that many columns."""
    none = np.zeros(0, np.int64)
    return Timed(np.zeros((0, width), np.int64), none, none, none)


def timed(found: Sequence[tuple[IdRow, int, int]], width: int, deadline: int = ALWAYS) -> Timed:
    """Return rows with their intervals as columns, in the order of their ends."""
    if not found:
        return nothing(width)
    rows = np.array([ids for ids, _, _ in found], np.int64).reshape(len(found), width)
    start = np.array([start for _, start, _ in found], np.int64)
    end = np.array([end for _, _, end in found], np.int64)
    return Timed(rows, start, end, np.full(len(found), deadline)).in_order()


def together(parts: Sequence[Timed], width: int) -> Timed:
    """Return the rows of several, in the order of their ends."""
    parts = [part for part in parts if part.size]
    if not parts:
        return nothing(width)
    if len(parts) == 1:
        return parts[0]
    return Timed(*(np.concatenate(columns) for columns in zip(*parts, strict=True))).in_order()


_Integers = NDArray[np.int64]

LINKED, RIGHT, NEXT = range(3)
"""The cursors of a join: the next waiting row in lists, the right row, its next candidate."""

NONE = -1
"""No row: the end of a list."""
ANEW = -2
"""No candidate of this right row has been looked at."""


@compiled
def pairs(
    keys: _Integers,
    ends: _Integers,
    deadlines: _Integers,
    earlier: _Integers,
    heads: _Integers,
    place: _Integers,
    first: int,
    size: int,
    reach: int,
    right_keys: _Integers,
    right_starts: _Integers,
    right_ends: _Integers,
    lefts: _Integers,
    rights: _Integers,
) -> int:
    """Write pairs of numbers, of a waiting row and of a right row that follows it.

    Rows `first` to `size` wait; deadlines are at most `reach` after ends. Right rows come in the
    order of their ends. Returns how many pairs there are; if that is all that `lefts` has room for
    there may be more: call again.
    """
    linked, right, here = int(place[LINKED]), int(place[RIGHT]), int(place[NEXT])
    mask = len(heads) - 1
    count = 0
    while right < len(right_keys):
        key, start, end = right_keys[right], right_starts[right], right_ends[right]
        if here == ANEW:
            while linked < size and ends[linked] < end:
                bucket = keys[linked] & mask
                earlier[linked] = heads[bucket]
                heads[bucket] = linked
                linked += 1
            here = heads[key & mask]
        while here >= first and ends[here] >= end - reach:
            if keys[here] == key and ends[here] < start and deadlines[here] >= end:
                if count == len(lefts):
                    place[LINKED], place[RIGHT], place[NEXT] = linked, right, here
                    return count
                lefts[count] = here
                rights[count] = right
                count += 1
            here = int(earlier[here])
        right += 1
        here = ANEW
    place[LINKED], place[RIGHT], place[NEXT] = linked, right, here
    return count


@compiled
def relinked(
    keys: _Integers, earlier: _Integers, heads: _Integers, first: int, linked: int
) -> None:
    """Put the rows `first` to `linked` into the lists, which are empty."""
    mask = len(heads) - 1
    for row in range(first, linked):
        bucket = keys[row] & mask
        earlier[row] = heads[bucket]
        heads[bucket] = row


_MIXED = np.int64(-7046029254386353131)  # odd, its bits in no order
_SPREAD = np.int64(31)


class TemporalJoin:
    """Keyed by the variables that both sides surely bind; no other may be shared."""

    def __init__(self, left: Layout, right: Layout) -> None:
        here, there = left.positions, right.positions
        shared = [variable for variable in right.columns if variable in here]
        self.layout = left.extended(right.columns, right.certain)
        self.exact = all(each in left.certain and each in right.certain for each in shared)
        """True if this class can compute the join."""
        self._left_key = [here[variable] for variable in shared]
        self._right_key = [there[variable] for variable in shared]
        self._fresh = [there[variable] for variable in right.columns if variable not in here]
        self._width = len(left.columns)
        self.clear()

    def clear(self) -> None:
        """Discard all waiting rows."""
        room = _power(IN_USE.waiting)
        self._waiting = _room(room, self._width)
        self._keys = np.zeros(room, np.int64)
        self._earlier = np.zeros(room, np.int64)
        self._heads = np.full(2 * room, NONE, np.int64)
        self._place = np.array([0, 0, ANEW], np.int64)
        self._first = self._size = 0
        self._reach = 0

    def __len__(self) -> int:
        return self._size - self._first

    @property
    def waiting(self) -> Timed:
        """The rows that wait."""
        return Timed(*(column[self._first:self._size] for column in self._waiting))

    # --- joining ----------------------------------------------------------------------------

    def joined(self, lefts: Timed, rights: Timed) -> Timed:
        """Return the rows of both that new rows complete, in the order of the right ones.

        No row may come later that ends earlier than one of these.
        """
        self.remember(lefts)
        if not rights.size or not len(self):
            return nothing(len(self.layout.columns))
        keys = _keys(rights.rows, self._right_key)
        self._place[RIGHT], self._place[NEXT] = 0, ANEW
        KERNELS.charge(len(self) + 2 * rights.size)
        room = IN_USE.pairs
        found: list[Timed] = []
        while True:
            mine, theirs = np.empty(room, np.int64), np.empty(room, np.int64)
            count = pairs(
                self._keys, self._waiting.end, self._waiting.deadline, self._earlier, self._heads,
                self._place, self._first, self._size, self._reach,
                keys, rights.start, rights.end, mine, theirs,
            )
            KERNELS.charge(count)
            if count:
                found.append(self._merged(mine[:count], rights, theirs[:count]))
            if count < room:
                return together(found, len(self.layout.columns))

    def _merged(self, mine: Column, rights: Timed, theirs: Column) -> Timed:
        left, right = self._waiting.taken(mine), rights.taken(theirs)
        rows = left.rows
        if self._fresh:
            rows = np.concatenate((rows, right.rows[:, self._fresh]), axis=1)
        both = Timed(
            rows, np.minimum(left.start, right.start), right.end,
            np.minimum(left.deadline, right.deadline),
        )
        if len(self._left_key) < 2:
            return both
        # Of several variables the key is a digest.
        same = (left.rows[:, self._left_key] == right.rows[:, self._right_key]).all(axis=1)
        return both if bool(same.all()) else both.taken(same)

    # --- memory -----------------------------------------------------------------------------

    def remember(self, lefts: Timed) -> None:
        """Add waiting rows; none of them ends earlier than one already waiting."""
        if not lefts.size:
            return
        if self._size + lefts.size > len(self._keys):
            self._make_room(lefts.size)
        at = slice(self._size, self._size + lefts.size)
        for column, new in zip(self._waiting, lefts, strict=True):
            column[at] = new
        self._keys[at] = _keys(lefts.rows, self._left_key)
        self._size += lefts.size
        latest = int(lefts.deadline.max())
        reach = int((lefts.deadline - lefts.end).max()) if latest < ALWAYS else 2 * ALWAYS
        self._reach = max(self._reach, reach)

    def forget(self, now: int) -> None:
        """Evict waiting rows, since no row that ends before now will follow."""
        if self._reach < 2 * ALWAYS:
            ends = self._waiting.end[self._first:self._size]
            self._first += int(np.searchsorted(ends, now - self._reach))

    def drop(self, count: int) -> None:
        """Drop the `count` rows that have waited longest."""
        self._first += count

    def _make_room(self, more: int) -> None:
        """Drop evicted rows; double the capacity until at most half of it is used."""
        kept, first = self.waiting, self._first
        room = len(self._keys)
        while 2 * (kept.size + more) > room:
            room *= 2
        keys = self._keys[first:self._size]
        waiting, self._keys = _room(room, self._width), np.zeros(room, np.int64)
        self._keys[: kept.size] = keys
        for column, old in zip(waiting, kept, strict=True):
            column[: kept.size] = old
        self._waiting, self._earlier = waiting, np.zeros(room, np.int64)
        self._heads = np.full(2 * room, NONE, np.int64)
        self._place[LINKED] = linked = max(0, int(self._place[LINKED]) - first)
        self._first, self._size = 0, kept.size
        KERNELS.charge(linked)
        relinked(self._keys, self._earlier, self._heads, 0, linked)


def _room(size: int, width: int) -> Timed:
    return Timed(
        np.zeros((size, width), np.int64), *(np.zeros(size, np.int64) for _ in range(3))
    )


def _power(least: int) -> int:
    return 1 << max(0, least - 1).bit_length()


def _keys(rows: Table, columns: Sequence[int]) -> Column:
    """Return the join keys of rows: the id of one variable, a digest of several."""
    if not columns:
        return np.zeros(len(rows), np.int64)
    keys = np.ascontiguousarray(rows[:, columns[0]])
    for column in columns[1:]:
        keys = (keys ^ (keys >> _SPREAD)) * _MIXED + rows[:, column]
    return keys
