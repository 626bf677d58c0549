"""The values of ids as far as loops over columns can use them: numbers, and what else there is."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from .....semantics.model.terms import BNode, URIRef
from ...data.dictionary import Dictionary
from ...data.interning import InternedTerms
from ...expressions.comparison import to_double
from ...expressions.values import NUMERIC, Number, Single, Value
from ..batch import Column
from .kinds import (
    DOUBLE,
    EXACT,
    INTEGRAL,
    NODE,
    OTHER,
    STRING,
    UNBOUND,
    UNKNOWN,
    Doubles,
    Kinds,
)
from .written import as_written

LARGEST: Final = 2.0**53
"""Whatever integer becomes a double below this is that double."""


def kind_of(value: Value) -> tuple[float, int]:
    """The double that stands for a value, and what it is to it."""
    kind = type(value)
    if kind is Single:  # rounds what it meets
        return 0.0, OTHER
    if kind in NUMERIC:
        number: Number = value  # type: ignore[assignment]
        double = to_double(number)
        if kind is float:
            return double, DOUBLE
        integral = abs(double) < LARGEST and number == int(number)
        return double, INTEGRAL if integral else EXACT
    if kind is str:
        return 0.0, STRING
    return 0.0, NODE if kind is URIRef or kind is BNode else OTHER


class Numbers:
    """Of each id of a dictionary that somebody has asked for: its double and its kind."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._values = dictionary.values
        self._doubles: Doubles = np.zeros(1)
        self._kinds: Kinds = np.full(1, UNBOUND, np.uint8)

    def of(self, ids: Column) -> tuple[Doubles, Kinds]:
        """Doubles and kinds of ids."""
        most = int(ids.max(initial=0))
        if most >= len(self._kinds):
            self._grow(max(most + 1, 2 * len(self._kinds)))
        kinds = self._kinds[ids]
        unknown = ids[kinds == UNKNOWN]
        if unknown.size:
            self._find(unknown)
            kinds = self._kinds[ids]
        return self._doubles[ids], kinds

    def _grow(self, size: int) -> None:
        more = size - len(self._kinds)
        self._doubles = np.concatenate((self._doubles, np.zeros(more)))
        self._kinds = np.concatenate((self._kinds, np.zeros(more, np.uint8)))

    def _find(self, ids: Column) -> None:
        which = np.unique(ids)
        interned = self._values.interned
        if isinstance(interned, InternedTerms):
            self._doubles[which], self._kinds[which] = as_written(which, interned)
            which = which[self._kinds[which] == UNKNOWN]
        values = self._values
        found = [kind_of(values[number]) for number in which.tolist()]
        self._doubles[which] = [double for double, _ in found]
        self._kinds[which] = [kind for _, kind in found]


_KNOWN: Final[WeakKeyDictionary[Dictionary, tuple[int, Numbers]]] = WeakKeyDictionary()


def numbers_of(dictionary: Dictionary) -> Numbers:
    """What is known of the dictionary's ids since its latest sweep."""
    known = _KNOWN.get(dictionary)
    if known is None or known[0] != dictionary.sweeps:
        known = _KNOWN[dictionary] = dictionary.sweeps, Numbers(dictionary)
    return known[1]
