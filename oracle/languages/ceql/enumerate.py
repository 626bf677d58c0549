"""All CEQL cases up to a size: every query of an alphabet's restriction, on every stream.

A stream has tuples of the types that the formula names, with the attributes that the query asks
for, and of one more type. An event is a tuple of numbers: of the type, of the stream's kind, of
each attribute's value, 0 if it is missing, and of the seconds, which only such windows have.

An alphabet is a table of the options that are allowed of a choice; all queries with so many
operators are the drawing function's under every choice of them. Operators are those of the drawing
function: the nodes of a formula that are not event types, connectives, and arithmetic; clauses are
none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
from ...inputs.choices import Choices, Options
from ...ranks.numbered_streams import NumberedStreams, Symbols, held_one_by_one, moments, words
from ..enumeration import Bounds, BoundsError, Enumeration
from .generate.queries import GRAMMAR_VERSION, query

_STRATEGIES: Final = ("ALL", "NEXT", "LAST", "MAX", "STRICT")
_FORMULAS: Final = (";", "OR", ":", "+", ":+", "NOT")
_PLAIN: Final[Options] = {
    "ceql/word": ("any",), "ceql/operands": ("apart",), "ceql/likeness": ("none",),
    "ceql/streams": (1,), "ceql/FROM": ("in order",), "ceql/stream told": (False,),
    "ceql/types in a formula": (3,), "ceql/formula": _FORMULAS,
    "ceql/bound outside": (False,), "operators of a condition": (), "ceql/predicate": (),
    "ceql/condition": (), "ceql/predicate without operators": ("comparison",),
    "ceql/comparison": ("=",), "ceql/left side": (True,), "ceql/attribute": ("k",),
    "ceql/operand": ("literal",), "int": (1,),
    "ceql/select": ("*",), "ceql/attributes selected": (False,), "variables selected": (0, 1),
    "ceql/several results are right": (False,), "ceql/strategy": ("ALL",),
    "ceql/within": ("none",), "ceql/partitioned": (False,), "ceql/partition": ((("k",),),),
    "ceql/consume": ("NONE",),
}
"""Formulas over event types, without clauses; of conditions, where they are allowed, k = 1."""


@dataclass(frozen=True)
class TupleAlphabet:
    """The options that queries are made of, and the values of their attributes in streams.

    `allowed` replaces entries of the plain table. `two_streams`: FROM S, T, in which k has another
    type in T; a window measures k.
    """

    name: str
    summary: str
    more: Options
    values: Mapping[str, tuple[Value, ...]]
    two_streams: bool = False

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        return {**_PLAIN, **self.more}


_K: Final = {"k": (1, 2)}
_BY_TWO: Final = {"ceql/types in a formula": (2,)}

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        TupleAlphabet(
            "types",
            "in CEQL: formulas of at most three event types without FILTER and AS, under every "
            "strategy but ANY; streams are of the types of the formula and Z",
            {"ceql/strategy": _STRATEGIES}, {},
        ),
        TupleAlphabet(
            "attributes",
            "in CEQL: as types, with FILTER of k = 1, PARTITION BY [k] and CONSUME BY, without "
            "strategies; k is 1, 2 or missing",
            {
                "ceql/formula": (*_FORMULAS, "FILTER"), "operators of a condition": (0,),
                "ceql/partitioned": (False, True),
                "ceql/consume": ("NONE", "ANY", "PARTITION"),
            },
            _K,
        ),
        TupleAlphabet(
            "strategies",
            "in CEQL: as types, with at most two types, with and without CONSUME BY ANY",
            {**_BY_TWO, "ceql/strategy": _STRATEGIES, "ceql/consume": ("NONE", "ANY")}, {},
        ),
        TupleAlphabet(
            "partitions",
            "in CEQL: as strategies, with PARTITION BY [k] in every query and CONSUME BY PARTITION",
            {
                **_BY_TWO, "ceql/strategy": _STRATEGIES, "ceql/partitioned": (True,),
                "ceql/consume": ("NONE", "ANY", "PARTITION"),
            },
            _K,
        ),
        TupleAlphabet(
            "predicates",
            "in CEQL: A FILTER A[P], P with comparisons, IN, LIKE, ranges, arithmetic, AND, OR and "
            "NOT over n, d and s, which may be missing",
            {
                "ceql/types in a formula": (1,), "ceql/formula": ("FILTER",),
                "operators of a condition": range(10), "ceql/condition": ("one",),
                "ceql/predicate": (
                    "calculated", "calculated in a range", "and", "or", "not"
                ),
                "ceql/predicate without operators": (
                    "comparison", "string", "in", "range", "like"
                ),
                "ceql/comparison": ("=", "!=", "<", "<=", ">", ">="),
                "ceql/attribute": ("n", "d"), "ceql/operand": ("attribute", "literal"),
                "string": ("p", "pq"), "regex": ("p", "^q"), "ceql/attribute of LIKE": ("s",),
                "ceql/turned": (False,), "low": (None, 0), "number in a set": (1, 1.5),
                "size of a set": (1,), "ceql/attribute in numbers": ("n", "d"),
            },
            {"n": (-3, 0, 1, 2), "d": (1.0, 1.5), "s": ("p", "pq")},
        ),
        TupleAlphabet(
            "conditions",
            "in CEQL: FILTER of formulas of at most two types, with AND, OR and NOT of conditions "
            "and of predicates, over k = 1 and d = 1; k and d may be missing",
            {
                **_BY_TWO, "ceql/formula": (";", "OR", "+", "FILTER", "NOT"),
                "operators of a condition": range(10),
                "ceql/condition": ("one", "and", "or", "not"),
                "ceql/predicate": ("and", "or", "not"), "ceql/attribute": ("k", "d"),
            },
            {"k": (1, 2), "d": (1.0, 1.5)},
        ),
        TupleAlphabet(
            "mixed",
            "in CEQL: FROM S, T, where k is 0 or 1 in S and in T a double or a string; PARTITION "
            "BY [k], [s], [k, s] or [k], [b], or else WITHIN N [k]; LIMIT 1; at most two types",
            {
                **_BY_TWO, "ceql/streams": (2,),
                "ceql/partition": ((("k",),), (("s",),), (("k", "s"),), (("k",), ("b",))),
                "ceql/several results are right": (False, True), "LIMIT and ANY": (("ALL", 1),),
            },
            {"s": ("p", "q"), "b": (True, False)},
            two_streams=True,
        ),
        TupleAlphabet(
            "outputs",
            "in CEQL: formulas of at most two types, with AS; SELECT of *, NONE and each variable "
            "that is bound, strategies, ANY, LIMIT 1 and LIMIT 2",
            {
                **_BY_TWO, "ceql/formula": (*_FORMULAS, "AS"), "ceql/select": ("*", "some"),
                "ceql/several results are right": (False, True),
                "LIMIT and ANY": (
                    ("ALL", 1), ("ALL", 2), ("ANY", None), ("ANY", 1), ("ANY", 2)
                ),
                "ceql/strategy": ("ALL", "NEXT", "LAST", "MAX"),
            },
            {},
        ),
    )
}


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
        """Return the types with values; types without a condition have the keys alone."""
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
