"""All CQELS-CEP cases up to a size: every sequence and join on every stream, the smallest first.

The size of a query is its number of elements less one: of a sequence inside a window or over
windows, with or without one negated element, or of two windows that are joined, joined by OPTIONAL,
united or subtracted. Each pattern is `{ ?x :A ?a }` for some letter; letters are A, B, … as the
query names them first. A graph is one triple with one of these letters, or with Z, which no pattern
names, at an instant or over two time units. Streams are listed up to a renaming of subjects and of
each letter's objects. A query is evaluated whenever an item arrives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product

from rdflib.term import URIRef, Variable

from ....semantics.cqels.syntax.printing import to_text
from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    PatternElement,
    RangeWindow,
    Span,
    TripleSequence,
    WindowClause,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from ....semantics.rdf.syntax.tree import (
    Element,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    Prologue,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ...sweeps.corpus_file import CorpusRow, json_text
from ...sweeps.enumerated_rows import rows_of_block
from ..enumeration import Bounds, Listing, blocks
from ..rsepql.enumerate import EXAMPLE, OTHER, STREAM, enumerated_streams, orders, renamed, words

_PROLOGUE = Prologue(prefixes=(("", EXAMPLE),))
_PREFIXES = json_text({"": EXAMPLE})


@dataclass(frozen=True, slots=True)
class CqelsEnumeration:
    """What is enumerated: the bounds, the windows' range (None: [ALL]), readings."""

    most_operators: int = 2
    most_events: int = 3
    within: int | None = None
    readings: Readings = field(default_factory=Readings)


def listing(bounds: Bounds) -> Listing:
    """All cases within the bounds."""
    bounds.only_wide("windows of CQELS-CEP are N wide, without SLIDE")
    enumeration = CqelsEnumeration(
        bounds.operators, bounds.length, bounds.within, Readings.of(bounds.readings)
    )
    return Listing(enumerated_cqels_cases(enumeration), partial(cqels_case_count, enumeration))


def enumerated_cqels_cases(enumeration: CqelsEnumeration) -> Iterator[CorpusRow]:
    """Every case within the bounds, one of each isomorphism class, the smallest first."""
    for operators, items in blocks(enumeration.most_operators, enumeration.most_events):
        yield from enumerated_cqels_block(enumeration, operators, items)


def enumerated_cqels_block(
    enumeration: CqelsEnumeration, operators: int, items: int
) -> Iterator[CorpusRow]:
    """Every case with exactly so many operators and items."""
    cases = (
        (to_text(query), interval_streams(letters, items))
        for query, letters in enumerated_cqels_queries(operators, enumeration.within)
    )
    return rows_of_block(
        "cqels", operators, items, cases, prefixes=_PREFIXES, readings=enumeration.readings
    )


def cqels_case_count(enumeration: CqelsEnumeration, operators: int, items: int) -> int:
    """How many cases have exactly so many operators and items."""
    return sum(
        sum(1 for _ in interval_streams(letters, items))
        for _, letters in enumerated_cqels_queries(operators, enumeration.within)
    )


# --- queries -------------------------------------------------------------------------------------


def enumerated_cqels_queries(
    operators: int, within: int | None = None
) -> Iterator[tuple[CqelsQuery, str]]:
    """Every query with exactly so many operators, with the letters that it names."""
    function: WindowFunction = AllWindow() if within is None else RangeWindow(Span(within))
    for word in words(operators + 1):
        patterns = [_pattern(letter) for letter in word]
        for elements in _bodies(patterns):
            used = dict.fromkeys(each.name for each in _windows(elements))
            windows = tuple(WindowClause(name, STREAM, function) for name in used)
            yield CqelsQuery(
                None, windows, GroupGraphPattern(elements), prologue=_PROLOGUE
            ), "".join(sorted(set(word)))


def _pattern(letter: str) -> GroupGraphPattern:
    triple = TriplePattern(Variable("x"), URIRef(EXAMPLE + letter), Variable(letter.lower()))
    return GroupGraphPattern((TriplesBlock((triple,)),))


def _bodies(patterns: list[GroupGraphPattern]) -> Iterator[tuple[Element, ...]]:
    """What a WHERE clause can make of these patterns."""
    plain = [
        WindowPattern(_name(number), pattern) for number, pattern in enumerate(patterns, start=1)
    ]
    if len(patterns) == 1:
        yield (plain[0],)
        return
    for negated in (None, *range(len(patterns))):
        inside = TripleSequence(tuple(
            PatternElement(pattern, place == negated) for place, pattern in enumerate(patterns)
        ))
        yield (WindowPattern(_name(1), inside),)
        across = WindowSequence(tuple(
            WindowElement(block.name, place == negated) for place, block in enumerate(plain)
        ))
        yield (*plain, across)
    if len(patterns) == 2:
        first, second = plain
        group = GroupGraphPattern((second,))
        yield (first, second)
        yield (first, OptionalPattern(group))
        yield (first, MinusPattern(group))
        yield (UnionPattern((GroupGraphPattern((first,)), group)),)


def _name(number: int) -> URIRef:
    return URIRef(f"{EXAMPLE}w{number}")


def _windows(elements: tuple[Element, ...]) -> Iterator[WindowPattern]:
    for element in elements:
        match element:
            case WindowPattern():
                yield element
            case OptionalPattern(inner) | MinusPattern(inner):
                yield from _windows(inner.elements)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    yield from _windows(alternative.elements)


# --- streams -------------------------------------------------------------------------------------


def interval_streams(letters: str, items: int) -> Iterator[str]:
    """Every stream of so many graphs, each at an instant or over two time units, as TriG."""
    for stream in enumerated_streams(letters, items):
        for lasted in product((0, 1), repeat=items):
            if any(
                length and letter == OTHER
                for (_, letter, _, _), length in zip(stream, lasted, strict=True)
            ):
                continue
            # Graphs that renaming makes the same have no order at one instant.
            if all(
                lasted <= tuple(lasted[place] for place in order)
                for order in orders(stream)
                if renamed(stream[place] for place in order) == stream
            ):
                yield json.dumps({str(STREAM): "".join(
                    f":g{number} {_time(end, length)} . "
                    f":g{number} {{ :s{subject} :{letter} :o{object_} }}\n"
                    for number, ((end, letter, subject, object_), length)
                    in enumerate(zip(stream, lasted, strict=True))
                )})


def _time(end: int, length: int) -> str:
    if not length:
        return f"prov:generatedAtTime {end}"
    return f"prov:startedAtTime {end - length} ; prov:endedAtTime {end}"


__all__ = [
    "CqelsEnumeration", "cqels_case_count", "enumerated_cqels_block", "enumerated_cqels_cases",
    "enumerated_cqels_queries", "interval_streams",
]
