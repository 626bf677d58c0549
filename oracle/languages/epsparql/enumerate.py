"""All EP-SPARQL cases up to a size: every pattern on every stream, the smallest first.

The size of a query is its number of operators: SEQ, EQUALS, OPTIONALSEQ, EQUALSOPTIONAL, UNION,
OPTIONAL, and one for each FILTER (getDURATION() <= W), which may stand in any group, once. Each
operand is `?x :A ?a` for some letter; letters are A, B, … as the query names them first. A graph is
one triple with one of these letters, or with Z, which no pattern names, at an instant or since
the one before. Streams are listed up to a renaming of subjects and of each letter's objects; two
graphs may end at one instant. Under a policy there are what it is about: sequences, and instants.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final, TypeAlias

from rdflib.term import URIRef, Variable

from ....semantics.epsparql.syntax.printing import to_text
from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.to_rsepql import chain_of, event_pattern
from ....semantics.epsparql.syntax.tree import DURATION, EpsparqlQuery, Operator, TemporalPattern
from ....semantics.model.errors import ReadingError
from ....semantics.model.terms import literal
from ....semantics.model.time import XSD
from ....semantics.rdf.syntax.tree import (
    BuiltIn,
    Comparison,
    Filter,
    GroupGraphPattern,
    OptionalPattern,
    Prologue,
    SelectQuery,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ...sweeps.corpus_file import CorpusRow, json_text
from ...sweeps.enumerated_rows import rows_of_block
from ..cqels.enumerate import interval_streams
from ..enumeration import Bounds, Listing, blocks
from ..rsepql.enumerate import EXAMPLE, words

_PROLOGUE = Prologue(prefixes=(("", EXAMPLE),))
_PREFIXES = json_text({"": EXAMPLE})

_FILTER: Final = "FILTER"
_BINARY: Final = (
    Operator.SEQ, Operator.EQUALS, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL,
    "UNION", "OPTIONAL",
)

Shape: TypeAlias = tuple["str | Shape", ...]
"""() for a triple pattern, (operator, operand, …) for what is made of others"""


@dataclass(frozen=True, slots=True)
class EpsparqlEnumeration:
    """What is enumerated: the bounds, the longest duration that a FILTER lets pass, readings."""

    most_operators: int = 2
    most_events: int = 3
    within: int = 1
    readings: Readings = field(default_factory=Readings)


def listing(bounds: Bounds) -> Listing:
    """All cases within the bounds."""
    bounds.only_wide("EP-SPARQL has FILTER (getDURATION() <= N) for a window N wide")
    enumeration = EpsparqlEnumeration(
        bounds.operators, bounds.length, 1 if bounds.within is None else bounds.within,
        Readings.of(bounds.readings),
    )
    return Listing(
        enumerated_epsparql_cases(enumeration), partial(epsparql_case_count, enumeration)
    )


def enumerated_epsparql_cases(enumeration: EpsparqlEnumeration) -> Iterator[CorpusRow]:
    """Every case within the bounds, the smallest first."""
    for operators, items in blocks(enumeration.most_operators, enumeration.most_events):
        yield from enumerated_epsparql_block(enumeration, operators, items)


def enumerated_epsparql_block(
    enumeration: EpsparqlEnumeration, operators: int, items: int
) -> Iterator[CorpusRow]:
    """Every case with exactly so many operators and items."""
    cases = (
        (to_text(query), _streams(enumeration, letters, items))
        for query, letters in _with_meaning(enumeration, operators)
    )
    return rows_of_block(
        "epsparql", operators, items, cases, prefixes=_PREFIXES, readings=enumeration.readings
    )


def epsparql_case_count(enumeration: EpsparqlEnumeration, operators: int, items: int) -> int:
    """How many cases have exactly so many operators and items."""
    return sum(
        sum(1 for _ in _streams(enumeration, letters, items))
        for _, letters in _with_meaning(enumeration, operators)
    )


# --- queries -------------------------------------------------------------------------------------


def _with_meaning(
    enumeration: EpsparqlEnumeration, operators: int
) -> Iterator[tuple[EpsparqlQuery, str]]:
    """The queries that the policy says something about: sequences of patterns, without duration."""
    policy = enumeration.readings.policy
    for query, letters in enumerated_epsparql_queries(operators, enumeration.within):
        if policy != "unrestricted":
            try:
                event_pattern(chain_of(query).group, policy)
            except ReadingError:
                continue
        yield query, letters


def enumerated_epsparql_queries(
    operators: int, within: int = 1
) -> Iterator[tuple[EpsparqlQuery, str]]:
    """Every query with exactly so many operators, with the letters that it names."""
    for shape in _shapes(operators):
        for word in words(_leaves(shape)):
            where = _group(shape, iter(word), within)
            yield EpsparqlQuery(SelectQuery(None, where), prologue=_PROLOGUE), "".join(
                sorted(set(word))
            )


@cache
def _shapes(operators: int) -> tuple[Shape, ...]:
    """What so many operators make of triple patterns."""
    if operators == 0:
        return ((),)
    made: list[Shape] = [
        (_FILTER, inner) for inner in _shapes(operators - 1) if inner[:1] != (_FILTER,)
    ]
    for on_left in range(operators):
        for operator in _BINARY:
            made += [
                (operator, left, right)
                for left in _shapes(on_left)
                for right in _shapes(operators - 1 - on_left)
            ]
    return tuple(made)


def _leaves(shape: Shape) -> int:
    operands = [part for part in shape if not isinstance(part, str)]
    return sum(map(_leaves, operands)) if operands else 1


def _group(shape: Shape, letters: Iterator[str], within: int) -> GroupGraphPattern:
    match shape:
        case (str(name), tuple(operand)):
            inner = _group(operand, letters, within)
            duration = Comparison(
                "<=", BuiltIn(DURATION, ()), literal(str(within), XSD + "integer")
            )
            return GroupGraphPattern((*inner.elements, Filter(duration)))
        case (str(name), tuple(first), tuple(second)):
            left = _group(first, letters, within)
            right = _group(second, letters, within)
            if name == "OPTIONAL":
                # A FILTER is about its whole group, wherever it stands.
                kept = (UnionPattern((left,)),) if first[:1] == (_FILTER,) else left.elements
                return GroupGraphPattern((*kept, OptionalPattern(right)))
            if name == "UNION":
                return GroupGraphPattern((UnionPattern((*_alternatives(left), right)),))
            return GroupGraphPattern((TemporalPattern((left, right), Operator(name)),))
    letter = next(letters)
    triple = TriplePattern(Variable("x"), URIRef(EXAMPLE + letter), Variable(letter.lower()))
    return GroupGraphPattern((TriplesBlock((triple,)),))


def _alternatives(left: GroupGraphPattern) -> tuple[GroupGraphPattern, ...]:
    """{A} UNION {B} UNION {C} is one element."""
    match left.elements:
        case (UnionPattern(alternatives) as united,) if not isinstance(united, TemporalPattern):
            return alternatives
    return (left,)


# --- streams -------------------------------------------------------------------------------------


def _streams(enumeration: EpsparqlEnumeration, letters: str, items: int) -> Iterator[str]:
    """Every stream of so many graphs, as TriG."""
    streams = interval_streams(letters, items)
    if enumeration.readings.policy == "unrestricted":
        return streams
    return (stream for stream in streams if "prov:startedAtTime" not in stream)


__all__ = [
    "EpsparqlEnumeration", "enumerated_epsparql_block", "enumerated_epsparql_cases",
    "enumerated_epsparql_queries", "epsparql_case_count",
]
