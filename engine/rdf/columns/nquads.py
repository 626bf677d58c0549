"""N-Quads as blocks: kernels read what is regular, pyoxigraph and `itemising` all else.

From the start of an item that is not plainly regular, the reference reads items one by one, for a
while, and then kernels again, from the start of an item. Whoever reads, the items are the same, and
what is refused is refused with the same message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....semantics.model.errors import StreamError
from ....semantics.model.items import Item
from ....semantics.streams.files.documents import LARGEST_ITEM, Document
from ....semantics.streams.files.formats import Format
from ....semantics.streams.rdf.itemising import (
    ENDED as ENDED_AT,
)
from ....semantics.streams.rdf.itemising import (
    GENERATED,
    HEARTBEAT,
    STARTED,
    ItemReader,
    Progress,
)
from ....semantics.streams.rdf.json_ld import EMPTY_GRAPH_MARKER
from ...capacities import IN_USE
from ...kernels import KERNELS
from ..data.dictionary import Dictionary
from . import assembling as at
from .assembling import Constants, FoundItems, read_lines
from .blocks import ItemBlock, block_from, block_of, fits
from .instants import DATETIME_TYPE, INTEGER_TYPE, KINDS
from .names import ItemNames
from .scanning import CLASSES, RDF_NAMESPACE, TERMS, XSD_STRING
from .text import LineText

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
        self._state = np.zeros(at.REGISTERS, np.int64)
        self._state[at.NAME] = self._state[at.LAST_KIND] = -1
        self._state[at.SCOPE] = dictionary.interned.scope(scope)
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
        """How much has been read, what was found in it, and whether all was plain."""
        text, state, dictionary = self._text, self._state, self._dictionary
        end = text.whole_lines
        data = np.frombuffer(text.data, np.uint8)
        rows = end // _SHORTEST_LINE + 2
        columns = [np.empty(rows, np.int64) for _ in range(8)]
        columns[-1][0] = 0
        slots = np.zeros(2 << rows.bit_length(), np.int64)
        found = FoundItems._make([*columns, slots])
        for register in (at.ROWS, at.ITEMS, at.FIRST_ROW, at.TIMES, at.BEGIN):
            state[register] = 0
        state[at.NAME] = -1
        state[at.AT] = text.begin
        KERNELS.charge(end)
        interned = dictionary.interned
        self._names.forget()
        result = at.FULL
        room = 1 << 10
        while result == at.FULL:
            room *= 4
            interned.tokens.make_room(room, end + 1)
            self._names.make_room(room, end + 1)
            special = np.array([interned.number_of(id) for id in self._special], np.int64)
            result = read_lines(
                data, end, state, found, interned.tokens.arrays, self._names.tokens.arrays,
                self._names.ages, special, self._constants,
            )
            interned.identify(dictionary.new_ids)
        if result == at.ENDED and text.ended and at.finish_item(found, state, self._names.ages):
            state[at.BEGIN] = end
        elif result == at.ENDED and text.ended:
            result = at.IRREGULAR
        if state[at.ELSEWHERE] and text.ended and not state[at.COMPLETED]:
            result = at.IRREGULAR
        return int(state[at.BEGIN]), self._block(found), result == at.ENDED

    def _block(self, found: FoundItems) -> ItemBlock | None:
        state = self._state
        items = int(state[at.ITEMS])
        if not items:
            return None
        rows = int(found.offsets[items])
        ids = self._dictionary.interned.ids
        kind = KINDS[state[at.LAST_KIND]]
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
        """The next items, so many or up to the end, read one by one."""
        text, state = self._text, self._state
        text.start()
        document = Document(text, self._source, before=text.lines)
        progress = Progress(self._previous, self._names, bool(state[at.ELSEWHERE]))
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
        state[at.ELSEWHERE] = progress.elsewhere
        if previous is not None and fits(previous):
            state[at.LAST_END] = previous.end
            state[at.LAST_KIND] = KINDS.index(previous.kind)

    def _made(self, items: list[Item]) -> ItemBlock | list[Item]:
        return block_of(items, self._dictionary) or items
