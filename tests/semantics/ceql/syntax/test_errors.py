"""Malformed queries: one line that names the place and what is wrong there."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.model.errors import QueryError

ORDER = "the order of the clauses is SELECT, FROM, WHERE, PARTITION BY, WITHIN, CONSUME BY, LIMIT"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT * FROM S WHERE A LIMIT -1", "q:1:31: unexpected '-', expected a number"),
        ("SELECT * FROM S WHERE A LIMIT 99999999999999999999", "q:1:31: the limit .* too large"),
        ("SELECT * FROM S WHERE A LIMIT 1 LIMIT 2", "q:1:33: a second LIMIT clause"),
        ("SELECT * FROM S FROM T WHERE A", "q:1:17: a second FROM clause"),
        ("SELECT * FROM S WHERE A WHERE B", "q:1:25: a second WHERE clause"),
        ("SELECT * FROM S WHERE A SELECT B", "q:1:25: a second SELECT clause"),
        ("SELECT * WHERE A PARTITION BY [x] PARTITION BY [y]", "q:1:35: a second PARTITION BY"),
        ("SELECT * WHERE A WITHIN 5 EVENTS WITHIN 3 EVENTS", "q:1:34: a second WITHIN clause"),
        ("SELECT * WHERE A CONSUME BY ANY\nCONSUME BY ANY", "q:2:1: a second CONSUME BY clause"),
        ("SELECT * WHERE A WITHIN 5 EVENTS PARTITION BY [x]",
         f"q:1:34: PARTITION BY stands behind WITHIN: {ORDER}"),
        ("SELECT * WHERE A FROM S", "q:1:18: FROM stands behind WHERE"),
        ("SELECT * WHERE `from` ; A FROM S", "q:1:27: FROM stands behind WHERE"),
        ("SELECT * WHERE A LIMIT 1 /* LIMIT */ WITHIN 5 EVENTS", "WITHIN stands behind LIMIT"),
        ("SELECT BEST * FROM S WHERE A",
         r"q:1:8: there is no strategy 'BEST' \(there is: ALL, ANY, STRICT, NEXT, LAST, MAX\)"),
        ("SELECT\nALL MAX * FROM S WHERE A", "q:2:5: a second strategy, MAX"),
        ("SELECT * FROM S WHERE A FILTER A[x = 'abc]", "q:1:38: the string that begins here has"),
        ("SELECT * FROM S WHERE A FILTER A[x LIKE <<abc]", "regular expression that begins here"),
        ("SELECT * FROM S WHERE `A ; B", "q:1:23: the name that begins here has no end"),
        ("SELECT * FROMS WHERE A", "q:1:10: unexpected 'FROMS', expected FROM or WHERE"),
        ("SELECT * FROM S WHERE A organ", "q:1:25: unexpected 'organ', expected AS, "),
        ("SELECT * WHERE A FILTER A[x BETWEEN 1 AND 2]", "unexpected 'BETWEEN', expected a compar"),
        ("SELECT * WHERE A FILTER A[x > ]", r"expected a name, a number, a string, '\(', '\+' or"),
        ("SELECT * WHERE A FILTER A[]", "expected a name, a number, a string, NOT, "),
        (
            "SELECT * WHERE A ; ; B",
            r"q:1:20: unexpected ';', expected a name, NOT, SELECT, '!' or '\('",
        ),
        ("SELECT * WHERE NOT(A ; B)", r"q:1:22: unexpected ';', expected FILTER or '\)'"),
        ("SELECT * WHERE A CONSUME BY ALL", "unexpected 'ALL', expected ANY, NONE or PARTITION"),
        ("SELECT * WHERE A WITHIN", "unexpected end of the query, expected a duration or"),
        ("SELECT * WHERE A WITHIN 5", r"unexpected end of the query, expected a name or '\['"),
        ("SELECT * WHERE A WITHIN 9999999999999999 HOURS", "q:1:18: the window is too long"),
        ("CREATE STREAM S { } SELECT * WHERE A", "q:1:19: unexpected '}', expected EVENT"),
        ("CREATE STREAM S { EVENT A { t:primary_time, u:primary_time } } SELECT * WHERE A",
         "q:1:45: 'u' is a second primary_time"),
        ("CHECK { SELECT * WHERE A", "unexpected end of the query, expected .*'}'"),
    ],
)
def test_the_place_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as caught:
        parse(text, source="q")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("CHECK { SELECT * FROM S WHERE A }", "SELECT * FROM S WHERE A LIMIT 1"),
        ("check {select max * where A LIMIT 5}", "SELECT MAX * WHERE A LIMIT 1"),
        ("CHECK { SELECT * WHERE A LIMIT 0 }", "SELECT * WHERE A LIMIT 0"),
        ("SELECT A, A, B[x], B[y, x] WHERE A ; B", "SELECT A, B[x, y] WHERE A ; B"),
        ("SELECT A[x], A WHERE A", "SELECT A WHERE A"),
        ("SELECT * FROM S, T, S WHERE A", "SELECT * FROM S, T WHERE A"),
        (r"SELECT * WHERE A FILTER A[x LIKE <<a\>>>]", r"SELECT * WHERE A FILTER A[x LIKE 'a\>']"),
        ("SELECT * WHERE A FILTER A[x = 1.e2 AND y = .5E-1 AND z IN {1.0..2.5}]",
         "SELECT * WHERE A FILTER A[x = 100.0 AND y = 0.05 AND z IN {1.0..2.50}]"),
        ("SELECT * WHERE order ; aside FILTER aside[input > 1 and android = 2]",
         "SELECT * WHERE `order` ; `aside` FILTER `aside`[`input` > 1 AND `android` = 2]"),
        ("SELECT * WHERE A /* not closed WITHIN 5 EVENTS", "SELECT * WHERE A"),
    ],
)
def test_what_core_takes_is_taken(text: str, same: str) -> None:
    assert parse(text) == parse(same)


def test_a_regular_expression_that_python_will_read_otherwise_is_quiet(
    recwarn: pytest.WarningsRecorder,
) -> None:
    parse("SELECT * WHERE A FILTER A[x LIKE '[[a]b]']")
    assert not recwarn.list
