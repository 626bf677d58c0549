"""Lines to items: what `semantics.streams.rdf.itemising` makes of a document of the usual layout.

A kernel goes over the lines of a block as long as all is plain and an item is what an item must be,
and stops where it is not: what it has not finished is read by the other one, from the item's start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...kernels import compiled
from ..data.tokens import Numbers, TokenArrays, add, find
from ..data.words import Bytes, hash_of
from .instants import INSTANT, KIND, parse_instant
from .scanning import END, QUOTE, SPAN, START, TERMS, is_plain, scan_line

# What `read_lines` returns.
ENDED, IRREGULAR, FULL = 0, 1, 2

# Registers of a reader.
AT = 0  # where the next line begins
ROWS = 1  # triples found
ITEMS = 2  # items finished
NAME = 3  # of the item that is being read; -1: none is
FIRST_ROW = 4  # of that item
BEGIN = 5  # where that item begins
TIMES = 6  # which times it has been given
END_TIME = 7
START_TIME = 8
TIME_KIND = 9
LAST_END = 10  # of the last item that was finished
LAST_KIND = 11  # -1: none was
COMPLETED = 12  # items of the document that have been finished
ELSEWHERE = 13  # whether the default graph says something else
SCOPE = 14  # of the document's blank nodes
REGISTERS = 15

REMEMBERED = 1 << 16
"""So many names of items are remembered (see `itemising.RecentNames`)."""

AT_INSTANT, AT_START, AT_END = 1, 2, 4
# Places in `special`: predicates by the numbers of their tokens.
GENERATED, STARTED, STOPPED, HEARTBEAT, EMPTY = range(5)

_ONE, _TWO, _THREE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(29)


class FoundItems(NamedTuple):
    """What is found in a block: triples, and items of them."""

    subject: Numbers
    predicate: Numbers
    object: Numbers
    time: Numbers
    start: Numbers
    interval: Numbers
    name: Numbers
    offsets: Numbers
    seen: Numbers
    """A hash table of the item's rows: the number of a row, plus 1; those of others are stale."""


class Constants(NamedTuple):
    """What never changes, and a line's places."""

    classes: Bytes
    xsd_string: Bytes
    namespace: Bytes
    integer: Bytes
    datetime: Bytes
    spans: Numbers
    instant: Numbers


@compiled
def numbered(
    table: TokenArrays, data: Bytes, place: int, scope: int, constants: Constants
) -> Any:
    """The number of a term of the line; -1 if it is not plain."""
    spans = constants.spans
    start, end = spans[place * SPAN + START], spans[place * SPAN + END]
    hashed = hash_of(data, start, end)
    of = scope if data[start] == 95 else 0
    number = find(table, data, start, end, hashed, of)
    if number >= 0:
        return number
    quote = spans[place * SPAN + QUOTE]
    if not is_plain(data, start, end, quote, constants.classes, constants.namespace):
        return -1
    return add(table, data, start, end, hashed, of, -number - 1)


@compiled
def add_row(found: FoundItems, state: Numbers, s: int, p: int, o: int) -> None:
    """A triple of the item, unless it has it."""
    seen = found.seen
    mask = len(seen) - 1
    row = state[ROWS]
    first = state[FIRST_ROW] + 1
    hashed = ((np.uint64(s) * _ONE + np.uint64(p)) * _TWO + np.uint64(o)) * _ONE
    slot = np.int64((hashed >> _THREE) & np.uint64(mask))
    while seen[slot] >= first:
        known = seen[slot] - 1
        if found.object[known] == o and found.subject[known] == s and found.predicate[known] == p:
            return
        slot = (slot + 1) & mask
    seen[slot] = row + 1
    found.subject[row] = s
    found.predicate[row] = p
    found.object[row] = o
    state[ROWS] = row + 1


