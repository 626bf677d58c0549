"""Numeric operands over columns: doubles, and how far the values may be from them.

Integers and decimals are computed exactly (SPARQL 1.1 Query, 17.3), so that a double only tells
where about a result lies; `slack` bounds the distance. What cannot be told so is of kind OTHER, and
is told by the complete evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....semantics.model.terms import BNode, Literal, URIRef, Variable
from .....semantics.rdf.syntax.tree import Arithmetic, Expression, Sign
from ...data.dictionary import Dictionary
from ...expressions.values import value_of
from ..batch import Column
from .kinds import DOUBLE, EXACT, INTEGRAL, OTHER, Doubles, Kinds
from .numbers import LARGEST, kind_of, numbers_of
from .tables import Table

MARGIN = 1 + 1e-6
"""For the rounding of slacks themselves."""
_QUOTIENT = 1e-18  # a decimal quotient has so many digits after the point, see `arithmetic`


class Operand(NamedTuple):
    """The values of an expression in some rows.

    Where the kind is INTEGRAL or DOUBLE, the value is the double; where it is EXACT, it is an exact
    number at most `slack` away from it. `ids` are those of terms as they stand in the data or the
    query, 0 for what is computed.
    """

    doubles: Doubles
    slack: Doubles
    kinds: Kinds
    ids: Column


Operands = Callable[[Table], Operand]


def compile_operand(expression: Expression, dictionary: Dictionary) -> Operands | None:
    """The operand that an expression is; None if it is none of those that are told here."""
    match expression:
        case Variable():
            return lambda table: _terms(table.column(expression), dictionary)
        case Literal() | URIRef() | BNode():
            return _constant(expression, dictionary)
        case Arithmetic(symbol, left, right):
            one, other = compile_operand(left, dictionary), compile_operand(right, dictionary)
            if one is None or other is None:
                return None
            first, second = one, other
            return lambda table: _computed(symbol, first(table), second(table))
        case Sign(symbol, operand):
            inner = compile_operand(operand, dictionary)
            if inner is None:
                return None
            only = inner
            return lambda table: _signed(symbol, only(table))
    return None


def _terms(ids: Column, dictionary: Dictionary) -> Operand:
    doubles, kinds = numbers_of(dictionary).of(ids)
    with np.errstate(invalid="ignore"):  # infinities have no neighbours
        slack = np.where(kinds == EXACT, np.spacing(np.abs(doubles)), 0.0)
    return Operand(doubles, slack, kinds, ids)


def _constant(term: Literal | URIRef | BNode, dictionary: Dictionary) -> Operands:
    number = dictionary.encode(term, permanent=True)
    double, kind = kind_of(value_of(term))
    with np.errstate(invalid="ignore"):
        slack = float(np.spacing(abs(double))) if kind == EXACT else 0.0

    def constant(table: Table) -> Operand:
        size = len(table)
        return Operand(
            np.full(size, double), np.full(size, slack), np.full(size, kind, np.uint8),
            np.full(size, number, np.int64),
        )

    return constant


def _signed(symbol: str, operand: Operand) -> Operand:
    doubles, slack, kinds, _ = operand
    if symbol == "-":
        # Only a double has a negative zero.
        doubles = np.where(kinds == DOUBLE, -doubles, 0.0 - doubles)
    return Operand(
        doubles, slack, np.where(kinds <= DOUBLE, kinds, OTHER).astype(np.uint8),
        np.zeros(len(kinds), np.int64),
    )


def _computed(symbol: str, left: Operand, right: Operand) -> Operand:
    a, b = left.doubles, right.doubles
    with np.errstate(all="ignore"):
        match symbol:
            case "+":
                result = a + b
                slack = left.slack + right.slack
            case "-":
                result = a - b
                slack = left.slack + right.slack
            case "*":
                result = a * b
                slack = np.abs(a) * right.slack + np.abs(b) * left.slack
                slack += left.slack * right.slack
            case _:
                result = a / b
                least = np.abs(b) - right.slack
                slack = (left.slack + np.abs(result) * right.slack) / least + _QUOTIENT
                slack = np.where(least > 0, slack, np.nan)
        slack = (slack + np.spacing(np.abs(result))) * MARGIN
        kinds = _kinds(symbol, left, right, result, slack)
        exact = kinds <= EXACT
        return Operand(
            # An exact zero has no sign.
            np.where(exact, result + 0.0, result), np.where(kinds == EXACT, slack, 0.0), kinds,
            np.zeros(len(kinds), np.int64),
        )


def _kinds(
    symbol: str, left: Operand, right: Operand, result: Doubles, slack: Doubles
) -> Kinds:
    one, other = left.kinds, right.kinds
    kinds = np.full(len(result), OTHER, np.uint8)
    numbers = (one <= DOUBLE) & (other <= DOUBLE)
    double = numbers & ((one == DOUBLE) | (other == DOUBLE))
    # As a double, an exact number that has been computed is not known.
    kinds[double & _rounds(left) & _rounds(right)] = DOUBLE
    exact = numbers & ~double
    kinds[exact & np.isfinite(slack)] = EXACT
    if symbol != "/":
        integral = (one == INTEGRAL) & (other == INTEGRAL) & (np.abs(result) < LARGEST)
        kinds[integral] = INTEGRAL
    return kinds


def _rounds(operand: Operand) -> NDArray[np.bool_]:
    """Whether the double is what the value becomes as an xsd:double."""
    rounds: NDArray[np.bool_] = (operand.kinds != EXACT) | (operand.ids != 0)
    return rounds
