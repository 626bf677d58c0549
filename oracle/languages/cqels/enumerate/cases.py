"""All CQELS-CEP cases of an alphabet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rdflib.term import URIRef

from .....semantics.cqels.syntax.readings import Readings
from .....semantics.cqels.syntax.tree import CqelsQuery
from ....ranks.families import Family, Letters, Weighed, Weight
from ....ranks.numbered_streams import NumberedStreams, Symbols
from ...enumerated_graphs import PREFIXES
from ...enumeration import Bounds, Enumeration
from .further_alphabets import FurtherAlphabet, ShapeGroup
from .item_streams import ItemSort, background_of, item_streams, items_of, written
from .single_patterns import SinglePatternCases


class CqelsEnumeration(Enumeration[CqelsQuery, Any, Readings]):
    """Those of the alphabet that the bounds name."""

    language, prefixes, readings_type = "cqels", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        alphabet = bounds.alphabet_of(self.language)
        self._cases: Enumeration[CqelsQuery, Any, Readings] = (
            FurtherCases(bounds, alphabet) if isinstance(alphabet, FurtherAlphabet)
            else SinglePatternCases(bounds)
        )

    @property
    def called(self) -> str:
        return self._cases.called

    def families(self, operators: int) -> Sequence[Weighed[CqelsQuery, Any]]:
        return self._cases.families(operators)

    def streams(self, about: Any, events: int) -> NumberedStreams:
        return self._cases.streams(about, events)

    def written(self, about: Any, streams: Symbols) -> str:
        return self._cases.written(about, streams)

    def items(self, about: Any, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return self._cases.items(about, streams)

    def beside(self, about: Any) -> Mapping[str, Any]:
        return self._cases.beside(about)


class FurtherCases(Enumeration[CqelsQuery, ItemSort, Readings]):
    """Those of a further alphabet."""

    language, prefixes, readings_type = "cqels", PREFIXES, Readings

    def __init__(self, bounds: Bounds, alphabet: FurtherAlphabet) -> None:
        super().__init__(bounds)
        if bounds.events or not alphabet.slides:
            bounds.only_wide(f"windows of the alphabet '{alphabet.name}' are N wide, without SLIDE")
        self._alphabet = alphabet

    @property
    def called(self) -> str:
        return f"{self.language}-{self._alphabet.name}"

    def families(self, operators: int) -> list[Family[CqelsQuery, str, ItemSort]]:
        return [
            Family(len(group.shapes), _Words(group), _Written(group))
            for group in self._alphabet.groups(operators, self.bounds)
            if group.shapes
        ]

    def streams(self, about: ItemSort, events: int) -> NumberedStreams:
        return item_streams(about, events)

    def written(self, about: ItemSort, streams: Symbols) -> str:
        return written(about, streams)

    def items(self, about: ItemSort, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return items_of(about, streams)

    def beside(self, about: ItemSort) -> Mapping[str, Any]:
        return {"kb": background_of(about)} if about.background else {}


@dataclass(frozen=True, slots=True)
class _Words:
    """The letters of a group's patterns, and the items that there are for them."""

    group: ShapeGroup

    def total(self, weight: Weight[ItemSort]) -> int:
        """The weight of all."""
        return Letters(self.group.patterns).total(self._of_letters(weight))

    def at(self, rank: int, weight: Weight[ItemSort]) -> tuple[str, ItemSort, int]:
        """The word that holds this rank, its items, and the rank in it."""
        word, letters, rest = Letters(self.group.patterns).at(rank, self._of_letters(weight))
        return word, self.group.items(letters), rest

    def _of_letters(self, weight: Weight[ItemSort]) -> Weight[str]:
        return lambda letters: weight(self.group.items(letters))


@dataclass(frozen=True, slots=True)
class _Written:
    """The query of a shape and a word."""

    group: ShapeGroup

    def __call__(self, shape: int, word: str) -> CqelsQuery:
        return self.group.shapes[shape].query(word)
