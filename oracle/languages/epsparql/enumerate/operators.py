"""All EP-SPARQL cases up to a size: every pattern on every stream.

The operators are SEQ, EQUALS, OPTIONALSEQ, EQUALSOPTIONAL, UNION, OPTIONAL, and one for each FILTER
(getDURATION() <= W), which may stand in any group, once. Each operand is `?x :A ?a` for a letter.
Under a policy there are what it is about: sequences, and instants.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from .....semantics.epsparql.syntax.readings import Readings
from .....semantics.epsparql.syntax.tree import DURATION, EpsparqlQuery, Operator, TemporalPattern
from .....semantics.model.terms import literal
from .....semantics.model.time import XSD
from .....semantics.rdf.syntax.tree import (
    BuiltIn,
    Comparison,
    Element,
    Filter,
    GroupGraphPattern,
    OptionalPattern,
    SelectQuery,
    TriplesBlock,
    UnionPattern,
)
from ....ranks.families import Family, Letters
from ....ranks.grammars import Grammar
from ....ranks.numbered_streams import NumberedStreams
from ...enumerated_graphs import (
    HOLE,
    PREFIXES,
    PROLOGUE,
    LetterStreams,
    instant_streams,
    interval_streams,
    triple_pattern,
)
from ...enumeration import Bounds, BoundsError

TEMPORAL = (Operator.SEQ, Operator.EQUALS, Operator.OPTIONALSEQ, Operator.EQUALSOPTIONAL)


def unrestricted(bounds: Bounds, readings: Readings) -> None:
    """Raise BoundsError under a policy, which is about sequences alone."""
    if readings.policy != "unrestricted":
        raise BoundsError(
            f"a policy is about sequences: there is no alphabet '{bounds.alphabet}' under one"
        )


LEAF = GroupGraphPattern((TriplesBlock((HOLE,)),))


class EpsparqlEnumeration(LetterStreams[EpsparqlQuery, Readings]):
    """`within` is the longest duration that a FILTER lets pass; under a policy there is none."""

    language, prefixes, readings_type = "epsparql", PREFIXES, Readings
    within_is = "FILTERs getDURATION() <="

    def __init__(self, bounds: Bounds) -> None:
        bounds.only_wide("EP-SPARQL has FILTER (getDURATION() <= N) for a window N wide")
        super().__init__(bounds)
        self.lasting = 1 if bounds.within is None else bounds.within
        self.width = self.lasting if self.readings.policy == "unrestricted" else None

    @cached_property
    def groups(self) -> Grammar[GroupGraphPattern]:
        width = literal(str(self.lasting), XSD + "integer")
        short = partial(filtered, Filter(Comparison("<=", BuiltIn(DURATION, ()), width)))
        sequential = tuple(partial(temporal, each) for each in TEMPORAL)
        if self.readings.policy != "unrestricted":
            return Grammar(LEAF, HOLE, unary=(), binary=sequential[:1])
        return Grammar(
            LEAF, HOLE, unary=(short,), once=(short,), binary=(*sequential, united, optional),
        )

    def families(self, operators: int) -> list[Family[EpsparqlQuery, str, str]]:
        return [
            Family(
                self.groups.count(operators, leaves), Letters(leaves),
                partial(self._query, operators, leaves),
            )
            for leaves in range(1, operators + 2)
        ]

    def _query(self, operators: int, leaves: int, shape: int, word: str) -> EpsparqlQuery:
        where = self.groups.written(operators, leaves, shape, word, triple_pattern)
        return EpsparqlQuery(SelectQuery(None, where), prologue=PROLOGUE)

    @property
    def steps(self) -> Callable[[str, int], NumberedStreams]:
        return instant_streams if self.readings.policy != "unrestricted" else interval_streams


def filtered(condition: Filter, group: GroupGraphPattern) -> GroupGraphPattern:
    """{A FILTER (…)}"""
    return GroupGraphPattern((*group.elements, condition))


def temporal(
    operator: Operator, left: GroupGraphPattern, right: GroupGraphPattern
) -> GroupGraphPattern:
    """{A} SEQ {B}, or another operator"""
    return GroupGraphPattern((TemporalPattern((left, right), operator),))


def united(left: GroupGraphPattern, right: GroupGraphPattern) -> GroupGraphPattern:
    """{A} UNION {B} UNION {C} is one element."""
    alternatives: tuple[GroupGraphPattern, ...] = (left,)
    match left.elements:
        case (UnionPattern() as united,) if not isinstance(united, TemporalPattern):
            alternatives = united.alternatives
    return GroupGraphPattern((UnionPattern((*alternatives, right)),))


def optional(left: GroupGraphPattern, right: GroupGraphPattern) -> GroupGraphPattern:
    """{A} OPTIONAL {B}"""
    return GroupGraphPattern((*kept(left), OptionalPattern(right)))


def kept(group: GroupGraphPattern) -> tuple[Element, ...]:
    """The elements of a group behind which more may stand: a FILTER is about its whole group."""
    return (UnionPattern((group,)),) if isinstance(group.elements[-1], Filter) else group.elements
