"""Values of xsd:dateTime, xsd:date and xsd:dayTimeDuration (XML Schema, part 2, 3.3 and 3.4).

Exact and of unlimited range: years may be negative or large, seconds have any number of digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final

from ...checkpoints.declared import stateful

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
        """The local time as xsd:string has it: no zeros at the end, 24:00:00 is 00:00:00."""
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
        """Days, hours, minutes and seconds, each that there is: P1DT2H, PT0.5S, PT0S."""
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
    """The value of an xsd:dayTimeDuration, None for a lexical form that it does not have."""
    found = _DURATION_FORM.fullmatch(lexical)
    if found is None:
        return None
    seconds = Decimal(found["second"] or 0)
    for unit, size in (("day", _DAY), ("hour", 3600), ("minute", 60)):
        seconds = EXACT.add(seconds, EXACT.multiply(Decimal(found[unit] or 0), Decimal(size)))
    return Duration(EXACT.minus(seconds) if found["sign"] else seconds, lexical)


def parse_moment(lexical: str, *, dated_only: bool) -> Moment | None:
    """The value of an xsd:dateTime or xsd:date, None for a lexical form that it does not have."""
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
    """Days from 1 January of the year 0, proleptic Gregorian."""
    before = year - 1
    whole_years = year * 365 + before // 4 - before // 100 + before // 400
    return whole_years + sum(_month_length(year, each) for each in range(1, month)) + day - 1


def _following(year: int, month: int, day: int) -> tuple[int, int, int]:
    if day < _month_length(year, month):
        return year, month, day + 1
    return (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)
