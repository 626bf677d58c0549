"""The loops of temporal joins: rows that wait, in lists by key, and those that follow them.

The rows of a bucket of keys are a list from the latest to the earliest: they come in the order of
their ends, so that whoever looks for partners passes by what ended too late at its beginning, and
stops where everything ended too long ago.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernels import compiled

_Integers = NDArray[np.int64]

LINKED, RIGHT, NEXT = range(3)
"""Where a join goes on: waiting rows that are in lists, the right row, its next candidate."""

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
    """Writes pairs of numbers, of a waiting row and of a right row that follows it.

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
    """Puts the rows `first` to `linked` into the lists, which are empty."""
    mask = len(heads) - 1
    for row in range(first, linked):
        bucket = keys[row] & mask
        earlier[row] = heads[bucket]
        heads[bucket] = row
