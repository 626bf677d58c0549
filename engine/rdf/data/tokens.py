"""Terms as the bytes that N-Quads writes, and their ids, without a Python object for each.

Positions are unsigned inside, so that they are not taken for places counted from the end.

A token is `<iri>`, `_:label` or `"lexical form"`, followed by `^^<datatype>` or `@language` where
there is one: bytes in UTF-8 with nothing escaped. Only *plain* terms have one (see `token_of`), and
of a plain term there is one token only: xsd:string is left out, a language tag is in lower case. A
label is one in a document, so the number of a blank node scope stands beside each.

The tokens lie one after the other; a hash table with open addressing finds the number of one.

Every plain term that the dictionary has an id for is here (see `tokens`); most of them have never
been Python objects, and become such when somebody decodes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rdflib.term import BNode, URIRef

from ....semantics.model.terms import Term, literal
from ...kernels import KERNELS, compiled, eight_bytes

Bytes = NDArray[np.uint8]

ONE, WIDTH, TOP = np.uint64(1), np.uint64(8), np.uint64(56)
LOWS = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_HALF, _SOME = np.uint64(32), np.uint64(29)


@compiled
def place_of(data: Bytes, start: int, end: int, wanted: int) -> Any:
    """Return the first offset of a byte; `end` if it does not occur."""
    at, stop = np.uint64(start), np.uint64(end)
    pattern = np.uint64(wanted) * LOWS
    while at + WIDTH <= stop:
        differing = eight_bytes(data, at) ^ pattern
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
    """Return a hash of the bytes."""
    at, stop = np.uint64(start), np.uint64(end)
    found = _SEED ^ (stop - at)
    if stop - at >= WIDTH:
        while at + WIDTH <= stop:
            found = (found ^ eight_bytes(data, at)) * _FACTOR
            found ^= found >> _HALF
            at += WIDTH
        found = (found ^ eight_bytes(data, stop - WIDTH)) * _FACTOR
    else:
        while at < stop:
            found = (found ^ np.uint64(data[at])) * _FACTOR
            at += ONE
    found = (found ^ (found >> _HALF)) * _FACTOR
    return found ^ (found >> _SOME)


@compiled
def are_equal(one: Bytes, start: int, end: int, other: Bytes, begin: int) -> bool:
    """Return True if the same number of bytes of `other` are equal."""
    at, stop, there = np.uint64(start), np.uint64(end), np.uint64(begin)
    if stop - at >= WIDTH:
        last = there + (stop - at) - WIDTH
        if eight_bytes(one, stop - WIDTH) != eight_bytes(other, last):
            return False
        while at + WIDTH <= stop:
            if eight_bytes(one, at) != eight_bytes(other, there):
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


RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_STRING = "http://www.w3.org/2001/XMLSchema#string"

_BODY = r"[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2}"
# RFC 3987, as far as it is ASCII, without what stands before @ and what stands in brackets.
_PLAIN_IRI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:"
    r"(?://[A-Za-z0-9._~!$&'()*+,;=-]*(?::[0-9]*)?(?=[/?#]|\Z)|(?!//))"
    rf"(?:{_BODY})*(?:\?(?:{_BODY}|\?)*)?(?:#(?:{_BODY}|\?)*)?"
)
_PLAIN_TEXT = re.compile(r'[^"\\\r\n\ud800-\udfff]*')
_PLAIN_LANGUAGE = re.compile(r"[a-z]{2,3}")
_PLAIN_LABEL = re.compile(r"([A-Za-z0-9]+)_([A-Za-z0-9_]{1,19})")

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]


class TokenArrays(NamedTuple):
    """The arrays of a table that kernels read. `slots` holds a token's number plus 1, or 0."""

    slots: Numbers
    hashes: Words
    bounds: Numbers
    """Token n is `text[bounds[n]:bounds[n + 1]]`."""
    scopes: Numbers
    text: Bytes
    counted: Numbers
    """[1]: how many tokens there are"""


@compiled
def find(
    table: TokenArrays, data: Bytes, start: int, end: int, hashed: np.uint64, scope: int
) -> Any:
    """Return a token's number, or, if it is new, minus the slot where it belongs, minus 1."""
    mask = len(table.slots) - 1
    slot = np.int64(hashed & np.uint64(mask))
    while True:
        number = table.slots[slot] - 1
        if number < 0:
            return -slot - 1
        if table.hashes[number] == hashed and table.scopes[number] == scope:
            begin = table.bounds[number]
            long = table.bounds[number + 1] - begin
            if long == end - start and are_equal(data, start, end, table.text, begin):
                return number
        slot = (slot + 1) & mask


