"""ORDER BY: the order of 15.1, made total."""

from __future__ import annotations

from itertools import product

from rdflib.term import BNode, URIRef, Variable

from denota.semantics.model.terms import Dataset, Term, literal
from denota.semantics.rdf.expressions.ordering import compare_terms
from denota.semantics.rdf.queries import SelectResult, evaluate_query
from denota.semantics.rdf.syntax.parse import parse_query

XSD = "http://www.w3.org/2001/XMLSchema#"
IN_ORDER: list[Term | None] = [
    None, BNode("b"), URIRef("urn:a"), URIRef("urn:b"), literal("A"), literal("a"),
    literal("a", language="en"), literal("false", XSD + "boolean"), literal("1", XSD + "boolean"),
    literal("NaN", XSD + "float"), literal("-1", XSD + "integer"), literal("0.5", XSD + "decimal"),
    literal("1e0", XSD + "double"),
    literal("2020-01-01T00:00:00Z", XSD + "dateTime"),
    literal("2020-01-01T00:30:00", XSD + "dateTime"),
    literal("2020-01-01T00:00:00-01:00", XSD + "dateTime"), literal("2020-01-01", XSD + "date"),
    literal("PT1H", XSD + "dayTimeDuration"), literal("x", "urn:t"), literal("y", "urn:t"),
]


def test_terms_stand_in_one_order() -> None:
    for (i, a), (j, b) in product(enumerate(IN_ORDER), repeat=2):
        assert compare_terms(a, b) == (i > j) - (i < j)


def test_numbers_of_one_value_stand_together() -> None:
    assert compare_terms(literal("1", XSD + "integer"), literal("1.0", XSD + "decimal")) == 0


def _ordered(query: str) -> list[list[str]]:
    result = evaluate_query(parse_query(query), Dataset())
    assert isinstance(result, SelectResult)
    return [
        [str(mu[v]) if v in mu else "-" for v in map(Variable, "xy")] for mu in result.solutions
    ]


def test_conditions_from_left_to_right() -> None:
    values = "VALUES (?x ?y) { (1 2) (2 1) (1 UNDEF) (UNDEF 3) (1 1) }"
    assert _ordered(f"SELECT * {{ {values} }} ORDER BY ?x DESC(?y)") == [
        ["-", "3"], ["1", "2"], ["1", "1"], ["1", "-"], ["2", "1"],
    ]
    assert _ordered(f"SELECT * {{ {values} }} ORDER BY DESC(?x + ?y) ?x LIMIT 2 OFFSET 1") == [
        ["2", "1"], ["1", "1"],
    ]


def test_the_sort_is_stable() -> None:
    assert _ordered("SELECT * { VALUES (?x ?y) { (1 3) (1 1) (1 2) } } ORDER BY ?x") == [
        ["1", "3"], ["1", "1"], ["1", "2"],
    ]
