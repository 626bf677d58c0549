"""Spellings that CORE's grammar takes: each is parsed, printed, and parsed as the same again."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.printing import to_text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT*FROM S WHERE A",
        "SELECT ANY A[x,y],B[z] FROM S,T WHERE A:B PARTITION BY[x],[y] WITHIN 10[x]"
        " CONSUME BY NONE LIMIT 3",
        "SELECT * FROM S WHERE ((A)+)+ ; (B:+)AS x",
        "SELECT * FROM S WHERE S>A:S>B FILTER S>A[x=1]",
        "SELECT * FROM S WHERE not (A) ; !(B FILTER B[x=1] FILTER B[y=1]):C",
        "SELECT * FROM S WHERE (A FILTER A[x=1]) OR (B FILTER B[x=1]) ; C",
        "SELECT * WHERE A FILTER(A[x>1])",
        "SELECT * WHERE A FILTER (A[x=1] AND (A[y=2] OR A[z=3]))",
        "SELECT * WHERE A FILTER A[x IN RANGE(y - 1,y*2)]",
        "SELECT * WHERE A FILTER A[x IN{-5..-1} OR x in { 1 .. 5 } OR x NOT IN {0.5..}]",
        "SELECT * WHERE A FILTER A[x<>-1 AND x<=-1 OR x>-1 and x==+1]",
        "SELECT * WHERE A FILTER A[not(x=1)and(y=2)]",
        "SELECT * WHERE A FILTER A[((x+1)*2)/3%2 >= -(y)]",
        "SELECT * WHERE A FILTER A['a' = n OR n != m OR n = '']",
        r"SELECT * WHERE A FILTER A[n LIKE <<a(b|c){2,3}[^x-z\-]\d+>> AND n != <<a>>]",
        "SELECT * WHERE A FILTER A[n IN {'a','b'} AND n NOT IN {'c'}]",
        "SELECT * WHERE A WITHIN 2 hours 5 minute 1.5 second",
        "DECLARE STREAM S{EVENT A{},EVENT B{x:int,n:string,d:double,b:boolean,t:primary_time}}"
        " select * where A",
    ],
)
def test_a_spelling(text: str) -> None:
    query = parse(text)
    assert parse(to_text(query)) == query