@compiled
def add(
    table: TokenArrays, data: Bytes, start: int, end: int, hashed: np.uint64, scope: int, slot: int
) -> Any:
    """Add a new token in the slot that `find` returned; there must be room for it."""
    number = table.counted[0]
    begin = table.bounds[number]
    at, stop, there = np.uint64(start), np.uint64(end), np.uint64(begin)
    while at < stop:
        table.text[there] = data[at]
        at += ONE
        there += ONE
    table.bounds[number + 1] = begin + end - start
    table.hashes[number] = hashed
    table.scopes[number] = scope
    table.slots[slot] = number + 1
    table.counted[0] = number + 1
    return number


@compiled
def add_all(table: TokenArrays, old: TokenArrays, kept: Numbers) -> None:
    """Add to an empty table the tokens that an old one has under the numbers `kept`."""
    mask = len(table.slots) - 1
    for number in kept:
        start, end = old.bounds[number], old.bounds[number + 1]
        hashed = old.hashes[number]
        slot = np.int64(hashed & np.uint64(mask))
        while table.slots[slot] != 0:
            slot = (slot + 1) & mask
        add(table, old.text, start, end, hashed, int(old.scopes[number]), int(slot))


class Tokens:
    """A growing table of tokens."""

    def __init__(self, room: int = 1 << 10, text: int = 1 << 14) -> None:
        self.arrays = _empty(room, text)

    def __len__(self) -> int:
        return int(self.arrays.counted[0])

    def number(self, token: bytes, scope: int = 0) -> int:
        """Return the number of a token; -1 if it has none."""
        return max(self._found(token, scope)[0], -1)

    def numbered(self, token: bytes, scope: int = 0) -> int:
        """Return the number of a token, which is added if it has none."""
        self.make_room(1, len(token))
        found, data, hashed = self._found(token, scope)
        if found >= 0:
            return found
        return int(add(self.arrays, data, 0, len(data), hashed, scope, -found - 1))

    def _found(self, token: bytes, scope: int) -> tuple[int, Bytes, np.uint64]:
        KERNELS.charge(len(token))
        data = np.frombuffer(token, np.uint8)
        hashed = np.uint64(hash_of(data, 0, len(data)))
        return int(find(self.arrays, data, 0, len(data), hashed, scope)), data, hashed

    def token(self, number: int) -> bytes:
        """Return the token of a number."""
        bounds = self.arrays.bounds
        return self.arrays.text[bounds[number]:bounds[number + 1]].tobytes()

    def make_room(self, count: int, text: int) -> None:
        """Make room for `count` tokens of `text` bytes."""
        arrays = self.arrays
        used = len(self)
        if used + count > len(arrays.hashes) or arrays.bounds[used] + text > len(arrays.text):
            self.keep(np.arange(used), count, text)

    def keep(self, kept: Numbers, count: int = 0, text: int = 0) -> None:
        """Discard all tokens but some, which are renumbered in their order."""
        old = self.arrays
        held = int((old.bounds[kept + 1] - old.bounds[kept]).sum())
        self.arrays = _empty(2 * len(kept) + count, 2 * held + text)
        KERNELS.charge(held)
        add_all(self.arrays, old, kept)


def _empty(room: int, text: int) -> TokenArrays:
    room = 1 << max(room - 1, 15).bit_length()
    return TokenArrays(
        np.zeros(2 * room, np.int64), np.empty(room, np.uint64), np.zeros(room + 1, np.int64),
        np.empty(room, np.int64), np.empty(text, np.uint8), np.zeros(1, np.int64),
    )


# --- terms ---------------------------------------------------------------------------------------


def token_of(term: Term) -> tuple[bytes, str] | None:
    """Return the token of a plain term and the scope of its label; None if it is not plain."""
    text = str(term)
    if isinstance(term, URIRef):
        return (f"<{text}>".encode(), "") if _PLAIN_IRI.fullmatch(text) else None
    if isinstance(term, BNode):
        parts = _PLAIN_LABEL.fullmatch(text)
        return None if parts is None else (f"_:{parts[2]}".encode(), parts[1])
    if not _PLAIN_TEXT.fullmatch(text):
        return None
    datatype, language = term._datatype, term._language
    if language is not None:
        language = language.lower()
        if not _PLAIN_LANGUAGE.fullmatch(language):
            return None
        return f'"{text}"@{language}'.encode(), ""
    if datatype is None or str(datatype) == _STRING:
        return f'"{text}"'.encode(), ""
    if not _PLAIN_IRI.fullmatch(datatype) or datatype.startswith(RDF):  # rdf:langString, say
        return None
    return f'"{text}"^^<{datatype}>'.encode(), ""


