"""Background graphs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from rdflib.term import BNode, URIRef

from denota.semantics.model.errors import StreamError
from denota.semantics.model.terms import Term, literal
from denota.semantics.streams.rdf.graphs import parse_graph, read_graph

A, B, C = (URIRef(f"http://example.org/{name}") for name in "abc")
ABC = frozenset({(A, B, C)})
N_TRIPLES = "<http://example.org/a> <http://example.org/b> <http://example.org/c> .\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.ttl", "@prefix : <http://example.org/> . :a :b :c ."),
        ("g.nt", N_TRIPLES),
        (
            "g.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
            ' xmlns="http://example.org/"><rdf:Description rdf:about="http://example.org/a">'
            '<b rdf:resource="http://example.org/c"/></rdf:Description></rdf:RDF>',
        ),
        (
            "g.jsonld",
            '{"@id":"http://example.org/a","http://example.org/b":{"@id":"http://example.org/c"}}',
        ),
    ],
)
def test_a_graph_is_read_by_its_suffix(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert read_graph(tmp_path / name) == read_graph(tmp_path / f"{name}.gz") == ABC


def test_prefixes_are_predeclared() -> None:
    assert parse_graph(':a :b "1"^^xsd:int, prov:x .', {"": "http://example.org/"}) == {
        (A, B, literal("1", "http://www.w3.org/2001/XMLSchema#int")),
        (A, B, URIRef("http://www.w3.org/ns/prov#x")),
    }


def test_blank_nodes_belong_to_their_document() -> None:
    text = "@prefix : <http://example.org/> . _:x :b [ ] ."
    assert parse_graph(text, scope="kb") == {(BNode("kb_x"), B, BNode("kb-0"))}
    assert parse_graph(text) != parse_graph(text)


def test_an_empty_json_ld_graph_is_empty() -> None:
    assert parse_graph('{"@context":{},"@graph":[]}', format="jsonld") == frozenset()


@pytest.mark.parametrize(
    ("context", "value", "expected"),
    [
        ('"@direction": "rtl"', '"c"', literal("c")),
        ('"@direction": "rtl", "@language": "ar-EG"', '"c"', literal("c", language="ar-eg")),
        ('"b": {"@id": "http://example.org/b", "@direction": "ltr", "@language": "en"}', '"c"',
         literal("c", language="en")),
        ('"@language": "en"', '{"@value": "c", "@direction": "ltr"}', literal("c")),
        ("", '{"@value": "c", "@language": "en", "@direction": "rtl"}',
         literal("c", language="en")),
    ],
)
def test_json_ld_directions_are_dropped(context: str, value: str, expected: Term) -> None:
    text = (
        f'{{"@context": [{{"b": "http://example.org/b"}}, {{{context}}}],'
        f' "@id": "http://example.org/a", "b": {value}}}'
    )
    assert parse_graph(text, format="jsonld") == {(A, B, expected)}


def test_a_direction_in_turtle_is_rdf_1_2() -> None:
    with pytest.raises(StreamError, match=r"RDF 1\.2, expected RDF 1\.1"):
        parse_graph('<x:a> <x:b> "c"@ar--rtl .')


def test_a_base_keeps_its_dot_segments() -> None:
    """docs/cases.md names this difference from the W3C's tests."""
    text = '{"@context": {"@base": "http://example.org/./x/"}, "@id": "a", "x:b": "c"}'
    [(subject, _, _)] = parse_graph(text, format="jsonld")
    assert str(subject) == "http://example.org/./x/a"


def test_a_named_graph_is_an_error() -> None:
    text = '{"@id":"http://example.org/g","@graph":[{"@id":"http://example.org/a","x:b":1}]}'
    with pytest.raises(StreamError, match=r"^kb:1: expected one graph"):
        parse_graph(text, format="jsonld", source="kb")


def test_a_file_of_several_graphs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match=r"several graphs.*\.ttl"):
        read_graph(tmp_path / "kb.trig")


def test_errors_have_a_place() -> None:
    with pytest.raises(StreamError, match=r"^kb:2:1: The prefix p: has not been declared"):
        parse_graph("\np:a p:b p:c .", source="kb")


def test_a_prefix_that_cannot_be_declared_is_named() -> None:
    with pytest.raises(StreamError, match="'e:' stands for 'not an IRI'"):
        parse_graph("", {"e": "not an IRI"})
