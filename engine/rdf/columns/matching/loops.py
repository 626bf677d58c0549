"""The joins' inner loops: which rows of two tables go together."""

from __future__ import annotations

from ....kernels import compiled
from ..batch import Column


@compiled
def pair_within_items(
    left_item: Column,
    left_key: Column,
    right_item: Column,
    right_key: Column,
    left_out: Column,
    right_out: Column,
    sorted_keys: int,  # whether the keys of an item rise on the right
) -> int:
    """The pairs of rows with equal items and keys: how many, and as many as there is room for."""
    room = left_out.size
    length = right_item.size
    found = 0
    begin = 0
    for i in range(left_item.size):
        item = left_item[i]
        key = left_key[i]
        while begin < length and right_item[begin] < item:
            begin += 1
        j = begin
        if sorted_keys != 0:
            high = length
            while j < high:
                middle = (j + high) // 2
                other = right_item[middle]
                if other < item or (other == item and right_key[middle] < key):
                    j = middle + 1
                else:
                    high = middle
        while j < length and right_item[j] == item:
            if right_key[j] == key:
                if found < room:
                    left_out[found] = i
                    right_out[found] = j
                found += 1
            elif sorted_keys != 0:
                break
            j += 1
    return found


@compiled
def pair_by_index(keys: Column, starts: Column, left_out: Column, right_out: Column) -> int:
    """As above for rows of which those with key k stand from starts[k] up to starts[k + 1]."""
    room = left_out.size
    known = starts.size - 1
    found = 0
    for i in range(keys.size):
        key = keys[i]
        if key < known:
            for j in range(starts[key], starts[key + 1]):
                if found < room:
                    left_out[found] = i
                    right_out[found] = j
                found += 1
    return found
