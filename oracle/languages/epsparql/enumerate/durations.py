"""All EP-SPARQL cases of the alphabet `durations`: patterns with a FILTER on how long they last.

The operators are those of `steps` and `gaps`, and besides them MINUS, {…} {…} and two triple
patterns side by side; one for each FILTER, of which every query has one unless it is a single
pattern. The FILTERs of a query are all of one form: a comparison of getDURATION() with N, from
either side, negated, in a conjunction, or of what getENDTIME() and getSTARTTIME() tell.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

from .....semantics.epsparql.syntax.tree import DURATION, END_TIME, START_TIME, EpsparqlQuery
from .....semantics.model.terms import literal
from .....semantics.model.time import XSD
from .....semantics.model.trees import changed, has
from .....semantics.rdf.syntax.tree import (
    And,
    Arithmetic,
    BuiltIn,
    Comparison,
    Expression,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    Not,
    SelectQuery,
    TriplesBlock,
    UnionPattern,
)
from ....ranks.families import Family, HeldNamings, Letters
from ....ranks.grammars import Grammar
from ...enumerated_graphs import HOLE, PROLOGUE, triple_pattern
from ...enumeration import Bounds
from .operators import (
    LEAF,
    TEMPORAL,
    EpsparqlEnumeration,
    filtered,
    kept,
    optional,
    temporal,
    united,
    unrestricted,
)

_DURATION = BuiltIn(DURATION, ())
_FORM = Filter(_DURATION)
"""Where a FILTER is to be written."""


class DurationEnumeration(EpsparqlEnumeration):
    """`within` is what durations are compared with."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        unrestricted(bounds, self.readings)

    @cached_property
    def forms(self) -> tuple[Filter, ...]:
        """The FILTERs, each of which a query may have."""
        width, nothing = (literal(str(n), XSD + "integer") for n in (self.lasting, 0))
        asked: tuple[Expression, ...] = (
            *(Comparison(sign, _DURATION, width) for sign in ("<", "<=", "=", "!=", ">", ">=")),
            *(Comparison(sign, width, _DURATION) for sign in (">", ">=", "<")),
            Not(Comparison(">", _DURATION, width)),
            And((Comparison(">", _DURATION, nothing), Comparison("<=", _DURATION, width))),
            Comparison(
                "<=", Arithmetic("-", BuiltIn(END_TIME, ()), BuiltIn(START_TIME, ())), width
            ),
        )
        return tuple(map(Filter, asked))

    @cached_property
    def groups(self) -> Grammar[GroupGraphPattern]:
        condition = partial(filtered, _FORM)
        return Grammar(
            LEAF, HOLE, unary=(condition,), once=(condition,),
            binary=(
                *(partial(temporal, each) for each in TEMPORAL), united, optional, _joined, _minus,
            ),
            more=(GroupGraphPattern((TriplesBlock((HOLE, HOLE)),)),),
        )

    def families(self, operators: int) -> list[Family[EpsparqlQuery, Any, str]]:
        return [
            Family(
                len(shapes), HeldNamings.of(
                    ((word, form), letters) for word, letters in Letters(leaves).all()
                    for form in (self.forms if operators else (_FORM,))
                ),
                partial(self._written, operators, leaves, shapes),
            )
            for leaves in range(1, operators + 2)
            if (shapes := self._shapes(operators, leaves))
        ]

    def _shapes(self, operators: int, leaves: int) -> list[int]:
        """The numbers of the groups that have a FILTER, and of the single pattern."""
        return [
            shape for shape in range(self.groups.count(operators, leaves))
            if not operators or has(self.groups.tree(operators, leaves, shape), Filter)
        ]

    def _written(
        self, operators: int, leaves: int, shapes: list[int], shape: int,
        naming: tuple[str, Filter],
    ) -> EpsparqlQuery:
        word, form = naming
        where = self.groups.written(operators, leaves, shapes[shape], word, triple_pattern)
        where = changed(where, lambda part: form if part == _FORM else part)
        return EpsparqlQuery(SelectQuery(None, where), prologue=PROLOGUE)


def _joined(left: GroupGraphPattern, right: GroupGraphPattern) -> GroupGraphPattern:
    return GroupGraphPattern((UnionPattern((left,)), UnionPattern((right,))))


def _minus(left: GroupGraphPattern, right: GroupGraphPattern) -> GroupGraphPattern:
    return GroupGraphPattern((*kept(left), MinusPattern(right)))
