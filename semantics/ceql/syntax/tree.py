"""The syntax tree of CEQL queries (CORE section 2.2, and the clauses of CORE's later language).

φ ::= R | S>R | φ AS X | φ FILTER θ | φ OR φ | φ ; φ | φ : φ | φ + | φ :+ | NOT(R [FILTER θ])
        | π_L(φ)
    θ ::= X[P] | θ AND θ | θ OR θ | NOT θ

From the tightest to the loosest, the operators are: AS + :+ (postfix), `;`, `:`, OR, FILTER
(postfix); the binary ones are left-associative. So `A ; B OR C FILTER A[P]` reads
`((A ; B) OR C) FILTER A[P]`.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from ...model.errors import Position, position_field
from ...model.pretty_printing import ParsedQuery
from .results import ComplexEvent

Constant: TypeAlias = bool | int | float | str
"""A number (written without a sign), a string, TRUE or FALSE of the query."""


# --- predicates P: sets of tuples -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attribute:
    """a: the tuple's value of this attribute; missing if it has none"""

    name: str
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, of the type that it is written in: `1` int, `1.0` float, `'1'` str."""

    value: Constant


@dataclass(frozen=True, slots=True)
class Negative:
    """−t"""

    operand: Term


class ArithmeticOperator(StrEnum):
    """`* / %` bind tighter than `+ −`; all are left-associative."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """t1 ∘ t2"""

    operator: ArithmeticOperator
    left: Term
    right: Term


Term: TypeAlias = Attribute | Literal | Negative | Arithmetic


class ComparisonOperator(StrEnum):
    """`==` is written `=` and `<>` is written `!=` in the tree."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="


@dataclass(frozen=True, slots=True)
class Comparison:
    """t1 ∘ t2: false if a side is missing or the sides are of different types"""

    operator: ComparisonOperator
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Like:
    """a LIKE 'pattern': the regular expression matches somewhere in the string"""

    attribute: Attribute
    pattern: str
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Interval:
    """{low..high}, {low..}, {..high}: both ends belong to it; at least one is given"""

    low: int | float | None
    high: int | float | None


@dataclass(frozen=True, slots=True)
class In:
    """a IN {v1, v2, …} or a IN {low..high}; `negated`: a NOT IN …

    The values are all numbers or all strings. NOT IN, too, is false of a missing attribute and of
    one that is of another type than the values.
    """

    attribute: Attribute
    values: tuple[Constant, ...] | Interval
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """t IN RANGE (t1, t2): t1 <= t and t <= t2"""

    operand: Term
    low: Term
    high: Term


@dataclass(frozen=True, slots=True)
class And:
    """P1 AND P2."""

    left: Predicate
    right: Predicate


@dataclass(frozen=True, slots=True)
class Or:
    """P1 OR P2."""

    left: Predicate
    right: Predicate


@dataclass(frozen=True, slots=True)
class Not:
    """NOT P: the tuples that are not in P, also those where an attribute of P is missing."""

    operand: Predicate


Predicate: TypeAlias = Comparison | Like | In | Range | And | Or | Not


# --- conditions θ: sets of valuations ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """A variable X, an event type R, or an event type of one stream, S>R."""

    name: str
    stream: str | None = None
    position: Position = position_field()

    def __str__(self) -> str:
        return self.name if self.stream is None else f"{self.stream}>{self.name}"


@dataclass(frozen=True, slots=True)
class VariableCondition:
    """X[P]: every tuple of V(X) is in P; true if V(X) is empty."""

    variable: Name
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class AndCondition:
    """θ1 AND θ2"""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class OrCondition:
    """θ1 OR θ2"""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class NotCondition:
    """NOT θ: θ does not hold; so NOT X[P] says that some tuple of V(X) is not in P."""

    operand: Condition


Condition: TypeAlias = VariableCondition | AndCondition | OrCondition | NotCondition


# --- formulas φ: sets of valuations -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventType:
    """R, or S>R."""

    name: str
    stream: str | None = None
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class As:
    """φ AS X"""

    formula: Formula
    variable: str
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Filter:
    """φ FILTER θ"""

    formula: Formula
    condition: Condition


@dataclass(frozen=True, slots=True)
class Disjunction:
    """φ1 OR φ2"""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Sequence:
    """φ1 ; φ2"""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Contiguous:
    """φ1 : φ2"""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iteration:
    """φ+, linked by `;`"""

    formula: Formula


