"""Times come back as they were given: integers, or dateTimes."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import denota
from denota.oracle.cli import main

PREFIXES = (
    "@prefix : <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> . "
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
)
DATED = PREFIXES + (
    ':g1 prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime . :g1 { :a :p 5 }\n'
    ':g2 prov:generatedAtTime "2026-01-01T01:00:03.5+01:00"^^xsd:dateTime . :g2 { :a :p "x"@en }\n'
)
COUNTED = PREFIXES + (
    ":g1 prov:generatedAtTime 1 . :g1 { :a :p 5 }  :g2 prov:generatedAtTime 4 . :g2 { :a :p 6 }\n"
)
QUERIES = {
    "spaseq": "SELECT ?x WITHIN {} FROM STREAM S <urn:s> "
    "WHERE {{ SEQ(A) DEFINE GPM A ON S {{ ?y <http://e/p> ?x }} }}",
    "rsepql": "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE {} STEP {}] "
    "WHERE {{ WINDOW <urn:w> {{ ?y <http://e/p> ?x }} }}",
    "cqels": "SELECT ?x FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE {}] "
    "WHERE {{ WINDOW <urn:w> {{ ?y <http://e/p> ?x }} }}",
    "epsparql": "SELECT ?x WHERE {{ ?y <http://e/p> ?x }}",
}
FIRST, LAST = "2026-01-01T00:00:00Z", "2026-01-01T00:00:03.5Z"
TIMES = {
    "spaseq": [{"window": [FIRST, "2026-01-01T00:00:05Z"], "time": time} for time in (FIRST, LAST)],
    "rsepql": [{"at": FIRST}, {"at": "2026-01-01T00:00:05Z"}],
    "cqels": [{"interval": [time, time]} for time in (FIRST, LAST)],
    "epsparql": [{"interval": [time, time]} for time in (FIRST, LAST)],
}
COUNTS: dict[str, list[dict[str, Any]]] = {
    "spaseq": [{"window": [1, 6], "time": 1}, {"window": [1, 6], "time": 4}],
    "rsepql": [{"at": 5}],
    "cqels": [{"interval": [1, 1]}, {"interval": [4, 4]}],
    "epsparql": [{"interval": [1, 1]}, {"interval": [4, 4]}],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("dated.trig").write_text(DATED)
    Path("counted.trig").write_text(COUNTED)
    return tmp_path


def _run(language: str, *, dated: bool = True, options: tuple[str, ...] = ()) -> str:
    Path("q").write_text(QUERIES[language].format(*(["5s"] * 2 if dated else [5] * 2)))
    stream = "dated.trig" if dated else "counted.trig"
    words = ["run", "q", "--language", language, "--stream", f"urn:s={stream}", *options]
    assert main([*words, "-o", "out"]) == 0
    return "" if "parquet" in options else Path("out").read_text()


def _times(line: str) -> dict[str, Any]:
    fields = json.loads(line)
    return {name: fields[name] for name in ("window", "time", "at", "interval") if name in fields}


def _flat(times: dict[str, Any]) -> list[Any]:
    return [each for value in times.values()
            for each in (value if isinstance(value, list) else [value])]


@pytest.mark.parametrize("engine", ["production", "oracle"])
@pytest.mark.parametrize("language", list(QUERIES))
def test_jsonl(language: str, engine: str) -> None:
    out = _run(language, options=("--engine", engine))
    assert list(map(_times, out.splitlines())) == TIMES[language]
    out = _run(language, dated=False, options=("--engine", engine))
    assert list(map(_times, out.splitlines())) == COUNTS[language]


@pytest.mark.parametrize("language", list(QUERIES))
def test_csv_srj_and_parquet(language: str) -> None:
    expected = {tuple(_flat(times)) for times in TIMES[language]}
    _, *rows = csv.reader(io.StringIO(_run(language, options=("--format", "csv"))))
    assert {tuple(row[:-1]) for row in rows} == expected

    found = json.loads(_run(language, options=("--format", "srj")))
    fields = found["head"]["vars"][:-1]
    bindings = found["results"]["bindings"]
    assert {tuple(each[name]["value"] for name in fields) for each in bindings} == expected
    assert {each[name]["datatype"] for each in bindings for name in fields} == {
        "http://www.w3.org/2001/XMLSchema#dateTime"
    }

    _run(language, options=("--format", "parquet"))
    table = pq.read_table("out")
    assert table.schema.field("x_text").type == pa.string()
    assert set(table.column("x_text").to_pylist()) == {"5", "x"}
    for name in fields:
        assert table.schema.field(name).type == pa.timestamp("us", tz="UTC")
    assert table.column(fields[-1])[0].as_py() in (
        datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)
    )
    _run(language, dated=False, options=("--format", "parquet"))
    assert pq.read_schema("out").field(fields[-1]).type == pa.int64()


def test_python_writes_the_same_parquet() -> None:
    query = QUERIES["spaseq"].format("5s")
    assert denota.write_parquet(query, {"urn:s": "dated.trig"}, "own.parquet") == 2
    _run("spaseq", options=("--format", "parquet"))
    assert pq.read_table("own.parquet").equals(pq.read_table("out"))


@pytest.mark.parametrize("language", list(QUERIES))
def test_what_is_written_is_read(language: str) -> None:
    rows = [json.loads(line) for line in _run(language).splitlines()]
    query = denota.parse(Path("q").read_text(), language)
    streams = {"urn:s": "dated.trig"}
    assert denota.check(query, streams, actual=rows).ok
    assert not denota.check(query, streams, actual=rows[1:]).ok


def test_failures_say_dateTimes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.case.yaml").write_text(
        "language: spaseq\nquery: |\n  " + QUERIES["spaseq"].format("5s")
        + "\nstreams: {'urn:s': {file: dated.trig}}\n"
        "expect: {results: [{time: 2026-01-01T00:00:02Z, solutions: [{x: 7}]}]}\n"
    )
    assert main(["check", "a.case.yaml"]) == 1
    out = capsys.readouterr().out
    assert "2026-01-01T00:00:02Z" in out
    assert LAST in out
    assert "17672" not in out  # microseconds since 1970


@pytest.mark.parametrize(("zones", "first", "last"), [
    (["+01:00"], "01:00:00+01:00", "01:00:03.5+01:00"),
    ([""], "00:00:00", "00:00:03.5"),
    (["+01:00", "-02:00"], "00:00:00Z", "00:00:03.5Z"),
])
def test_tables_have_the_zone_of_the_streams(
    zones: list[str], first: str, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hours = {"+01:00": "2026-01-01T01", "": "2026-01-01T00", "-02:00": "2025-12-31T22"}
    times = [[f"{hours[zone]}:00:0{at}{zone}" for at in ("0", "3.5")] for zone in zones]
    files = {f"urn:{n}": f"s{n}.trig" for n, _ in enumerate(times)}
    for file, [one, other] in zip(files.values(), times, strict=True):
        Path(file).write_text(
            f'{PREFIXES}:g1 prov:generatedAtTime "{one}"^^xsd:dateTime . :g1 {{ :a :p 5 }}\n'
            f':g2 prov:generatedAtTime "{other}"^^xsd:dateTime . :g2 {{ :a :q 5 }}\n'
        )
    query = (
        "PREFIX : <http://e/> SELECT DISTINCT ?x (getENDTIME() AS ?e) "
        f"{' '.join(f'FROM STREAM <{iri}>' for iri in files)} "
        "WHERE { { ?x :p ?y } SEQ { ?x :q ?z } }"
    )
    Path("q").write_text(query)
    words = ["run", "q", "--language", "epsparql"]
    words += [word for iri, file in files.items() for word in ("--stream", f"{iri}={file}")]
    assert main([*words, "--format", "table"]) == 0
    *_, row, _ = capsys.readouterr().out.splitlines()
    shown = [f"2026-01-01T{each}" for each in (first, last, last)]
    assert [cell for cell in row.split() if cell != ":a"] == shown
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["interval"] == [FIRST, LAST]
    assert found["solution"]["e"]["value"] == LAST

    graphs = ["<http://e/a> <http://e/p> 5 .", "<http://e/a> <http://e/q> 5 ."]
    items = {
        iri: [*zip(each, graphs, strict=True)] for iri, each in zip(files, times, strict=True)
    }
    for streams in (files, items):
        results = denota.run(query, streams, language="epsparql")
        html = results._repr_html_()
        assert all(f"<td>{each}</td>" in html for each in shown)
        assert results.to_arrow().column("start")[0].as_py() == datetime(2026, 1, 1, tzinfo=UTC)
