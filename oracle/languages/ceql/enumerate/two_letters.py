"""Words of one or two letters: the event types of a formula that names no more."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Generic, TypeVar

from ....ranks.families import Weight, word_at, words_total

KnownT = TypeVar("KnownT", bound=Hashable)

MOST = 2


@dataclass(frozen=True, slots=True)
class TwoLetters(Generic[KnownT]):
    """Streams are of two types, whichever are named: the same is known of all words."""

    length: int
    known: KnownT

    def total(self, weight: Weight[KnownT]) -> int:
        """The weight of all."""
        return words_total(self.length, MOST, (weight(self.known),) * (MOST + 1))

    def at(self, rank: int, weight: Weight[KnownT]) -> tuple[str, KnownT, int]:
        """The word that holds this rank, what is known of it, and the rank in it."""
        weights = (weight(self.known),) * (MOST + 1)
        names, rest = word_at(self.length, MOST, weights, rank)
        return "".join(ascii_uppercase[name] for name in names), self.known, rest
