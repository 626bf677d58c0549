"""The values of RDF terms as expressions see them (SPARQL 1.1 Query, 17.1; XML Schema, part 2).

Exact and of unlimited range: years may be negative or large, seconds have any number of digits.

A value is a Python object whose exact type says what it is:

    int       xsd:integer and the types derived from it     bool        xsd:boolean
    Decimal   xsd:decimal                                   str         xsd:string
    Single    xsd:float                                     LangString  rdf:langString
    float     xsd:double                                    Moment      xsd:dateTime, xsd:date
    Duration  xsd:dayTimeDuration
    URIRef, BNode  themselves                               Opaque      any other literal

A literal whose lexical form its datatype does not have is Opaque too: it has no value. White space
around a number is such a form (XML Schema collapses it before, RDF has no "before").
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple, Protocol, TypeAlias

from ....semantics.model.errors import Impossible
from ....semantics.model.terms import BNode, Literal, Term, URIRef
from ...checkpoints.state_schema import stateful

EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Sums and products of decimals are exact."""

_ZONE = r"(?P<zone>Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_DATE = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}(?:\.[0-9]+)?)"
_DATE_TIME_FORM: Final = re.compile(f"{_DATE}T{_TIME}{_ZONE}")
_DATE_FORM: Final = re.compile(_DATE + _ZONE)

_DURATION_FORM: Final = re.compile(
    r"(?P<sign>-)?P(?=[0-9T])(?:(?P<day>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hour>[0-9]+)H)?(?:(?P<minute>[0-9]+)M)?"
    r"(?:(?P<second>[0-9]+(?:\.[0-9]+)?)S)?)?"
)

_FOURTEEN_HOURS: Final = 14 * 3600
_DAY: Final = 86400
_YEAR_DIGITS: Final = 4000
"""More than that int() refuses, and nobody means."""


@stateful()
@dataclass(frozen=True, slots=True)
class Moment:
    """A point on the time line, as it was written.

    `seconds` counts from the year 0 in UTC, or in local time where there is no time zone; `zone`
    is the offset in minutes, None where there is none; `dated_only` tells a date from a dateTime.
    """

    seconds: Decimal
    zone: int | None
    dated_only: bool
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: Decimal
    zone_text: str
    lexical: str

    def canonical(self) -> str:
        """Return the local time as xsd:string has it: no zeros at the end, 24:00:00 is 00:00:00."""
        written = f"{abs(self.year):04d}-{self.month:02d}-{self.day:02d}"
        if not self.dated_only:
            written += f"T{self.hour:02d}:{self.minute:02d}:{_padded(self.second)}"
        if self.zone is None:
            zone = ""
        elif self.zone == 0:
            zone = "Z"
        else:
            sign = "-" if self.zone < 0 else "+"
            zone = sign + "{:02d}:{:02d}".format(*divmod(abs(self.zone), 60))
        return ("-" if self.year < 0 else "") + written + zone

    def compare(self, other: Moment) -> int | None:
        """-1, 0 or 1; None where the order depends on an unknown time zone, or for two types."""
        if self.dated_only != other.dated_only:
            return None
        difference = self.seconds - other.seconds
        if (self.zone is None) != (other.zone is None) and abs(difference) <= _FOURTEEN_HOURS:
            return None
        return (difference > 0) - (difference < 0)


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A number of seconds, as it was written."""

    seconds: Decimal
    lexical: str = field(compare=False)

    def canonical(self) -> str:
        """Return days, hours, minutes and seconds, each that there is: P1DT2H, PT0.5S, PT0S."""
        left = EXACT.abs(self.seconds)
        parts = []
        for letter, size in (("D", _DAY), ("H", 3600), ("M", 60)):
            count = EXACT.divide_int(left, Decimal(size))
            left = EXACT.subtract(left, EXACT.multiply(count, Decimal(size)))
            parts.append(f"{count:f}{letter}" if count else "")
        if left:
            parts.append(f"{_plain(left)}S")
        clock = "".join(parts[1:])
        if not parts[0] and not clock:
            return "PT0S"
        return ("-" if self.seconds < 0 else "") + "P" + parts[0] + (f"T{clock}" if clock else "")


def _plain(number: Decimal) -> str:
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _padded(second: Decimal) -> str:
    return _plain(second) if second >= 10 else "0" + _plain(second)


def parse_duration(lexical: str) -> Duration | None:
    """Return the value of an xsd:dayTimeDuration, None for a lexical form that it does not have."""
    found = _DURATION_FORM.fullmatch(lexical)
    if found is None:
        return None
    seconds = Decimal(found["second"] or 0)
    for unit, size in (("day", _DAY), ("hour", 3600), ("minute", 60)):
        seconds = EXACT.add(seconds, EXACT.multiply(Decimal(found[unit] or 0), Decimal(size)))
    return Duration(EXACT.minus(seconds) if found["sign"] else seconds, lexical)


def parse_moment(lexical: str, *, dated_only: bool) -> Moment | None:
    """Return the value of an xsd:dateTime or xsd:date, None for an invalid lexical form."""
    found = (_DATE_FORM if dated_only else _DATE_TIME_FORM).fullmatch(lexical)
    if found is None or len(found["year"]) > _YEAR_DIGITS:
        return None
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    hour, minute, second = (0, 0, Decimal(0))
    if not dated_only:
        hour, minute = int(found["hour"]), int(found["minute"])
        second = Decimal(found["second"])
    midnight = hour == 24 and minute == 0 and second == 0
    if not 1 <= month <= 12 or not 1 <= day <= _month_length(year, month):
        return None
    if not (hour < 24 or midnight) or minute > 59 or second >= 60:
        return None
    days = _days(year, month, day)
    if midnight:
        # 24:00:00 is the first instant of the following day.
        days, hour = days + 1, 0
        year, month, day = _following(year, month, day)
    zone_text = found["zone"] or ""
    zone = _zone_minutes(zone_text)
    seconds = days * _DAY + hour * 3600 + minute * 60 - (zone or 0) * 60 + second
    return Moment(
        Decimal(seconds), zone, dated_only, year, month, day, hour, minute, second, zone_text,
        lexical,
    )


def _zone_minutes(text: str) -> int | None:
    if not text:
        return None
    if text == "Z":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[4:6])
    return -minutes if text[0] == "-" else minutes


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_length(year: int, month: int) -> int:
    if month == 2:
        return 29 if _leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days(year: int, month: int, day: int) -> int:
    """Return days from 1 January of the year 0, proleptic Gregorian."""
    before = year - 1
    whole_years = year * 365 + before // 4 - before // 100 + before // 400
    return whole_years + sum(_month_length(year, each) for each in range(1, month)) + day - 1


def _following(year: int, month: int, day: int) -> tuple[int, int, int]:
    if day < _month_length(year, month):
        return year, month, day + 1
    return (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)


class ExpressionError(Exception):
    """SPARQL's type error: what an expression without a value evaluates to."""