def term_of(token: bytes, scope: str = "") -> Term:
    """Return the term of a token; a label is of this scope."""
    text = token.decode()
    if text[0] == "<":
        return str.__new__(URIRef, text[1:-1])
    if text[0] == "_":
        return BNode(f"{scope}_{text[2:]}")
    if text[-1] == ">":
        lexical, _, datatype = text[1:-1].rpartition('"^^<')
        return literal(lexical, datatype)
    lexical, _, language = text[1:].rpartition('"')
    return literal(lexical, None, language[1:] or None)


class InternedTerms:
    """Tokens with ids. `ids[n]` is the id of token n."""

    def __init__(self, terms: list[Term | None]) -> None:
        self._terms = terms
        self.tokens = Tokens()
        self.ids: Numbers = np.zeros(0, np.int64)
        self._numbers: Numbers = np.zeros(0, np.int64)
        """By id: the number of its token plus 1, or 0."""
        self._scopes: dict[str, int] = {"": 0}
        self._identified = 0
        for number, term in enumerate(terms):
            if term is not None:
                self.add(term, number)

    def scope(self, name: str) -> int:
        """Return the number of a scope of blank nodes."""
        return self._scopes.setdefault(name, len(self._scopes))

    def ids_held(self) -> list[int]:
        """Return the ids of all tokens."""
        held: list[int] = self.ids[:self._identified].tolist()
        return held

    def id_of(self, term: Term) -> int:
        """Return the id of a term that is known by its token; 0 if there is none."""
        token = token_of(term)
        if token is None or (token[1] and token[1] not in self._scopes):
            return 0
        number = self.tokens.number(token[0], self._scopes[token[1]])
        return int(self.ids[number]) if number >= 0 else 0

    def number_of(self, id: int) -> int:
        """Return the number of an id's token; -1 if it has none."""
        return int(self._numbers[id]) - 1 if id < len(self._numbers) else -1

    def numbers_of(self, ids: Numbers) -> Numbers:
        """Return the numbers of many ids, each as by `number_of`."""
        found = np.full(len(ids), -1)
        known = ids < len(self._numbers)
        found[known] = self._numbers[ids[known]] - 1
        return found

    def add(self, term: Term, id: int) -> None:
        """Add a term that has an id."""
        token = token_of(term)
        if token is not None:
            self.tokens.numbered(token[0], self.scope(token[1]))
            self.identify(lambda count: [id])

    def identify(self, new_ids: Callable[[int], list[int]]) -> None:
        """Assign ids to the added tokens."""
        begin, end = self._identified, len(self.tokens)
        if begin == end:
            return
        new = np.array(new_ids(end - begin), np.int64)
        self.ids = _with_room(self.ids, end)
        self._numbers = _with_room(self._numbers, int(new.max()) + 1)
        self.ids[begin:end] = new
        self._numbers[new] = np.arange(begin + 1, end + 1)
        self._identified = end

    def term(self, id: int) -> Term | None:
        """Return the term of an id, which is made, if it has a token."""
        number = self.number_of(id)
        if number < 0:
            return None
        scope = int(self.tokens.arrays.scopes[number])
        name = list(self._scopes)[scope] if scope else ""
        term = self._terms[id] = term_of(self.tokens.token(number), name)
        return term

    def forget(self, alive: Collection[int]) -> list[int]:
        """Discard all tokens but those of some ids; return the ids of the others."""
        count = self._identified
        ids = self.ids[:count]
        held = np.zeros(len(self._terms), np.bool_)
        held[np.fromiter(chain(alive, (0,)), np.int64, len(alive) + 1)] = True
        kept = np.flatnonzero(held[ids])
        dead: list[int] = ids[~held[ids]].tolist()
        self.tokens.keep(kept)
        self.ids = ids[kept]
        self._identified = len(kept)
        self._numbers = np.zeros(len(self._terms), np.int64)
        self._numbers[self.ids] = np.arange(1, len(kept) + 1)
        return dead


def _with_room(column: Numbers, room: int) -> Numbers:
    if len(column) >= room:
        return column
    wider = np.zeros(max(room, 2 * len(column)), np.int64)
    wider[:len(column)] = column
    return wider
