"""Times as N-Quads writes them, read from bytes: as `semantics.model.time` reads the usual ones."""

from __future__ import annotations

import numpy as np

from ....semantics.model.time import TimeKind
from ...kernels import compiled
from ..data.tokens import Numbers
from ..data.words import Bytes, are_equal

# What `parse_instant` finds: the instant, and what it counts.
INSTANT, KIND = 0, 1
INTEGER, DATETIME = 0, 1
KINDS = (TimeKind.INTEGER, TimeKind.DATETIME)

_MOST_DIGITS = 18
_XSD = b'"^^<http://www.w3.org/2001/XMLSchema#'
INTEGER_TYPE = np.frombuffer(_XSD + b"integer>", np.uint8).copy()
DATETIME_TYPE = np.frombuffer(_XSD + b"dateTime>", np.uint8).copy()


@compiled
def parse_instant(
    data: Bytes, start: int, quote: int, end: int, integer: Bytes, datetime: Bytes, found: Numbers
) -> bool:
    """Whether a literal is a time that is plainly regular; `start` is after its first mark."""
    if end - quote == len(integer) and are_equal(integer, 0, len(integer), data, quote):
        at = start
        negative = at < quote and data[at] == 45
        if negative:
            at += 1
        if at == quote or quote - at > _MOST_DIGITS:
            return False
        value = digits(data, at, quote)
        if value < 0:
            return False
        found[INSTANT] = -value if negative else value
        found[KIND] = INTEGER
        return True
    long = len(datetime)
    if end - quote != long or not are_equal(datetime, 0, long, data, quote) or quote - start < 19:
        return False
    found[KIND] = DATETIME
    return parse_datetime(data, start, quote, found)


@compiled
def digits(data: Bytes, start: int, end: int) -> int:
    """The number that digits write; -1 if they are none."""
    value = 0
    for at in range(start, end):
        digit = int(data[at]) - 48
        if digit < 0 or digit > 9:
            return -1
        value = value * 10 + digit
    return value


@compiled
def parse_datetime(data: Bytes, start: int, end: int, found: Numbers) -> bool:
    """YYYY-MM-DDThh:mm:ss with at most six digits of a second, in UTC or so many hours off."""
    year, month = digits(data, start, start + 4), digits(data, start + 5, start + 7)
    day, hour = digits(data, start + 8, start + 10), digits(data, start + 11, start + 13)
    minute, second = digits(data, start + 14, start + 16), digits(data, start + 17, start + 19)
    if data[start + 4] != 45 or data[start + 7] != 45 or data[start + 10] != 84:
        return False
    if data[start + 13] != 58 or data[start + 16] != 58:
        return False
    if year < 1 or month < 1 or month > 12 or day < 1:
        return False
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return False
    leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    longest = 31
    if month == 2:
        longest = 29 if leap else 28
    elif month == 4 or month == 6 or month == 9 or month == 11:
        longest = 30
    if day > longest:
        return False
    at = start + 19
    micro = 0
    if at < end and data[at] == 46:
        begin = at + 1
        at = begin
        while at < end and data[at] >= 48 and data[at] <= 57:
            at += 1
        if at == begin or at - begin > 6:
            return False
        micro = digits(data, begin, at)
        for _ in range(6 - (at - begin)):
            micro *= 10
    offset = 0
    if at < end and data[at] == 90:  # Z
        at += 1
    elif at + 6 == end and (data[at] == 43 or data[at] == 45) and data[at + 3] == 58:
        hours, minutes = digits(data, at + 1, at + 3), digits(data, at + 4, at + 6)
        if hours < 0 or minutes < 0 or minutes > 59 or hours * 60 + minutes > 14 * 60:
            return False
        offset = hours * 60 + minutes
        if data[at] == 45:
            offset = -offset
        at = end
    if at != end:
        return False
    # Days since 1970-01-01 in the proleptic Gregorian calendar: years begin in March.
    years = year - 1 if month <= 2 else year
    months = month + 9 if month <= 2 else month - 3
    days = 365 * years + years // 4 - years // 100 + years // 400
    days += (153 * months + 2) // 5 + day - 1 - 719468
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    found[INSTANT] = seconds * 1000000 + micro
    return True
