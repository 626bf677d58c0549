"""What is written is read again: read(write(items)) = items."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.term import BNode, URIRef

from denota.oracle.cases.tuple_sources import table_of, tuples_of
from denota.oracle.languages.ceql.generate import tuple_streams
from denota.semantics.model.items import IntervalGraph, Item, TimeKind, TimestampedGraph
from denota.semantics.model.terms import Graph, Term, literal
from denota.semantics.model.tuples import EventTuple, batches, rows
from denota.semantics.streams.rdf.reader import parse_items, read_items
from denota.semantics.streams.rdf.writer import stream_text, write_stream

from ...examples import examples

SCOPE = "doc"
XSD = "http://www.w3.org/2001/XMLSchema#"
MICROSECONDS = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)

characters = st.characters(exclude_categories=["Cs"])
iri_characters = st.characters(  # RFC 3987 has more, but these are surely in it
    max_codepoint=0xD7FF, exclude_categories=["Cc", "Zs", "Zl", "Zp", "Cn"],
    exclude_characters='<>"{}|^`\\ %[]#:@?/',
)
iris = st.builds(
    URIRef,
    st.one_of(
        st.sampled_from(["http://example.org/a", "http://example.org/b", "urn:x:y", "x:"]),
        st.text(iri_characters, max_size=8).map("http://example.org/".__add__),
    ),
)
hexadecimal = st.text("0123456789abcdef", min_size=20, max_size=32)
labels = st.one_of(
    st.sampled_from(["x", "b0", "x.y", "d1_b0", "d1-0", "0"]),
    st.from_regex(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,6}[A-Za-z0-9_-])?", fullmatch=True),
    hexadecimal,
)
blank_nodes = st.builds(BNode, labels)
literals = st.one_of(
    st.builds(literal, st.text(characters, max_size=12)),
    st.builds(literal, st.integers().map(str), st.just(XSD + "integer")),
    st.builds(literal, st.integers(2**100, 2**140).map(str), st.just(XSD + "integer")),
    st.builds(
        literal,
        st.sampled_from(["01", "+1", "1.50", "1e5", "INF", "true", "1", "2026-01-01", "", "abc"]),
        st.sampled_from(["integer", "decimal", "double", "boolean", "date", "token"]).map(
            XSD.__add__
        ),
    ),
    st.builds(
        literal, st.text(characters, max_size=4),
        st.sampled_from(["http://example.org/own", "http://www.w3.org/2000/01/rdf-schema#x"]),
    ),
    st.builds(
        literal, st.text(characters, max_size=4), st.none(),
        st.sampled_from(["en", "en-gb", "de-latn-de-1996", "x-own"]),
    ),
)
terms = st.one_of(iris, blank_nodes, literals)
triples = st.tuples(st.one_of(iris, blank_nodes), iris, terms)
graphs = st.frozensets(triples, max_size=5)


@st.composite
def streams(draw: st.DrawFn, *, empty_graphs: bool) -> list[Item]:
    """Items of one kind of time, in order, each of its own name."""
    kind = draw(st.sampled_from(TimeKind))
    times = MICROSECONDS if kind is TimeKind.DATETIME else st.integers()
    contents = graphs if empty_graphs else graphs.filter(bool)
    names = draw(st.lists(st.one_of(iris, blank_nodes), unique=True, max_size=5))
    items: list[Item] = []
    for name in names:
        start, end = sorted(draw(st.tuples(times, times)))
        graph = draw(contents)
        if draw(st.booleans()):
            items.append(TimestampedGraph(end, graph, kind, name))
        else:
            items.append(IntervalGraph(start, end, graph, kind, name))
    return sorted(items, key=lambda item: (item.end, item.start))


def scoped(item: Item) -> Item:
    """The item as a document called SCOPE says it: labels belong to their document."""

    def term(t: Term) -> Term:
        return BNode(f"{SCOPE}_{t}") if isinstance(t, BNode) else t

    graph: Graph = frozenset((term(s), term(p), term(o)) for s, p, o in item.graph)
    name = term(item.name) if item.name is not None else None
    if isinstance(item, IntervalGraph):
        return IntervalGraph(item.start, item.end, graph, item.kind, name)  # type: ignore[arg-type]
    return TimestampedGraph(item.time, graph, item.kind, name)  # type: ignore[arg-type]


def expected(items: list[Item]) -> list[Item]:
    return [scoped(item) for item in items]


@given(items=streams(empty_graphs=True))
@pytest.mark.parametrize("prefixes", [{}, {"": "http://example.org/", "e": "http://example.org/a"}])
def test_trig(items: list[Item], prefixes: dict[str, str]) -> None:
    text = stream_text(items, "trig", prefixes=prefixes)
    assert list(parse_items(text, scope=SCOPE)) == expected(items)
    undeclared = stream_text(items, "trig", prefixes=prefixes, declare=False)
    assert list(parse_items(undeclared, prefixes=prefixes, scope=SCOPE)) == expected(items)


@given(items=streams(empty_graphs=False))
def test_n_quads(items: list[Item]) -> None:
    text = stream_text(items, "nquads")
    assert list(parse_items(text, format="nquads", scope=SCOPE)) == expected(items)


@given(items=streams(empty_graphs=True))
@pytest.mark.parametrize("format", ["jsonld", "jsonl"])
def test_json_ld(items: list[Item], format: str) -> None:
    text = stream_text(items, format)
    assert list(parse_items(text, format=format, scope=SCOPE)) == expected(items)


@given(items=streams(empty_graphs=True))
def test_json_ld_with_a_common_context(items: list[Item]) -> None:
    members = stream_text(items, "jsonld")
    text = f'{{"@context": {{"e": "http://example.org/"}}, "@graph": {members}}}'
    assert list(parse_items(text, format="jsonld", scope=SCOPE)) == expected(items)


@examples(25)
@given(items=streams(empty_graphs=False))
@pytest.mark.parametrize("suffix", [".trig", ".nq", ".jsonld"])
@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
def test_files(
    items: list[Item], suffix: str, compression: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"round-trip{suffix}{compression}"
    write_stream(items, path)
    assert list(read_items(path, scope=SCOPE)) == expected(items)


class InPieces(io.BytesIO):
    """A file that hands out only a few bytes at a time, as a slow pipe does."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self.size = size

    def readline(self, size: int | None = -1, /) -> bytes:
        return super().readline(self.size)


@given(
    items=streams(empty_graphs=True), format=st.sampled_from(["trig", "jsonld", "jsonl"]),
    size=st.integers(1, 40), one_line=st.booleans(), wrapped=st.booleans(),
)
def test_pieces(
    items: list[Item], format: str, size: int, one_line: bool, wrapped: bool
) -> None:
    text = stream_text(items, format)
    if format == "jsonld" and wrapped:
        text = f'{{"@context": {{"e": "http://example.org/"}}, "@graph": {text}}}'
    if one_line and format != "jsonl":
        text = text.replace("\n", " ")
    file = InPieces(text.encode(), size)
    assert list(read_items(file, format=format, scope=SCOPE)) == expected(items)


@examples(100)
@given(tuple_streams())
def test_tuples_are_the_same_as_csv_and_as_batches(stream: tuple[EventTuple, ...]) -> None:
    assert [row for batch in batches(stream, 2) for row in rows(batch)] == list(stream)
    # The arrival time is an attribute of a tuple that was read from CSV.
    read = [
        replace(each, attributes={n: v for n, v in each.attributes.items() if n != "arrival_time"})
        for each in tuples_of(table_of(stream), "S")
    ]
    assert read == list(stream)
