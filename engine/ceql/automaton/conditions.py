"""What a transition asks of an event: tests over event types and predicates.

FILTER conditions are about sets of tuples; pushed to the transitions that mark a tuple (CORE
appendix A) they become tests of one event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ....semantics.ceql.syntax.tree import (
    Attribute,
    Comparison,
    ComparisonOperator,
    Literal,
    Predicate,
)


@dataclass(frozen=True, slots=True)
class OfType:
    """The event is of this type, and from this stream if one is named."""

    name: str
    stream: str | None


@dataclass(frozen=True, slots=True)
class Holds:
    """The event is in P."""

    predicate: Predicate


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of these; of none, TRUE."""

    tests: frozenset[Test]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some one of these."""

    tests: frozenset[Test]


@dataclass(frozen=True, slots=True)
class Opposite:
    """Not this."""

    test: Test


Test: TypeAlias = OfType | Holds | AllOf | AnyOf | Opposite

ALWAYS = AllOf(frozenset())


def both(left: Test, right: Test) -> Test:
    """P ∧ P′, flat and without repetitions.

    >>> both(ALWAYS, OfType("A", None))
    OfType(name='A', stream=None)
    """
    parts: set[Test] = set()
    for test in (left, right):
        parts |= test.tests if isinstance(test, AllOf) else {test}
    return next(iter(parts)) if len(parts) == 1 else AllOf(frozenset(parts))


def opposite(test: Test) -> Test:
    """¬P"""
    return test.test if isinstance(test, Opposite) else Opposite(test)


def may_hold_together(one: Test, other: Test) -> bool:
    """False only if no event satisfies both: they ask for two types, or two values of one
    attribute.

    >>> may_hold_together(OfType("A", None), OfType("B", None))
    False
    """
    asked: dict[object, object] = {}
    for test in (one, other):
        for part in test.tests if isinstance(test, AllOf) else (test,):
            match part:
                case OfType(name):
                    what, value = None, name
                case Holds(
                    Comparison(ComparisonOperator.EQUAL, Attribute(attribute), Literal(str(text)))
                ):
                    what, value = attribute, text
                case _:
                    continue
            if asked.setdefault(what, value) != value:
                return False
    return True
