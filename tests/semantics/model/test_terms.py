"""Terms keep what the document says."""

from __future__ import annotations

import pickle

import pytest
from rdflib.term import Literal, URIRef

from denota.semantics.model.terms import literal

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        ("01", XSD + "integer"),
        ("abc", XSD + "integer"),
        ("9" * 5000, XSD + "integer"),
        (" a  b ", XSD + "token"),
        ("2026-13-01T00:00:00Z", XSD + "dateTime"),
        ("<a", RDF + "XMLLiteral"),
    ],
)
def test_the_lexical_form_survives_construction_and_pickling(
    lexical: str, datatype: str, caplog: pytest.LogCaptureFixture
) -> None:
    term = literal(lexical, datatype)
    again = pickle.loads(pickle.dumps(term))
    assert (str(term), term.datatype) == (lexical, URIRef(datatype))
    assert (str(again), again.datatype, again == term) == (lexical, URIRef(datatype), True)
    assert not caplog.records  # rdflib's own constructor logs a traceback for an ill-typed literal


def test_a_literal_is_the_term_that_rdflib_means() -> None:
    one = Literal("1", datatype=URIRef(XSD + "integer"))
    assert literal("1", XSD + "integer") == one
    assert hash(literal("1", XSD + "integer")) == hash(one)
    assert literal("01", XSD + "integer") != one


def test_a_string_with_and_without_its_datatype_is_one_term() -> None:
    assert literal("a", XSD + "string") == literal("a") == Literal("a")


def test_language_tags_do_not_distinguish_case() -> None:
    assert literal("a", language="en-GB") == literal("a", language="EN-gb")


def test_a_literal_prints_on_one_line() -> None:
    assert literal('a\n"b"\\', language="en").n3() == r'"a\n\"b\"\\"@en'
