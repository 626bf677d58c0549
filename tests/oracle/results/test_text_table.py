"""`--format table`: aligned columns that fit the terminal, in blocks, with a count."""

import io
import json

import pytest

from denota.oracle.cli import main
from denota.oracle.results.text_table import TextRows, TextTable


def table_of(results, names=("at", "x"), fields=1, **options):
    out = io.StringIO()
    table = TextTable(TextRows(names, fields, lambda rows: rows), out, **options)
    for result in results:
        table.write(result)
    table.close()
    return out.getvalue().splitlines()


@pytest.fixture
def words(files):
    return [
        "run", str(files / "q.rq"),
        "--stream", f"S1={files / 'u1.trig'}", "--stream", f"S2={files / 'u2.trig'}",
    ]


def test_prefixed_names_and_the_number_of_results(words, capsys):
    assert main([*words, "--format", "table"]) == 0
    out, err = capsys.readouterr()
    assert (out.splitlines(), err) == ([
        "window_start  window_end  time  h    w",
        "────────────  ──────────  ────  ───  ───",
        "          10          25    20  :H1  :W1",
        "          10          25    20  :H2  :W1",
        "2 results",
    ], "")


def test_it_is_the_default_on_a_terminal(words, tmp_path, capsys, monkeypatch):
    assert main(words) == 0
    in_a_pipe = capsys.readouterr().out
    assert len(list(map(json.loads, in_a_pipe.splitlines()))) == 2
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "25")
    assert main(words) == 0
    on_a_terminal = capsys.readouterr().out.splitlines()
    assert on_a_terminal[0].split() == ["time", "h", "w"]
    assert on_a_terminal[-1] == "2 results (too narrow for: window_start, window_end)"
    assert main([*words, "-o", str(tmp_path / "found")]) == 0
    assert (tmp_path / "found").read_text(encoding="utf-8") == in_a_pipe
    assert main([*words, "--count"]) == 0
    assert capsys.readouterr().out == "2\n"


def test_no_result(words, capsys):
    assert main([*words, "--format", "table", "--limit", "0"]) == 0
    assert capsys.readouterr().out == "no results\n"


def test_dates_are_shown_as_on_the_streams(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(
        "PREFIX : <urn:> SELECT ?x { { ?x :p 1 } SEQ { ?x :p 2 } }", encoding="utf-8"
    )
    (tmp_path / "s.trig").write_text("@prefix : <urn:> ." + "".join(
        f':g{n} <http://www.w3.org/ns/prov#generatedAtTime> "2026-01-01T00:00:0{n}Z"'
        f"^^<http://www.w3.org/2001/XMLSchema#dateTime> . :g{n} {{ :a :p {n} }}"
        for n in (1, 2)
    ), encoding="utf-8")
    words = ["run", "q.rq", "--language", "epsparql", "--stream", "urn:s=s.trig"]
    assert main([*words, "--format", "table"]) == 0
    row = capsys.readouterr().out.splitlines()[2]
    assert row.split() == ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", ":a"]


@pytest.mark.parametrize("readings", [[], ["--reading", "output=valuation"]])
def test_complex_events(tmp_path, capsys, readings):
    (tmp_path / "q.ceql").write_text("SELECT * FROM S WHERE A AS a ; B", encoding="utf-8")
    (tmp_path / "s.csv").write_text("type\nA\nB\n", encoding="utf-8")
    words = ["run", str(tmp_path / "q.ceql"), "--stream", f"S={tmp_path / 's.csv'}", *readings]
    assert main([*words, "--format", "table"]) == 0
    head, _, row, end = capsys.readouterr().out.splitlines()
    shown = ["0", "1", "0", "1", *["A=0;B=1;a=0"] * bool(readings)]
    assert (row.split(), end) == (shown, "1 result")
    assert head.split() == ["start", "end", "positions", *["bindings"] * bool(readings)]


def test_columns_that_grow_get_a_new_header():
    rows = [[[1, "a"]], [[2, "b"]], [[10, "ccc"]], [[11, "c"]]]
    assert table_of(rows, block=1) == [
        "at  x", "──  ─", " 1  a", " 2  b", "at  x", "──  ───", "10  ccc", "11  c", "4 results",
    ]
    assert table_of(rows, block=3).count("at  x") == 1


def test_a_live_run_shows_each_result_at_once():
    out = io.StringIO()
    table = TextTable(TextRows(["at"], 1, lambda rows: rows), out, block=1)
    table.write([[7]])
    assert out.getvalue().splitlines() == ["at", "──", " 7"]


@pytest.mark.parametrize("width", [20, 24, 31, 80])
def test_no_line_is_wider_than_the_terminal(width):
    rows = [[["2026-01-01", "日本語" * n, "x" * 5 * n]] for n in range(1, 12)]
    lines = table_of(rows, ("at", "wide", "long"), width=width)
    cells = [sum(2 if letter in "日本語" else 1 for letter in line) for line in lines]
    assert max(cells) <= width
    assert all(line.startswith("2026-01-01") for line in lines[2:-1])
    assert any("…" in line for line in lines)


def test_text_cannot_command_the_terminal():
    lines = table_of([[[1, "\x1b[2J\n"]]])
    assert lines[2:] == [" 1  \\u001b[2J\\u000a", "1 result"]


def test_rows_and_results_are_counted():
    assert table_of([[[1, "a"], [1, "b"]]])[-1] == "1 result, 2 rows"
