"""Stream files: what is an item, and what is not."""

from __future__ import annotations

import gzip
import io
import os
import threading
import tracemalloc
from functools import partial
from pathlib import Path

import pytest
from rdflib.term import BNode, URIRef

from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from denota.semantics.model.terms import Term, literal
from denota.semantics.model.time import XSD
from denota.semantics.streams.rdf import item_assembly, quads
from denota.semantics.streams.rdf.reader import parse_items, parse_stream, read_items, read_stream
from denota.semantics.streams.rdf.writer import stream_text

EXAMPLE = {"": "http://example.org/"}


def iri(name: str) -> URIRef:
    return URIRef("http://example.org/" + name)


def read(text: str, **options: object) -> list[Item]:
    return list(parse_items(text, prefixes=EXAMPLE, source="s.trig", **options))  # type: ignore[arg-type]


def objects(item: Item) -> set[Term]:
    return {o for _, _, o in item.graph}


ABC = "{ :a :b :c }"


# --- items ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f":g prov:generatedAtTime 10 . :g {ABC}",
        f":g {ABC} :g prov:generatedAtTime 10 .",
        f":g {ABC} :g a prov:Entity ; prov:generatedAtTime 10 .",
        f"GRAPH :g {ABC} :g prov:generatedAtTime 10, 10 .",
        f":g {ABC} :g prov:generatedAtTime 10 . :g {ABC}",
    ],
)
def test_a_graph_and_its_time_stand_in_either_order(text: str) -> None:
    abc = frozenset({(iri("a"), iri("b"), iri("c"))})
    assert read(text) == [TimestampedGraph(10, abc, TimeKind.INTEGER, iri("g"))]


def test_a_datetime_counts_microseconds() -> None:
    text = f':g prov:generatedAtTime "1970-01-01T00:00:01Z"^^xsd:dateTime . :g {ABC}'
    assert [(item.time, item.kind) for item in parse_stream(text, prefixes=EXAMPLE)] == [
        (1_000_000, TimeKind.DATETIME)
    ]


def test_an_interval_has_a_start_and_an_end() -> None:
    text = f":g prov:startedAtTime 2 ; prov:endedAtTime 5 . :g {ABC}"
    assert [(item.start, item.end) for item in read(text) if isinstance(item, IntervalGraph)] == [
        (2, 5)
    ]
    with pytest.raises(StreamError, match="holds over an interval"):
        list(parse_stream(text, prefixes=EXAMPLE))


def test_an_empty_graph_is_an_item() -> None:
    text = (
        ":g1 prov:generatedAtTime 1 . :g1 { }\n"
        "GRAPH <http://example.org/g2> { # nothing } \n } :g2 prov:generatedAtTime 2 .\n"
        f":g3 prov:generatedAtTime 3 . :g3 {ABC}"
    )
    assert [len(item.graph) for item in read(text)] == [0, 0, 1]


def test_an_empty_graph_is_found_after_a_line_that_is_cut_into_pieces() -> None:
    long = ", ".join(f'"a # {{ }} ${number}"' for number in range(20_000))
    text = "".join(
        f":g{t} prov:generatedAtTime {t} . :g{t} {{ :a :b {long} }} "
        f":e{t} prov:generatedAtTime {t} . :e{t} {{ }} "
        for t in range(3)
    )
    assert [len(item.graph) for item in read(text)] == [20_000, 0] * 3


def test_an_empty_graph_in_a_string_is_none() -> None:
    text = f':g1 prov:generatedAtTime 1 ; :a ":g1 {{ }}" . :g2 prov:generatedAtTime 2 . :g2 {ABC}'
    with pytest.raises(StreamError, match="there is no such graph"):
        read(text)


def test_an_empty_document_is_an_empty_stream() -> None:
    assert read("") == []
    assert read("# nothing\n@prefix e: <http://e/> .\n") == []


def test_prov_and_xsd_are_predeclared_and_may_be_redeclared() -> None:
    text = f"@prefix prov: <http://www.w3.org/ns/prov#> . :g prov:generatedAtTime 1 . :g {ABC}"
    assert len(read(text)) == 1


# --- terms ---------------------------------------------------------------------------------------


