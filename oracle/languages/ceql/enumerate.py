"""All CEQL cases up to a size: every query of an alphabet's restriction, on every stream.

A stream has tuples of the types that the formula names, with the attributes that the query asks
for, and of one more type. An event is a tuple of numbers: of the type, of the stream's kind, of
each attribute's value, 0 if it is missing, and of the seconds, which only such windows have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from string import ascii_uppercase
from typing import Final

from rdflib.term import URIRef

from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import (
    Attribute,
    CeqlQuery,
    EventType,
    Name,
    WindowUnit,
    Within,
)
from ....semantics.model.trees import find
from ....semantics.model.tuples import EventTuple, Value
from ...inputs.choices import Choices
from ...ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one, moments, words
from ..enumeration import Bounds, BoundsError, Enumeration
from .alphabets import TupleAlphabet
from .generate.queries import GRAMMAR_VERSION, query

OTHER: Final = "Z"
_OTHER: Final = ascii_uppercase.index(OTHER)
_SECOND: Final = 1_000_000_000
_FIRST, _LATER = "S", "T"
_DOUBLE, _STRING = 1, 2
_WORDS: Final = ("p", "q")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a query asks its streams for, each attribute with whether all types have it.

    `complete`: tuples of named types lack no key, as one that does is in no partition.
    """

    types: str
    asked: str
    conditions: tuple[str, ...]
    keys: tuple[str, ...]
    complete: bool


