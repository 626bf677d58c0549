"""Small valid inputs of every format, mutated, and read: each is read, or is a DenotaError.

`python mutating.py FIRST COUNT FORMAT …` reads so many mutants of each, in a process of its own, as
some might end it. It writes which one it reads before it does, and what that raised.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
import tempfile
import traceback
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

import denota
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.rdf_text import term_of
from denota.oracle.languages.registry import language, names
from denota.oracle.recorded_output.recordings import parse_recording
from denota.semantics.ceql.syntax.parse import parse_declaration
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.time import parse_datetime, parse_duration
from denota.semantics.rdf.results import read_results
from denota.semantics.rsepql.syntax.dialects import parse_dialect
from denota.semantics.streams.rdf.graphs import read_graph
from denota.semantics.streams.rdf.reader import parse_items, read_items
from denota.semantics.streams.tuples.reader import read_tuples

CORPUS = Path(denota.__file__).resolve().parent / "corpus"

TRIG = """\
@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:g1 prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime . :g1 { :a :b 5, "é"@en, _:x . }
:g2 prov:startedAtTime "2026-01-01T00:00:01.5+01:00"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T00:00:02Z"^^xsd:dateTime . :g2 { }
"""
INTEGERS = (
    '<http://e/g1> <http://www.w3.org/ns/prov#generatedAtTime> '
    '"1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    "<http://e/g1> { <http://e/s> <http://e/p> 'x', 1.5e0, true }\n"
)
N_QUADS = (
    '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> '
    '"1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    '<urn:a> <urn:b> "x\\n\\u00E9"@en <urn:g> .\n_:a <urn:b> _:c <urn:g> .\n'
)
JSON_LD = """\
{"@context": {"prov": "http://www.w3.org/ns/prov#", "@vocab": "http://e/"},
 "@graph": [
  {"@id": "urn:g", "prov:generatedAtTime": {"@value": "1", "@type":
    "http://www.w3.org/2001/XMLSchema#integer"}, "@graph": [{"@id": "urn:a", "p": [1, "x", null]}]},
  {"@id": "urn:h", "prov:generatedAtTime": {"@value": "2", "@type":
    "http://www.w3.org/2001/XMLSchema#integer"}, "@graph": []}]}