def test_lexical_forms_and_language_tags_survive() -> None:
    text = f""":g prov:generatedAtTime 1 . :g {{ :a :b
        01, "01"^^xsd:integer, {2**120}, 1.50, 1e5, true, "x"@en-GB, "", "abc"^^xsd:integer,
        "line\\nbreak \\u00e9 \\"q\\"", ' a  b '^^xsd:token, "x"^^xsd:string, "x"^^:own }} """
    integer = XSD + "integer"
    assert objects(read(text)[0]) == {
        literal("01", integer), literal(str(2**120), integer), literal("1.50", XSD + "decimal"),
        literal("1e5", XSD + "double"), literal("true", XSD + "boolean"),
        literal("x", language="en-gb"), literal(""), literal("abc", integer),
        literal('line\nbreak é "q"'), literal(" a  b ", XSD + "token"), literal("x"),
        literal("x", "http://example.org/own"),
    }


def test_odd_iris_survive() -> None:
    odd = ["urn:x:a%20b", "http://example.org/é?x=1&y=(2)#'f'", "mailto:a@b.c", "x:"]
    text = f":g prov:generatedAtTime 1 . :g {{ :a :b {', '.join(f'<{i}>' for i in odd)} }}"
    assert objects(read(text)[0]) == {URIRef(i) for i in odd}


def test_a_blank_node_label_is_one_node_in_one_document() -> None:
    text = f"""_:g prov:generatedAtTime 1 . _:g {{ :a :b _:x }}
               :g2 prov:generatedAtTime 2 . :g2 {{ :a :b _:x, _:{'0123456789abcdef' * 2} }}
               :g3 prov:generatedAtTime 3 . :g3 {{ :a :b _:{'0123456789abcdef' * 2} }}"""
    first, second, third = read(text, scope="doc")
    assert first.name == BNode("doc_g")
    assert objects(first) == {BNode("doc_x")}
    assert objects(second) > objects(first)
    assert objects(third) == objects(second) - objects(first)


def test_a_blank_node_label_is_two_nodes_in_two_documents() -> None:
    text = ":g prov:generatedAtTime 1 . :g { :a :b _:x }"
    assert objects(read(text)[0]).isdisjoint(objects(read(text)[0]))


def test_nodes_without_a_label_are_numbered() -> None:
    text = """:g1 prov:generatedAtTime 1 . :g1 { :a :b [ :c [ :d 1 ] ], [ ] . [ ] :e :f }
              :g2 prov:generatedAtTime 2 . :g2 { :a :b ( 1 ) }"""
    nodes = [t for item in read(text, scope="doc") for triple in item.graph for t in triple]
    assert {t for t in nodes if isinstance(t, BNode)} == {BNode(f"doc-{n}") for n in range(5)}
    assert read(text, scope="doc") == read(text, scope="doc")


# --- errors --------------------------------------------------------------------------------------

