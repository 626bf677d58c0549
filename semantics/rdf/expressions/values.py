"""The values of literals, and back (XML Schema 1.1 part 2, as far as SPARQL 1.1 Query 17 needs it).

    datatype                          value
    xsd:integer and derived ones      int (unbounded)
    xsd:decimal                       decimal.Decimal (exact)
    xsd:float                         Float (a double that is also a single)
    xsd:double                        float
    xsd:boolean                       bool
    xsd:string                        str
    rdf:langString                    LanguageString
    xsd:dateTime, xsd:date            DateTime
    xsd:dayTimeDuration               DayTimeDuration

A literal outside the lexical space of its datatype is `ILL_TYPED`; one of a datatype that is not in
the table is `UNKNOWN`. Neither has a value that an operator could work on.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from rdflib.term import Literal

from ...model.terms import literal

XSD = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING = XSD + "string"
XSD_BOOLEAN = XSD + "boolean"
XSD_INTEGER = XSD + "integer"
XSD_DECIMAL = XSD + "decimal"
XSD_FLOAT = XSD + "float"
XSD_DOUBLE = XSD + "double"
XSD_DATE_TIME = XSD + "dateTime"
XSD_DATE = XSD + "date"
XSD_DAY_TIME_DURATION = XSD + "dayTimeDuration"
RDF_LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

# Sums, differences and products of decimals are exact; quotients are rounded (see `divide`).
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
QUOTIENT_DIGITS = 18


class Valueless(Enum):
    """The reason that a literal has no value here."""

    ILL_TYPED = "ill-typed"
    UNKNOWN = "of an unknown datatype"


ILL_TYPED = Valueless.ILL_TYPED
UNKNOWN = Valueless.UNKNOWN


@dataclass(frozen=True, slots=True)
class Float:
    """A value of xsd:float; `value` is representable in single precision."""

    value: float

    @classmethod
    def nearest(cls, value: float) -> Float:
        """Return the single that is nearest to a double."""
        try:
            return cls(struct.unpack("<f", struct.pack("<f", value))[0])
        except OverflowError:
            return cls(math.copysign(math.inf, value))


@dataclass(frozen=True, slots=True)
class LanguageString:
    """A string with a language tag."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class DateTime:
    """A value of xsd:dateTime or xsd:date: its seven properties (XSD 1.1, D.2.1).

    `offset` is the timezone in minutes, None where there is none. `is_date` says which of the two
    datatypes it belongs to; a date stands for its first moment.
    """

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: Decimal = Decimal(0)
    offset: int | None = None
    is_date: bool = False

    def on_timeline(self, implicit_offset: int = 0) -> Fraction:
        """Return seconds since 0001-01-01T00:00:00Z; `implicit_offset` is the default timezone."""
        offset = self.offset if self.offset is not None else implicit_offset
        days = _days_before(self.year, self.month) + self.day - 1
        minutes = (days * 24 + self.hour) * 60 + self.minute - offset
        return minutes * 60 + Fraction(self.second)


@dataclass(frozen=True, slots=True)
class DayTimeDuration:
    """A value of xsd:dayTimeDuration, in seconds."""

    seconds: Decimal


Number: TypeAlias = int | Decimal | Float | float
Value: TypeAlias = (
    Number | bool | str | LanguageString | DateTime | DayTimeDuration | Valueless
)

_INTEGER_RANGES: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-(2**7), 2**7 - 1),
    "nonNegativeInteger": (0, None),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 2**8 - 1),
    "positiveInteger": (1, None),
}
NUMERIC_DATATYPES = frozenset(
    (XSD_DECIMAL, XSD_FLOAT, XSD_DOUBLE, *(XSD + name for name in _INTEGER_RANGES))
)


@lru_cache(maxsize=1 << 16)
def value_of(term: Literal) -> Value:
    """Return the value that a literal denotes."""
    language = term.language
    if language is not None:
        return LanguageString(str(term), language)
    datatype = term.datatype
    if datatype is None:
        return str(term)
    parse = _PARSE.get(str(datatype))
    if parse is None:
        return UNKNOWN
    # XML Schema collapses white space *before* it looks at a lexical form; RDF has no "before", so
    # " 3 "^^xsd:int is ill-typed (RDF 1.1 test xmlsch-02-whitespace-facet-1).
    value = parse(str(term))
    return ILL_TYPED if value is None else value


