"""CEQL's enumeration over the alphabet that the bounds name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from rdflib.term import URIRef

from .....semantics.ceql.syntax.readings import Readings
from .....semantics.ceql.syntax.tree import CeqlQuery
from ....ranks.families import Family
from ....ranks.numbered_streams import NumberedStreams, Symbols
from ...enumeration import Bounds, BoundsError, Enumeration
from ..alphabets import TYPES, TupleAlphabet
from .cases import TypesAndAttributes
from .two_types import TwoTypes

Cases: TypeAlias = Enumeration[CeqlQuery, Any, Readings]

_CASES: Mapping[str, type[Cases]] = {
    "types": TypesAndAttributes, "attributes": TypesAndAttributes,
    "strategies": TwoTypes, "partitions": TwoTypes,
}


class CeqlEnumeration(Cases):
    """A window is of so many events or, except over `types`, of so many seconds."""

    language, readings_type = "ceql", Readings

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.alphabet: TupleAlphabet = bounds.alphabet_of(self.language)
        timed = bounds.within is not None and not bounds.events
        if bounds.slide is not None or (timed and self.alphabet is TYPES):
            raise BoundsError(
                "windows of CEQL are 'N EVENTS', without SLIDE; over alphabets other than 'types' "
                "also N seconds"
            )
        self._cases = _CASES[self.alphabet.name](bounds)

    @property
    def called(self) -> str:
        return self.language if self.alphabet is TYPES else self.alphabet.name

    def families(self, operators: int) -> Sequence[Family[CeqlQuery, Any, Any]]:
        return self._cases.families(operators)

    def streams(self, about: Any, events: int) -> NumberedStreams:
        return self._cases.streams(about, events)

    def written(self, about: Any, streams: Symbols) -> str:
        return self._cases.written(about, streams)

    def items(self, about: Any, streams: Symbols) -> dict[URIRef, tuple[Any, ...]]:
        return self._cases.items(about, streams)
