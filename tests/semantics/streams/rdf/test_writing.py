"""Writing streams: what a format cannot state is a clear error."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rdflib.term import BNode, URIRef

from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from denota.semantics.model.terms import Term, literal
from denota.semantics.model.time import XSD
from denota.semantics.streams.rdf.graphs import read_graph
from denota.semantics.streams.rdf.reader import parse_items, read_items
from denota.semantics.streams.rdf.writer import stream_text, write_graph, write_stream

A, B, G = (URIRef(f"http://example.org/{name}") for name in "abg")
EXAMPLE = {"": "http://example.org/"}


def of(term: Term, name: URIRef | BNode | None = G) -> TimestampedGraph:
    return TimestampedGraph(1, frozenset({(A, B, term)}), name=name)


def test_trig_is_written_as_a_person_would() -> None:
    items = [
        TimestampedGraph(
            10, frozenset({(A, B, literal("5", XSD + "integer")), (A, B, A), (B, B, A)}), name=G
        ),
        IntervalGraph(0, 1_000_000, frozenset(), TimeKind.DATETIME),
    ]
    assert stream_text(items, prefixes=EXAMPLE, declare=False) == (
        ":g prov:generatedAtTime 10 . :g { :a :b 5 , :a . :b :b :a . }\n"
        '<urn:denota:item:1> prov:startedAtTime "1970-01-01T00:00:00Z"^^xsd:dateTime ;'
        ' prov:endedAtTime "1970-01-01T00:00:01Z"^^xsd:dateTime . <urn:denota:item:1> {  }\n'
    )


def test_the_most_specific_prefix_is_used() -> None:
    prefixes = {"e": "http://example.org/", "f": "http://example.org/f/"}
    text = stream_text([of(URIRef("http://example.org/f/x"))], prefixes=prefixes, declare=False)
    assert "f:x" in text
    assert "e:g" in text


@pytest.mark.parametrize("format", ["trig", "nquads", "jsonld", "jsonl"])
@pytest.mark.parametrize(
    "term", [URIRef("relative"), URIRef("http://e/a b"), URIRef("x:<"), BNode("a b"), BNode("")]
)
def test_what_is_no_term_is_not_written(format: str, term: Term) -> None:
    with pytest.raises(StreamError, match="cannot be written"):
        stream_text([of(term)], format)


def test_half_a_character_is_not_written() -> None:
    with pytest.raises(StreamError, match="cannot be written"):
        stream_text([of(literal("\ud800"))])


def test_two_items_of_one_name_are_refused() -> None:
    with pytest.raises(StreamError, match=r"two items are named <http://example\.org/g>"):
        stream_text([of(A), of(B)])


def test_n_quads_cannot_state_an_empty_graph() -> None:
    empty = TimestampedGraph(1, frozenset(), name=G)
    with pytest.raises(StreamError, match="empty graph"):
        stream_text([empty], "nquads")
    for format in ("trig", "jsonld", "jsonl"):
        assert list(parse_items(stream_text([empty], format), format=format)) == [empty]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_same_stream_gives_the_same_file(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}.trig{suffix}" for name in "ab"]
    for path in paths:
        write_stream([of(A)], path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert list(read_items(paths[0])) == [of(A)]


def test_an_open_file_is_written_to_and_left_open() -> None:
    file = io.BytesIO()
    write_stream([of(A)], file, "nq")
    file.seek(0)
    assert list(read_items(file, format="nq")) == [of(A)]


def test_items_are_written_as_they_come(tmp_path: Path) -> None:
    file = io.BytesIO()
    sizes = []

    def items():  # type: ignore[no-untyped-def]
        for number in range(3):
            sizes.append(file.tell())
            yield of(A, URIRef(f"x:g{number}"))

    write_stream(items(), file, "nq")
    assert sizes[0] == 0 < sizes[1] < sizes[2]


def test_a_background_graph_is_written_as_it_is_read(tmp_path: Path) -> None:
    graph = of(literal('a "b"\n', language="en")).graph | of(A).graph
    write_graph(graph, tmp_path / "kb.nt.gz")
    assert read_graph(tmp_path / "kb.nt.gz") == graph


def test_a_path_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="no such file"):
        write_stream([], tmp_path / "missing" / "s.trig")
