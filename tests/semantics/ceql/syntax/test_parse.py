"""CEQL's grammar: the paper's queries, CORE's language, precedence, and clear errors."""

from __future__ import annotations

import pytest

from denota.semantics.ceql.syntax.parse import parse, parse_declaration
from denota.semantics.ceql.syntax.printing import to_text
from denota.semantics.ceql.syntax.tree import (
    And,
    Attribute,
    AttributeType,
    Comparison,
    ComparisonOperator,
    Consumption,
    In,
    Interval,
    Like,
    Literal,
    Name,
    Not,
    Selected,
    Strategy,
    WindowUnit,
    Within,
)
from denota.semantics.model.errors import QueryError
from denota.semantics.model.pretty_printing import text_of


def formula(text: str) -> str:
    """The formula of a query, printed with the parentheses that it needs."""
    return text_of(parse(f"SELECT * FROM S WHERE {text}").formula)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("A ; B OR C", "(A ; B) OR C"),
        ("A OR B ; C", "A OR (B ; C)"),
        ("A : B ; C", "A : (B ; C)"),
        ("A ; B : C", "(A ; B) : C"),
        ("A ; B ; C", "(A ; B) ; C"),
        ("A ; B+ AS x", "A ; ((B+) AS x)"),
        ("A AS x+", "(A AS x)+"),
        ("A:+ : B", "(A:+) : B"),
        ("A ; B FILTER A[x > 1]", "(A ; B) FILTER A[x > 1]"),
        ("A FILTER A[x > 1] ; B", "(A FILTER A[x > 1]) ; B"),
        ("A FILTER A[x > 1] AS y", "(A FILTER A[x > 1]) AS y"),
        ("A FILTER A[x > 1] OR B", "(A FILTER A[x > 1]) OR B"),
        ("A FILTER A[x > 1] OR B[x > 2]", "A FILTER (A[x > 1] OR B[x > 2])"),
        ("A FILTER A[x > 1] OR (B ; C)", "(A FILTER A[x > 1]) OR (B ; C)"),
        ("A FILTER A[x > 1] OR (B[x > 2])", "A FILTER (A[x > 1] OR B[x > 2])"),
        ("A FILTER A[x > 1] OR -- [\n NOT S>B[x > 2]", "A FILTER A[x > 1] OR NOT S>B[x > 2]"),
        ("A FILTER A[x > 1] FILTER A[y > 1]", "(A FILTER A[x > 1]) FILTER A[y > 1]"),
        ("A FILTER a[x = 1] AND b[x = 1] OR c[x = 1]",
         "A FILTER (a[x = 1] AND b[x = 1]) OR c[x = 1]"),
        ("A FILTER a[NOT x = 1 AND y = 1 OR z = 1]",
         "A FILTER a[((NOT x = 1) AND y = 1) OR z = 1]"),
        ("A FILTER a[-x * 2 + 1 > y % 2 - 3]", "A FILTER a[((-x) * 2) + 1 > (y % 2) - 3]"),
        ("A FILTER a[x - y - 1 = 0]", "A FILTER a[(x - y) - 1 = 0]"),
        ("!(A) ; not (B FILTER B[x = 1])", "NOT(A) ; NOT(B FILTER B[x = 1])"),
        ("A FILTER a[x == 1] and a[x <> 2]", "A FILTER a[x = 1] AND a[x != 2]"),
    ],
)
def test_how_operators_bind(text: str, same: str):
    def alone(written: str) -> object:
        return parse(f"SELECT * FROM S WHERE ({written}) ; A AS a ; B AS b ; C AS c").formula

    assert alone(text) == alone(same)


def test_every_clause():
    query = parse(
        "create stream S { event A { x:int, t:primary_time }, event B { } }\n"
        "select max S>A[x, t], B from S, `my stream` where S>A ; B"
        " partition by [x], [x, t] within 1 hour 30 minutes consume by partition limit 10"
    )
    assert query.strategy is Strategy.MAX
    assert query.select == (Selected(Name("A", "S"), ("x", "t")), Selected(Name("B")))
    assert query.streams == ("S", "my stream")
    assert query.partition == (("x",), ("x", "t"))
    assert query.within == Within(5_400_000_000_000, WindowUnit.TIME)
    assert query.consume is Consumption.PARTITION
    assert query.limit == 10
    (declaration,) = query.declarations
    assert declaration.events[0].attributes == (
        ("x", AttributeType.INT), ("t", AttributeType.PRIMARY_TIME)
    )
    assert declaration.events[1].attributes == ()


@pytest.mark.parametrize(
    ("written", "within"),
    [
        ("5 EVENTS", Within(5, WindowUnit.EVENTS)),
        ("10000 [stock_time]", Within(10_000, WindowUnit.ATTRIBUTE, "stock_time")),
        ("0.5 SECONDS", Within(500_000_000, WindowUnit.TIME)),
        ("1 minute", Within(60_000_000_000, WindowUnit.TIME)),
        ("PT10M", Within(600_000_000_000, WindowUnit.TIME)),
    ],
)
def test_windows(written: str, within: Within):
    assert parse(f"SELECT * WHERE A WITHIN {written}").within == within


