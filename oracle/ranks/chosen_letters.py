"""Words by number: at each place one of the letters that may stand there.

What a letter asks its streams for is a set of bits, what a word asks for is that of all its
letters; the weight of a word is that of what it asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

from .families import Weight

LetterT = TypeVar("LetterT")

Letter: TypeAlias = tuple[LetterT, int]
"""What stands there, and what it asks for."""


@dataclass(frozen=True)
class ChosenLetters(Generic[LetterT]):
    """All words: the letters of each place, the first place first.

    `asked` is what is asked for in any case.

    >>> words = ChosenLetters([[("a", 1), ("b", 2)], [("c", 1)]])
    >>> words.total(lambda asked: asked), words.at(1, lambda asked: asked)
    (4, (('b', 'c'), 3, 0))
    """

    places: Sequence[Sequence[Letter[LetterT]]]
    asked: int = 0

    def total(self, weight: Weight[int]) -> int:
        """The weight of all."""
        return sum(
            count * weight(asked) for asked, count in self._ends[0][self.asked].items()
        )

    def at(self, rank: int, weight: Weight[int]) -> tuple[tuple[LetterT, ...], int, int]:
        """The word that holds this rank, what it asks for, and the rank in it."""
        word: list[LetterT] = []
        asked = self.asked
        for ends, letters in zip(self._ends[1:], self.places, strict=True):
            for letter, bits in letters:
                weighs = sum(n * weight(each) for each, n in ends[asked | bits].items())
                if rank < weighs:
                    word.append(letter)
                    asked |= bits
                    break
                rank -= weighs
        return tuple(word), asked, rank

    @cached_property
    def _ends(self) -> list[dict[int, dict[int, int]]]:
        """[place][what is asked for before it]: how many ends ask for what, with that."""
        known = [{self.asked}]
        for letters in self.places:
            known.append({before | bits for before in known[-1] for _, bits in letters})
        ends: list[dict[int, dict[int, int]]] = [{asked: {asked: 1} for asked in known[-1]}]
        for place in range(len(self.places) - 1, -1, -1):
            there: dict[int, dict[int, int]] = {}
            for before in known[place]:
                counts: dict[int, int] = {}
                for _, bits in self.places[place]:
                    for asked, count in ends[0][before | bits].items():
                        counts[asked] = counts.get(asked, 0) + count
                there[before] = counts
            ends.insert(0, there)
        return ends
