"""All RSEP-QL cases up to a size: every event pattern on every stream, the smallest first.

The size of a query is its number of operators: SEQ, SEQN, SEQC, SEQR, FIRST, LAST, and one for
CONSUME. Each EVENT is `{ ?x :A ?a }` for some letter, all of them over one window; letters are A,
B, … as the pattern names them first. A graph is one triple with one of these letters, or with Z,
which no pattern names. Streams are listed up to a renaming of subjects and of each letter's
objects; two graphs may come at one instant. A query is evaluated whenever an item arrives.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby, permutations, product
from string import ascii_uppercase
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ....semantics.rdf.syntax.tree import (
    GroupGraphPattern,
    Prologue,
    SelectQuery,
    TriplePattern,
    TriplesBlock,
)
from ....semantics.rsepql.syntax.printing import to_text
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    First,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    RsepqlQuery,
    Sequence,
    SequenceOperator,
    TimeBasedWindow,
    WindowClause,
    events,
)
from ...sweeps.corpus_file import CorpusRow, json_text
from ...sweeps.enumerated_rows import rows_of_block
from ..enumeration import Bounds, Listing, blocks

EXAMPLE = "http://example.org/"
STREAM, WINDOW = URIRef(EXAMPLE + "s"), URIRef(EXAMPLE + "w")
OTHER = "Z"

_PROLOGUE = Prologue(prefixes=(("", EXAMPLE),))
_PREFIXES = json_text({"": EXAMPLE})
_EMPTY = GroupGraphPattern()

Item: TypeAlias = tuple[int, str, int, int]
"""(instant, letter, number of the subject, number of the object)"""


@dataclass(frozen=True, slots=True)
class RsepqlEnumeration:
    """What is enumerated: the bounds, the window's width (None: a landmark window), readings."""

    most_operators: int = 2
    most_events: int = 3
    within: int | None = None
    readings: Readings = field(default_factory=Readings)


def listing(bounds: Bounds) -> Listing:
    """All cases within the bounds."""
    bounds.only_wide("windows of RSEP-QL are N wide, without SLIDE")
    enumeration = RsepqlEnumeration(
        bounds.operators, bounds.length, bounds.within, Readings.of(bounds.readings)
    )
    return Listing(enumerated_rsepql_cases(enumeration), partial(rsepql_case_count, enumeration))


def enumerated_rsepql_cases(enumeration: RsepqlEnumeration) -> Iterator[CorpusRow]:
    """Every case within the bounds, one of each isomorphism class, the smallest first."""
    for operators, items in blocks(enumeration.most_operators, enumeration.most_events):
        yield from enumerated_rsepql_block(enumeration, operators, items)


def enumerated_rsepql_block(
    enumeration: RsepqlEnumeration, operators: int, items: int
) -> Iterator[CorpusRow]:
    """Every case with exactly so many operators and items."""
    cases = (
        (to_text(query), map(_streams_text, enumerated_streams(letters, items)))
        for query, letters in enumerated_rsepql_queries(operators, enumeration.within)
    )
    return rows_of_block(
        "rsepql", operators, items, cases, prefixes=_PREFIXES, readings=enumeration.readings
    )


def rsepql_case_count(enumeration: RsepqlEnumeration, operators: int, items: int) -> int:
    """How many cases have exactly so many operators and items."""
    return sum(
        sum(1 for _ in enumerated_streams(letters, items))
        for _, letters in enumerated_rsepql_queries(operators, enumeration.within)
    )


# --- queries -------------------------------------------------------------------------------------


def enumerated_rsepql_queries(
    operators: int, within: int | None = None
) -> Iterator[tuple[RsepqlQuery, str]]:
    """Every query with exactly so many operators, with the letters that it names."""
    function = LandmarkWindow(Moment(0)) if within is None else TimeBasedWindow(Moment(within))
    clause = WindowClause(WINDOW, STREAM, function)
    for consumption in (ConsumptionPolicy.UNRESTRICTED, ConsumptionPolicy.CHRONOLOGICAL):
        left = operators - (consumption is not ConsumptionPolicy.UNRESTRICTED)
        for pattern, letters in enumerated_event_patterns(left):
            where = GroupGraphPattern((MatchPattern(pattern),))
            yield RsepqlQuery(
                SelectQuery(None, where), (clause,), consumption=consumption, prologue=_PROLOGUE
            ), letters


def enumerated_event_patterns(operators: int) -> Iterator[tuple[EventPattern, str]]:
    """Every event pattern with exactly so many operators, with the letters that it names."""
    for shape in _shapes(operators) if operators >= 0 else ():
        for word in words(len(events(shape))):
            yield _with_letters(shape, iter(word)), "".join(sorted(set(word)))


