"""What a literal's lexical form must be, and what casts make of values, to the letter."""

from __future__ import annotations

import pytest

from denota.semantics.model.terms import literal
from denota.semantics.rdf.expressions.evaluation import to_decimal, to_integer
from denota.semantics.rdf.expressions.values import ILL_TYPED, Float, value_of

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize("datatype", ["integer", "int", "decimal", "double", "boolean"])
def test_white_space_makes_a_literal_ill_typed(datatype: str) -> None:
    assert value_of(literal(" 1 ", XSD + datatype)) is ILL_TYPED


def test_but_a_cast_collapses_it() -> None:
    assert to_integer(literal(" 1 ")) == literal("1", XSD + "integer")


@pytest.mark.parametrize(
    ("datatype", "exact"),
    [
        ("double", "0.1000000000000000055511151231257827021181583404541015625"),
        ("float", "0.100000001490116119384765625"),
    ],
)
def test_a_cast_to_decimal_keeps_the_number(datatype: str, exact: str) -> None:
    assert to_decimal(literal("0.1", XSD + datatype)) == literal(exact, XSD + "decimal")


@pytest.mark.parametrize(
    ("lexical", "single"),
    [
        ("3.4028235677973366e38", float(2**128 - 2**104)),  # just below the bound of the range
        ("-3.4028235677973366e38", -float(2**128 - 2**104)),
        ("3.4028235677973367e38", float("inf")),
        ("16777217.0000000000000000001", 16777218.0),  # rounded once, not to a double first
    ],
)
def test_a_float_is_the_nearest_single(lexical: str, single: float) -> None:
    assert value_of(literal(lexical, XSD + "float")) == Float(single)