# --- numbers -------------------------------------------------------------------------------------

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPECIAL = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}


def parse_integer(text: str) -> int | None:
    """xsd:integer, of any length."""
    if not _INTEGER.fullmatch(text):
        return None
    if len(text) > 4000:  # beyond Python's limit for int(str)
        return int(Decimal(text))
    return int(text)


def parse_decimal(text: str) -> Decimal | None:
    """xsd:decimal, exactly; "-0.0" is 0, of which the value space has one (XSD 1.1, 3.3.3)."""
    if not _DECIMAL.fullmatch(text):
        return None
    value = Decimal(text)
    return value if value else value.copy_abs()


def parse_double(text: str) -> float | None:
    """xsd:double"""
    if text in _SPECIAL:
        return _SPECIAL[text]
    return float(text) if _DOUBLE.fullmatch(text) else None


_LARGEST_SINGLE = float(2**128 - 2**104)
_SINGLE_OVERFLOW = 2**128 - 2**103
"""The least value whose nearest single is an infinity."""


def parse_float(text: str) -> Float | None:
    """xsd:float: the single nearest to the decimal numeral, not to the double nearest to it."""
    double = parse_double(text)
    if double is None:
        return None
    single = Float.nearest(double)
    if math.isinf(single.value) and math.isfinite(double):
        # The double may lie on the bound of the range, and the numeral below it.
        if abs(Fraction(text)) < _SINGLE_OVERFLOW:
            return Float(math.copysign(_LARGEST_SINGLE, double))
        return single
    if not math.isfinite(single.value) or single.value == double:
        return single
    exact = Fraction(text)
    towards = math.inf if exact > Fraction(single.value) else -math.inf
    other = _next_single(single.value, towards)
    if math.isfinite(other) and (
        abs(exact - Fraction(other)) < abs(exact - Fraction(single.value))
    ):
        return Float(other)
    return single


def _next_single(value: float, towards: float) -> float:
    if value == 0.0:
        return math.copysign(2.0**-149, towards)
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    step = 1 if (value < towards) == (value > 0) else -1
    (result,) = struct.unpack("<f", struct.pack("<i", bits + step))
    return float(result)


def _bounded(low: int | None, high: int | None) -> Callable[[str], int | None]:
    def parse(text: str) -> int | None:
        value = parse_integer(text)
        if value is None or (low is not None and value < low):
            return None
        return None if high is not None and value > high else value

    return parse


def parse_boolean(text: str) -> bool | None:
    """xsd:boolean"""
    return {"true": True, "1": True, "false": False, "0": False}.get(text)


# --- dates and durations -------------------------------------------------------------------------

_ZONE = r"(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DAY = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_DATE_TIME = re.compile(
    _DAY + r"T(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)|(24:00:00(?:\.0+)?))"
    + _ZONE
)
_DATE = re.compile(_DAY + _ZONE)
_DAY_TIME_DURATION = re.compile(
    r"(-)?P(?=.)(?:([0-9]+)D)?(?:T(?=.)(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?"
)


def parse_date_time(text: str) -> DateTime | None:
    """xsd:dateTime; 24:00:00 is the next day's 00:00:00"""
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if day > days_in_month(year, month):
        return None
    offset = _offset(match[8])
    if match[7]:
        return DateTime(*_following_day(year, month, day), offset=offset)
    return DateTime(
        year, month, day, int(match[4]), int(match[5]), Decimal(match[6]), offset
    )


def parse_date(text: str) -> DateTime | None:
    """xsd:date"""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if day > days_in_month(year, month):
        return None
    return DateTime(year, month, day, offset=_offset(match[4]), is_date=True)


def parse_day_time_duration(text: str) -> DayTimeDuration | None:
    """xsd:dayTimeDuration"""
    match = _DAY_TIME_DURATION.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes = (int(part or 0) for part in match.group(2, 3, 4))
    whole = Decimal(((days * 24 + hours) * 60 + minutes) * 60)
    seconds = EXACT.add(whole, Decimal(match[5] or 0))
    return DayTimeDuration(-seconds if match[1] else seconds)


