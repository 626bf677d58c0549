"""The N-Quads reader: kernels parse regular lines into item blocks, pyoxigraph all others.

A kernel parses the lines of a block until one is irregular. From the start of that item the
reference reader (`semantics.streams.rdf.item_assembly`) reads some items one by one; then kernels
continue, from the start of an item. Both yield the same items and the same error messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from rdflib.term import BNode, URIRef

from ....semantics.model.errors import StreamError
from ....semantics.model.items import Item
from ....semantics.model.terms import Term
from ....semantics.streams.files.documents import LARGEST_ITEM, Document, Format
from ....semantics.streams.rdf.item_assembly import ENDED as ENDED_AT
from ....semantics.streams.rdf.item_assembly import (
    GENERATED,
    HEARTBEAT,
    STARTED,
    ItemReader,
    Progress,
)
from ....semantics.streams.rdf.json_ld import EMPTY_GRAPH_MARKER
from ...kernels import KERNELS, compiled
from ...tuning import IN_USE
from ..data.dictionary import Dictionary
from ..data.tokens import Bytes, Numbers, TokenArrays, Tokens, add, find, hash_of, term_of
from .batch import ItemBlock, block_from, block_of, fits
from .nquads_scanner import (
    CLASSES,
    DATETIME_TYPE,
    END,
    INSTANT,
    INTEGER_TYPE,
    KIND,
    KINDS,
    QUOTE,
    RDF_NAMESPACE,
    SPAN,
    START,
    TERMS,
    XSD_STRING,
    LineText,
    is_plain,
    parse_instant,
    scan_line,
)

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
"""The number of items' names that are stored (see `item_assembly.RecentNames`)."""

AT_INSTANT, AT_START, AT_END = 1, 2, 4
# Places in `_SPECIAL`: predicates by the numbers of their tokens.
GENERATED_TERM, STARTED_TERM, STOPPED_TERM, HEARTBEAT_TERM, EMPTY_TERM = range(5)

_ONE, _TWO, _THREE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(29)


