"""Solutions over intervals, and the functions that read an interval (sections 4.1 and 4.2).

Naming: a solution ⟨μ, tα, tω⟩ is `psi`, a bag of them Ψ `omega`, here a list; tα is `start`, tω is
`end`. What no occurrence contributes to (inline data, background knowledge) has no time: its
interval is [+∞, −∞], which min and max leave out, and which is before and after everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rdflib.term import Literal, URIRef, Variable

from ..model.items import TimeKind
from ..model.mappings import EMPTY_MAPPING, SolutionMapping
from ..model.terms import Term, literal
from ..model.time import XSD, format_duration, time_literal
from ..rdf.expressions.values import parse_day_time_duration
from ..rdf.syntax import tree as s
from ..rdf.syntax.variables import map_operands
from .syntax.tree import DURATION, INTERVAL_FUNCTIONS, START_TIME

NEVER = -math.inf
"""tω of what has no time"""

XSD_DURATION = XSD + "duration"
XSD_DAY_TIME_DURATION = XSD + "dayTimeDuration"

_NO_TIME = Variable("the interval of what has no time")


@dataclass(frozen=True, slots=True)
class Timed:
    """⟨μ, tα, tω⟩"""

    mapping: SolutionMapping
    start: float = math.inf
    end: float = -math.inf

    def combined(self, other: Timed) -> Timed:
        """⟨μ, tα, tω⟩ ⋈ ⟨μ', t'α, t'ω⟩ = ⟨μ ∪ μ', min(tα, t'α), max(tω, t'ω)⟩, for compatible
        ones"""
        return Timed(
            self.mapping.merge(other.mapping),
            min(self.start, other.start),
            max(self.end, other.end),
        )

    def compatible(self, other: Timed) -> bool:
        """Every variable that both bind is bound to the same term."""
        return self.mapping.compatible(other.mapping)

    def with_mapping(self, mu: SolutionMapping) -> Timed:
        """Another mapping over the same interval."""
        return Timed(mu, self.start, self.end)


EMPTY = Timed(EMPTY_MAPPING)
"""The solution of the empty pattern"""


def reading(expression: s.Expression, psi: Timed, kind: TimeKind) -> s.Expression:
    """σ_{tα tω}(F): getDURATION() becomes tω − tα, getSTARTTIME() tα and getENDTIME() tω.

    On integer streams these are integers, on dateTime streams an xsd:duration and xsd:dateTimes.
    """
    match expression:
        case s.BuiltIn(name, ()) if name in INTERVAL_FUNCTIONS:
            return _NO_TIME if psi.end == NEVER else interval_term(name, psi, kind)
        case s.Comparison(operator, left, right):
            left, right = comparable((reading(left, psi, kind), reading(right, psi, kind)))
            return s.Comparison(operator, left, right)
        case s.In(operand, choices, negated):
            first, *others = comparable(
                tuple(reading(each, psi, kind) for each in (operand, *choices))
            )
            return s.In(first, tuple(others), negated)
    return map_operands(expression, lambda inner: reading(inner, psi, kind))


def interval_term(name: str, psi: Timed, kind: TimeKind) -> Term:
    """Return the literal that one of the three functions yields."""
    start, end = int(psi.start), int(psi.end)
    if name != DURATION:
        return time_literal(start if name == START_TIME else end, kind)
    if kind is TimeKind.INTEGER:
        return literal(str(end - start), XSD + "integer")
    return literal(format_duration(end - start), XSD_DURATION)


def comparable(operands: tuple[s.Expression, ...]) -> tuple[s.Expression, ...]:
    """Return the operands of a comparison, with durations as xsd:dayTimeDuration.

    An xsd:duration has no order, since months have no fixed length.

    A variable that is compared with a duration may have one for its value.
    """
    known = tuple(map(ordered, operands))
    if not any(is_duration(each) for each in known):
        return known
    return tuple(as_duration(each) if isinstance(each, Variable) else each for each in known)


def ordered(expression: s.Expression) -> s.Expression:
    """Return a literal of xsd:duration as one of xsd:dayTimeDuration, if it can be one."""
    if isinstance(expression, Literal) and str(expression.datatype) == XSD_DURATION:
        lexical = str(expression).replace("P0Y", "P").replace("P0M", "P")
        if parse_day_time_duration(lexical) is not None:
            return literal(lexical, XSD_DAY_TIME_DURATION)
    return expression


def is_duration(expression: s.Expression) -> bool:
    """Return True if the expression is a literal of xsd:dayTimeDuration."""
    return isinstance(expression, Literal) and (
        str(expression.datatype) == XSD_DAY_TIME_DURATION
    )


def as_duration(variable: Variable) -> s.Expression:
    """Return the value of a variable, an xsd:duration as an xsd:dayTimeDuration."""
    is_one = s.And((
        s.BuiltIn("ISLITERAL", (variable,)),
        s.Comparison("=", s.BuiltIn("DATATYPE", (variable,)), URIRef(XSD_DURATION)),
    ))
    typed = s.BuiltIn(
        "STRDT", (s.BuiltIn("STR", (variable,)), URIRef(XSD_DAY_TIME_DURATION))
    )
    return s.BuiltIn("IF", (is_one, typed, variable))
