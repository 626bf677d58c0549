"""Terms as the bytes that N-Quads writes, and their ids, without a Python object for each.

A token is `<iri>`, `_:label` or `"lexical form"`, followed by `^^<datatype>` or `@language` where
there is one: bytes in UTF-8 with nothing escaped. Only *plain* terms have one (see `token_of`), and
of a plain term there is one token only: xsd:string is left out, a language tag is in lower case. A
label is one in a document, so the number of a blank node scope stands beside each.

The tokens lie one after the other; a hash table with open addressing finds the number of one.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rdflib.term import BNode, URIRef

from ....semantics.model.terms import Term, literal
from ...kernels import KERNELS, compiled
from .words import ONE, Bytes, are_equal, hash_of

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
    """What kernels see of a table. `slots` holds a token's number plus 1, or 0."""

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
    """The number of a token, or, if it is new, minus the slot where it belongs, minus 1."""
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
    """Adds a token that is new, in the slot that `find` told; there must be room for it."""
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
    """Adds to an empty table what an old one has under the numbers `kept`."""
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
        """The number of a token; -1 if it has none."""
        return max(self._found(token, scope)[0], -1)

    def numbered(self, token: bytes, scope: int = 0) -> int:
        """The number of a token, which is added if it has none."""
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
        """The token of a number."""
        bounds = self.arrays.bounds
        return self.arrays.text[bounds[number]:bounds[number + 1]].tobytes()

    def make_room(self, count: int, text: int) -> None:
        """So many tokens of so many bytes can be added."""
        arrays = self.arrays
        used = len(self)
        if used + count > len(arrays.hashes) or arrays.bounds[used] + text > len(arrays.text):
            self.keep(np.arange(used), count, text)

    def keep(self, kept: Numbers, count: int = 0, text: int = 0) -> None:
        """Forgets all tokens but some, which are numbered anew, in their order."""
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
    """The token of a plain term and the scope of its label; None if it is not plain."""
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
    """The term of a token; a label is of this scope."""
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
