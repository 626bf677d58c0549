"""What is doubtful about a query is said before any event arrives."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.warnings import check_query


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("SELECT a FROM S WHERE A AS a FILTER a[x > 1] AND A[x > 1]", []),
        ("SELECT * FROM T WHERE A", ["unknown-stream"]),
        ("SELECT * FROM S, T WHERE T>A", ["unknown-stream"]),
        ("SELECT * WHERE T>A", ["unknown-stream"]),
        ("SELECT * FROM S WHERE (A FILTER b[x > 1]) AS b", ["unknown-variable"]),
        ("SELECT * FROM S WHERE NOT(A FILTER B[x > 1]) ; B", ["unknown-variable"]),
        ("CREATE STREAM S { EVENT A { }, EVENT B { } } SELECT B FROM S WHERE A FILTER B[1 = 1]",
         ["unknown-variable", "unknown-variable"]),
        ("CREATE STREAM S { EVENT A { } } SELECT * FROM S, T WHERE B", ["unknown-stream"]),
        ("SELECT * FROM S WHERE A LIMIT 0", ["no-results"]),
        ("CREATE STREAM S { EVENT A { x:int }, EVENT B { y:int } } SELECT * FROM S"
         " WHERE A ; B FILTER A[y > 1] AND B[y > 1]", ["missing-attribute"]),
    ],
)
def test_warnings(text: str, codes: list[str]):
    assert [warning.code for warning in check_query(parse(text), ["S"])] == codes