"""
JSON_LD_LINES = """\
{"@context": {"prov": "http://www.w3.org/ns/prov#", "p": "urn:p"}, "prov:generatedAtTime": 1, \
"@id": "urn:g", "@graph": [{"@id": "urn:a", "p": [1, "é", {"@id": "_:b"}]}]}
{"http://www.w3.org/ns/prov#generatedAtTime": 2, "@graph": []}
"""
RDF_XML = (
    '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:x="http://x/"><!-- c --><rdf:Description rdf:about="http://a">'
    '<x:p xml:lang="en">1 &amp; 2</x:p><x:q rdf:resource="http://b"/></rdf:Description></rdf:RDF>'
)
CSV = 'type,name,price,time\nSELL,"MS ""F""\nT",101,2026-01-01T00:00:00Z\nBUY,,1.5,\n'
JSON_LINES = (
    '{"type": "A", "x": 1, "y": 2.5, "z": "é", "time": 1}\n{"type": "B", "x": null, "w": true}\n'
)
SRJ = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [
    {"x": {"type": "literal", "value": "1", "datatype": "http://e/d"}}
]}})
SRX = (
    '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head>'
    '<variable name="x"/></head><results><result><binding name="x"><uri>http://e/a</uri></binding>'
    "</result></results></sparql>"
)
DIALECT = (
    "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?x FROM STREAM <http://e/s> "
    "[RANGE 10s STEP 5s] WHERE { ?x :p ?y . FILTER(?y > 1) }"
)
DECLARATION = "CREATE STREAM S { EVENT A { x:int, y:double }, EVENT B { t:primary_time } }"
RECORDED = json.dumps({"relations": [{
    "results": {"bindings": [{"x": {"type": "uri", "value": "http://e/a"}}]}, "timestamp": 1000
}]})
ROWS = {
    "spaseq": {"window": [1, 5], "time": 3, "solutions": [{"x": {"type": "uri", "value": "u:a"}}]},
    "rsepql": {"at": 3, "solutions": [{"x": {"type": "literal", "value": "1", "xml:lang": "en"}}]},
    "cqels": {"interval": [1, 2], "solution": {"x": {"type": "bnode", "value": "b"}}},
    "epsparql": {"interval": [1, 2], "solution": {"x": {"type": "uri", "value": "u:a"}}},
    "ceql": {"start": 0, "end": 2, "positions": [0, 2], "bindings": {"X": [0]}},
}


def _table() -> pa.Table:
    names = pa.array(["a", "b", "a"]).dictionary_encode()
    return pa.table({
        "type": ["A", "B", "A"], "name": names, "x": pa.array([1, None, 3], pa.int16()),
        "y": [1.5, 2.5, None], "z": [True, None, False],
        "time": pa.array([1, 2, 3], pa.timestamp("us")),
    })


def _arrow(opened: Callable[..., Any]) -> bytes:
    table, sink = _table(), pa.BufferOutputStream()
    with opened(sink, table.schema) as out:
        out.write_table(table)
    return bytes(sink.getvalue())


def _parquet() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(_table(), sink)
    return bytes(sink.getvalue())


# --- how each is read ----------------------------------------------------------------------------


def _items(format: str) -> Callable[[bytes], None]:
    return lambda data: _exhaust(read_items(io.BytesIO(data), format=format))


def _graph(format: str) -> Callable[[bytes], None]:
    return lambda data: _exhaust(read_graph(io.BytesIO(data), format=format))


def _tuples(format: str) -> Callable[[bytes], None]:
    return lambda data: _exhaust(read_tuples(io.BytesIO(data), format=format))


def _declared(data: bytes) -> None:
    declaration = "CREATE STREAM S { EVENT SELL { price:double, time:primary_time } }"
    _exhaust(read_tuples(io.BytesIO(data), format="csv", declaration=declaration))


def _file(suffix: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        path = Path(_folder(), f"mutant{suffix}")
        path.write_bytes(data)
        tuples = suffix.startswith((".csv", ".jsonl", ".parquet", ".arrow"))
        _exhaust(read_tuples(path) if tuples else read_items(path))

    return read


@cache
def _folder() -> str:
    return tempfile.mkdtemp()


def _case(data: bytes) -> None:
    task = parse_case(data)
    for part in ("tree", "streams", "kb", "readings", "text", "dated"):
        getattr(task, part)
    for stream in task.streams.values():
        _exhaust(stream)
    task.message()


def _evaluated(data: bytes) -> None:
    """By engine and oracle, and written."""
    task = parse_case(data)
    spoken = task.language
    inputs = {
        "streams": task.streams, "kb": task.kb, "readings": task.readings,
        "evaluation": task.evaluation,
    }
    for results in (spoken.run(task.tree, **inputs), spoken.evaluate(task.tree, **inputs)):
        for result in islice(results, 100):
            written = spoken.to_json(result, task.tree, task.readings)
            spoken.from_json(json.loads(json.dumps(written)))


def _query(name: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        spoken = language(name)
        tree = spoken.parse(data.decode("utf-8", "surrogateescape"))
        readings = spoken.readings({}, tree)
        spoken.warnings(tree, streams=[], kb=[], readings=readings)
        spoken.cites(tree, readings)
        spoken.columns(tree)
        spoken.print(tree)

    return read


def _rows(name: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        try:
            written = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(written, dict):
            spoken = language(name)
            spoken.from_json(written)
            for level in spoken.levels:
                spoken.answers([written], level, partial=True)

    return read


def _results(format: str) -> Callable[[bytes], None]:
    return lambda data: _exhaust([read_results(data.decode("utf-8", "replace"), format)])


def _text(parse: Callable[[str], object]) -> Callable[[bytes], None]:
    return lambda data: _exhaust([parse(data.decode("utf-8", "surrogateescape"))])


def _exhaust(items: Any) -> None:
    for _ in items:
        pass


def _seeds_of(name: str) -> list[bytes]:
    cases = [parse_case(path.read_bytes(), path=path) for path in _paths(name)]
    return [case.query.text.encode() for case in cases]


def _paths(name: str) -> list[Path]:
    return sorted(CORPUS.glob(f"papers/{name}/*.case.yaml"))[:12]


@cache
def formats() -> dict[str, tuple[list[bytes], Callable[[bytes], None]]]:
    """Valid inputs of each format, and what reads them."""
    both = [TRIG.encode(), INTEGERS.encode()]
    found: dict[str, tuple[list[bytes], Callable[[bytes], None]]] = {
        "trig": (both, _items("trig")),
        "trig-text": ([INTEGERS.encode()], _text(lambda text: list(parse_items(text)))),
        "nquads": ([N_QUADS.encode()], _items("nquads")),
        "jsonld": ([JSON_LD.encode()], _items("jsonld")),
        "jsonld-lines": ([JSON_LD_LINES.encode()], _items("jsonl")),
        "turtle": ([b"<urn:a> <urn:b> 1, 'x', [ <urn:c> ( 1 2 ) ] ."], _graph("turtle")),
        "ntriples": ([b'<urn:a> <urn:b> "x"@en .\n_:a <urn:b> <urn:c> .\n'], _graph("ntriples")),
        "rdfxml": ([RDF_XML.encode()], _graph("rdfxml")),
        "jsonld-graph": ([b'{"@context": {"p": "urn:p"}, "p": [1, {"p": 2}]}'], _graph("jsonld")),
        "csv": ([CSV.encode()], _tuples("csv")),
        "csv-declared": ([CSV.encode()], _declared),
        "tsv": ([CSV.replace(",", "\t").encode()], _tuples("tsv")),
        "jsonl": ([JSON_LINES.encode()], _tuples("jsonl")),
        "arrow": (
            [_arrow(pa.ipc.new_file), _arrow(pa.ipc.new_stream)], _tuples("arrow"),
        ),
        "parquet": ([_parquet()], _tuples("parquet")),
        "gzip": ([gzip.compress(TRIG.encode(), mtime=0)], _file(".trig.gz")),
        "zstandard": ([zstandard.compress(CSV.encode())], _file(".csv.zst")),
        "case": (
            [path.read_bytes() for name in names() for path in _paths(name)[:4]], _case,
        ),
        "declaration": ([DECLARATION.encode()], _text(parse_declaration)),
        "dialect": ([DIALECT.encode()], _text(parse_dialect)),
        "recorded": ([RECORDED.encode()], lambda data: _exhaust([parse_recording(data)])),
        "srj": ([SRJ.encode()], _results("srj")),
        "srx": ([SRX.encode()], _results("srx")),
        "results-tsv": ([b'?x\t?y\n<http://e/a>\t"x"@en\n'], _results("tsv")),
        "results-csv": ([b'x,y\nhttp://e/a,"1"\n'], _results("csv")),
        "duration": (
            [b"30 MINUTES", b"P1DT2H3.5S", b"17", b"-PT1M"], _text(parse_duration),
        ),
        "dateTime": ([b"2026-01-01T00:00:00.25+01:00"], _text(parse_datetime)),
        "term": ([b'"x"@en', b"<urn:a>", b"_:a", b"1.5"], _text(lambda text: term_of(text, {}))),
    }
    for name in names():
        found[f"case-{name}"] = ([path.read_bytes() for path in _paths(name)], _evaluated)
        found[f"query-{name}"] = (_seeds_of(name), _query(name))
        found[f"row-{name}"] = ([json.dumps(ROWS[name]).encode()], _rows(name))
    return found


# --- mutation ------------------------------------------------------------------------------------

_PIECES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b'"', b"'", b"\\", b"\n", b"\r", b"\t", b"{",
    b"}", b"[", b"]", b"(", b")", b"<", b">", b":", b";", b",", b"-", b"+", b"*", b"&", b"!", b"#",
    b"\\u0000", b"\\uD800", b"\\U00110000", "\u202e".encode(), "𝟘".encode(), "٣".encode(),
    b"1e999", b"-0", b"NaN", b"INF", b"null", b"true", b"[]", b"{}", b"0", b"-1", b"1.5",
    b"9" * 20, b"9" * 5_000, b"9" * 400, b"0001-01-01T00:00:00Z", b"9999-12-31T24:00:00-14:00",
    b"[" * 3_000, b"{" * 3_000, b"(" * 3_000, b"!" * 3_000, b"- " * 3_000, b'{"a":' * 3_000,
    b"<a>" * 3_000, b"x" * 200_000, b"\n" * 3_000, b"_:", b"@", b"^^", b"<<", b">>", b"&x;",
)


def mutant(data: bytes, number: int) -> bytes:
    """The input after a few random changes."""
    draw = random.Random(number)
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 5))):
        at = draw.randrange(len(changed) + 1)
        to = min(len(changed), at + draw.choice((1, 1, 2, 4, 8, 40)))
        match draw.randrange(8):
            case 0 if at < len(changed):
                changed[at] ^= 1 << draw.randrange(8)
            case 1:
                changed[at:at] = draw.choice(_PIECES)
            case 2:
                changed[at:to] = draw.choice(_PIECES)
            case 3:
                del changed[at:to]
            case 4:
                changed[at:at] = changed[at:to] * draw.choice((1, 2, 50))
            case 5:
                other = draw.randrange(len(changed) + 1)
                changed[other:other] = changed[at:to]
            case 6:
                del changed[at:]
            case 7:
                changed[at:to] = draw.randbytes(to - at)
    return bytes(changed)


def read_mutants(format: str, first: int, count: int) -> None:
    """Reads mutants; a line says which is being read, or what it has raised."""
    seeds, read = formats()[format]
    for number in range(first, first + count):
        print(format, number, flush=True)
        try:
            read(mutant(seeds[number % len(seeds)], number))
        except DenotaError as error:
            if not str(error).isprintable() or not error.message:
                print(f"says {str(error)!r}", flush=True)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{type(error).__name__}: {str(error)[:200]!r}"
            print(f"raises {told} at {place.filename}:{place.lineno}", flush=True)


if __name__ == "__main__":
    for name in sys.argv[3:]:
        read_mutants(name, int(sys.argv[1]), int(sys.argv[2]))
