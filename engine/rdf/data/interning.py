"""The terms of a dictionary as tokens, so that a reader finds the id of a term by its bytes.

Every plain term that the dictionary has an id for is here (see `tokens`); most of them have never
been Python objects, and become such when somebody decodes them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import chain

import numpy as np

from ....semantics.model.terms import Term
from .tokens import Numbers, Tokens, term_of, token_of


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
        """The number of a scope of blank nodes."""
        return self._scopes.setdefault(name, len(self._scopes))

    def ids_held(self) -> list[int]:
        """The ids of all tokens."""
        held: list[int] = self.ids[:self._identified].tolist()
        return held

    def id_of(self, term: Term) -> int:
        """The id of a term that is known by its token; 0 if there is none."""
        token = token_of(term)
        if token is None or (token[1] and token[1] not in self._scopes):
            return 0
        number = self.tokens.number(token[0], self._scopes[token[1]])
        return int(self.ids[number]) if number >= 0 else 0

    def number_of(self, id: int) -> int:
        """The number of an id's token; -1 if it has none."""
        return int(self._numbers[id]) - 1 if id < len(self._numbers) else -1

    def numbers_of(self, ids: Numbers) -> Numbers:
        """As `number_of`, of many."""
        found = np.full(len(ids), -1)
        known = ids < len(self._numbers)
        found[known] = self._numbers[ids[known]] - 1
        return found

    def add(self, term: Term, id: int) -> None:
        """A term has been given an id."""
        token = token_of(term)
        if token is not None:
            self.tokens.numbered(token[0], self.scope(token[1]))
            self.identify(lambda count: [id])

    def identify(self, new_ids: Callable[[int], list[int]]) -> None:
        """Gives ids to the tokens that have been added."""
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
        """The term of an id, which is made, if it has a token."""
        number = self.number_of(id)
        if number < 0:
            return None
        scope = int(self.tokens.arrays.scopes[number])
        name = list(self._scopes)[scope] if scope else ""
        term = self._terms[id] = term_of(self.tokens.token(number), name)
        return term

    def forget(self, alive: Collection[int]) -> list[int]:
        """Forgets all tokens but those of some ids; the ids of the others."""
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
