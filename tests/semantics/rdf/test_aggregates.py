"""Groups and set functions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Rows = Callable[..., list[dict[str, str]]]

DATA = ':a :p 1, 2.5, 1.0 . :b :p 3 . :c :p "x", 4 .'


def one(rows: Rows, aggregate: str, data: str = "", pattern: str = "?x :p ?v") -> str | None:
    (row,) = rows(f"{{ SELECT ({aggregate} AS ?r) {{ {pattern} }} }}", data)
    return row.get("r")


@pytest.mark.parametrize("aggregate, expected", [
    ("COUNT(*)", "6"), ("COUNT(?v)", "6"), ("COUNT(DISTINCT ?x)", "3"), ("COUNT(?none)", "0"),
    ("COUNT(DISTINCT *)", "6"), ("COUNT(1/0)", "0"), ("SUM(?v)", None), ("AVG(?v)", None),
    ("SUM(IF(ISNUMERIC(?v), ?v, 0))", "11.5"), ("MIN(?v)", '"x"'), ("MAX(?v)", "4"),
    ("SUM(1)", "6"), ("AVG(2)", '"2"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
    ("SUM(DISTINCT 1)", "1"), ("MIN(?x)", ":a"), ("MAX(?x)", ":c"), ("SAMPLE(1 + 1)", "2"),
    ("SAMPLE(?none)", None), ("SUM(?v + 1) + 1", None), ("COUNT(*) * 2", "12"),
])
def test_an_aggregate_of_everything(rows: Rows, aggregate: str, expected: str | None) -> None:
    assert one(rows, aggregate, DATA) == expected


@pytest.mark.parametrize("aggregate, expected", [
    ("COUNT(*)", "0"), ("SUM(?v)", "0"), ("AVG(?v)", "0"), ("MIN(?v)", None), ("MAX(?v)", None),
    ("SAMPLE(?v)", None), ("GROUP_CONCAT(?v)", '""'),
])
def test_an_aggregate_of_nothing(rows: Rows, aggregate: str, expected: str | None) -> None:
    assert one(rows, aggregate) == expected


def test_group_concat(rows: Rows) -> None:
    pattern = "VALUES ?v { 1 'b'@en <u:c> 1 }"
    assert one(rows, "GROUP_CONCAT(?v)", pattern=pattern) == '"1 b u:c 1"'
    assert one(rows, "GROUP_CONCAT(DISTINCT ?v; SEPARATOR=', ')", pattern=pattern) == '"1, b, u:c"'
    assert one(rows, "GROUP_CONCAT(?v)", pattern="VALUES ?v { 1 UNDEF }") is None
    assert one(rows, "GROUP_CONCAT(?v)", pattern="BIND(BNODE() AS ?v)") is None


def test_sums_are_exact(rows: Rows) -> None:
    pattern = "VALUES ?v { 0.1 0.2 99999999999999999999999999999999 }"
    assert one(rows, "SUM(?v)", pattern=pattern) == "99999999999999999999999999999999.3"
    assert one(rows, "AVG(?v)", pattern="VALUES ?v { 1 2 }") == "1.5"
    assert one(rows, "AVG(?v)", pattern="VALUES ?v { 1 1 2 }") == "1.333333333333333333"


def test_groups(rows: Rows) -> None:
    query = "{ SELECT ?x (COUNT(*) AS ?n) { ?x :p ?v } GROUP BY ?x }"
    assert rows(query, DATA) == [
        {"n": "1", "x": ":b"}, {"n": "2", "x": ":c"}, {"n": "3", "x": ":a"},
    ]
    # No solution, no group.
    assert rows(query, "") == []
    # Keys are terms: 1 and 1.0 are two.
    assert len(rows("{ SELECT ?v { ?x :p ?v } GROUP BY ?v }", DATA)) == 6
    # A key in error is a key.
    by_size = "{ SELECT ?k (COUNT(*) AS ?n) { ?x :p ?v } GROUP BY (?v + 0 > 1 AS ?k) }"
    assert rows(by_size, DATA) == [
        {"k": "false", "n": "2"}, {"k": "true", "n": "3"}, {"n": "1"},
    ]
    assert rows("{ SELECT (COUNT(*) AS ?n) { ?x :p ?v } GROUP BY ISNUMERIC(?v) }", DATA) == [
        {"n": "1"}, {"n": "5"},
    ]


def test_having_sees_aggregates(rows: Rows) -> None:
    assert rows(
        "{ SELECT ?x { ?x :p ?v } GROUP BY ?x HAVING (COUNT(*) > 1) (MAX(?v) < 4) }", DATA
    ) == [{"x": ":a"}]


def test_an_error_leaves_only_its_variable_unbound(rows: Rows) -> None:
    assert rows("{ SELECT ?x (SUM(?v) AS ?s) { ?x :p ?v } GROUP BY ?x }", DATA) == [
        {"s": "3", "x": ":b"}, {"s": "4.5", "x": ":a"}, {"x": ":c"},
    ]
