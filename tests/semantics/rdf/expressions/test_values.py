"""Literals and the values that they denote."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from denota.semantics.model.terms import literal
from denota.semantics.rdf.expressions.values import (
    ILL_TYPED,
    UNKNOWN,
    XSD,
    DateTime,
    Float,
    LanguageString,
    date_time_text,
    decimal_text,
    number,
    parse_date_time,
    value_of,
)


@pytest.mark.parametrize("lexical, datatype, value", [
    ("01", "integer", 1),
    ("+7", "integer", 7),
    (str(10**40), "integer", 10**40),
    ("-1", "nonPositiveInteger", -1),
    ("255", "unsignedByte", 255),
    ("1.50", "decimal", Decimal("1.5")),
    (".5", "decimal", Decimal("0.5")),
    ("5.", "decimal", Decimal(5)),
    ("1e3", "double", 1000.0),
    ("-INF", "double", -math.inf),
    ("INF", "float", Float(math.inf)),
    ("0.1", "float", Float(0.10000000149011612)),
    ("1", "boolean", True),
    ("false", "boolean", False),
    ("2020-02-29T24:00:00Z", "dateTime", DateTime(2020, 3, 1, offset=0)),
    ("-0001-12-31T23:59:59.5-05:00", "dateTime",
     DateTime(-1, 12, 31, 23, 59, Decimal("59.5"), -300)),
    ("2020-01-02", "date", DateTime(2020, 1, 2, is_date=True)),
])
def test_a_well_typed_literal_has_a_value(lexical: str, datatype: str, value: object) -> None:
    assert value_of(literal(lexical, XSD + datatype)) == value


@pytest.mark.parametrize("lexical, datatype", [
    ("x", "integer"), (" 7", "integer"), ("1.0", "integer"), ("", "integer"), ("1 2", "integer"),
    ("128", "byte"), ("0", "positiveInteger"), ("-1", "unsignedInt"),
    ("1e0", "decimal"), (".", "decimal"), ("nan", "double"), ("Infinity", "double"),
    ("TRUE", "boolean"), ("2020-02-30T00:00:00Z", "dateTime"), ("2021-02-29", "date"),
    ("2020-01-01T25:00:00", "dateTime"), ("2020-01-01T00:00:00+15:00", "dateTime"),
    ("20-01-01T00:00:00", "dateTime"), ("P", "dayTimeDuration"), ("P1Y", "dayTimeDuration"),
])
def test_an_ill_typed_literal_has_none(lexical: str, datatype: str) -> None:
    assert value_of(literal(lexical, XSD + datatype)) is ILL_TYPED


def test_strings_and_unknown_datatypes() -> None:
    assert value_of(literal("a")) == "a"
    assert value_of(literal("a", language="EN")) == LanguageString("a", "en")
    assert value_of(literal("a", "urn:datatype")) is UNKNOWN


@pytest.mark.parametrize("value, text, datatype", [
    (Decimal("1.500"), "1.5", "decimal"),
    (Decimal("3.0"), "3", "decimal"),
    (Decimal("-0.0"), "0", "decimal"),
    (Decimal("1e30"), "1" + "0" * 30, "decimal"),
    (1.0, "1.0E0", "double"),
    (-1.5e-7, "-1.5E-7", "double"),
    (-0.0, "-0.0E0", "double"),
    (math.nan, "NaN", "double"),
    (-math.inf, "-INF", "double"),
    (1e300, "1.0E300", "double"),
    (Float.nearest(0.1), "1.0E-1", "float"),
    (Float.nearest(16777217.0), "1.6777216E7", "float"),
    (Float.nearest(1e300), "INF", "float"),
])
def test_a_number_is_written_canonically(value: object, text: str, datatype: str) -> None:
    assert number(value) == literal(text, XSD + datatype)  # type: ignore[arg-type]


def test_integers_are_unbounded() -> None:
    lexical = "-" + "123456789" * 1000
    value = value_of(literal(lexical, XSD + "integer"))
    assert isinstance(value, int)
    assert number(value) == literal(lexical, XSD + "integer")


def test_a_single_is_the_nearest_to_the_numeral_not_to_its_double() -> None:
    # The double nearest to this numeral lies exactly between two singles.
    lexical = "1.00000005960464477540"
    assert value_of(literal(lexical, XSD + "float")) == Float(1.0000001192092896)


def test_decimals_keep_all_their_digits() -> None:
    digits = "0." + "123456789" * 20
    assert decimal_text(Decimal(digits)) == digits


@pytest.mark.parametrize("lexical", [
    "2020-01-01T00:00:00Z", "0001-12-31T23:59:59.12345678901234567890123456789+14:00",
    "-12345-06-07T08:09:10-00:30", "2020-01-01T00:00:00",
])
def test_a_date_time_is_written_as_it_was_read(lexical: str) -> None:
    moment = parse_date_time(lexical)
    assert moment is not None
    assert date_time_text(moment) == lexical


def test_the_timeline() -> None:
    def seconds(text: str) -> float:
        moment = parse_date_time(text)
        assert moment is not None
        return float(moment.on_timeline())

    assert seconds("0001-01-01T00:00:00Z") == 0
    assert seconds("1970-01-01T00:00:00Z") == 719162 * 86400
    assert seconds("2020-03-01T00:00:00Z") - seconds("2020-02-28T00:00:00Z") == 2 * 86400
    assert seconds("0000-12-31T23:00:00-01:00") == 0
    assert seconds("2020-01-01T01:00:00+01:00") == seconds("2019-12-31T24:00:00Z")
