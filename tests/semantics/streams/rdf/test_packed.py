"""Streams in Parquet and in Jelly are the streams that N-Quads states."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib.term import URIRef

import denota
from denota.engine.rdf.columns.batch import GraphBatch
from denota.engine.rdf.columns.block_reader import batches_of, large_files
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.tuning import capacities
from denota.semantics.model.errors import StreamError
from denota.semantics.streams.rdf.reader import parse_items, read_items, read_stream

TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
ROWS: list[tuple[str | None, ...]] = [
    ("<x:g1>", TIME, f'"1"^^{INTEGER}', None),
    ("<x:a>", "<x:p>", '"a \\"b\\"\\n"@en', "<x:g1>"),
    ("_:b", "<x:p>", "<x:o>", "<x:g1>"),
    ("<x:g2>", TIME, f'"2"^^{INTEGER}', None),
    ("_:b", "<x:p>", '"ä . "', "<x:g2>"),
]


def text(rows: list[tuple[str | None, ...]]) -> str:
    return "".join(" ".join(cell for cell in row if cell) + " .\n" for row in rows)


def written(folder: Path, rows: list[tuple[str | None, ...]]) -> Path:
    names = ("subject", "predicate", "object", "graph")
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, names=names), folder / "stream.parquet")
    return folder / "stream.parquet"


def test_parquet_holds_quads(tmp_path: Path) -> None:
    file = written(tmp_path, ROWS)
    expected = list(parse_items(text(ROWS), format="nquads", scope="s"))
    assert len(expected) == 2
    assert list(read_items(file, scope="s")) == expected
    assert len(list(read_stream(str(file)))) == 2


def test_parquet_is_read_by_the_column(tmp_path: Path) -> None:
    stream = URIRef("x:stream")
    rows = [row for row in ROWS if row[0] != "_:b"] + [("<x:b>", "<x:p>", '"c"', "<x:g2>")]
    file = str(written(tmp_path, rows))
    with capacities(large=0):
        files = large_files({stream: read_stream(file)})
        assert files is not None
        batches: list[Any] = list(batches_of(files, Dictionary(), "error"))
    assert all(isinstance(batch, GraphBatch) for batch in batches)
    found = [(item.time, item.graph) for batch in batches for item in batch.items()]
    assert found == [(item.time, item.graph) for item in read_stream(file)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("<x:a> <x:b>", "<x:p>", "<x:o>", "<x:g2>"), "the subject of row 6 is no term"),
        (("<x:a>", None, "<x:o>", "<x:g2>"), "the predicate of row 6 is no term"),
        (("<x:a>", "<x:p>", "<x:o> <x:g2>", None), "the object of row 6 is no term"),
        (("<x:a>", "<x:p>", "<x:o>", '"x"'), "the graph of row 6 is no term"),
        (("<relative>", "<x:p>", "<x:o>", "<x:g2>"), "No scheme found"),
    ],
)
def test_what_is_no_quad_is_refused(
    tmp_path: Path, row: tuple[str | None, ...], message: str
) -> None:
    with pytest.raises(StreamError, match=message) as refused:
        list(read_items(written(tmp_path, [*ROWS, row])))
    assert refused.value.line == 6


def test_other_tables_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"subject": ["<x:a>"]}), tmp_path / "other.parquet")
    with pytest.raises(StreamError, match="this one has no predicate"):
        list(read_items(tmp_path / "other.parquet"))
    (tmp_path / "none.parquet").write_bytes(b"nothing")
    with pytest.raises(StreamError, match="cannot be read"):
        list(read_items(tmp_path / "none.parquet"))


@pytest.mark.skipif(find_spec("pyjelly") is None, reason="pyjelly is not installed: extra 'jelly'")
def test_jelly_holds_quads(tmp_path: Path) -> None:
    from pyjelly.integrations.generic.generic_sink import (
        IRI,
        BlankNode,
        DefaultGraph,
        Literal,
        Quad,
    )
    from pyjelly.integrations.generic.serialize import flat_stream_to_file

    def time(name: str, at: str) -> Quad:
        return Quad(IRI(name), IRI(TIME[1:-1]), Literal(at, None, INTEGER[1:-1]), DefaultGraph)

    one, two, p = IRI("x:g1"), IRI("x:g2"), IRI("x:p")
    quads = [
        time("x:g1", "1"), Quad(IRI("x:a"), p, Literal('a "b"\n', "en"), one),
        Quad(BlankNode("b"), p, IRI("x:o"), one), time("x:g2", "2"),
        Quad(BlankNode("b"), p, Literal("ä . "), two),
    ]  # fmt: skip
    with open(tmp_path / "stream.jelly", "wb") as file:
        flat_stream_to_file(iter(quads), file)
    expected = list(parse_items(text(ROWS), format="nquads", scope="s"))
    assert list(read_items(tmp_path / "stream.jelly", scope="s")) == expected
    damaged = (tmp_path / "stream.jelly").read_bytes()[:-7]
    (tmp_path / "damaged.jelly").write_bytes(damaged)
    with pytest.raises(StreamError, match="cannot be read"):
        list(read_items(tmp_path / "damaged.jelly"))


def test_denota_tells_quads_from_tuples(tmp_path: Path) -> None:
    quads = denota.read_stream(written(tmp_path, ROWS))
    assert [item.time for item in quads] == [1, 2]
    pq.write_table(pa.table({"type": ["A"], "x": [1]}), tmp_path / "tuples.parquet")
    (event,) = denota.read_stream(tmp_path / "tuples.parquet")
    assert event.type == "A"
