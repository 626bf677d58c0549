"""Texts to trees: what is read, what is refused, and where the error is said to be."""

from __future__ import annotations

import pytest

from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.printing import to_text
from denota.semantics.epsparql.syntax.tree import Operator, TemporalPattern
from denota.semantics.model.errors import QueryError
from denota.semantics.model.terms import literal
from denota.semantics.rdf.syntax.tree import Arithmetic, BuiltIn, UnionPattern

A, B, C = ("{ ?x <urn:p> 1 }", "{ ?x <urn:q> 2 }", "{ ?x <urn:r> 3 }")


def where(text):
    return parse(f"SELECT * WHERE {text}").select.where


@pytest.mark.parametrize("operator", list(Operator))
def test_operators_in_any_case(operator):
    for word in (operator, operator.lower(), operator.title()):
        (pattern,) = where(f"{A} {word} {B}").elements
        assert isinstance(pattern, TemporalPattern)
        assert pattern.operator is operator


def test_operators_and_union_are_left_associative():
    (pattern,) = where(f"{A} SEQ {B} UNION {C}").elements
    assert type(pattern) is UnionPattern
    (first,) = pattern.alternatives[0].elements
    assert first.operator is Operator.SEQ
    (pattern,) = where(f"{A} UNION {B} UNION {C} OPTIONALSEQ {A}").elements
    assert pattern.operator is Operator.OPTIONALSEQ
    assert len(pattern.left.elements[0].alternatives) == 3


def test_braces_around_where_are_optional():
    assert where(f"{A} SEQ {B} FILTER (?x > 1)") == where(f"{{ {A} SEQ {B} FILTER (?x > 1) }}")
    assert where(A) == where(f"{A}")
    assert where("?x <urn:p> 1 . FILTER (?x > 1)") == where("{ ?x <urn:p> 1 . FILTER (?x > 1) }")


def test_functions_of_the_interval():
    query = parse(f"SELECT (getduration() AS ?d) WHERE {A} FILTER (getEndTime() > 3)")
    assert query.select.projection[0].expression == BuiltIn("GETDURATION", ())
    assert query.select.where.elements[1].condition.left == BuiltIn("GETENDTIME", ())


@pytest.mark.parametrize(
    ("written", "lexical"),
    [("30 MINUTES", "PT30M"), ("10m", "PT10M"), ("PT10M", "PT10M"), ("1.5 h", "PT1H30M"),
     ("P1DT2H", "P1DT2H"), ("2days", "P2D")],
)
def test_durations(written, lexical):
    comparison = where(f"{A} FILTER (getDURATION() < {written})").elements[1].condition
    assert comparison.right == literal(
        lexical, "http://www.w3.org/2001/XMLSchema#dayTimeDuration"
    )


def test_select_expressions_without_brackets():
    text = "SELECT ?a AS ?b + 1 ?c - ?d * 2 / ?e AS ?f ?x WHERE { ?x ?b ?c . ?d ?e ?x }"
    first, second, third = parse(text).select.projection
    assert str(first.variable) == "a"
    assert str(second.variable) == "f"
    assert isinstance(second.expression, Arithmetic)
    assert second.expression.operator == "-"
    assert second.expression.right.operator == "/"
    assert third.expression is None


def test_rules_and_a_select_in_one_text():
    query = parse(
        f"CONSTRUCT {{ ?x <urn:r> 1 }} WHERE {A} ; CONSTRUCT ?x <urn:s> ?x . {B}\n"
        f"PREFIX : <urn:> SELECT ?x FROM STREAM :s FROM STREAM t <urn:t> FROM <urn:g>"
        f" FROM NAMED <urn:h> WHERE {C} ;"
    )
    assert len(query.rules) == 2
    assert [str(clause.iri) for clause in query.streams] == ["urn:s", "urn:t"]
    assert list(map(str, query.dataset.default)) == ["urn:g"]
    assert list(map(str, query.dataset.named)) == ["urn:h"]
    assert parse(to_text(query)) == query


@pytest.mark.parametrize(
    ("text", "form", "projection", "described"),
    [
        (f"ASK {A}", "ASK", (), ()),
        (f"ASK WHERE {A} SEQ {B} FILTER (getDURATION() < 2)", "ASK", (), ()),
        (f"ASK {A} GROUP BY ?x HAVING (COUNT(*) > 1)", "ASK", (), ()),
        ("DESCRIBE <urn:a>", "DESCRIBE", (), ("urn:a",)),
        (f"DESCRIBE <urn:a> ?x {A} SEQ {B} LIMIT 2", "DESCRIBE", ("x",), ("urn:a",)),
        (f"DESCRIBE * FROM STREAM <urn:s> WHERE {A}", "DESCRIBE", None, ()),
    ],
)
def test_ask_and_describe(text, form, projection, described):
    query = parse(text)
    found = query.select.projection
    assert query.form == form
    assert (found and tuple(str(each.variable) for each in found)) == projection
    assert tuple(map(str, query.described)) == described
    assert parse(to_text(query)) == query


def test_values_behind_the_pattern():
    select = parse(f"SELECT (COUNT(?x) AS ?n) WHERE {A} VALUES ?n {{ 1 }}").select
    assert select.values is not None
    assert where(f"{A} VALUES ?x {{ 1 }} {B}").elements[1].rows == ((literal(
        "1", "http://www.w3.org/2001/XMLSchema#integer"),),)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("SELECT * WHERE { ?x ?y ?z SEQ {} }", "SEQ combines two groups", 27),
        (f"SELECT * {A} SELECT * {B}", "one SELECT", 27),
        (f"ASK {A} DESCRIBE <urn:a>", "one SELECT, ASK or DESCRIBE", 27),
        (f"DESCRIBE {A}", "expected", 10),
        (f"SELECT * WHERE {A} SEQ", "expected '{'", 35),
        (f"SELECT ?y (1 AS ?x) WHERE {A}", r"AS cannot name \?x", 1),
        ("CONSTRUCT { ?x <urn:p>+ ?y } WHERE { ?x ?y ?z }", "property path", 13),
        (f"CONSTRUCT WHERE {{ {A} SEQ {B} }}", "nothing but triple patterns", 1),
        (f"SELECT * WHERE {A} FILTER (getDURATION(1) > 2)", "expected", 54),
        ("SELECT * WHERE { ?x :p 1 }", "prefix ':' is not declared", 21),
        (f"SELECT * WHERE {A} FILTER (getDURATION() < 3 SOMETIMES)", "expected", 46),
    ],
)
def test_errors_say_what_and_where(text, message, column):
    with pytest.raises(QueryError, match=message) as raised:
        parse(text)
    assert raised.value.line == 1
    assert abs(raised.value.column - column) <= 20
    assert "\n" not in str(raised.value)


def test_xsd_need_not_be_declared():
    comparison = where(f'{A} FILTER (getDURATION() < "P3D"^^xsd:duration)').elements[1].condition
    assert str(comparison.right.datatype) == "http://www.w3.org/2001/XMLSchema#duration"
    query = parse('PREFIX xsd: <urn:> SELECT * WHERE { ?x ?y "1"^^xsd:int }')
    assert str(query.select.where.elements[0].triples[0].object.datatype) == "urn:int"


def test_a_literal_may_say_where():
    query = parse('SELECT ("a WHERE { b" AS ?y) WHERE { ?x <urn:p> " WHERE " }')
    assert parse(to_text(query)) == query