@compiled
def finish_item(found: FoundItems, state: Numbers, ages: Numbers) -> bool:
    """Whether the item that is being read is complete and in order; then it is finished."""
    if state[NAME] < 0:
        return True
    times = state[TIMES]
    if times != AT_INSTANT and times != AT_START + AT_END:
        return False
    if state[ROWS] == state[FIRST_ROW]:
        return False
    end = state[END_TIME]
    start = end if times == AT_INSTANT else state[START_TIME]
    if end < start:
        return False
    if state[LAST_KIND] >= 0 and (state[LAST_KIND] != state[TIME_KIND] or end < state[LAST_END]):
        return False
    item = state[ITEMS]
    found.time[item] = end
    found.start[item] = start
    found.interval[item] = 0 if times == AT_INSTANT else 1
    found.name[item] = state[NAME]
    found.offsets[item + 1] = state[ROWS]
    state[ITEMS] = item + 1
    state[LAST_END] = end
    state[LAST_KIND] = state[TIME_KIND]
    state[COMPLETED] += 1
    ages[state[NAME]] = state[COMPLETED]
    state[NAME] = -1
    return True


@compiled
def add_time(state: Numbers, bit: int, instant: Numbers) -> bool:
    """Whether the item may be given this time; then it has it."""
    times = state[TIMES]
    if times & bit or (times and (times == AT_INSTANT or bit == AT_INSTANT)):
        return False
    if times and state[TIME_KIND] != instant[KIND]:
        return False
    state[TIMES] = times | bit
    state[TIME_KIND] = instant[KIND]
    if bit == AT_START:
        state[START_TIME] = instant[INSTANT]
    else:
        state[END_TIME] = instant[INSTANT]
    return True


# One loop over lines: what a line may be, and what follows, in the order in which it is checked.
@compiled
def read_lines(
    data: Bytes, end: int, state: Numbers, found: FoundItems,
    terms: TokenArrays, names: TokenArrays, ages: Numbers, special: Numbers, constants: Constants,
) -> int:
    """Reads lines, from the register AT up to `end`.

    Before FULL and ENDED all lines up to AT are read; before IRREGULAR, those up to BEGIN.
    """
    spans = constants.spans
    scope = state[SCOPE]
    at = state[AT]
    while at < end:
        if terms.counted[0] + 3 > len(terms.hashes) or names.counted[0] + 1 > len(names.hashes):
            return FULL
        following = scan_line(data, at, end, spans, constants.classes, constants.xsd_string)
        if following < 0:
            return IRREGULAR
        count = spans[TERMS]
        if count == 0:
            at = following
            state[AT] = at
            continue
        predicate = numbered(terms, data, 1, 0, constants)
        if predicate < 0:
            return IRREGULAR
        bit = 0
        if count == 3:
            if predicate == special[GENERATED]:
                bit = AT_INSTANT
            elif predicate == special[STARTED]:
                bit = AT_START
            elif predicate == special[STOPPED]:
                bit = AT_END
        elif predicate == special[EMPTY]:
            return IRREGULAR
        s, o = 0, 0
        if bit == 0:
            s = numbered(terms, data, 0, scope, constants)
            o = numbered(terms, data, 2, scope, constants)
            if s < 0 or o < 0:
                return IRREGULAR
            if count == 3:
                if predicate != special[HEARTBEAT] and predicate != special[EMPTY]:
                    state[ELSEWHERE] = 1
                at = following
                state[AT] = at
                continue
        else:
            quote = spans[2 * SPAN + QUOTE]
            if quote == 0 or not parse_instant(
                data, spans[2 * SPAN + START] + 1, quote, spans[2 * SPAN + END],
                constants.integer, constants.datetime, constants.instant,
            ):
                return IRREGULAR
        name = numbered(names, data, 0 if bit else 3, 0, constants)
        if name < 0:
            return IRREGULAR
        if name != state[NAME]:
            if not finish_item(found, state, ages):
                return IRREGULAR
            if state[COMPLETED] > 0:
                state[BEGIN] = at
            if ages[name] > 0 and state[COMPLETED] - ages[name] < REMEMBERED:
                return IRREGULAR  # it comes back
            state[NAME] = name
            state[FIRST_ROW] = state[ROWS]
            state[TIMES] = 0
        if bit:
            if not add_time(state, bit, constants.instant):
                return IRREGULAR
        else:
            add_row(found, state, s, predicate, o)
        at = following
        state[AT] = at
    return ENDED
