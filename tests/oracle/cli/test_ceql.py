"""Every verb on CEQL: files of every format, streams that grow, pictures, corpora, bad input."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.cli import main

from .children import fork_denota

QUERY = "SELECT * FROM S WHERE A AS a ; B AS b FILTER a[x > 1] AND b[n LIKE '^p']"
CSV = "type,x,n\nA,2,q\nB,1,p\nA,1,p\nB,,pq\n"
FOUND = [
    {"start": 0, "end": 1, "positions": [0, 1]},
    {"start": 0, "end": 3, "positions": [0, 3]},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.ceql").write_text(QUERY, encoding="utf-8")
    Path("s.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def written(suffix: str) -> str:
    """The stream in a file of another format."""
    table = pc.read_csv("s.csv", convert_options=pc.ConvertOptions(strings_can_be_null=True))
    name = f"t{suffix}"
    match suffix:
        case ".parquet":
            pq.write_table(table, name)
        case ".arrow":
            with pa.OSFile(name, "wb") as file, pa.ipc.new_file(file, table.schema) as out:
                out.write_table(table)
        case ".arrows":
            with pa.OSFile(name, "wb") as file, pa.ipc.new_stream(file, table.schema) as out:
                out.write_table(table)
        case ".tsv":
            Path(name).write_text(CSV.replace(",", "\t"), encoding="utf-8")
        case ".csv.gz":
            Path(name).write_bytes(gzip.compress(CSV.encode()))
        case ".jsonl":
            rows = [{k: v for k, v in row.items() if v is not None} for row in table.to_pylist()]
            Path(name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        case ".jsonl.zst":
            written(".jsonl")
            with pa.CompressedOutputStream(name, "zstd") as out:
                out.write(Path("t.jsonl").read_bytes())
    return name


@pytest.mark.parametrize("engine", ["production", "oracle"])
@pytest.mark.parametrize(
    "suffix", [".parquet", ".arrow", ".arrows", ".tsv", ".csv.gz", ".jsonl", ".jsonl.zst"]
)
def test_files_of_every_format(suffix: str, engine: str, capsys: pytest.CaptureFixture[str]):
    assert main(["run", "q.ceql", "--stream", f"S={written(suffix)}", "--engine", engine]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == FOUND


@pytest.mark.parametrize("engine", ["production", "oracle"])
def test_several_streams_of_several_formats(engine: str, capsys: pytest.CaptureFixture[str]):
    Path("two.ceql").write_text(
        "SELECT * FROM S, T WHERE S>A ; T>A WITHIN 10 SECONDS", encoding="utf-8"
    )
    Path("a.csv").write_text("type,time\nA,1\nA,20\n", encoding="utf-8")
    Path("b.jsonl").write_text('{"type":"A","time":3}\n{"type":"A","time":11}\n', encoding="utf-8")
    streams = ("--stream", "S=a.csv", "--stream", "T=b.jsonl")
    assert main(["run", "two.ceql", *streams, "--engine", engine]) == 0
    found = [json.loads(line)["positions"] for line in capsys.readouterr().out.splitlines()]
    assert found == [[0, 1], [0, 2]]


def test_readings_and_the_query_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT * FROM S WHERE A ; B WITHIN 2 [x]"))
    Path("s.csv").write_text("type,x\nA,1\nB,3\n", encoding="utf-8")
    assert main(["run", "-", "--stream", "S=s.csv", "--reading", "within=core"]) == 0
    assert capsys.readouterr().out == ""


def test_a_stream_that_grows():
    running = fork_denota(["run", "q.ceql", "--stream", "S=s.csv", "--follow"], Path.cwd())
    try:
        assert running.stdout is not None
        assert json.loads(running.stdout.readline()) == FOUND[0]
        assert json.loads(running.stdout.readline()) == FOUND[1]
        with Path("s.csv").open("a", encoding="utf-8") as file:
            file.write("B,7,p\n")
        assert json.loads(running.stdout.readline())["end"] == 4
        assert running.poll() is None
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "srj"), "complex events are no solutions: use jsonl, csv or parquet"),
        (("--stream", "S=no.csv"), "<S> is given twice"),
        (("--from", "3"), "CEQL takes no --from"),
        (("--reading", "kleene=join"), "CEQL has no reading 'kleene'"),
        (("--reading", "within=x"), "reading 'within' has no value 'x'"),
        (("--type-column", "y"), "s.csv:1: no column 'y' holds the event type"),
        (("--time-column", "y"), "s.csv:1: there is no column 'y'"),
        (("--schema", "q.ceql"), "q.ceql:1:1: unexpected 'SELECT', expected CREATE or DECLA"),
        (("--stream-format", "parquet"), "s.csv: not a Parquet file"),
    ],
)
def test_bad_options_are_one_line(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["run", "q.ceql", "--stream", "S=s.csv", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.csv", b"", "s.csv: the file is empty"),
        ("s.csv", b"type,x\nA,1,2\n", "s.csv:2: the row has 3 cells, the first line names 2"),
        ("s.csv", b'type,x\nA,"1\n', "s.csv:2: the file ends inside a quoted cell"),
        ("s.csv", b"type,x\n,1\n", "s.csv:2: tuple 0 has no event type"),
        ("s.csv", b"type,x\nA,\xff\n", "s.csv:2: the text is not UTF-8"),
        ("s.jsonl", b'{"type":"A"\n', "s.jsonl:1:12: not JSON"),
        ("s.jsonl", b"[1]\n", "s.jsonl:1: a tuple is a JSON object"),
        ("s.jsonl", b'{"type":"A","x":[1]}\n', "s.jsonl:1"),
        ("s.parquet", b"no", "s.parquet: not a Parquet file"),
        ("s.arrow", b"no", "s.arrow: not an Arrow file"),
        ("s.csv.gz", b"no", "s.csv.gz: cannot be read: not a gzipped file"),
        ("s.txt", b"no", "s.txt: the file is of no known format of tuples"),
    ],
)
@pytest.mark.parametrize("engine", ["production", "oracle"])
def test_bad_streams_are_one_line(
    name: str, content: bytes, message: str, engine: str, capsys: pytest.CaptureFixture[str]
):
    Path(name).write_bytes(content)
    assert main(["run", "q.ceql", "--stream", f"S={name}", "--engine", engine]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_the_picture_is_svg_that_names_events_and_predicates():
    assert main(["draw", "q.ceql", "-o", "q.svg"]) == 0
    texts = {text for text in ElementTree.parse("q.svg").getroot().itertext() if text.strip()}
    assert {"A", "B", "x > 1", "n LIKE '^p'"} <= texts


def test_generated_cases_are_written_shown_exported_and_pass(capsys: pytest.CaptureFixture[str]):
    words = ["corpus", "generate", "--language", "ceql", "-n", "20", "--seed", "3"]
    assert main([*words, "--with-expected", "-o", "g.parquet"]) == 0
    assert main(["corpus", "show", "g.parquet", "--limit", "1"]) == 0
    assert "language: ceql" in capsys.readouterr().out
    assert main(["corpus", "export", "g.parquet", "-o", "cases"]) == 0
    assert {read_case(path).language for path in find_cases(["cases"])} == {"ceql"}
    assert main(["check", "cases"]) == 0


def test_small_cases_are_enumerated(capsys: pytest.CaptureFixture[str]):
    words = ["corpus", "enumerate", "--language", "ceql", "--max-operators", "1",
             "--max-events", "1"]
    assert main([*words, "--count"]) == 0
    counted = capsys.readouterr().out
    assert main([*words, "-o", "e.parquet"]) == 0
    assert int(counted.split()[-1].replace(",", "")) == pq.read_table("e.parquet").num_rows
    assert main(["corpus", "enumerate", "--language", "ceql", "--slide", "3", "-o", "x"]) == 2
    assert "no SLIDE" in capsys.readouterr().err


def test_results_of_check_in_every_format():
    assert main(["corpus", "generate", "-l", "ceql", "-n", "3", "-o", "g.parquet"]) == 0
    assert main(["corpus", "export", "g.parquet", "-o", "cases"]) == 0
    reports = ("--html", "r.html", "--junit", "r.xml", "--earl", "r.ttl",
               "--export-manifest", "manifest")
    assert main(["check", "cases", *reports]) == 0
    assert all(Path(name).stat().st_size for name in ("r.html", "r.xml", "r.ttl"))
    assert any(Path("manifest").iterdir())


@pytest.mark.parametrize("engine", ["production", "oracle"])
def test_what_is_wrong_with_times_names_the_file(
    engine: str, capsys: pytest.CaptureFixture[str]
):
    Path("q.ceql").write_text("SELECT * FROM S WHERE A ; A WITHIN 5 SECONDS", encoding="utf-8")
    for content, message in (
        ("type,time\nA,5\nA,3\n", "s.csv:3: tuple 1 "), ("type\nA\n", "s.csv: tuple 0 "),
    ):
        Path("s.csv").write_text(content, encoding="utf-8")
        assert main(["run", "q.ceql", "--stream", "S=s.csv", "--engine", engine]) == 2
        err = capsys.readouterr().err
        assert err.startswith(message)
        assert err.count("\n") == 1


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_results_are_written_without_pandas(format: str):
    Path("q.ceql").write_text(f"{QUERY} WITHIN 1 MINUTE", encoding="utf-8")
    Path("s.csv").write_text("type,x,n,time\nA,2,q,1\nB,1,p,2\nA,1,p,3\nB,,pq,4\n")
    program = (
        "import sys; from denota.oracle.cli import main\n"
        f"main(['run', 'q.ceql', '--stream', 'S=s.csv', '--format', '{format}'])\n"
        "sys.exit('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) >= len(FOUND)