ITEM = f":g1 prov:generatedAtTime 1 . :g1 {ABC}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{ITEM}\n:g2 {ABC}", r"^s\.trig:3: graph <http://example\.org/g2> has no time"),
        (f"{ITEM}:g2 prov:generatedAtTime 2 .", r"^s\.trig:2: <.*g2> has a time, but there is no"),
        (f"{ITEM}:g2 {ABC} :g3 prov:generatedAtTime 2 . ", r"^s\.trig:2: graph <.*g2> has no time"),
        (f"{ITEM}:g2 prov:generatedAtTime 2, 3 . :g2 {ABC}", r"^s\.trig:2: graph <.*> has two tim"),
        (
            f"{ITEM}:g2 prov:generatedAtTime 2 ;\n prov:endedAtTime 3 . :g2 {ABC}",
            r"^s\.trig:3: graph <.*> has two times",
        ),
        (f"{ITEM}:g2 prov:startedAtTime 2 . :g2 {ABC}", r"^s\.trig:2: .*without prov:endedAtTime"),
        (
            f":g prov:startedAtTime 2 ;\n prov:endedAtTime 1 . :g {ABC}",
            r"^s\.trig:2: graph <.*> ends before it starts",
        ),
        (
            f"{ITEM}:g2 prov:generatedAtTime 2 . :g2 {ABC}\n:g1 {{ :a :b :d }}",
            r"^s\.trig:3: graph <.*g1> comes back",
        ),
        (
            f"{ITEM}:g2 {ABC}\n:g2 prov:generatedAtTime 0 .",
            r"^s\.trig:3: graph <.*g2> at 0 comes after graph <.*g1> at 1",
        ),
        (
            f'{ITEM}:g2 prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime . :g2 {ABC}',
            r"^s\.trig:2: graph <.*g2> has an xsd:dateTime .* an xsd:integer",
        ),
        (
            f'{ITEM}:g2 {ABC}\n:g2 prov:generatedAtTime "soon"^^xsd:dateTime .',
            r"^s\.trig:3: item 2, graph <.*g2>: 'soon' is not an xsd:dateTime",
        ),
        (
            f'{ITEM}:g2 prov:generatedAtTime "2" . :g2 {ABC}',
            r"^s\.trig:2: item 2, graph <.*g2>: a time is an xsd:date",
        ),
        (":a :b :c .", r"^s\.trig:1: .* all is in the default graph"),
        (f"{ITEM}\n:g2 {{ :a :b 'c }}", r"^s\.trig:3:13: "),
        (f"{ITEM}nope:a", r"^s\.trig:2:1: The prefix nope: has not been declared"),
        (f"{ITEM}:g2 {{ :a :b <c> }}", r"^s\.trig:2:13: No scheme"),
        (f"{ITEM}:g2 {{ :a :b <<( :a :b :c )>> }}", r"^s\.trig:2: .* is RDF 1\.2"),
        (f'{ITEM}:g2 {{ :a :b "c"@ar--rtl }}', r"^s\.trig:2: .* is RDF 1\.2"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(StreamError, match=message) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_what_comes_before_an_error_is_read() -> None:
    items = parse_stream(f"{ITEM}:g2 prov:generatedAtTime 2 . :g2 {ABC} :g3 ", prefixes=EXAMPLE)
    assert next(items).time == 1
    with pytest.raises(StreamError):
        list(items)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.trig", "cannot be read: no such file"),
        ("graph.ttl", r"no named graphs.*\.trig"),
        ("graph.xyz", r"of no known format.*\.nq"),
        ("graph", "of no known format"),
    ],
)
def test_a_file_that_is_no_stream_is_refused_at_once(
    tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(StreamError, match=message):
        read_stream(tmp_path / name)


def test_a_directory_is_no_stream(tmp_path: Path) -> None:
    (tmp_path / "d.trig").mkdir()
    with pytest.raises(StreamError, match="directory"):
        read_stream(tmp_path / "d.trig")


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(StreamError, match="unknown format 'csv'"):
        parse_stream("", format="csv")


@pytest.mark.parametrize("suffix", [".trig", ".nq", ".jsonld", ".jsonl"])
def test_bytes_that_are_not_utf_8_are_a_clear_error(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"s{suffix}"
    path.write_bytes(b'<http://e/a> <http://e/b> "\xff\xfe" <http://e/g> .')
    with pytest.raises(StreamError, match=str(path)):
        list(read_stream(path))


@pytest.mark.parametrize("format", ["trig", "nquads", "jsonld", "jsonl"])
def test_a_byte_order_mark_is_passed_over(format: str) -> None:
    item = TimestampedGraph(1, frozenset({(iri("a"), iri("b"), iri("c"))}), name=iri("g"))
    marked = "\ufeff" + stream_text([item], format)
    assert list(read_items(io.BytesIO(marked.encode()), format=format)) == [item]


def test_lines_may_end_as_on_windows() -> None:
    with pytest.raises(StreamError, match=r"^s\.trig:3: graph <.*g2> has no time"):
        read(f"{ITEM}\n:g2 {ABC}".replace("\n", "\r\n"))


# --- compression ---------------------------------------------------------------------------------

N_QUADS = "".join(
    f'<http://e/g{t}> <http://www.w3.org/ns/prov#generatedAtTime> "{t}"^^<{XSD}integer> .\n'
    f'<http://e/a{t}> <http://e/b> "{hash(str(t))}" <http://e/g{t}> .\n'
    for t in range(2000)
).encode()


def compressed(suffix: str) -> bytes:
    import zstandard

    return gzip.compress(N_QUADS) if suffix == ".gz" else zstandard.compress(N_QUADS)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_are_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"s.nq{suffix}"
    path.write_bytes(compressed(suffix))
    assert sum(1 for _ in read_stream(path)) == 2000


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_several_frames_are_one_file(tmp_path: Path, suffix: str) -> None:
    import zstandard

    half = N_QUADS.index(b"<http://e/g1000>")
    compress = gzip.compress if suffix == ".gz" else zstandard.compress
    path = tmp_path / f"s.nq{suffix}"
    path.write_bytes(compress(N_QUADS[:half]) + compress(N_QUADS[half:]))
    assert sum(1 for _ in read_stream(path)) == 2000


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compressed_file_cut_short_is_an_error(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"s.nq{suffix}"
    path.write_bytes(compressed(suffix)[:-100])
    with pytest.raises(StreamError, match="cannot be read"):
        list(read_stream(path))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_file_that_is_not_compressed_is_an_error(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"s.nq{suffix}"
    path.write_bytes(N_QUADS)
    with pytest.raises(StreamError, match="cannot be read"):
        list(read_stream(path))


# --- as it comes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "lines"),
    [
        (
            "trig",
            [f"<x:g{t}> <{{prov}}> {t} . <x:g{t}> {{{{ <x:a> <x:b> <x:c> }}}}\n" for t in range(3)],
        ),
        (
            "nquads",
            [
                f'<x:g{t}> <{{prov}}> "{t}"^^<{XSD}integer> .\n<x:a> <x:b> <x:c> <x:g{t}> .\n'
                for t in range(3)
            ],
        ),
        (
            "jsonld",
            [
                f'{"," if t else "["}{{{{"@id":"x:g{t}","{{prov}}":{t},"@graph":'
                '[{{"@id":"x:a","x:b":1}}]}}\n'
                for t in range(3)
            ],
        ),
        (
            "jsonld",
            [
                ("," if t else '{{"@context":{{"p":"x:"}},"@graph":[')
                + f'{{{{"@id":"p:g{t}","{{prov}}":{t},"@graph":[{{{{"@id":"x:a","p:b":1}}}}]}}}}\n'
                for t in range(3)
            ],
        ),
        (
            "jsonl",
            [f'{{{{"{{prov}}":{t},"@graph":[{{{{"@id":"x:a","x:b":1}}}}]}}}}\n' for t in range(3)],
        ),
    ],
)
def test_an_item_is_read_when_the_next_one_begins(format: str, lines: list[str]) -> None:
    reading_end, writing_end = os.pipe()
    with open(reading_end, "rb") as reader, open(writing_end, "wb", buffering=0) as writer:
        items = read_stream(reader, format=format)
        prov = "http://www.w3.org/ns/prov#generatedAtTime"
        for number, line in enumerate(lines):
            writer.write(line.format(prov=prov).encode())
            if number:
                # Would wait for ever if it needed more than what has been written.
                assert next(items).time == number - 1


def test_a_growing_file_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "s.trig"
    item = "<x:g{t}> <http://www.w3.org/ns/prov#generatedAtTime> {t} . <x:g{t}> {{ <x:a> <x:b> 1 }}"
    path.write_text("")
    items = read_stream(path, follow=True)
    seen: list[int] = []
    reader = threading.Thread(
        target=lambda: seen.extend(next(items).time for _ in range(2)), daemon=True
    )
    reader.start()
    with path.open("a") as file:
        for t in range(3):
            text = item.format(t=t)
            file.write(text[:30])
            file.flush()
            file.write(text[30:] + "\n")
            file.flush()
    reader.join(10)
    assert seen == [0, 1]


def test_a_compressed_file_cannot_be_followed(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="cannot be followed"):
        read_stream(tmp_path / "s.trig.gz", follow=True)


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    class Standard:
        buffer = io.BytesIO(N_QUADS)

    monkeypatch.setattr("sys.stdin", Standard())
    assert sum(1 for _ in read_items("-", format="nq")) == 2000


class Endless:
    """Items of new terms, made as they are read."""

    def __init__(self, items: int) -> None:
        self.lines = iter(line for t in range(items) for line in self.item(t))

    def item(self, t: int) -> list[bytes]:
        time = f'<x:g{t}> <http://www.w3.org/ns/prov#generatedAtTime> "{t}"^^<{XSD}integer> .\n'
        return [time.encode(), f'_:b{t} <x:p{t}> "{t}" <x:g{t}> .\n'.encode()]

    def readline(self, size: int = -1, /) -> bytes:
        return next(self.lines, b"")


def test_memory_does_not_grow_with_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    # Caches that a part of the stream fills stand for large ones and millions of items.
    monkeypatch.setattr(quads, "_CACHED_TERMS", 1000)
    monkeypatch.setattr(item_assembly, "RecentNames", partial(item_assembly.RecentNames, 1000))
    monkeypatch.setattr(quads, "literal", literal.__wrapped__)
    peaks = []
    tracemalloc.start()
    try:
        for number, _ in enumerate(read_stream(Endless(10_000), format="nq"), 1):
            if number % 2000 == 0:
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.reset_peak()
    finally:
        tracemalloc.stop()
    # Forgetting nothing would cost a kilobyte an item.
    assert peaks[-1] - max(peaks[1:-1]) < 2000 * 100


def test_an_open_text_file_is_read_too(tmp_path: Path) -> None:
    text = "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> 1 . <urn:g> { <urn:a> <urn:b> 'é' }"
    path = tmp_path / "s.trig"
    path.write_text(text, encoding="utf-8")
    with path.open(encoding="utf-8") as file:
        from_file = list(read_stream(file, format="trig"))
    in_memory = list(read_stream(io.StringIO(text), format="trig"))
    assert from_file == in_memory == list(read_stream(path))