def _offset(zone: str | None) -> int | None:
    if zone is None:
        return None
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def is_leap(year: int) -> bool:
    """Apply the Gregorian rule of leap years to the proleptic calendar (0 is 1 BCE)."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """XSD 1.1, E.3.2 (·daysInMonth·)."""
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days_before(year: int, month: int) -> int:
    """Return days from 0001-01-01 to the first of this month."""
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400
    return days + sum(days_in_month(year, earlier) for earlier in range(1, month))


def _following_day(year: int, month: int, day: int) -> tuple[int, int, int]:
    if day < days_in_month(year, month):
        return year, month, day + 1
    return (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)


_PARSE: dict[str, Callable[[str], Value | None]] = {
    **{XSD + name: _bounded(*limits) for name, limits in _INTEGER_RANGES.items()},
    XSD_DECIMAL: parse_decimal,
    XSD_FLOAT: parse_float,
    XSD_DOUBLE: parse_double,
    XSD_BOOLEAN: parse_boolean,
    XSD_DATE_TIME: parse_date_time,
    XSD_DATE: parse_date,
    XSD_DAY_TIME_DURATION: parse_day_time_duration,
}


# --- from values to literals ---------------------------------------------------------------------

TRUE = literal("true", XSD_BOOLEAN)
FALSE = literal("false", XSD_BOOLEAN)


def boolean(value: bool) -> Literal:
    """Return the literal of a truth value."""
    return TRUE if value else FALSE


def number(value: Number) -> Literal:
    """Return the literal of a number, its lexical form canonical.

    >>> number(1 + 1).n3(), number(Decimal("2.50")).n3()[:5], number(0.1)[:]
    ('"2"^^<http://www.w3.org/2001/XMLSchema#integer>', '"2.5"', '1.0E-1')
    """
    if isinstance(value, int):
        return literal(integer_text(value), XSD_INTEGER)
    if isinstance(value, Decimal):
        return literal(decimal_text(value), XSD_DECIMAL)
    if isinstance(value, Float):
        return literal(_scientific(_shortest_single(value.value), value.value), XSD_FLOAT)
    return literal(_scientific(repr(value), value), XSD_DOUBLE)


def integer_text(value: int) -> str:
    """Any integer in digits, beyond Python's limit for str(int) too."""
    return str(value) if value.bit_length() < 13_000 else format(Decimal(value), "f")


def decimal_text(value: Decimal) -> str:
    """XSD 1.1 canonical: no point where there is no fraction, no zeros at the end."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _shortest_single(value: float) -> str:
    """Return the shortest numeral that only this single is nearest to."""
    if not math.isfinite(value):
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if Float.nearest(float(text)).value == value:
            break
    return text


def _scientific(shortest: str, value: float) -> str:
    """XSD 1.1 canonical doubles: 1.0E0, -1.5E-7, INF, NaN."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    if value == 0:
        return "-0.0E0" if math.copysign(1, value) < 0 else "0.0E0"
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    return (
        f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{exponent + len(text) - 1}"
    )


def day_time_duration(minutes: int) -> Literal:
    """Return a timezone offset as xsd:dayTimeDuration (fn:timezone-from-dateTime).

    >>> str(day_time_duration(-90))
    '-PT1H30M'
    """
    return literal(duration_text(DayTimeDuration(Decimal(minutes * 60))), XSD_DAY_TIME_DURATION)


def duration_text(value: DayTimeDuration) -> str:
    """XSD 1.1, 3.4.27: the canonical form, such as P1DT2H3M4.5S; of nothing PT0S."""
    whole, fraction = divmod(Fraction(abs(value.seconds)), 60)
    hours, minutes = divmod(whole, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes)
    if fraction:
        seconds = EXACT.subtract(abs(value.seconds), Decimal(whole * 60))
        clock += f"{decimal_text(seconds)}S"
    text = f"P{f'{days}D' * bool(days)}{f'T{clock}' * bool(clock)}"
    return "-" * (value.seconds < 0) + (text if text != "P" else "PT0S")


def date_time_text(value: DateTime) -> str:
    """Return the canonical xsd:dateTime or xsd:date, its timezone kept (F&O 17.1.5)."""
    day = f"{'-' * (value.year < 0)}{abs(value.year):04}-{value.month:02}-{value.day:02}"
    seconds = f"{'0' * (value.second < 10)}{decimal_text(value.second)}"
    clock = f"T{value.hour:02}:{value.minute:02}:{seconds}"
    return day + ("" if value.is_date else clock) + zone_text(value.offset)


def zone_text(offset: int | None) -> str:
    """Return a timezone as it is written; none is the empty string."""
    if offset is None:
        return ""
    if offset == 0:
        return "Z"
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02d}:{minutes:02d}"
