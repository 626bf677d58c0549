"""The names of the last items of a document, as bytes: an item's name must not come back."""

from __future__ import annotations

import numpy as np
from rdflib.term import BNode, URIRef

from ....semantics.model.terms import Term
from ..data.tokens import Numbers, TokenArrays, Tokens, term_of
from .assembling import COMPLETED, REMEMBERED


class ItemNames:
    """What `itemising.RecentNames` remembers, for kernels.

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
        """The item of this name is finished."""
        number = self.tokens.numbered(self._token(name))
        self.make_room(0, 0)
        self._state[COMPLETED] += 1
        self.ages[number] = self._state[COMPLETED]

    def make_room(self, count: int, text: int) -> None:
        """So many further names of so many bytes can be added."""
        self.tokens.make_room(count, text)
        room = len(self.tokens.arrays.hashes)
        if len(self.ages) < room:
            self.ages = np.concatenate((self.ages, np.zeros(room - len(self.ages), np.int64)))

    def forget(self) -> None:
        """Forgets, from time to time, what need not be remembered; names are numbered anew."""
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
        """The name of a number that it has, or had, in these arrays."""
        bounds = arrays.bounds
        token = arrays.text[bounds[number]:bounds[number + 1]].tobytes()
        term = term_of(token, self._prefix[:-1])
        assert isinstance(term, URIRef | BNode)
        return term
