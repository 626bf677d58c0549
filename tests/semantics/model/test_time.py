"""Instants and durations: what they are worth, and what is none."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.semantics.model.errors import QueryError, StreamError
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.model.time import (
    XSD,
    TooFineError,
    format_datetime,
    format_duration,
    format_time,
    parse_datetime,
    parse_duration,
    parse_time,
    time_literal,
)

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("lexical", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00", 0),  # no zone is UTC
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T10:00:00-14:00", 0),
        ("1970-01-01T24:00:00Z", 86_400),
        ("1970-01-01T24:00:00.000Z", 86_400),
        ("1972-02-29T00:00:00Z", 68_169_600),
        ("1969-12-31T23:59:59Z", -1),
    ],
)
def test_datetimes_count_from_the_epoch_in_utc(lexical: str, seconds: int) -> None:
    assert parse_datetime(lexical) == seconds * SECOND


def test_fractions_are_whole_microseconds() -> None:
    assert parse_datetime("1970-01-01T00:00:00.123456000Z") == 123_456
    assert parse_datetime("1970-01-01T00:00:00.5Z") == 500_000
    with pytest.raises(TooFineError, match="0001Z' is finer than a microsecond"):
        parse_datetime("1970-01-01T00:00:00.1234560001Z")


@pytest.mark.parametrize(
    ("lexical", "reason"),
    [
        ("2026-02-30T00:00:00Z", "day is out of range"),
        ("2026-01-01", "expected YYYY-MM-DDThh:mm:ss"),
        (" 2026-01-01T00:00:00Z", "expected YYYY-MM-DDThh:mm:ss"),
        ("2026-01-01T24:00:01Z", "24:00:00 only"),
        ("2026-01-01T00:00:60Z", "second must be in"),
        ("2026-01-01T00:00:00+15:00", "time zone"),
        ("-0044-03-15T00:00:00Z", "years 0001 to 9999"),
        ("10000-01-01T00:00:00Z", "years 0001 to 9999"),
        ("２０２６-01-01T00:00:00Z", "expected YYYY-MM-DDThh:mm:ss"),
    ],
)
def test_what_is_no_datetime_says_why(lexical: str, reason: str) -> None:
    with pytest.raises(StreamError, match=reason):
        parse_datetime(lexical)


def test_a_datetime_is_formatted_in_utc_without_trailing_zeros() -> None:
    assert format_datetime(250_000) == "1970-01-01T00:00:00.25Z"
    assert format_datetime(-SECOND) == "1969-12-31T23:59:59Z"


def test_formatting_for_a_message_never_fails() -> None:
    assert format_time(10**30, TimeKind.DATETIME) == f"{10**30} µs"
    with pytest.raises(StreamError):
        time_literal(10**30, TimeKind.DATETIME)


@pytest.mark.parametrize("name", ["integer", "int", "long", "nonNegativeInteger"])
def test_integer_times_may_have_any_integer_type(name: str) -> None:
    assert parse_time(literal("007", XSD + name)) == (7, TimeKind.INTEGER)


def test_integer_times_may_be_longer_than_a_machine_word() -> None:
    assert parse_time(literal(str(2**130), XSD + "integer")) == (2**130, TimeKind.INTEGER)


@pytest.mark.parametrize(
    "term",
    [
        literal("10"),
        literal("10", XSD + "decimal"),
        literal("2026-01-01", XSD + "date"),
        literal("ten", XSD + "integer"),
        literal("9" * 5000, XSD + "integer"),
        URIRef("http://example.org/10"),
    ],
)
def test_what_is_no_time_is_a_clear_error(term: object) -> None:
    with pytest.raises(StreamError) as caught:
        parse_time(term)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("written", "microseconds"),
    [
        ("30 MINUTES", 1800 * SECOND),
        ("1 minute", 60 * SECOND),
        ("10m", 600 * SECOND),
        ("500ms", 500_000),
        ("500 ms", 500_000),
        ("3 Hours", 10_800 * SECOND),
        ("2 DAYS", 172_800 * SECOND),
        ("250 MILLISECONDS", 250_000),
        ("1.5h", 5_400 * SECOND),
        ("PT10M", 600 * SECOND),
        ("P1DT2H3M4.5S", 93_784 * SECOND + 500_000),
        ("-PT1S", -SECOND),
        ("P0Y0M1D", 86_400 * SECOND),
        (literal("P30D", XSD + "duration"), 30 * 86_400 * SECOND),
        (literal("PT1H", XSD + "dayTimeDuration"), 3_600 * SECOND),
    ],
)
def test_durations_are_microseconds(written: str, microseconds: int) -> None:
    assert parse_duration(written) == (microseconds, TimeKind.DATETIME)


def test_a_bare_integer_is_a_duration_on_integer_streams() -> None:
    assert parse_duration("30") == (30, TimeKind.INTEGER)
    assert parse_duration(literal("30", XSD + "integer")) == (30, TimeKind.INTEGER)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("1 MONTH", "no fixed length"),
        ("2 years", "no fixed length"),
        ("P1Y", "no fixed length"),
        ("P2M", "no fixed length"),
        ("3 fortnights", "unknown unit 'fortnights'"),
        ("-5 MINUTES", "expected a number and a unit"),
        ("soon", "expected a number and a unit"),
        ("PT", "not an xsd:duration"),
        ("P", "not an xsd:duration"),
        ("P1DT", "not an xsd:duration"),
        ("0.1us", "finer than a microsecond"),
        (literal("10m", XSD + "duration"), "expected an xsd:duration"),
        (literal("1", XSD + "decimal"), "expected an xsd:duration"),
    ],
)
def test_what_is_no_duration_says_why(written: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        parse_duration(written)


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0, "PT0S"),
        (1, "PT0.000001S"),
        (90 * SECOND, "PT1M30S"),
        (86_400 * SECOND, "P1D"),
        (-3_600 * SECOND, "-PT1H"),
        (93_784 * SECOND + 500_000, "P1DT2H3M4.5S"),
    ],
)
def test_durations_are_formatted_as_they_are_read(microseconds: int, text: str) -> None:
    assert format_duration(microseconds) == text
    assert parse_duration(text) == (microseconds, TimeKind.DATETIME)
