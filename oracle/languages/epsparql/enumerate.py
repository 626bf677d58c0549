"""All EP-SPARQL cases up to a size: every pattern on every stream.

The operators are SEQ, EQUALS, OPTIONALSEQ, EQUALSOPTIONAL, UNION, OPTIONAL, and one for each FILTER
(getDURATION() <= W), which may stand in any group, once. Each operand is `?x :A ?a` for a letter.
Under a policy there are what it is about: sequences, and instants.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

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
    SelectQuery,
    TriplesBlock,
    UnionPattern,
)
from ..enumerated_graphs import (
    HOLE,
    PREFIXES,
    PROLOGUE,
    LetterStreams,
    instant_streams,
    interval_streams,
    triple_pattern,
)
from ..enumeration import Bounds, Grammar, Symbols

_TEMPORAL = (Operator.SEQ, Operator.EQUALS, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL)


class EpsparqlEnumeration(LetterStreams[EpsparqlQuery, Readings]):
    """`within` is the longest duration that a FILTER lets pass."""

    language, prefixes, readings_type = "epsparql", PREFIXES, Readings

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("EP-SPARQL has FILTER (getDURATION() <= N) for a window N wide")
        super().__init__(bounds)

    @cached_property
    def groups(self) -> Grammar[GroupGraphPattern]:
        within = 1 if self.bounds.within is None else self.bounds.within
        width = literal(str(within), XSD + "integer")
        lasting = Filter(Comparison("<=", BuiltIn(DURATION, ()), width))
        return Grammar(
            GroupGraphPattern((TriplesBlock((HOLE,)),)), HOLE,
            unary=(partial(_filtered, lasting),),
            binary=(*(partial(_temporal, each) for each in _TEMPORAL), _united, _optional),
        )

    def queries(self, operators: int) -> Iterator[tuple[EpsparqlQuery, str]]:
        policy = self.readings.policy
        for where, letters in self.groups.lettered(operators, triple_pattern):
            query = EpsparqlQuery(SelectQuery(None, where), prologue=PROLOGUE)
            if policy != "unrestricted":
                try:  # whether the policy says something about it
                    event_pattern(chain_of(query).group, policy)
                except ReadingError:
                    continue
            yield query, letters

    def streams(self, about: str, events: int) -> tuple[Symbols, ...]:
        if self.readings.policy != "unrestricted":
            return instant_streams(about, events)
        return interval_streams(about, events)


def _is_filtered(group: GroupGraphPattern) -> bool:
    return isinstance(group.elements[-1], Filter)


def _filtered(lasting: Filter, group: GroupGraphPattern) -> GroupGraphPattern | None:
    return None if _is_filtered(group) else GroupGraphPattern((*group.elements, lasting))


def _temporal(
    operator: Operator, left: GroupGraphPattern, right: GroupGraphPattern
) -> GroupGraphPattern:
    return GroupGraphPattern((TemporalPattern((left, right), operator),))


def _united(left: GroupGraphPattern, right: GroupGraphPattern) -> GroupGraphPattern:
    """{A} UNION {B} UNION {C} is one element."""
    alternatives: tuple[GroupGraphPattern, ...] = (left,)
    match left.elements:
        case (UnionPattern() as united,) if not isinstance(united, TemporalPattern):
            alternatives = united.alternatives
    return GroupGraphPattern((UnionPattern((*alternatives, right)),))


def _optional(left: GroupGraphPattern, right: GroupGraphPattern) -> GroupGraphPattern:
    # A FILTER is about its whole group, wherever it stands.
    kept = (UnionPattern((left,)),) if _is_filtered(left) else left.elements
    return GroupGraphPattern((*kept, OptionalPattern(right)))


ENUMERATION = EpsparqlEnumeration