class Single(float):
    """An xsd:float: a double that a 32-bit float represents exactly."""

    __slots__ = ()


class LangString(NamedTuple):
    """A language-tagged string; the tag is in lower case."""

    text: str
    language: str


class Opaque(NamedTuple):
    """A literal without a value that we know: equal to itself, incomparable to other literals."""

    lexical: str
    datatype: URIRef


Number: TypeAlias = int | Decimal | Single | float
Value: TypeAlias = Number | bool | str | LangString | Moment | Duration | URIRef | BNode | Opaque

NUMERIC: Final = frozenset({int, Decimal, Single, float})

XSD: Final = "http://www.w3.org/2001/XMLSchema#"

# Inclusive bounds of the types derived from xsd:integer, None for unbounded.
INTEGER_RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
    XSD + "integer": (None, None),
    XSD + "nonPositiveInteger": (None, 0),
    XSD + "negativeInteger": (None, -1),
    XSD + "nonNegativeInteger": (0, None),
    XSD + "positiveInteger": (1, None),
    XSD + "long": (-(1 << 63), (1 << 63) - 1),
    XSD + "int": (-(1 << 31), (1 << 31) - 1),
    XSD + "short": (-(1 << 15), (1 << 15) - 1),
    XSD + "byte": (-128, 127),
    XSD + "unsignedLong": (0, (1 << 64) - 1),
    XSD + "unsignedInt": (0, (1 << 32) - 1),
    XSD + "unsignedShort": (0, (1 << 16) - 1),
    XSD + "unsignedByte": (0, 255),
}
NUMERIC_DATATYPES: Final = frozenset(INTEGER_RANGES) | {
    XSD + "decimal", XSD + "float", XSD + "double",
}

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPECIAL = {"INF": float("inf"), "+INF": float("inf"), "-INF": float("-inf"), "NaN": float("nan")}
_BOOLEAN = {"true": True, "1": True, "false": False, "0": False}

_BOOLEAN_TYPE = XSD + "boolean"
_DECIMAL_TYPE = XSD + "decimal"
_DOUBLE_TYPE = XSD + "double"
_FLOAT_TYPE = XSD + "float"
_STRING_TYPE = XSD + "string"
_DATE_TYPE = XSD + "date"
_DURATION_TYPE = XSD + "dayTimeDuration"
_MOMENT_TYPES = frozenset({XSD + "dateTime", _DATE_TYPE})