@dataclass(frozen=True, slots=True)
class ContiguousIteration:
    """φ:+, linked by `:`"""

    formula: Formula


@dataclass(frozen=True, slots=True)
class NotFormula:
    """NOT(R FILTER θ): one event that R FILTER θ does not match

    `formula` is an event type, or FILTERs of one.
    """

    formula: EventType | Filter
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Projection:
    """π_L(φ): `SELECT X, Y (φ)`; also a query's SELECT clause, see `CeqlQuery.projected`"""

    formula: Formula
    variables: tuple[Name, ...]


Formula: TypeAlias = (
    EventType
    | As
    | Filter
    | Disjunction
    | Sequence
    | Contiguous
    | Iteration
    | ContiguousIteration
    | NotFormula
    | Projection
)


# --- queries ----------------------------------------------------------------------------------


class Strategy(StrEnum):
    """The selection strategies; ALL is none."""

    ALL = "ALL"
    ANY = "ANY"
    STRICT = "STRICT"
    NEXT = "NEXT"
    LAST = "LAST"
    MAX = "MAX"


@dataclass(frozen=True, slots=True)
class Selected:
    """X, or X[a1, a2, …]: of the tuples of X, only these attributes are reported."""

    variable: Name
    attributes: tuple[str, ...] | None = None


class WindowUnit(StrEnum):
    """In what V(end) − V(start) is measured."""

    EVENTS = "events"  # positions of the merged stream
    TIME = "time"  # arrival time, nanoseconds
    ATTRIBUTE = "attribute"  # the value of an attribute


@dataclass(frozen=True, slots=True)
class Within:
    """WITHIN n EVENTS | h HOURS m MINUTES s SECONDS | n [attribute]

    `value` counts events, nanoseconds or the attribute's own units.
    """

    value: int
    unit: WindowUnit
    attribute: str | None = None
    position: Position = position_field()


class Consumption(StrEnum):
    """The consumption policy: the events that are consumed once an event has triggered output."""

    NONE = "NONE"
    ANY = "ANY"
    PARTITION = "PARTITION"


class AttributeType(StrEnum):
    """The types of a declaration; `long` is read as int, `float` as double, `bool` as boolean."""

    INT = "int"
    DOUBLE = "double"
    STRING = "string"
    BOOLEAN = "boolean"
    PRIMARY_TIME = "primary_time"  # an int, the stream's arrival time


@dataclass(frozen=True, slots=True)
class EventDeclaration:
    """EVENT R { a1: type1, … }"""

    name: str
    attributes: tuple[tuple[str, AttributeType], ...]
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class StreamDeclaration:
    """CREATE STREAM S { EVENT R1 { … }, … }"""

    name: str
    events: tuple[EventDeclaration, ...]
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class CeqlQuery(ParsedQuery[ComplexEvent, frozenset[ComplexEvent]]):
    """SELECT … FROM … WHERE … [PARTITION BY …] [WITHIN …] [CONSUME BY …] [LIMIT k]

    `select` is None for `*`, () for NONE. `streams` is empty where FROM is left out: then every
    stream given is read. `partition` is the lists of PARTITION BY in the order written; a tuple
    belongs to a partition iff it has every attribute of every list. `limit` bounds the complex
    events reported per triggering event (per end position), as CORE does.
    """

    formula: Formula
    select: tuple[Selected, ...] | None = None
    strategy: Strategy = Strategy.ALL
    streams: tuple[str, ...] = ()
    partition: tuple[tuple[str, ...], ...] = ()
    within: Within | None = None
    consume: Consumption = Consumption.NONE
    limit: int | None = None
    declarations: tuple[StreamDeclaration, ...] = ()
    position: Position = position_field()
    partition_position: Position = position_field()

    @property
    def projected(self) -> Formula:
        """SELECT and WHERE as one CEL formula: π_L(φ), or φ for `SELECT *`."""
        if self.select is None:
            return self.formula
        return Projection(self.formula, tuple(each.variable for each in self.select))


@lru_cache(maxsize=256)
def regular_expression(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern of a LIKE. Raises re.error for an invalid regular expression."""
    with warnings.catch_warnings():  # of what future versions of Python may take for a nested set
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern)
