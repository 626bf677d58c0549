"""Names that stand for nothing, and comparisons that no tuple can satisfy, are clear errors."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.syntax.parse import parse, parse_declaration
from denota.semantics.ceql.syntax.scoping import faults
from denota.semantics.model.errors import QueryError

DECLARED = (
    "CREATE STREAM S { EVENT A { x:int, n:string, b:boolean, t:primary_time },"
    " EVENT B { x:double, y:string } }\n"
)


def error(text: str) -> str:
    with pytest.raises(QueryError) as caught:
        parse(text, source="q")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT z FROM S WHERE A", "q:1:8: nothing binds 'z' (bound are: A)"),
        ("SELECT * WHERE A AS a FILTER b[x > 1]", "q:1:30: nothing binds 'b' (bound are: A, a)"),
        ("SELECT * WHERE NOT(A FILTER a[x > 1])", "q:1:29: nothing binds 'a' (bound are: A)"),
        ("SELECT * WHERE A FILTER S>A[x > 1]", "q:1:25: nothing binds 'S>A' (bound are: A)"),
        ("SELECT * FROM S WHERE T>A", "q:1:23: 'T>A' is of a stream that the query does not read"),
        ("SELECT * WHERE A FILTER A[1 = 'a']", "a number is compared by = with a string"),
        ("SELECT * WHERE A FILTER A[x + 1 = 'a']",
         "q:1:27: a number is compared by = with a string"),
        ("SELECT * WHERE A FILTER A[x IN RANGE (1, 'a')]", "a number is beside a string"),
    ],
)
def test_without_a_declaration(text: str, message: str) -> None:
    assert message in error(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * FROM S WHERE C", "q:2:23: no stream declares an event 'C' (declared: A, B)"),
        ("SELECT * FROM S WHERE A ; S>C", "q:2:27: stream 'S' declares no event 'C'"),
        ("SELECT * FROM S WHERE NOT(C)", "q:2:27: no stream declares an event 'C'"),
        ("SELECT * FROM S WHERE A FILTER A[z = 'a']",
         "q:2:34: no event has an attribute 'z' (declared: x, n, b, t, y)"),
        ("SELECT * FROM S WHERE (A OR B) AS e FILTER e[x > 1 AND z = 1]",
         "q:2:56: no event has an attribute 'z'"),
        ("SELECT A[z] FROM S WHERE A", "q:2:8: no event has an attribute 'z'"),
        ("SELECT * FROM S WHERE A PARTITION BY [n], [x, z]", "q:2:39: no event has an attribute"),
        ("SELECT * FROM S WHERE A WITHIN 5 [z]", "q:2:25: no event has an attribute 'z'"),
        ("SELECT * FROM S WHERE A WITHIN 5 [n]",
         "q:2:25: a window is measured in numbers, and 'n' is declared string"),
        ("SELECT * FROM S WHERE A FILTER A[x = 'a']",
         "q:2:34: 'x' (int) is compared by = with a string"),
        ("SELECT * FROM S WHERE A FILTER A['a' != x]",
         "q:2:41: a string is compared by != with 'x' (int)"),
        ("SELECT * FROM S WHERE A FILTER A[n >= t]",
         "'n' (string) is compared by >= with 't' (primary_time)"),
        ("SELECT * FROM S WHERE A FILTER A[b = 1]", "'b' (boolean) is compared by = with a number"),
        ("SELECT * FROM S WHERE A FILTER A[NOT (x = 1 OR n = 2)]", "q:2:48: 'n' (string)"),
        ("SELECT * FROM S WHERE A FILTER A[n * 2 > 5]",
         "q:2:34: * takes a number, not 'n' (string)"),
        ("SELECT * FROM S WHERE A FILTER A[-n > 5]", "- takes a number, not 'n' (string)"),
        ("SELECT * FROM S WHERE A FILTER A[x LIKE 'a']",
         "q:2:34: LIKE takes a string, not 'x' (int)"),
        ("SELECT * FROM S WHERE A FILTER A[x NOT IN {'a'}]", "IN asks for a string, not 'x' (int)"),
        ("SELECT * FROM S WHERE A FILTER A[n IN {1..}]", "IN asks for a number, not 'n' (string)"),
        ("SELECT * FROM S WHERE A FILTER A[n IN RANGE (1, 2)]", "'n' (string) is compared with"),
    ],
)
def test_against_a_declaration(text: str, message: str) -> None:
    assert message in error(DECLARED + text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT B FROM S WHERE A",  # a declared event type is a variable, if an empty one
        "SELECT * FROM S WHERE A FILTER B[x > 1]",
        "SELECT a FROM S WHERE (A FILTER a[x > 1]) AS a",
        "SELECT * FROM S WHERE (A OR B) AS e FILTER e[n = 'a' AND y = 'a' AND x > 1.5]",
        "SELECT * FROM S WHERE A FILTER A[y = 'a' OR y > 1]",  # B has it: a row of A may, too
        "SELECT * FROM S WHERE A FILTER A[t > x AND b = TRUE AND n != 'a' AND n LIKE 'a']",
        "SELECT * FROM S WHERE A PARTITION BY [n] WITHIN 5 [t]",
        "SELECT * WHERE A FILTER A[x > 1]",
        "SELECT * FROM S, T WHERE C FILTER C[z = 1] PARTITION BY [z] WITHIN 5 [z]",  # T may be that
        "SELECT * FROM T WHERE C",
    ],
)
def test_what_is_meant_is_left_alone(text: str) -> None:
    parse(DECLARED + text)


def test_declarations_of_the_streams_count_as_well() -> None:
    query = parse("SELECT * FROM S WHERE A FILTER A[x > 1]")
    (fault,) = faults(query, [parse_declaration("CREATE STREAM S { EVENT A { x:string } }")])
    assert fault.message == "'x' (string) is compared by > with a number"
    assert faults(query, [parse_declaration("CREATE STREAM T { EVENT A { x:string } }")]) == []


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("SELECT * FROM S, T WHERE A ; B FILTER S>A[x > 1]",
         "SELECT * FROM S, T WHERE (S>A OR T>A) ; B FILTER S>A[x > 1]"),
        ("SELECT T>A FROM S, T WHERE A+", "SELECT T>A FROM S, T WHERE (S>A OR T>A)+"),
        ("SELECT * FROM S WHERE A ; S>A FILTER S>A[x > 1]",
         "SELECT * FROM S WHERE S>A ; S>A FILTER S>A[x > 1]"),
    ],
)
def test_a_stream_that_is_asked_for_is_told(text: str, same: str) -> None:
    assert parse(text) == parse(same)