def single(value: float) -> Single:
    """Return the 32-bit float nearest to a double."""
    try:
        return Single(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return Single("inf" if value > 0 else "-inf")


def nearest_single(value: int | Decimal | Fraction) -> Single:
    """Return the 32-bit float nearest to a number, rounded once: not via the nearest double."""
    double = nearest_double(value)
    if math.isinf(double):
        return Single(double)
    below, above = (single(math.nextafter(double, end)) for end in (-math.inf, math.inf))
    if below == above:
        return single(double)
    # The double is as good as half-way between two floats: only the number itself can decide.
    exact = Fraction(value)
    to_below, to_above = exact - _bound(below), _bound(above) - exact
    if to_below == to_above:
        return single(double)
    return below if to_below < to_above else above


def _bound(value: Single) -> Fraction:
    """Return the float as a number; for rounding, an infinity is the next power of two."""
    if math.isinf(value):
        return Fraction(2**128 if value > 0 else -(2**128))
    return Fraction(float(value))


def nearest_double(value: int | Decimal | Fraction) -> float:
    """Return the nearest double; a number beyond the range becomes an infinity."""
    try:
        # Decimal has a negative zero, xsd:decimal has not.
        return float(value) or 0.0
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def parse_integer(lexical: str) -> int | None:
    """Return the value of an xsd:integer, None for a lexical form that it does not have."""
    return _long_integer(lexical) if _INTEGER.fullmatch(lexical) else None


def _long_integer(text: str) -> int:
    if len(text) < 4000:
        return int(text)
    # int() refuses texts of more than some 4,300 digits; integers here are unbounded.
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    value = 0
    for start in range(0, len(digits), 4000):
        piece = digits[start : start + 4000]
        value = value * 10 ** len(piece) + int(piece)
    return sign * value


def parse_decimal(lexical: str) -> Decimal | None:
    """Return the value of an xsd:decimal, exactly, None for an invalid lexical form."""
    return Decimal(lexical) if _DECIMAL.fullmatch(lexical) else None


def parse_double(lexical: str) -> float | None:
    """Return the value of an xsd:double, None for a lexical form that it does not have."""
    if _DOUBLE.fullmatch(lexical):
        return float(lexical)
    return _SPECIAL.get(lexical)


def parse_float(lexical: str) -> Single | None:
    """Return the value of an xsd:float, None for a lexical form that it does not have."""
    double = parse_double(lexical)
    if double is None:
        return None
    if not math.isfinite(double) or double == 0:
        return single(double)
    return nearest_single(Fraction(lexical))


def parse_boolean(lexical: str) -> bool | None:
    """Return the value of an xsd:boolean, None for a lexical form that it does not have."""
    return _BOOLEAN.get(lexical)


def value_of(term: Term) -> Value:
    """Return the value of a term."""
    if not isinstance(term, Literal):
        return term
    language = term.language
    lexical = str(term)
    if language is not None:
        return LangString(lexical, language.lower())
    datatype = term.datatype
    if datatype is None:
        return lexical
    value: Value | None = None
    name = str(datatype)
    if name in INTEGER_RANGES:
        value = _within(parse_integer(lexical), INTEGER_RANGES[name])
    elif name == _DECIMAL_TYPE:
        value = parse_decimal(lexical)
    elif name == _DOUBLE_TYPE:
        value = parse_double(lexical)
    elif name == _FLOAT_TYPE:
        value = parse_float(lexical)
    elif name == _BOOLEAN_TYPE:
        value = parse_boolean(lexical)
    elif name == _STRING_TYPE:
        value = lexical
    elif name in _MOMENT_TYPES:
        value = parse_moment(lexical, dated_only=name == _DATE_TYPE)
    elif name == _DURATION_TYPE:
        value = parse_duration(lexical)
    return Opaque(lexical, datatype) if value is None else value


def _within(value: int | None, bounds: tuple[int | None, int | None]) -> int | None:
    if value is None:
        return None
    low, high = bounds
    if (low is not None and value < low) or (high is not None and value > high):
        return None
    return value


class TermsById(Protocol):
    """The part of a dictionary that maps bytes to ids."""

    def term(self, number: int) -> Term | None: ...


class ValueCache(dict[int, Value]):
    """Id to value, found out when first asked for; reading one for 0 or a list is a type error."""

    __slots__ = ("_terms", "interned")

    def __init__(self, terms: list[Term | None]) -> None:
        super().__init__()
        self._terms = terms
        self.interned: TermsById | None = None
        """Makes terms that no one has looked at yet."""

    def __missing__(self, number: int) -> Value:
        if number <= 0:
            raise ExpressionError("unbound, or a list")
        term = self._terms[number]
        if term is None and self.interned is not None:
            term = self.interned.term(number)
        if term is None:
            raise Impossible(f"{number} is not the id of a term")
        value = self[number] = value_of(term)
        return value