class CeqlEnumeration(Enumeration[CeqlQuery, Vocabulary, Readings]):
    """A window is of so many events or seconds; over two streams it measures the attribute k."""

    language, readings_type, version = "ceql", Readings, GRAMMAR_VERSION

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self.alphabet: TupleAlphabet = bounds.alphabet_of(self.language)
        self._measured = self.alphabet.two_streams and bounds.within is not None
        self._timed = not (bounds.within is None or bounds.events or self._measured)
        if bounds.slide is not None:
            raise BoundsError("windows of CEQL have no SLIDE")
        if self._measured and bounds.events:
            raise BoundsError(f"over the alphabet '{self.alphabet.name}' a window measures k")
        self.allowed = dict(self.alphabet.allowed)
        if self.alphabet.two_streams:
            self.allowed["ceql/partitioned"] = (not self._measured,)
        self._streams: dict[tuple[Vocabulary, int], NumberedStreams] = {}
        self._tuples: dict[tuple[tuple[str, ...], tuple[int, ...]], EventTuple] = {}

    # --- queries ---------------------------------------------------------------------------------

    def drawn(self, choices: Choices, operators: int, variant: None) -> CeqlQuery:
        found, window = query(choices, operators), self._window
        return found if window is None else replace(found, within=window)

    @property
    def _window(self) -> Within | None:
        within = self.bounds.within
        if within is None:
            return None
        if self._measured:
            return Within(within, WindowUnit.ATTRIBUTE, "k")
        if self._timed:
            return Within(within * _SECOND, WindowUnit.TIME)
        return Within(within, WindowUnit.EVENTS)

    def about(self, query: CeqlQuery, variant: None) -> Vocabulary:
        found = [*find(query.formula, EventType, Name, Attribute)]
        types = "".join(sorted({each.name for each in found if isinstance(each, EventType)}))
        named = {each.name for each in found if isinstance(each, Name)}
        conditions = {each.name for each in found if isinstance(each, Attribute)}
        keys = {name for names in query.partition for name in names}
        return Vocabulary(
            types,
            # A variable of AS may be of any type.
            types if named - set(types) else "".join(sorted(named)),
            tuple(sorted(conditions - keys)),
            tuple(sorted(keys | ({"k"} if self._measured else set()))),
            len(query.partition) == 1 and len(keys) == 1 and not conditions,
        )

    # --- streams ---------------------------------------------------------------------------------

    def streams(self, about: Vocabulary, events: int) -> NumberedStreams:
        if (about, events) not in self._streams:
            self._streams[about, events] = self._made(about, events)
        return self._streams[about, events]

    def _made(self, about: Vocabulary, events: int) -> NumberedStreams:
        if self.alphabet.two_streams:
            width = 3 + len(_attributes(about))
            return held_one_by_one(self._of_two(about, events), events, width)
        all_words = words([(*content, 0) for content in self._contents(about)], events)
        if not self._timed:
            return all_words
        assert self.bounds.within is not None
        times = list(moments(events, self.bounds.within)) if events else [()]

        def made(number: int) -> Symbols:
            number, place = divmod(number, len(times))
            return tuple(
                (*event[:-1], at)
                for event, at in zip(all_words[number], times[place], strict=True)
            )

        return NumberedStreams(range(len(all_words) * len(times)), made)

    def _contents(self, about: Vocabulary, *, kinds: int = 0) -> Iterator[tuple[int, ...]]:
        """Return the types with values; what no condition is about has the keys alone."""
        for letter in (*about.types, OTHER):
            values = []
            for name in _attributes(about):
                count = kinds if kinds and name == "k" else len(self.alphabet.values[name])
                missing = not (about.complete and name in about.keys and letter != OTHER)
                has = name in about.keys or letter in about.asked
                values.append(range(0 if missing else 1, count + 1 if has else 1))
            yield from product((ascii_uppercase.index(letter),), (0,), *values)

    def _of_two(self, about: Vocabulary, events: int) -> Iterator[Symbols]:
        """Return the streams S and T, T's tuples after those of S."""
        attributes = _attributes(about)
        place_of_k = 2 + attributes.index("k") if "k" in attributes else None
        within = self.bounds.within or 0
        highest = max(events - 1, 0) * (within + 1) + 1 if self._measured else len(_WORDS)
        contents = [(*each, 0) for each in self._contents(about, kinds=highest)]
        for first in range(events, -1, -1):
            for kind in (_DOUBLE,) if self._measured or not place_of_k else (_DOUBLE, _STRING):
                for chosen in product(contents, repeat=events):
                    ks = [each[place_of_k] if place_of_k else 0 for each in chosen]
                    if kind == _STRING and not any(ks[first:]):
                        continue  # the same as with doubles
                    if self._measured and min(filter(None, ks), default=1) > 1:
                        continue  # the same as with lower values
                    yield tuple(
                        (each[0], kind if place >= first else 0, *each[2:])
                        for place, each in enumerate(chosen)
                    )

    def items(self, about: Vocabulary, streams: Symbols) -> dict[URIRef, tuple[EventTuple, ...]]:
        names = _attributes(about)
        made = tuple(self._tuple(names, event) for event in streams)
        if not self.alphabet.two_streams:
            return {URIRef(_FIRST): made}
        first = sum(not kind for _, kind, *_ in streams)
        return {URIRef(_FIRST): made[:first], URIRef(_LATER): made[first:]}

    def _tuple(self, names: tuple[str, ...], event: tuple[int, ...]) -> EventTuple:
        if (names, event) not in self._tuples:
            number, kind, *codes, seconds = event
            attributes: dict[str, Value] = {
                name: self.alphabet.values[name][code - 1] if name in self.alphabet.values
                else _WORDS[code - 1] if kind == _STRING else float(code - 1) if kind else code - 1
                for name, code in zip(names, codes, strict=True) if code
            }
            time = seconds * _SECOND if self._timed else None
            if self._timed:
                attributes["time"] = seconds
            self._tuples[names, event] = EventTuple(ascii_uppercase[number], attributes, time)
        return self._tuples[names, event]

    def written(self, about: Vocabulary, streams: Symbols) -> str:
        names = [*_attributes(about), *(["time"] if self._timed else [])]
        return json.dumps({
            str(stream): {"csv": "\n".join([
                ",".join(["type", *names]),
                *(",".join([each.type, *(_text(each.attributes.get(name)) for name in names)])
                  for each in tuples),
            ]) + "\n"}
            for stream, tuples in self.items(about, streams).items()
        })

    @property
    def called(self) -> str:
        name = self.alphabet.name
        return self.language if name == "types" else name


def _attributes(about: Vocabulary) -> tuple[str, ...]:
    return about.keys + about.conditions


def _text(value: Value | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


ENUMERATION = CeqlEnumeration