class FoundItems(NamedTuple):
    """The contents of a block: triples, and items of them."""

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
    """The constants, and the positions of a line's terms."""

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
    """Return the number of a term of the line; -1 if it is not plain."""
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
    """Add a triple to the item, unless it has it."""
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
    """Finish the item that is being read; return False if it is incomplete or out of order."""
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
    """Set a time of the item; return False if it may not have this time."""
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
    """Read lines, from the register AT up to `end`.

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
            if predicate == special[GENERATED_TERM]:
                bit = AT_INSTANT
            elif predicate == special[STARTED_TERM]:
                bit = AT_START
            elif predicate == special[STOPPED_TERM]:
                bit = AT_END
        elif predicate == special[EMPTY_TERM]:
            return IRREGULAR
        s, o = 0, 0
        if bit == 0:
            s = numbered(terms, data, 0, scope, constants)
            o = numbered(terms, data, 2, scope, constants)
            if s < 0 or o < 0:
                return IRREGULAR
            if count == 3:
                if predicate != special[HEARTBEAT_TERM] and predicate != special[EMPTY_TERM]:
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


class ItemNames:
    """The names in `item_assembly.RecentNames`, for kernels.

    `ages[n]` tells as what number of the document's items the one of name n was finished, from 1;
    it is 0 for one that has not been. How many have been finished is in the register COMPLETED.
    """

    def __init__(self, scope: str, state: Numbers) -> None:
        self.tokens = Tokens()
        self.ages: Numbers = np.zeros(1 << 10, np.int64)
        self._prefix = f"{scope}_"
        self._state = state

    def __contains__(self, name: Term) -> bool:
        number = self.tokens.number(self._token(name))
        age = int(self.ages[number]) if 0 <= number < len(self.ages) else 0
        return age > 0 and int(self._state[COMPLETED]) - age < REMEMBERED

    def add(self, name: Term) -> None:
        """Finish the item of this name."""
        number = self.tokens.numbered(self._token(name))
        self.make_room(0, 0)
        self._state[COMPLETED] += 1
        self.ages[number] = self._state[COMPLETED]

    def make_room(self, count: int, text: int) -> None:
        """Make room for `count` further names of `text` bytes."""
        self.tokens.make_room(count, text)
        room = len(self.tokens.arrays.hashes)
        if len(self.ages) < room:
            self.ages = np.concatenate((self.ages, np.zeros(room - len(self.ages), np.int64)))

    def forget(self) -> None:
        """Evict unneeded entries from time to time, and renumber the names."""
        if len(self.tokens) > 4 * REMEMBERED:
            ages = self.ages[:len(self.tokens)]
            kept = np.flatnonzero((ages > 0) & (self._state[COMPLETED] - ages < REMEMBERED))
            self.tokens.keep(kept)
            self.ages = ages[kept]

    def _token(self, name: Term) -> bytes:
        text = str(name)
        if isinstance(name, URIRef):
            return f"<{text}>".encode("utf-8", "surrogatepass")
        return f"_:{text.removeprefix(self._prefix)}".encode("utf-8", "surrogatepass")

    def term(self, arrays: TokenArrays, number: int) -> URIRef | BNode:
        """Return the name with this current or former number in these arrays."""
        bounds = arrays.bounds
        token = arrays.text[bounds[number]:bounds[number + 1]].tobytes()
        term = term_of(token, self._prefix[:-1])
        assert isinstance(term, URIRef | BNode)
        return term


_SPECIAL = (GENERATED, STARTED, ENDED_AT, HEARTBEAT, EMPTY_GRAPH_MARKER)
_SHORTEST_LINE = 12
_LARGEST_PLAIN = LARGEST_ITEM // 4
_MOST_SINGLY = 1 << 12


class NQuadsBlocks:
    """The items of one document, in blocks.

    An element is a list of items where their times are too great for a column.
    """

    def __init__(self, file: Any, source: str, dictionary: Dictionary, scope: str) -> None:
        self._source = source
        self._dictionary = dictionary
        self._scope = scope
        self._text = LineText(file)
        self._state = np.zeros(REGISTERS, np.int64)
        self._state[NAME] = self._state[LAST_KIND] = -1
        self._state[SCOPE] = dictionary.interned.scope(scope)
        self._names = ItemNames(scope, self._state)
        self._previous: Item | None = None
        self._special = [dictionary.encode(term, permanent=True) for term in _SPECIAL]
        self._constants = Constants(
            CLASSES, XSD_STRING, RDF_NAMESPACE, INTEGER_TYPE, DATETIME_TYPE,
            np.zeros(TERMS + 1, np.int64), np.zeros(2, np.int64),
        )

    def __iter__(self) -> Iterator[ItemBlock | list[Item]]:
        text = self._text
        unusual = IN_USE.singly
        plain = True
        while True:
            if plain:
                text.fill(max(IN_USE.chunk, len(text.data)))
                begin, block, plain = self._read()
                text.pass_over(begin)
                if block is not None:
                    unusual = IN_USE.singly
                    yield block
                if text.finished and plain:
                    return
                plain = plain and not text.failed and len(text.data) <= _LARGEST_PLAIN
            else:
                yield from self._singly(unusual)
                if text.finished:
                    return
                unusual *= 2
                plain = True

    # --- by kernels ------------------------------------------------------------------------------

    def _read(self) -> tuple[int, ItemBlock | None, bool]:
        """Return the number of bytes read, their items, and True if all was plain."""
        text, state, dictionary = self._text, self._state, self._dictionary
        end = text.whole_lines
        data = np.frombuffer(text.data, np.uint8)
        rows = end // _SHORTEST_LINE + 2
        columns = [np.empty(rows, np.int64) for _ in range(8)]
        columns[-1][0] = 0
        slots = np.zeros(2 << rows.bit_length(), np.int64)
        found = FoundItems._make([*columns, slots])
        for register in (ROWS, ITEMS, FIRST_ROW, TIMES, BEGIN):
            state[register] = 0
        state[NAME] = -1
        state[AT] = text.begin
        KERNELS.charge(end)
        interned = dictionary.interned
        self._names.forget()
        result = FULL
        room = 1 << 10
        while result == FULL:
            room *= 4
            interned.tokens.make_room(room, end + 1)
            self._names.make_room(room, end + 1)
            special = np.array([interned.number_of(id) for id in self._special], np.int64)
            result = read_lines(
                data, end, state, found, interned.tokens.arrays, self._names.tokens.arrays,
                self._names.ages, special, self._constants,
            )
            interned.identify(dictionary.new_ids)
        if result == ENDED and text.ended and finish_item(found, state, self._names.ages):
            state[BEGIN] = end
        elif result == ENDED and text.ended:
            result = IRREGULAR
        if state[ELSEWHERE] and text.ended and not state[COMPLETED]:
            result = IRREGULAR
        return int(state[BEGIN]), self._block(found), result == ENDED

    def _block(self, found: FoundItems) -> ItemBlock | None:
        state = self._state
        items = int(state[ITEMS])
        if not items:
            return None
        rows = int(found.offsets[items])
        ids = self._dictionary.interned.ids
        kind = KINDS[state[LAST_KIND]]
        names, arrays = found.name[:items].copy(), self._names.tokens.arrays
        block = block_from(
            self._dictionary, kind, found.time[:items].copy(), found.start[:items].copy(),
            found.interval[:items], found.offsets[:items + 1].copy(),
            (ids[found.subject[:rows]], ids[found.predicate[:rows]], ids[found.object[:rows]]),
            lambda number: self._names.term(arrays, int(names[number])),
        )
        self._previous = block.head(items - 1)
        return block

    # --- by the reference ------------------------------------------------------------------------

    def _singly(self, most: int) -> Iterator[ItemBlock | list[Item]]:
        """Yield the next items, at most `most`, read one by one."""
        text, state = self._text, self._state
        text.start()
        document = Document(text, self._source, before=text.lines)
        progress = Progress(self._previous, self._names, bool(state[ELSEWHERE]))
        reader = ItemReader(document, Format.N_QUADS, self._scope, progress)
        items: list[Item] = []
        failed: Exception | None = None
        try:
            for count, item in enumerate(reader.items(), 1):
                items.append(item)
                if count >= most and text.can_go_on and fits(item):
                    text.unread_line()
                    break
                if len(items) >= _MOST_SINGLY:
                    yield self._made(items)
                    items = []
            else:
                text.finish()
        except StreamError as error:
            failed = error
        if items:
            yield self._made(items)
        if failed is not None:
            raise failed
        previous = self._previous = progress.previous
        state[ELSEWHERE] = progress.elsewhere
        if previous is not None and fits(previous):
            state[LAST_END] = previous.end
            state[LAST_KIND] = KINDS.index(previous.kind)

    def _made(self, items: list[Item]) -> ItemBlock | list[Item]:
        return block_of(items, self._dictionary) or items
