"""What is doubtful about a query is said before any event arrives."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.analysis import check_query
from denota.semantics.ceql.parse import parse


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("SELECT a FROM S WHERE A AS a FILTER a[x > 1] AND A[x > 1]", []),
        ("SELECT * FROM T WHERE A", ["unknown-stream"]),
        ("SELECT * FROM S WHERE T>A", ["unknown-stream"]),
        ("SELECT * FROM S WHERE A FILTER b[x > 1]", ["unknown-variable"]),
        ("SELECT b FROM S WHERE A", ["unknown-variable"]),
        ("SELECT * FROM S WHERE A FILTER S>A[x > 1]", ["unknown-variable"]),
        ("SELECT * FROM S WHERE NOT(A FILTER B[x > 1])", ["unknown-variable"]),
        ("CREATE STREAM S { EVENT A { } } SELECT * FROM S WHERE B", ["undeclared-event"]),
        ("CREATE STREAM S { EVENT A { } } SELECT * FROM S, T WHERE B", ["unknown-stream"]),
    ],
)
def test_warnings(text: str, codes: list[str]):
    assert [warning.code for warning in check_query(parse(text), ["S"])] == codes
