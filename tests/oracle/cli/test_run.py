import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading

import pyarrow.parquet as pq
import pytest

from denota.oracle.cli import main

from .children import fork_denota

U1, U2 = "http://example.org/u1", "http://example.org/u2"


@pytest.fixture
def words(files):
    """`run` on the small case."""
    return [
        "run", str(files / "q.rq"),
        "--stream", f"{U1}={files / 'u1.trig'}", "--stream", f"{U2}={files / 'u2.trig'}",
    ]


def uri(name):
    return {"type": "uri", "value": f"http://example.org/{name}"}


def test_one_object_a_pair(words, capsys):
    assert main(words) == 0
    captured = capsys.readouterr()
    assert [json.loads(line) for line in captured.out.splitlines()] == [
        {"window": [10, 25], "time": 20, "solutions": [{"h": uri(h), "w": uri("W1")}]}
        for h in ("H1", "H2")
    ]
    assert captured.err == ""


@pytest.mark.parametrize("engine", ["oracle", "python:denota:evaluate",
                                    f"command:{sys.executable} -m denota.oracle.engines.adapter"])
def test_every_engine_prints_the_same(words, engine, capsys):
    assert main(words) == 0
    expected = sorted(capsys.readouterr().out.splitlines())
    assert main([*words, "--engine", engine]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == expected


@pytest.mark.parametrize("form", [U1, f"<{U1}>", ":u1", "S1"])
def test_a_stream_may_be_named_in_many_ways(files, form, capsys):
    assert main([
        "run", str(files / "q.rq"), "--stream", f"{form}={files / 'u1.trig'}",
        "--stream", f":u2={files / 'u2.trig'}",
    ]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_iris_and_file_names_may_have_equals_signs(files, capsys):
    iri = "http://example.org/?a=b"
    query = (files / "q.rq").read_text(encoding="utf-8").replace(":u1", f"<{iri}>")
    (files / "q.rq").write_text(query, encoding="utf-8")
    odd = files / "x=y.trig"
    odd.write_bytes((files / "u1.trig").read_bytes())
    for form in (iri, f"<{iri}>"):
        assert main(["run", str(files / "q.rq"), "--stream", f"{form}={odd}",
                     "--stream", f"S2={files / 'u2.trig'}"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 2


def test_csv(words, capsys):
    assert main([*words, "--format", "csv"]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert rows == [
        ["window_start", "window_end", "time", "h", "w"],
        ["10", "25", "20", "http://example.org/H1", "http://example.org/W1"],
        ["10", "25", "20", "http://example.org/H2", "http://example.org/W1"],
    ]


def test_sparql_json(words, capsys):
    from rdflib.query import Result

    assert main([*words, "--format", "srj"]) == 0
    out = capsys.readouterr().out
    document = json.loads(out)
    assert document["head"]["vars"] == ["window_start", "window_end", "time", "h", "w"]
    assert document["results"]["bindings"][0]["h"] == uri("H1")
    import io

    read = Result.parse(io.BytesIO(out.encode()), format="json")
    assert [int(row.time) for row in read] == [20, 20]


def test_sparql_json_without_matches_is_a_document(words, capsys):
    assert main([*words, "--format", "srj", "--from", "100"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]["bindings"] == []


def test_parquet(words, tmp_path, capsys):
    path = tmp_path / "out.parquet"
    assert main([*words, "--format", "parquet", "-o", str(path)]) == 0
    rows = pq.read_table(path).to_pylist()
    assert [(row["result"], row["time"], row["h"]["value"]) for row in rows] == [
        (0, 20, "http://example.org/H1"), (1, 20, "http://example.org/H2"),
    ]
    assert capsys.readouterr().out == ""


def test_parquet_on_standard_output(words, tmp_path, capsysbinary, monkeypatch):
    path = tmp_path / "out.parquet"
    assert main([*words, "--format", "parquet", "-o", str(path)]) == 0
    assert main([*words, "--format", "parquet"]) == 0
    out, err = capsysbinary.readouterr()
    assert pq.read_table(io.BytesIO(out)).equals(pq.read_table(path))
    assert err == b""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main([*words, "--format", "parquet"]) == 2
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err == b"denota run: parquet is written to a file: name it with -o\n"


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_collected_values_and_ranks_in_every_format(tmp_path, files, format, capsys):
    query = tmp_path / "k.rq"
    query.write_text(
        "PREFIX : <http://example.org/> SELECT ?time ?l WITHIN 15 FROM STREAM S1 :u1 "
        "WHERE { SEQ(A+) DEFINE GPM A ON S1 { ?time :loc ?l } }", encoding="utf-8",
    )
    out = tmp_path / "out"
    assert main([
        "run", str(query), "--stream", f"S1={files / 'u1.trig'}", "--reading", "kleene=collect",
        "--reading", "ties=sequence", "--reading", "window=match", "--format", format,
        "-o", str(out),
    ]) == 0
    if format == "jsonl":
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert max(len(row["solutions"][0]["l"]) for row in rows) == 2
        assert all(row["rank"] == 0 and "window" not in row for row in rows)
    elif format == "csv":
        header, *rows = csv.reader(out.read_text(encoding="utf-8").splitlines())
        assert header == ["time", "rank", "?time", "l"]
        assert any(row[2] == "(http://example.org/H1 http://example.org/H2)" for row in rows)
    else:
        table = pq.read_table(out)
        names = ["result", "time", "rank", "?time", "?time_text", "l", "l_text"]
        assert table.column_names == names
        assert max(len(cell) for cell in table["l"].to_pylist()) == 2


def test_sparql_json_has_no_lists(words, capsys):
    assert main([*words, "--format", "srj", "--reading", "kleene=collect"]) == 2
    assert "no lists" in capsys.readouterr().err


def test_the_start_of_the_first_window(words, capsys):
    assert main([*words, "--from", "11"]) == 0
    assert [json.loads(line)["window"] for line in capsys.readouterr().out.splitlines()] == [
        [11, 26]
    ]


def test_warnings_are_one_line_each_on_stderr(files, capsys):
    query = files / "q.rq"
    query.write_text(re.sub(r"(GPM A ON S1 *\{)", r"\1 FILTER (?no > 1)", query.read_text()))
    assert main([
        "run", str(query), "--stream", f"S1={files / 'u1.trig'}",
        "--stream", f"S2={files / 'u2.trig'}",
    ]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith(f"{query}:5:")
    assert ": warning: " in line


@pytest.mark.parametrize(
    "more, message",
    [
        (["--stream", "x"], "NAME=FILE"),
        (["--stream", "a b=c"], "not an IRI: 'a b'"),
        (["--stream", f"{U1}=u1.trig"], "given twice"),
        (["--stream", ":x=no-such-file.trig"], "no-such-file.trig"),
        (["--stream", ":x=file.odd"], "file.odd"),
        (["--kb", ":k=no-such-file.ttl"], "no-such-file.ttl"),
        (["--engine", "esper"], "no engine 'esper'"),
        (["--reading", "kleene"], "K=V"),
        (["--reading", "kleen=join"], "no reading 'kleen'"),
        (["--reading", "kleene=jn"], "no value 'jn'"),
        (["--reading", "window=sliding"], "SLIDE"),
        (["--reading", "ties=merge", "--reading", "ties=error"], "given twice"),
        (["--from", "noon"], "'noon' is neither"),
        (["--from", "2026-01-01T00:00:00.0000001Z"], "0001Z' is finer than a microsecond"),
        (["--at", "5"], "no --at"),
        (["--language", "sql"], "no language 'sql'"),
        (["--language", "epsparql"], "unexpected 'WITHIN'"),
        (["--follow", "--engine", "oracle"], "--follow"),
        (["-o", "/no/such/folder/x"], "/no/such/folder/x"),
        (["--stream", ":x=-", "--stream", ":y=-"], "only once"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words, more, message, capsys):
    assert main([*words, *more]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    "query, message",
    [("SELECT ?x WHERE { }", ":1:11: "), ("", ":1:1: "), ("\n\nfoo", ":3:1: "), ("\ud800", "")],
)
def test_a_query_that_does_not_parse_has_a_place(tmp_path, query, message, capsys):
    path = tmp_path / "q.rq"
    path.write_bytes(query.encode("utf-8", "surrogatepass"))
    assert main(["run", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"{path}{message}")
    assert err.count("\n") == 1


def test_a_stream_that_goes_wrong_keeps_what_was_certain(words, files, capsys):
    with open(files / "u2.trig", "a", encoding="utf-8") as more:
        more.write(":h30 prov:generatedAtTime 30 .  :h30 { :W1 :at :L1 . }\n:h40 { broken\n")
    assert main([*words, "--reading", "window=match"]) == 2
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert captured.err.startswith(f"{files / 'u2.trig'}:6")


def line_of(process):
    """The next line of its output; a watchdog ends a process that writes none."""
    watchdog = threading.Timer(300, process.kill)
    watchdog.start()
    line = process.stdout.readline()
    watchdog.cancel()
    assert line, "no output"
    return line


def test_matches_come_as_soon_as_they_are_certain(files):
    words = ["run", str(files / "q.rq"), "--stream", f"S1={files / 'u1.trig'}", "--stream", "S2=-"]
    process = fork_denota(words, files)
    try:
        process.stdin.write((files / "u2.trig").read_text(encoding="utf-8"))
        # One item more, so that those before it are complete; the input stays open.
        process.stdin.write(":h21 prov:generatedAtTime 21 .  :h21 { :W9 :at :L9 . }\n")
        process.stdin.write(":h22 prov:generatedAtTime 22 .  :h22 { :W9 :at :L9 . }\n")
        process.stdin.flush()
        assert json.loads(line_of(process))["time"] == 20
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


def test_a_growing_file_is_followed_until_interrupted(files):
    words = [
        "run", str(files / "q.rq"), "--stream", f":u1={files / 'u1.trig'}",
        "--stream", f":u2={files / 'u2.trig'}", "--follow", "--reading", "window=match",
    ]
    u1, u2 = files / "u1.trig", files / "u2.trig"
    process = fork_denota(words, files)
    try:
        # An item is complete when the next one begins, so each stream needs two more.
        for path, instant in ((u1, 50), (u1, 60), (u2, 51), (u2, 61)):
            with open(path, "a", encoding="utf-8") as more:
                name = f":x{instant}"
                more.write(f"{name} prov:generatedAtTime {instant} . {name} {{ :x :y 1 }}\n")
        assert json.loads(line_of(process))["time"] == 20
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text(
        "PREFIX : <http://example.org/> SELECT ?x WITHIN 10 FROM STREAM S :s "
        "WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p ?y } }", encoding="utf-8",
    )
    lines = ["@prefix : <http://example.org/> .", "@prefix prov: <http://www.w3.org/ns/prov#> ."]
    lines += [f":g{n} prov:generatedAtTime {n} . :g{n} {{ :a :p {n} }}" for n in range(3000)]
    stream = tmp_path / "s.trig"
    stream.write_text("\n".join(lines), encoding="utf-8")
    process = fork_denota(["run", str(query), "--stream", f"S={stream}"], tmp_path)
    assert line_of(process)
    process.stdout.close()
    assert process.wait() == 141
    assert process.stderr.read() == ""
    process.stderr.close()


def test_output_is_utf_8_whatever_the_locale(tmp_path):
    query = tmp_path / "q.rq"
    query.write_text(
        "PREFIX : <http://example.org/> SELECT ?y WITHIN 10 FROM STREAM S :s "
        "WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p ?y } }", encoding="utf-8",
    )
    stream = tmp_path / "s.trig"
    stream.write_text(
        "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
        ':g prov:generatedAtTime 1 . :g { :a :p "καλή" }', encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "denota", "run", str(query), "--stream", f"S={stream}"],
        capture_output=True, env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )
    assert "καλή" in done.stdout.decode("utf-8"), done.stderr


def test_a_small_run_imports_what_it_needs(words):
    program = (
        "import sys; from denota.oracle.cli import main; code = main(sys.argv[1:])\n"
        "heavy = {'numpy', 'numba', 'pyarrow', 'pandas', 'rich', 'yaml', 'networkx', 'hypothesis',"
        " 'pyspark'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
