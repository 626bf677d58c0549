"""The built-in functions of SPARQL 1.1 Query, 17.4, section by section, and the casts of 17.5."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from rdflib.term import BNode, Variable

from denota.semantics.model.terms import Dataset, literal
from denota.semantics.rdf.evaluation import evaluate
from denota.semantics.rdf.expressions.context import Context, Execution
from denota.semantics.rdf.expressions.functions import FUNCTIONS
from denota.semantics.rdf.queries import SelectResult, evaluate_query
from denota.semantics.rdf.syntax.parse import parse_group, parse_query

Value = Callable[..., str]
MOMENT = '"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime'


@pytest.mark.parametrize("expression, expected", [
    # 17.4.1
    ("sameTerm(1, 1.0)", "false"), ("sameTerm(:a, :a)", "true"), ("sameTerm(1/0, 1)", "error"),
    # 17.4.2
    ("isIRI(:a)", "true"), ("isURI(1)", "false"), ("isBlank(BNODE())", "true"),
    ("isLiteral(1)", "true"), ("isLiteral(:a)", "false"), ("isNumeric(1)", "true"),
    ('isNumeric("1")', "false"), ('isNumeric("x"^^xsd:integer)', "false"),
    ('isNumeric("1200"^^xsd:byte)', "false"), ("isNumeric(:a)", "false"),
    ("STR(:a)", '"http://e/a"'), ('STR("a"@en)', '"a"'), ('STR("01"^^xsd:integer)', '"01"'),
    ("STR(BNODE())", "error"), ('LANG("a"@en-GB)', '"en-gb"'), ("LANG(1)", '""'),
    ("LANG(:a)", "error"), ("DATATYPE(1)", "<xsd:integer>"), ('DATATYPE("a")', "<xsd:string>"),
    ('DATATYPE("a"@en)', "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"),
    ("DATATYPE(:a)", "error"), ('IRI("u:x")', "<u:x>"), ("IRI(:a)", "<http://e/a>"),
    ('IRI("a b")', "error"), ('IRI("x")', "error"), ("URI(1)", "error"),
    ('STRDT("1", xsd:integer)', "1"), ('STRDT("1"@en, xsd:integer)', "error"),
    ('STRDT("1", "x")', "error"), ('STRLANG("a", "en")', '"a"@en'), ('STRLANG("a", "")', "error"),
    ("STRLANG(1, 'en')", "error"),
    # 17.4.3
    ('STRLEN("a\\u0301𝔸")', "3"), ('STRLEN("ab"@en)', "2"), ("STRLEN(1)", "error"),
    ('SUBSTR("foobar", 4)', '"bar"'), ('SUBSTR("foobar"@en, 4, 1)', '"b"@en'),
    ('SUBSTR("foobar", 0, 3)', '"fo"'), ('SUBSTR("foobar", -5)', '"foobar"'),
    ('SUBSTR("foobar", 9)', '""'), ('SUBSTR("foobar", 2, -1)', '""'),
    ('SUBSTR("foobar", 2.0)', "error"), ('SUBSTR("𝔸b", 2, 1)', '"b"'),
    ('UCASE("straße"@de)', '"STRASSE"@de'), ('LCASE("ÀB")', '"àb"'), ("UCASE(:a)", "error"),
    ('STRSTARTS("foobar", "foo")', "true"), ('STRSTARTS("foobar"@en, "foo")', "true"),
    ('STRSTARTS("foobar"@en, "foo"@en)', "true"), ('STRSTARTS("foobar", "foo"@en)', "error"),
    ('STRSTARTS("foobar"@en, "foo"@fr)', "error"), ('STRENDS("foobar", "bar")', "true"),
    ('CONTAINS("foobar", "ob")', "true"), ('CONTAINS("a", "")', "true"),
    ('STRBEFORE("abc", "b")', '"a"'), ('STRBEFORE("abc"@en, "bc")', '"a"@en'),
    ('STRBEFORE("abc"@en, "b"@cy)', "error"), ('STRBEFORE("abc"@en, "z")', '""'),
    ('STRBEFORE("abc"@en, ""@en)', '""@en'), ('STRBEFORE("abc", "")', '""'),
    ('STRAFTER("abc"@en, "ab")', '"c"@en'), ('STRAFTER("abc"@en, "z")', '""'),
    ('STRAFTER("abc"@en, "")', '"abc"@en'), ('STRAFTER("abc", "b"@en)', "error"),
    ('ENCODE_FOR_URI("Los Angeles/~ü"@en)', '"Los%20Angeles%2F~%C3%BC"'),
    ('CONCAT("a"@en, "b"@en)', '"ab"@en'), ('CONCAT("a"@en, "b")', '"ab"'), ("CONCAT()", '""'),
    ('CONCAT("a", 1)', "error"), ('LANGMATCHES("en-GB", "EN")', "true"),
    ('LANGMATCHES("eng", "en")', "false"), ('LANGMATCHES("en", "*")', "true"),
    ('LANGMATCHES("", "*")', "false"), ('LANGMATCHES("en", "en-GB")', "false"),
    ('REGEX("Alice"@en, "^ali", "i")', "true"), ('REGEX("a", "[")', "error"),
    ('REGEX("a", "a", "k")', "error"), ("REGEX(1, '1')", "error"),
    ('REPLACE("abcd"@en, "b", "Z")', '"aZcd"@en'), ('REPLACE("abab", "B", "Z", "i")', '"aZaZ"'),
    ('REPLACE("abc", "(b)(c)?", "[$1$2]")', '"a[bc]"'), ('REPLACE("abc", "x*", "-")', "error"),
    ('REPLACE("a.b", ".", "-", "q")', '"a-b"'), ('REPLACE("abc", "b", "$")', "error"),
    ('REPLACE("abcd", "(ab)|(a)", "[1=$1][2=$2]")', '"[1=ab][2=]cd"'),
    ('REPLACE("darted", "^(.*?)d(.*)$", "$1c$2")', '"carted"'),
    # 17.4.4
    ("ABS(-2.5)", "2.5"), ("ABS(-2e0)", "2.0E0"), ('ABS("x")', "error"),
    ("ROUND(2.4999)", '"2"^^<xsd:decimal>'), ("ROUND(2.5)", '"3"^^<xsd:decimal>'),
    ("ROUND(-2.5)", '"-2"^^<xsd:decimal>'), ("ROUND(-2.5e0)", "-2.0E0"), ("ROUND(3)", "3"),
    ("ROUND(0.49999999999999994e0)", "0.0E0"), ("ROUND(-0.2e0)", "-0.0E0"),
    ('ROUND("INF"^^xsd:double)', '"INF"^^<xsd:double>'),
    ('ROUND("2.5"^^xsd:float)', '"3.0E0"^^<xsd:float>'),
    ("CEIL(10.5)", '"11"^^<xsd:decimal>'), ("CEIL(-10.5)", '"-10"^^<xsd:decimal>'),
    ("CEIL(-0.5e0)", "-0.0E0"), ("FLOOR(10.5)", '"10"^^<xsd:decimal>'),
    ("FLOOR(-10.5e0)", "-1.1E1"),
    ("FLOOR(7)", "7"),
    # 17.4.5
    (f"YEAR({MOMENT})", "2011"), (f"MONTH({MOMENT})", "1"), (f"DAY({MOMENT})", "10"),
    (f"HOURS({MOMENT})", "14"), (f"MINUTES({MOMENT})", "45"), (f"SECONDS({MOMENT})", "13.815"),
    (f"TIMEZONE({MOMENT})", '"-PT5H"^^<xsd:dayTimeDuration>'), (f"TZ({MOMENT})", '"-05:00"'),
    ('TIMEZONE("2011-01-10T00:00:00Z"^^xsd:dateTime)', '"PT0S"^^<xsd:dayTimeDuration>'),
    ('TIMEZONE("2011-01-10T00:00:00"^^xsd:dateTime)', "error"),
    ('TZ("2011-01-10T00:00:00Z"^^xsd:dateTime)', '"Z"'),
    ('TZ("2011-01-10T00:00:00+00:00"^^xsd:dateTime)', '"+00:00"'),
    ('TZ("2011-01-10T00:00:00"^^xsd:dateTime)', '""'), ('YEAR("2011"^^xsd:gYear)', "error"),
    ('YEAR("2011-02-30T00:00:00"^^xsd:dateTime)', "error"),
    # 17.4.6
    ('MD5("abc")', '"900150983cd24fb0d6963f7d28e17f72"'),
    ('SHA1("abc")', '"a9993e364706816aba3e25717850c26c9cd0d89d"'), ('SHA256("a"@en)', "error"),
])
def test_a_function(value: Value, expression: str, expected: str) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize("expression, expected", [
    ("xsd:string(:a)", '"http://e/a"'), ("xsd:string(1.0)", '"1"'), ("xsd:string(1e0)", '"1"'),
    ("xsd:string(1e7)", '"1.0E7"'), ("xsd:string(0.00001e0)", '"0.00001"'),
    ('xsd:string("1"^^xsd:boolean)', '"true"'), ('xsd:string("x"@en)', "error"),
    ("xsd:string(BNODE())", "error"),
    ('xsd:boolean("1")', "true"), ('xsd:boolean("yes")', "error"), ("xsd:boolean(0.0)", "false"),
    ('xsd:boolean("NaN"^^xsd:double)', "false"), ("xsd:boolean(:a)", "error"),
    ("xsd:integer(-1.9)", "-1"), ("xsd:integer(1e20)", "100000000000000000000"),
    ('xsd:integer("INF"^^xsd:float)', "error"), ('xsd:integer(" 7 ")', "7"),
    ('xsd:integer("7.0")', "error"), ("xsd:integer(true)", "1"),
    ('xsd:integer("x"^^xsd:byte)', "error"),
    ('xsd:decimal("1e0")', "error"),
    ("xsd:decimal(1e-1 - 0.09999e0)", "0.000010000000000010000889005823410116136074066162109375"),
    ("xsd:decimal(true)", '"1"^^<xsd:decimal>'),
    ("xsd:decimal(5)", '"5"^^<xsd:decimal>'),
    ('xsd:float("0.1")', '"1.0E-1"^^<xsd:float>'),
    ("xsd:float(16777217)", '"1.6777216E7"^^<xsd:float>'),
    ('xsd:float(1e300)', '"INF"^^<xsd:float>'), ("xsd:double(1)", "1.0E0"),
    ('xsd:double("-INF")', '"-INF"^^<xsd:double>'),
    ('xsd:double("0.1"^^xsd:float)', "1.0000000149011612E-1"),
    ('xsd:double("abc")', "error"), ("xsd:double(false)", "0.0E0"),
    ('xsd:dateTime("2020-01-01T00:00:00Z")', '"2020-01-01T00:00:00Z"^^<xsd:dateTime>'),
    ('xsd:dateTime("2020-01-01")', "error"), ("xsd:dateTime(1)", "error"),
    ("xsd:integer()", "error"), ("xsd:integer(1, 2)", "error"), ("xsd:integer(?u)", "error"),
])
def test_a_cast(value: Value, expression: str, expected: str) -> None:
    assert value(expression) == expected


def test_now_is_one_moment_for_a_whole_execution() -> None:
    result = evaluate_query(
        parse_query("SELECT (NOW() AS ?a) (NOW() AS ?b) (DATATYPE(NOW()) AS ?c) {}"), Dataset()
    )
    assert isinstance(result, SelectResult)
    (mu,) = result.solutions
    assert mu[Variable("a")] == mu[Variable("b")]
    assert str(mu[Variable("c")]).endswith("#dateTime")


def test_a_labelled_blank_node_is_one_node_a_solution() -> None:
    omega = evaluate(
        parse_group('{ VALUES ?x { 1 2 } BIND(BNODE("l") AS ?a) BIND(BNODE("l") AS ?b) '
                    'BIND(BNODE("m") AS ?c) BIND(BNODE() AS ?d) }'),
        Dataset(),
    )
    a, b, c, d = (Variable(name) for name in "abcd")
    assert all(mu[a] == mu[b] for mu in omega)
    nodes = {mu[v] for mu in omega for v in (a, c, d)}
    assert len(nodes) == 6
    assert all(isinstance(node, BNode) for node in nodes)


def test_relative_iris_are_resolved_against_the_base_of_the_query() -> None:
    query = parse_query('BASE <http://b/x/> SELECT (IRI("../y") AS ?r) {}')
    result = evaluate_query(query, Dataset())
    assert isinstance(result, SelectResult)
    assert str(result.solutions[0][Variable("r")]) == "http://b/y"


def test_random_functions() -> None:
    context = Context(Execution())
    assert re.fullmatch(r"[0-9.Ee-]+", str(FUNCTIONS["RAND"](context)))
    identifier = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    assert re.fullmatch(f"urn:uuid:{identifier}", str(FUNCTIONS["UUID"](context)))
    assert re.fullmatch(identifier, str(FUNCTIONS["STRUUID"](context)))
    assert FUNCTIONS["UUID"](context) != FUNCTIONS["UUID"](context)
    assert FUNCTIONS["LANG"](context, literal("a")) == literal("")
