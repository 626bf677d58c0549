"""CEQL's conditions as what is asked of single tuples.

X[P] holds iff P does of every tuple of X, so that an engine without conditions on sets may ask P of
each tuple that X takes. A condition with OR is asked in several ways, of which one has to hold.
"""

from __future__ import annotations

from itertools import product
from typing import Final, TypeAlias

from ..semantics.ceql.syntax.tree import (
    AndCondition,
    As,
    Condition,
    EventType,
    OrCondition,
    Predicate,
    VariableCondition,
)
from ..semantics.model.errors import UnsupportedError

Asked: TypeAlias = tuple[tuple[str, Predicate], ...]
"""The predicates on variables: all tuples of X are in P."""

_EVERY: Final = "*"  # what is asked of all that a formula takes


def ways(condition: Condition) -> list[Asked]:
    """Return the ways in which a condition can hold; raises UnsupportedError for NOT of one."""
    match condition:
        case VariableCondition(variable, predicate):
            return [((str(variable), predicate),)]
        case AndCondition(left, right):
            return [one + other for one, other in product(ways(left), ways(right))]
        case OrCondition(left, right):
            return ways(left) + ways(right)
        case _:
            raise UnsupportedError("NOT of a condition asks whether some tuple is not in a set")


def asked_within(named: As, asked: Asked) -> Asked:
    """Return the predicates inside φ AS x: those of x apply to every tuple of φ as well."""
    return asked + tuple((_EVERY, p) for name, p in asked if name == named.variable)


def asked_of_tuple(kind: EventType, asked: Asked) -> list[Predicate]:
    """Return the predicates on a tuple that an event type takes."""
    names = {kind.name, f"{kind.stream}>{kind.name}", _EVERY}
    return [p for variable, p in asked if variable in names]
