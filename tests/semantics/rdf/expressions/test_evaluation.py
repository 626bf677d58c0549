"""Expressions: operators, effective boolean values and errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rdflib.term import URIRef, Variable

from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Dataset, Graph, literal
from denota.semantics.rdf.evaluation import Evaluation
from denota.semantics.rdf.expressions.context import Context
from denota.semantics.rdf.expressions.evaluation import (
    ExpressionError,
    evaluate,
    holds,
    is_true,
)
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Comparison, Expression, Filter

Value = Callable[..., str]
NAN = '"NaN"^^xsd:double'
Z = '"2020-01-01T00:00:00Z"^^xsd:dateTime'
PLUS_1 = '"2020-01-01T01:00:00+01:00"^^xsd:dateTime'
LOCAL = '"2020-01-01T00:00:00"^^xsd:dateTime'


@pytest.mark.parametrize("expression, expected", [
    # numbers, promoted to the more general type
    ("1 = 01.0", "true"), ("0.1 = 1e-1", "true"), ('1 = "1"^^xsd:byte', "true"),
    ('"01"^^xsd:integer = 1', "true"), ('sameTerm("01"^^xsd:integer, 1)', "false"),
    ('"0.1"^^xsd:float = 0.1e0', "false"), ('"0.1"^^xsd:float = 0.1', "true"),
    ("9007199254740993 = 9007199254740992", "false"),
    ("9007199254740993 = 9007199254740992e0", "true"),
    ("123456789012345678901234567890 < 123456789012345678901234567891", "true"),
    # NaN
    (f"{NAN} = {NAN}", "false"), (f"{NAN} != {NAN}", "true"), (f"{NAN} < 2", "false"),
    (f"2 < {NAN}", "false"), (f"{NAN} >= 2.5", "false"), (f"!({NAN} < 2)", "true"),
    (f"{NAN} = 1.5", "false"), (f"{NAN} <= {NAN}", "false"),
    ('"INF"^^xsd:double > 1', "true"), ("-0e0 = 0e0", "true"),
    # strings, by code point
    ('"a" < "b"', "true"), ('"Z" < "a"', "true"), ('"a" = "a"^^xsd:string', "true"),
    ('"a"@en = "a"@EN', "true"), ('"a"@en = "a"@fr', "false"), ('"a"@en != "a"', "true"),
    ('"a"@en < "b"@en', "error"),
    # truth values
    ('true = "1"^^xsd:boolean', "true"), ("false < true", "true"), ("true < true", "false"),
    # moments
    (f"{Z} = {PLUS_1}", "true"), (f"{Z} < {PLUS_1}", "false"), (f"{Z} <= {PLUS_1}", "true"),
    (f"{Z} = {LOCAL}", "error"), (f'{LOCAL} < "2020-01-02T00:00:00Z"^^xsd:dateTime', "true"),
    (f'{LOCAL} != "2020-01-02T00:00:00Z"^^xsd:dateTime', "true"),
    (f'{Z} != "2020-01-01"^^xsd:date', "true"), (f'{Z} < "2020-01-02"^^xsd:date', "error"),
    # what may or may not be the same
    ('1 = "a"', "error"), ('1 != "a"', "error"), ('!(1 = "a")', "error"),
    ('!(1 < "a")', "error"), ('"x"^^xsd:integer = 1', "error"), ('"x"^^xsd:integer != 1', "error"),
    ('"x"^^xsd:integer = "x"^^xsd:integer', "true"), ('"x"^^<u:t> = "x"^^<u:t>', "true"),
    ('"x"^^<u:t> = "y"^^<u:t>', "error"), ('"x"^^<u:t> = "x"@en', "false"), ("true = 1", "error"),
    # other terms
    (":a = :a", "true"), (":a != :b", "true"), (':a = "a"', "false"), (":a < :b", "error"),
    ("?unbound = 1", "error"),
])
def test_comparisons(value: Value, expression: str, expected: str) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize("expression, expected", [
    ("1 + 2", "3"), ("7 / 2", "3.5"), ("6 / 2", '"3"^^<xsd:decimal>'),
    ("2 * 1.50", '"3"^^<xsd:decimal>'),
    ("1 / 3", "0.333333333333333333"), ("2 / 3.0", "0.666666666666666667"),
    ("1 / 8", "0.125"), ("1 / 0", "error"), ("1.0 / 0", "error"),
    ("1e0 / 0", '"INF"^^<xsd:double>'),
    ("-1 / 0e0", '"-INF"^^<xsd:double>'), ("0e0 / 0", '"NaN"^^<xsd:double>'),
    ('"1"^^xsd:float / 3', '"3.3333334E-1"^^<xsd:float>'),
    ('"1"^^xsd:float + 1e0', "2.0E0"), ('"1"^^xsd:float * 2.5', '"2.5E0"^^<xsd:float>'),
    ("99999999999999999999 * 99999999999999999999", "9999999999999999999800000000000000000001"),
    ("0.1 + 0.2", "0.3"), ("0.1e0 + 0.2e0", "3.0000000000000004E-1"),
    ("1e308 * 10", '"INF"^^<xsd:double>'),
    ('"3"^^xsd:byte + "4"^^xsd:short', "7"), ('"x"^^xsd:integer + 1', "error"),
    ('"1" + 1', "error"), (":a + 1", "error"), ("-(3)", "-3"), ('+"a"', "error"), ('-"x"', "error"),
    ("1 - 2 - 3", "-4"), ("1 -2", "-1"), ("1 -2 * 3", "-5"), ("1+2*3", "7"),
    ("8 / 2 / 2", '"2"^^<xsd:decimal>'),
    ("-2 + 5", "3"), ("(1 + 2) * 3", "9"),
    ('1 + "1"^^<http://www.w3.org/2001/XMLSchema#integer>+1', "3"),
])
def test_arithmetic(value: Value, expression: str, expected: str) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize("expression, expected", [
    ("true || 1/0", "true"), ("1/0 || true", "true"), ("false || 1/0", "error"),
    ("false && 1/0", "false"), ("1/0 && false", "false"), ("true && 1/0", "error"),
    ("1/0 || 1/0", "error"), ("!(1/0)", "error"), ("false || false || true", "true"),
    ("1/0 && true && false", "false"),
    ("1 IN (2, 1)", "true"), ("1 IN (1/0, 1)", "true"), ("1 IN (1/0, 2)", "error"),
    ("1 IN ()", "false"), ("1 NOT IN ()", "true"), ("1 NOT IN (2, 3)", "true"),
    ("1 NOT IN (1/0, 2)", "error"), ("(1/0) IN ()", "error"),
    ("IF(true, 1, 1/0)", "1"), ("IF(1/0, 1, 2)", "error"), ('IF("", 1, 2)', "2"),
    ("COALESCE(1/0, ?u, 3, 4)", "3"), ("COALESCE(1/0)", "error"), ("COALESCE()", "error"),
    ("BOUND(?u)", "false"), ("BOUND(?x)", "true"), ("?x", "1"), ("?u", "error"),
    ("<urn:function>(1)", "error"), ("EXISTS {}", "error"),
])
def test_functional_forms(value: Value, expression: str, expected: str) -> None:
    assert value(expression, x="1") == expected


@pytest.mark.parametrize("term, expected", [
    ("true", "true"), ('"0"^^xsd:boolean', "false"), ('"x"^^xsd:boolean', "false"),
    ("0", "false"), ("0.0", "false"), ("-1", "true"), ("0e0", "false"), (NAN, "false"),
    ('"NaN"^^xsd:float', "false"), ('"x"^^xsd:integer', "false"), ('"x"^^xsd:double', "false"),
    ('""', "false"), ('"false"', "true"), ('""@en', "false"), ('"a"@en', "true"),
    (":a", "error"), (Z, "error"), ('"x"^^<u:t>', "error"), ("?u", "error"),
])
def test_the_effective_boolean_value(value: Value, term: str, expected: str) -> None:
    assert value(f"{term} && true") == expected


def _filter(text: str) -> Expression:
    element = parse_group(f"{{ FILTER({text}) }}").elements[0]
    assert isinstance(element, Filter)
    return element.condition


def test_errors_are_false_in_a_filter() -> None:
    mu = SolutionMapping({Variable("x"): literal("1")})
    assert not holds(_filter("?x + 1 = 2"), mu)
    assert not holds(_filter("!(?x + 1 = 2)"), mu)
    assert not holds(_filter("?y = ?y"), mu)
    assert holds(_filter("?x = ?x"), mu)


def test_a_collected_value_is_a_type_error_but_bound() -> None:
    mu = SolutionMapping({Variable("x"): (literal("1"), literal("2"))})
    assert not holds(_filter("?x = ?x"), mu)
    assert holds(_filter("BOUND(?x)"), mu)
    with pytest.raises(ExpressionError, match="collected"):
        evaluate(Variable("x"), mu, Context())


def test_exists_looks_at_the_graph_that_is_given(graph: Callable[[str], Graph]) -> None:
    condition = _filter("EXISTS { ?x <http://e/p> ?y }")
    mu = SolutionMapping({Variable("x"): URIRef("http://e/a")})
    data = graph(":a :p 1 .")
    elsewhere = Evaluation(Dataset(data), graph(":b :p 1 ."))
    assert is_true(condition, mu, Evaluation(Dataset(data), data).context())
    assert not is_true(condition, mu, elsewhere.context())
    assert not holds(condition, mu)


def test_an_error_says_what_is_wrong() -> None:
    with pytest.raises(ExpressionError, match=r'^1 and "a" are not comparable$'):
        evaluate(
            Comparison("=", literal("1", "http://www.w3.org/2001/XMLSchema#integer"), literal("a")),
            SolutionMapping(), Context(),
        )