def predicate(text: str) -> object:
    condition = parse(f"SELECT * WHERE A FILTER A[{text}]").formula.condition
    return condition.predicate


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x IN {1, -2.5}", In(Attribute("x"), (1, -2.5))),
        ("x NOT IN {'a', \"b\"}", In(Attribute("x"), ("a", "b"), negated=True)),
        ("x IN {1..5}", In(Attribute("x"), Interval(1, 5))),
        ("x IN {..1.5}", In(Attribute("x"), Interval(None, 1.5))),
        ("x IN {-1..}", In(Attribute("x"), Interval(-1, None))),
        ("x LIKE 'a.*'", Like(Attribute("x"), "a.*")),
        ("x LIKE <<a|b>>", Like(Attribute("x"), "a|b")),
        ("x = <<a>> AND x != <<b>>",
         And(Like(Attribute("x"), "a"), Not(Like(Attribute("x"), "b")))),
        ("x = 'it''s'",
         Comparison(ComparisonOperator.EQUAL, Attribute("x"), Literal("it's"))),
        ("x = ’QQQ’", Comparison(ComparisonOperator.EQUAL, Attribute("x"), Literal("QQQ"))),
        ("x = TRUE", Comparison(ComparisonOperator.EQUAL, Attribute("x"), Literal(True))),
        ("`true` = 1", Comparison(ComparisonOperator.EQUAL, Attribute("true"), Literal(1))),
    ],
)
def test_predicates(text: str, tree: object):
    assert predicate(text) == tree


def test_names_of_clauses_may_be_attributes_and_variables():
    assert formula("event AS stream FILTER stream[within > 1 AND limit = 2]") == (
        "`event` AS `stream` FILTER `stream`[`within` > 1 AND `limit` = 2]"
    )


def test_comments_are_passed_over():
    assert formula("A -- FILTER\n /* ; C */ ; B") == "A ; B"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "q:1:1: unexpected end of the query, expected CHECK, CREATE, DECLARE or SELECT"),
        ("SELECT FROM S WHERE A", "q:1:13: unexpected 'S'"),
        ("SELECT * FROM S WHERE A ;", "q:1:26: unexpected end of the query"),
        ("SELECT * FROM S WHERE (A OR B as) c", r"q:1:33: unexpected '\)', expected a name"),
        ("SELECT * WHERE A FILTER A[x LIKE '[']", "q:1:27: not a regular expression"),
        ("SELECT * WHERE A FILTER A[x + 1 IN {1}]", "q:1:27: an attribute must stand before IN"),
        ("SELECT * WHERE A FILTER A[x IN {1, 'a'}]", "q:1:33: the values are all numbers or all"),
        ("SELECT * WHERE A FILTER A['a' + 1 = x]", "q:1:27: \\+ does not take a string"),
        ("SELECT * WHERE A FILTER A[x < <<a>>]", "q:1:27: a string is not < a regular expression"),
        ("SELECT * WHERE A FILTER A[x > 9223372036854775808]", "q:1:31: the number .* too large"),
        ("SELECT * WHERE A WITHIN 5 PARSECS", "q:1:25: duration '5 PARSECS': unknown unit"),
        ("SELECT * WHERE A WITHIN 1.5 EVENTS", "measured by a whole number, not 1.5"),
        ("SELECT * WHERE A WITHIN 5 EVENTS 2 SECONDS", "counts events or measures time, not both"),
        ("CREATE STREAM S { EVENT A { x:date } } SELECT * WHERE A", "q:1:31: there is no type"),
        ("CREATE STREAM S { EVENT A { x:int, x:int } } SELECT * WHERE A", "declared twice"),
        ("CREATE STREAM S { EVENT A {}, EVENT A {} } SELECT * WHERE A", "'A' is declared twice"),
        ("SELECT * WHERE " + "(" * 5_000 + "A" + ")" * 5_000 + "+" * 5_000, "nested too deeply"),
    ],
)
def test_errors_name_the_place(text: str, message: str):
    with pytest.raises(QueryError, match=message):
        parse(text, source="q")


def test_declarations_by_either_word():
    text = "STREAM S { EVENT A { x:long, y:float, z:string, w:bool } }"
    declaration = parse_declaration(f"CREATE {text}")
    assert declaration == parse_declaration(f"DECLARE {text}")
    assert [kind for _, kind in declaration.events[0].attributes] == [
        AttributeType.INT, AttributeType.DOUBLE, AttributeType.STRING, AttributeType.BOOLEAN
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT NONE WHERE A WITHIN 0 SECONDS",
        "SELECT STRICT x[`a b`] FROM S WHERE (A OR B:+) AS x : NOT(S>C FILTER S>C[a > 1] FILTER"
        " S>C[b = 'x''']) CONSUME BY ANY",
        "SELECT * WHERE A AS a ; (B AS b) AS c FILTER NOT (a[x = 1] OR b[x = 1])"
        " AND (c[(x = 1 OR y = 1) AND z = 1])",
        "SELECT * WHERE A AS a FILTER a[-(-x) - (y - z) * (1 / 2) % 3 > -(x + 1)]",
        "SELECT * WHERE A AS a FILTER a[x IN RANGE (1, y + 1)] LIMIT 0",
        "SELECT * WHERE A WITHIN 90061 SECONDS",
    ],
)
def test_what_is_printed_is_parsed_again(text: str):
    query = parse(text)
    assert parse(to_text(query)) == query
