"""Time: instants and durations, and how they are written (XML Schema 1.1, 3.3.6 and 3.3.7).

An instant is an `int`: a plain number on integer streams, microseconds since 1970-01-01T00:00:00Z
on dateTime streams. A dateTime without a zone is taken as UTC; one that is finer than a microsecond
is an error. A duration of a query is an `int` of the same unit, so that window arithmetic knows no
units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from .errors import Position, QueryError, StreamError

if TYPE_CHECKING:  # a query about tuples has no terms
    from rdflib.term import Literal


class TimeKind(StrEnum):
    """The kind of a stream's timestamps."""

    INTEGER = "integer"
    DATETIME = "dateTime"


XSD = "http://www.w3.org/2001/XMLSchema#"

_INTEGER_TYPES = frozenset(
    XSD + name
    for name in (
        "integer", "nonPositiveInteger", "negativeInteger", "long", "int", "short", "byte",
        "nonNegativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
        "positiveInteger",
    )
)
_DATETIME_TYPES = frozenset({XSD + "dateTime", XSD + "dateTimeStamp"})
_DURATION_TYPES = frozenset({XSD + "duration", XSD + "dayTimeDuration"})

MOST_DIGITS = 1_000
"""Of a time or a duration. Python refuses to write or read numbers of some thousand digits."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DATETIME = re.compile(
    r"(?P<year>-?[0-9]{4,})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?"
)
_XSD_DURATION = re.compile(
    r"(?P<sign>-?)P(?=[0-9T])"
    r"(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?"
    r"(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)S)?)?",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[A-Za-zµμ]+)")

_SECOND = 1_000_000
_UNITS = {
    **dict.fromkeys(("microseconds", "microsecond", "us", "µs", "μs"), 1),
    **dict.fromkeys(("milliseconds", "millisecond", "ms"), 1_000),
    **dict.fromkeys(("seconds", "second", "sec", "s"), _SECOND),
    **dict.fromkeys(("minutes", "minute", "min", "m"), 60 * _SECOND),
    **dict.fromkeys(("hours", "hour", "h"), 3_600 * _SECOND),
    **dict.fromkeys(("days", "day", "d"), 86_400 * _SECOND),
    **dict.fromkeys(("weeks", "week", "w"), 7 * 86_400 * _SECOND),
}
_CALENDAR_UNITS = frozenset({"months", "month", "years", "year", "y"})
_NO_FIXED_LENGTH = "years and months have no fixed length, use days"


# --- instants ------------------------------------------------------------------------------------


class TooFineError(StreamError):
    """An instant that is no whole number of microseconds."""


def parse_integer(lexical: str) -> int:
    """Return the instant that an xsd:integer names. Raises StreamError for anything else."""
    if _INTEGER.fullmatch(lexical) and len(lexical) <= MOST_DIGITS:
        return int(lexical)
    shown = lexical if len(lexical) <= 40 else f"{lexical[:40]}…"
    raise StreamError(f"'{shown}' is not an xsd:integer that can be a time")


def parse_datetime(lexical: str) -> int:
    """Return the microseconds since 1970-01-01T00:00:00Z of an xsd:dateTime.

    24:00:00 is midnight of the next day (XSD 1.1, 3.3.7.1). Raises StreamError for anything that
    is not an xsd:dateTime of the years 0001 to 9999, and TooFineError for one that microseconds
    cannot count.

    >>> parse_datetime("1970-01-01T01:00:00.25+01:00")
    250000
    """
    try:
        return _microseconds(lexical)
    except ValueError as reason:
        raise StreamError(f"'{lexical}' is not an xsd:dateTime: {reason}") from None


def _microseconds(lexical: str) -> int:
    parts = _DATETIME.fullmatch(lexical)
    if parts is None:
        raise ValueError("expected YYYY-MM-DDThh:mm:ss, with an optional fraction and time zone")
    year, month, day, hour, minute, second = map(
        int, parts.group("year", "month", "day", "hour", "minute", "second")
    )
    if not 1 <= year <= 9999:
        raise ValueError("only the years 0001 to 9999 are supported")
    fraction = parts["fraction"] or ""
    midnight = hour == 24
    if midnight:
        if minute or second or fraction.strip("0"):
            raise ValueError("hour 24 stands in 24:00:00 only")
        hour = 0
    if fraction[6:].strip("0"):
        shown = lexical if len(lexical) <= 40 else f"{lexical[:40]}…"
        raise TooFineError(f"'{shown}' is finer than a microsecond")
    moment = datetime(
        year, month, day, hour, minute, second, int(fraction[:6].ljust(6, "0")), UTC
    )
    elapsed = moment - _EPOCH - _zone_offset(parts["zone"])
    return elapsed // _MICROSECOND + (86_400 * _SECOND if midnight else 0)


def zone_of(lexical: str) -> str:
    """Return the time zone of an xsd:dateTime as it is written: `Z`, `+01:00`, or "" for none.

    >>> zone_of("2026-01-01T00:00:00+01:00"), zone_of("5")
    ('+01:00', '')
    """
    parts = _DATETIME.fullmatch(lexical)
    return (parts["zone"] or "") if parts else ""


@lru_cache(maxsize=64)
def _zone_offset(zone: str | None) -> timedelta:
    if zone in (None, "", "Z"):
        return timedelta()
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if minutes > 59 or hours * 60 + minutes > 14 * 60:
        raise ValueError(f"the time zone '{zone}' is not within -14:00 to +14:00")
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if zone[0] == "-" else offset


def format_datetime(microseconds: int, zone: str = "Z") -> str:
    """Return the xsd:dateTime of microseconds since 1970-01-01T00:00:00Z, in a time zone.

    Raises StreamError outside the years 0001 to 9999.

    >>> format_datetime(250000), format_datetime(0, "+01:00")
    ('1970-01-01T00:00:00.25Z', '1970-01-01T01:00:00+01:00')
    """
    try:
        moment = _EPOCH + timedelta(microseconds=microseconds) + _zone_offset(zone)
    except OverflowError:
        raise StreamError(
            f"{microseconds} microseconds is no xsd:dateTime of the years 0001 to 9999"
        ) from None
    fraction = f".{moment.microsecond:06}".rstrip("0") if moment.microsecond else ""
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}{fraction}{zone}"


def parse_time(term: object) -> tuple[int, TimeKind]:
    """Return the instant that a literal names, and what it counts.

    xsd:integer and the types derived from it, xsd:dateTime and xsd:dateTimeStamp; anything else
    is a StreamError.
    """
    from rdflib.term import Literal

    if isinstance(term, Literal):
        datatype = str(term.datatype)
        if datatype in _INTEGER_TYPES:
            return parse_integer(str(term)), TimeKind.INTEGER
        if datatype in _DATETIME_TYPES:
            return parse_datetime(str(term)), TimeKind.DATETIME
    shown = term.n3() if hasattr(term, "n3") else repr(term)
    raise StreamError(f"a time is an xsd:dateTime or an integer, not {shown}")


def format_time(time: int, kind: TimeKind) -> str:
    """Return an instant for messages: the integer, or the dateTime in UTC."""
    if kind is TimeKind.INTEGER:
        return str(time)
    try:
        return format_datetime(time)
    except StreamError:  # what words an error must not fail itself
        return f"{time} µs"


def time_literal(time: int, kind: TimeKind) -> Literal:
    """Return the literal that names an instant. Raises StreamError where there is none."""
    from .terms import literal

    if kind is TimeKind.INTEGER:
        return literal(str(time), XSD + "integer")
    return literal(format_datetime(time), XSD + "dateTime")


# --- durations -----------------------------------------------------------------------------------


def parse_duration(written: str | Literal) -> tuple[int, TimeKind]:
    """Return a duration, and the kind of stream that it fits.

    A bare integer (`30`) fits integer streams. `30 MINUTES`, `10m`, `500 ms`, `PT10M` and
    "P30D"^^xsd:duration are microseconds and fit dateTime streams. Units are read in any case; only
    an xsd:duration may carry a sign. Raises QueryError for anything else: for years and months,
    because they have no fixed length, and for what is finer than a microsecond.

    >>> parse_duration("1.5 HOURS")
    (5400000000, <TimeKind.DATETIME: 'dateTime'>)
    """
    text = str(written).strip()
    try:
        datatype = getattr(written, "datatype", None)
        if datatype is not None:
            _check_duration_type(str(datatype), text)
        if len(text) > MOST_DIGITS:
            raise ValueError(f"it has more than {MOST_DIGITS:,} digits")
        if _INTEGER.fullmatch(text):
            return int(text), TimeKind.INTEGER
        seconds = _xsd_seconds(text) if "P" in text[:2].upper() else _amount_seconds(text)
        microseconds = seconds * _SECOND
        if microseconds.denominator != 1:
            raise ValueError("finer than a microsecond")
    except ValueError as reason:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise QueryError(f"duration '{shown}': {reason}") from None
    return microseconds.numerator, TimeKind.DATETIME


def as_written(parts: Sequence[str]) -> str | Literal:
    """Return the parts of a parsed time: a literal, or a number and its unit."""
    first = parts[0]
    return first if hasattr(first, "datatype") else " ".join(map(str, parts))


def duration_at(
    parts: Sequence[str], source: str | None, position: Position
) -> tuple[int, TimeKind]:
    """`parse_duration` of such parts; its QueryError says where they stand."""
    try:
        return parse_duration(as_written(parts))
    except QueryError as error:
        raise error.at(source, position.line, position.column) from None


def _check_duration_type(datatype: str, text: str) -> None:
    if datatype in _DURATION_TYPES and _XSD_DURATION.fullmatch(text):
        return
    if datatype in _INTEGER_TYPES and _INTEGER.fullmatch(text):
        return
    raise ValueError(f"expected an xsd:duration such as PT10M or an integer, not a <{datatype}>")


def _xsd_seconds(text: str) -> Fraction:
    parts = _XSD_DURATION.fullmatch(text)
    if parts is None:
        raise ValueError("not an xsd:duration such as PT10M")
    if int(parts["years"] or 0) or int(parts["months"] or 0):
        raise ValueError(_NO_FIXED_LENGTH)
    days, hours, minutes = (int(part or 0) for part in parts.group("days", "hours", "minutes"))
    seconds = ((days * 24 + hours) * 60 + minutes) * 60 + Fraction(parts["seconds"] or 0)
    return -seconds if parts["sign"] else seconds


def _amount_seconds(text: str) -> Fraction:
    parts = _AMOUNT.fullmatch(text)
    if parts is None:
        raise ValueError("expected a number and a unit, as in 30 MINUTES, 10m or PT10M")
    unit = parts["unit"].lower()
    if unit in _CALENDAR_UNITS:
        raise ValueError(_NO_FIXED_LENGTH)
    if unit not in _UNITS:
        raise ValueError(
            f"unknown unit '{parts['unit']}', there are DAYS, HOURS, MINUTES, SECONDS, MILLISECONDS"
        )
    return Fraction(parts["number"]) * Fraction(_UNITS[unit], _SECOND)


def format_duration(microseconds: int) -> str:
    """Return the shortest xsd:dayTimeDuration of a number of microseconds.

    >>> format_duration(90_000_000)
    'PT1M30S'
    """
    sign, rest = ("-", -microseconds) if microseconds < 0 else ("", microseconds)
    seconds, fraction = divmod(rest, _SECOND)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours}H" if hours else ""
    clock += f"{minutes}M" if minutes else ""
    if fraction:
        clock += f"{seconds}.{fraction:06}".rstrip("0") + "S"
    elif seconds or not (clock or days):
        clock += f"{seconds}S"
    return f"{sign}P{f'{days}D' if days else ''}{f'T{clock}' if clock else ''}"