@cache
def _shapes(operators: int) -> tuple[EventPattern, ...]:
    """Event patterns whose EVENTs are not written yet."""
    if operators == 0:
        return (Event(WINDOW, _EMPTY),)
    made: list[EventPattern] = []
    for inner in _shapes(operators - 1):
        made += [First(inner), Last(inner)]
    for on_left in range(operators):
        for operator in SequenceOperator:
            made += [
                Sequence(operator, left, right)
                for left in _shapes(on_left)
                for right in _shapes(operators - 1 - on_left)
            ]
    return tuple(made)


@cache
def words(length: int) -> tuple[str, ...]:
    """Words in which a letter is new or known: A, then A or B, then …"""
    if length == 0:
        return ("",)
    return tuple(
        word + letter
        for word in words(length - 1)
        for letter in ascii_uppercase[: len(set(word)) + 1]
    )


def _with_letters(shape: EventPattern, letters: Iterator[str]) -> EventPattern:
    match shape:
        case Event(window):
            letter = next(letters)
            triple = TriplePattern(
                Variable("x"), URIRef(EXAMPLE + letter), Variable(letter.lower())
            )
            return Event(window, GroupGraphPattern((TriplesBlock((triple,)),)))
        case First(operand) | Last(operand):
            return type(shape)(_with_letters(operand, letters))
        case Sequence(operator, left, right):
            first = _with_letters(left, letters)
            return Sequence(operator, first, _with_letters(right, letters))


# --- streams -------------------------------------------------------------------------------------


@cache
def enumerated_streams(letters: str, items: int) -> tuple[tuple[Item, ...], ...]:
    """Every stream of so many graphs, the least of those that renaming makes of it."""
    return tuple(stream for stream in _streams(letters + OTHER, items) if _is_least(stream))


def _streams(letters: str, items: int) -> Iterator[tuple[Item, ...]]:
    if items == 0:
        yield ()
        return
    for earlier in _streams(letters, items - 1):
        last = earlier[-1][0] if earlier else 0
        for instant, letter in product((last + 1, last) if earlier else (1,), letters):
            subjects = {item[2] for item in earlier if item[1] != OTHER}
            objects = {item[3] for item in earlier if item[1] == letter}
            for subject, object_ in (
                product(range(len(subjects) + 1), range(len(objects) + 1))
                if letter != OTHER else ((0, 0),)
            ):
                item = (instant, letter, subject, object_)
                # Graphs of one instant have no order.
                if not earlier or instant > last or earlier[-1] <= item:
                    yield (*earlier, item)


def _is_least(stream: tuple[Item, ...]) -> bool:
    """Whether no other order of the graphs of one instant gives an earlier stream."""
    return all(
        stream <= renamed(stream[place] for place in order) for order in orders(stream)
    )


def orders(stream: tuple[Item, ...]) -> Iterator[tuple[int, ...]]:
    """The orders of a stream's places in which no instant comes before an earlier one."""
    together = [
        tuple(places)
        for _, places in groupby(range(len(stream)), key=lambda place: stream[place][0])
    ]
    for order in product(*map(permutations, together)):
        yield tuple(place for places in order for place in places)


def renamed(stream: Iterable[Item]) -> tuple[Item, ...]:
    """The stream with subjects, and each letter's objects, numbered as they are met."""
    subjects: dict[int, int] = {}
    objects: dict[tuple[str, int], int] = {}
    result: list[Item] = []
    for instant, letter, subject, object_ in stream:
        if letter == OTHER:
            result.append((instant, letter, 0, 0))
            continue
        met = sum(1 for known, _ in objects if known == letter)
        result.append((
            instant, letter, subjects.setdefault(subject, len(subjects)),
            objects.setdefault((letter, object_), met),
        ))
    return tuple(result)


def _streams_text(stream: tuple[Item, ...]) -> str:
    text = "".join(
        f":g{number} prov:generatedAtTime {instant} . "
        f":g{number} {{ :s{subject} :{letter} :o{object_} }}\n"
        for number, (instant, letter, subject, object_) in enumerate(stream)
    )
    return json.dumps({str(STREAM): text})


__all__ = [
    "RsepqlEnumeration", "enumerated_event_patterns", "enumerated_rsepql_block",
    "enumerated_rsepql_cases", "enumerated_rsepql_queries", "enumerated_streams",
    "orders", "renamed", "rsepql_case_count", "words",
]
