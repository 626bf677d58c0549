"""Files that would fill the memory or end the interpreter are errors that name them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from denota.semantics.model.errors import DenotaError, StreamError, UnsupportedError
from denota.semantics.streams.files import documents
from denota.semantics.streams.rdf.graphs import parse_graph
from denota.semantics.streams.rdf.reader import parse_stream, read_stream
from denota.semantics.streams.tuples import lines as tuple_lines
from denota.semantics.streams.tuples.reader import parse_tuples, read_tuples

RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">'
BODY = '<rdf:Description rdf:about="http://a"><x:p>1</x:p></rdf:Description></rdf:RDF>'


# --- entities ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("xml", "line"),
    [
        (f'<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "b">]>{RDF}{BODY}', 2),
        (f'<!doctype r>{RDF}{BODY}', 1),
        (f"{RDF}\n<!ENTITY a 'b'>{BODY}", 2),
        (f"<!-- c -->\n<!-- -- ->\n--><!DOCTYPE r>{RDF}{BODY}", 3),
    ],
)
def test_entities_are_refused(xml: str, line: int) -> None:
    with pytest.raises(UnsupportedError, match=rf"^k\.rdf:{line}: .*<!DOCTYPE") as raised:
        parse_graph(xml, format="rdfxml", source="k.rdf")
    assert raised.value.line == line


def test_what_only_looks_like_one_is_read() -> None:
    told = "<![CDATA[<!DOCTYPE html>]]>"
    xml = f"<!-- <!DOCTYPE r> -->{RDF}{BODY.replace('1', told)}"
    [(_, _, text)] = parse_graph(xml, format="rdfxml")
    assert str(text) == "<!DOCTYPE html>"


# --- what expands --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.trig.gz", b"<urn:g> <urn:p> '" + b"x" * (1 << 20)),
        ("s.trig.gz", b"<urn:g> { <urn:a> <urn:b> 0 " + b", 1\n" * (1 << 18)),
        ("s.nq.gz", b"#" * (1 << 20)),
        ("s.jsonld.gz", b"[" + b" " * (1 << 20)),
    ],
)
def test_an_item_without_end(
    name: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LARGEST_ITEM", 1 << 18)
    path = tmp_path / name
    path.write_bytes(gzip.compress(content))
    with pytest.raises(StreamError, match=f"^{path}:.*more than 262,144 bytes without the end"):
        list(read_stream(path))


def test_many_items_are_no_item_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LARGEST_ITEM", 1 << 12)
    time = "http://www.w3.org/ns/prov#generatedAtTime"
    path = tmp_path / "s.trig.gz"
    path.write_bytes(gzip.compress("".join(
        f"<urn:g{n}> <{time}> {n} . <urn:g{n}> {{ <urn:a> <urn:b> {n} }}\n" for n in range(1_000)
    ).encode()))
    assert len(list(read_stream(path))) == 1_000


@pytest.mark.parametrize("cell", ["x" * (1 << 20), '"' + "x\n" * (1 << 19), '"",' * (1 << 18)])
@pytest.mark.parametrize("name", ["s.csv.gz", "s.jsonl.gz"])
def test_a_line_without_end(
    name: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = "type,a\nA,"
    if name == "s.jsonl.gz":
        begin, cell = '{"type": "A", "a":', cell.replace("\n", " ")
    monkeypatch.setattr(tuple_lines, "LONGEST_LINE", 1 << 18)
    path = tmp_path / name
    path.write_bytes(gzip.compress((begin + cell).encode()))
    with pytest.raises(StreamError, match=f"^{path}:.*longer than 262,144 bytes"):
        list(read_tuples(path))


def test_cells_over_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuple_lines, "_PIECE", 7)
    monkeypatch.setattr(tuple_lines, "_FIRST", 1)
    cells = ["one\ntwo", 'a "b"\n', "plain", "", "\n\n\n\n\n\n\n\n\n\n"]
    text = "type,a\n" + "".join('A,"' + cell.replace('"', '""') + '"\n' for cell in cells)
    assert [each.get("a") for each in parse_tuples(text)] == cells


# --- tables --------------------------------------------------------------------------------------


def test_an_arrow_file_with_bad_offsets(tmp_path: Path) -> None:
    offsets = pa.array([0, 1 << 30, 2, 3], pa.int32()).buffers()[1]
    column = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"ABC"))
    path = tmp_path / "s.arrow"
    schema = pa.schema([("type", pa.string())])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as out:
        out.write_batch(pa.RecordBatch.from_arrays([column], schema=schema))
    with pytest.raises(StreamError, match=f"^{path}: not an Arrow file: "):
        list(read_tuples(path))


def test_dictionary_indices_that_point_nowhere(tmp_path: Path) -> None:
    column = pa.DictionaryArray.from_arrays(
        pa.array([0, 99], pa.int8()), pa.array(["A"]), safe=False
    )
    path = tmp_path / "s.arrow"
    schema = pa.schema([("type", column.type)])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as out:
        out.write_batch(pa.RecordBatch.from_arrays([column], schema=schema))
    with pytest.raises(StreamError, match=f"^{path}: not an Arrow file: "):
        list(read_tuples(path))


# --- numbers and cells ---------------------------------------------------------------------------


def test_a_cell_of_ten_megabytes() -> None:
    (one,) = parse_tuples("type,a\nA," + "x" * 10_000_000 + "\n")
    assert one.attributes == {"a": "x" * 10_000_000}


@pytest.mark.parametrize(
    "text", ['{"type":"A","x":%s}\n' % ("1" * 5_000), '{"type":"A","x":%s}\n' % ("[" * 100_000)]
)
def test_json_lines(text: str) -> None:
    with pytest.raises(StreamError, match=r"^<stream>:1: not JSON: "):
        list(parse_tuples(text, format="jsonl"))


def test_a_time_of_many_digits() -> None:
    time = "http://www.w3.org/ns/prov#generatedAtTime"
    with pytest.raises(DenotaError, match=r"cannot|can be a time"):
        list(parse_stream(f"<urn:g> <{time}> {'9' * 5_000} . <urn:g> {{ <urn:a> <urn:b> 1 }}"))
