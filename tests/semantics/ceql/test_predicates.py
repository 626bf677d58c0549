"""Predicates, case by case: types, missing attributes, arithmetic, and what has no value."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.predicates import satisfies
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.tuples import EventTuple

T = EventTuple(
    "A",
    {
        "i": 7, "j": -7, "d": 2.5, "s": "MSFT", "e": "", "b": True, "f": False,
        "max": 9223372036854775807, "one": 1, "zero": 0,
    },
)


def holds(text: str) -> bool:
    return satisfies(T, parse(f"SELECT * WHERE A FILTER A[{text}]").formula.condition.predicate)


@pytest.mark.parametrize(
    "text",
    [
        "i = 7", "i == 7.0", "i != 8", "i <> 8", "d > 2", "d >= 2.5", "j < 0", "j <= -7",
        "s = 'MSFT'", "s < 'N'", "e = ''", "b = TRUE", "f = false", "b != f", "i > d",
        "i + 1 = 8", "i - 10 = -3", "i * d = 17.5", "i / 2 = 3", "j / 2 = -3", "i / 2.0 = 3.5",
        "i % 2 = 1", "j % 2 = -1", "d % 1 = 0.5", "-i = j", "(i + 1) * 2 = 16", "i + 1 * 2 = 9",
        "max - 1 = 9223372036854775806",
        "s LIKE '^MS'", "s LIKE 'SF'", "NOT s LIKE '^SF'",
        "i IN {1, 7}", "i IN {7.0}", "s IN {'A', 'MSFT'}", "i NOT IN {1, 2}", "s NOT IN {'A'}",
        "i IN {7..8}", "d IN {2.5..}", "d IN {..2.5}", "i NOT IN {8..}",
        "i IN RANGE (1, 7)", "i + 1 IN RANGE (i, i + 1)",
        "i = 7 AND d = 2.5", "i = 8 OR d = 2.5", "NOT (i = 8 OR d = 3)",
    ],
)
def test_what_holds(text: str):
    assert holds(text)


@pytest.mark.parametrize(
    "text",
    [
        # A missing attribute compares false in every way.
        "none = 1", "none != 1", "none < 1", "none = none", "none LIKE ''", "none IN {1}",
        "none NOT IN {1}", "none IN {..5}", "none NOT IN {..5}", "none IN RANGE (0, 9)",
        "none + 1 = 1", "none + 1 != 1", "-none = 1",
        # So do different types.
        "s = 1", "s != 1", "i = '7'", "i != '7'", "i LIKE '7'", "b = 1", "b != 0", "s IN {1}",
        "s NOT IN {1}", "s NOT IN {1..2}", "b IN {1}", "b < 2",
        # And what has no value.
        "i / 0 = 0", "i / 0 != 0", "i % 0 = 0", "d / 0.0 > 0", "i / zero != 1",
        "max + one > 0", "max + one < 0", "-(-max - one) != 0", "max * 2 > 0", "s + 1 = 1",
        "b + 1 = 2",
    ],
)
def test_what_does_not(text: str):
    assert not holds(text)


def test_a_negation_is_the_complement():
    assert holds("NOT none = 1")
    assert holds("NOT s = 1")
    assert holds("NOT i / 0 = 1")


def test_beside_a_double_an_integer_is_one():
    assert holds("max = 9223372036854775808.0")
    assert not holds("max - 1 = max")
