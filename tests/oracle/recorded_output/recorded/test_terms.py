"""Terms as engines write them, and which of them are the same answer."""

import pytest
from rdflib.term import BNode, URIRef

from denota.oracle.recorded_output.values import Comparer, foreign_term
from denota.oracle.results.json_objects import ResultError
from denota.semantics.model.terms import literal

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("written", "term"),
    [
        ({"type": "uri", "value": "http://example.org/a"}, URIRef("http://example.org/a")),
        ({"type": "iri", "value": "<http://example.org/a>"}, URIRef("http://example.org/a")),
        ({"type": "bnode", "value": "_:b0"}, BNode("b0")),
        ({"type": "literal", "value": "43", "datatype": f"{XSD}double"},
         literal("43", f"{XSD}double")),
        ({"type": "typed-literal", "value": "43", "datatype": "xsd:double"},
         literal("43", f"{XSD}double")),
        ({"type": "literal", "value": '"81.0"^^xsd:float'}, literal("81.0", f"{XSD}float")),
        ({"type": "literal", "value": f"81.0^^{XSD}float"}, literal("81.0", f"{XSD}float")),
        ({"type": "literal", "value": '"81"', "datatype": f"{XSD}integer"},
         literal("81", f"{XSD}integer")),
        ({"type": "literal", "value": "warm", "xml:lang": "en"}, literal("warm", None, "en")),
        ({"type": "literal", "value": "http://example.org/a"}, literal("http://example.org/a")),
        ({"type": "literal", "value": "null"}, literal("null")),
        ({"value": "http://example.org/a"}, URIRef("http://example.org/a")),
        ({"value": "81"}, literal("81")),
        ({"value": 81}, literal("81", f"{XSD}integer")),
        ({"type": "literal", "value": 8.5}, literal("8.5", f"{XSD}double")),
        ({"type": "literal", "value": None}, None),
        (None, None),
        (81, literal("81", f"{XSD}integer")),
        (True, literal("true", f"{XSD}boolean")),
        ("<http://example.org/a>", URIRef("http://example.org/a")),
        ("http://example.org/a", URIRef("http://example.org/a")),
        ("_:b0", BNode("b0")),
        (f'"43"^^<{XSD}double>', literal("43", f"{XSD}double")),
        ('"warm"@en', literal("warm", None, "en")),
        ('"warm"', literal("warm")),
        ("a day: warm", literal("a day: warm")),
        ("5 ^^ 6", literal("5 ^^ 6")),
    ],
)
def test_terms_as_engines_write_them(written, term):
    assert foreign_term(written) == term
    assert type(foreign_term(written)) is type(term)


@pytest.mark.parametrize("written", [[1], {"type": "picture", "value": "x"}])
def test_what_is_no_term_is_said(written):
    with pytest.raises(ResultError):
        foreign_term(written)


def same(one, other, recorded=()):
    comparer = Comparer([*recorded, other])
    return comparer.key(one) == comparer.key(other)


def number(lexical, datatype="double"):
    return literal(lexical, f"{XSD}{datatype}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (number("43"), number("43", "integer")),
        (number("43.0"), number("4.3e1")),
        (number("90.0e0"), number("90.", "decimal")),
        (number("87.66666666666667"), number("87.666666666666666666666666", "decimal")),
        (number("0", "integer"), number("-0.0e0")),
        (number("INF"), number("INF", "float")),
        (BNode("a"), BNode("b")),
    ],
)
def test_the_same_answer(one, other):
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (number("43"), literal("43")),
        (number("43"), URIRef("43")),
        (number("43"), number("43.0001")),
        (number("10000000001", "integer"), number("10000000002", "integer")),
        (number("10000000001"), number("10000000002")),
        (URIRef("http://example.org/1"), URIRef("http://example.org/01")),
        (URIRef("http://example.org/s81"), URIRef("http://example.org/t81")),
        (literal("a"), literal("a", None, "en")),
        (literal("null"), number("0", "integer")),
        (literal("1", f"{XSD}boolean"), number("1", "integer")),
        (number("warm", "integer"), number("cold", "integer")),
        (BNode("a"), URIRef("a")),
    ],
)
def test_not_the_same_answer(one, other):
    assert not same(one, other)
    assert not same(other, one)


def test_a_number_between_two_recorded_ones_is_the_nearer_one():
    low, high = number("1.0"), number("1.0000000015")
    comparer = Comparer([low, high])
    assert comparer.key(number("1.0000000014")) == comparer.key(high)
    assert comparer.key(number("1.0000000001")) == comparer.key(low)
    assert comparer.key(low) != comparer.key(high)
