"""Readings: their names, and which of them suit which query."""

import pytest

from denota.semantics.model.errors import ReadingError
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings


def query(sequence="A", within="10"):
    gpms = " ".join(f"DEFINE GPM {name} ON S {{}}" for name in "ABC")
    return parse(
        f"SELECT * WITHIN {within} FROM STREAM S <urn:s> WHERE {{ SEQ({sequence}) {gpms} }}"
    )


def test_choices():
    assert {name: values[0] for name, values in Readings.choices().items()} == {
        "ties": "error", "kleene": "last", "window": "tumbling", "negation": "event",
        "entailment": "none", "body": "sparql", "answers": "windows",
    }
    assert Readings.of({"window": "match"}).window == "match"


@pytest.mark.parametrize("named", [{"kleen": "last"}, {"kleene": "lsat"}])
def test_unknown_readings(named):
    with pytest.raises(ReadingError, match=r"it has: "):
        Readings.of(named)


def test_a_slide_clause_makes_windows_slide():
    assert Readings().applied_to(query(within="10 SLIDE 5")).window == "sliding"
    assert Readings().applied_to(query()).window == "tumbling"
    assert Readings(window="sliding").applied_to(query(within="10 SLIDE 5")).window == "sliding"


@pytest.mark.parametrize(
    ("within", "window", "message"),
    [
        ("10", "sliding", "needs a SLIDE clause"),
        ("10 SLIDE 5", "match", "a SLIDE clause asks for sliding windows"),
        ("10 SLIDE 5", "tumbling-half-open", "a SLIDE clause asks for sliding windows"),
        ("10 SLIDE 5 s", "tumbling", "both need the same unit"),
        ("10 EVENTS SLIDE 5", "sliding", "both need the same unit"),
        ("10 EVENTS", "match", "WITHIN n EVENTS counts items"),
        ("10 EVENTS", "tumbling-half-open", "WITHIN n EVENTS counts items"),
    ],
)
def test_windows_that_do_not_suit(within, window, message):
    with pytest.raises(ReadingError, match=message):
        Readings(window=window).applied_to(query(within=within))


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        ("A!", "'A!' must stand between two elements"),
        ("A!, B", "'A!' must stand between two elements"),
        ("A, B!", "'B!' must stand between two elements"),
        ("A, B?", "'B?' must stand between two elements"),
        ("A, B!, C!", "'C!' must stand between two elements"),
        ("A, (B & C!), A", "'C!' cannot stand inside & or |"),
        ("A, (B | (A & C?)), A", "'C?' cannot stand inside & or |"),
        ("A, (B | C!)+, A", "'C!' cannot stand inside & or |"),
    ],
)
def test_absences_that_do_not_suit(sequence, message):
    asked = query(sequence)
    assert Readings().applied_to(asked) == Readings()
    with pytest.raises(ReadingError) as caught:
        Readings(negation="absence").applied_to(asked)
    assert message in str(caught.value)
    assert caught.value.line == 1


@pytest.mark.parametrize("sequence", ["A", "A, B!, C", "A, B!, C!, A", "A, B?, C+", "A, B!, C?, A"])
def test_absences_that_do(sequence):
    Readings(negation="absence").applied_to(query(sequence))
