"""`%load_ext denota` and `%%denota`: a cell of a notebook that is a query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import denota

interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
config = pytest.importorskip("traitlets.config")

CEQL = "SELECT * FROM S WHERE A ; B"
ROWS = [{"type": "A", "x": 1}, {"type": "B", "x": 2}, {"type": "B", "x": 3}]
SPASEQ = """\
PREFIX : <http://e/>
SELECT ?x WITHIN 10 FROM STREAM S1 :u1 FROM STREAM S2 :u2
WHERE { SEQ(A; B) DEFINE GPM A ON S1 { ?x :p ?y } DEFINE GPM B ON S2 { ?x :q ?y } }
"""
FIRST = "@prefix : <http://e/> . :a :p 1 ."
SECOND = "@prefix : <http://e/> . :a :q 1 ."


class Notebook:
    """An IPython shell with the extension; `outputs` are what the last cell showed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        options = config.Config({"HistoryManager": {"enabled": False}})
        self.shell = interactiveshell.InteractiveShell(config=options)
        self.capsys = capsys
        self.shell.run_cell("%load_ext denota")
        self.variables = self.shell.user_ns

    def run(self, cell: str) -> Any:
        """Return the value of a cell that succeeds."""
        self.capsys.readouterr()
        done = self.shell.run_cell(cell)
        assert done.success, done.error_in_exec
        return done.result

    def error(self, cell: str) -> str:
        """Return what a cell that fails writes to stderr: one line."""
        self.capsys.readouterr()
        assert not self.shell.run_cell(cell).success
        out, err = self.capsys.readouterr()
        assert out == ""
        assert err.startswith("UsageError: ")
        assert err.count("\n") == 1
        return str(err.removeprefix("UsageError: ").rstrip())

    def shown(self, value: Any) -> dict[str, str]:
        """Return the representations of a value by their types."""
        return dict(self.shell.display_formatter.format(value)[0])


@pytest.fixture
def notebook(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Notebook:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    return Notebook(capsys)


def test_variables_are_streams_and_results_are_a_table(notebook: Notebook) -> None:
    notebook.variables["rows"] = ROWS
    results = notebook.run(f"%%denota --stream S=rows -o found\n{CEQL}")
    assert notebook.variables["found"] is results
    shown = notebook.shown(results)
    assert shown["text/plain"].splitlines()[2:] == [
        "    0    1  0 1", "    0    2  0 2", "2 results",
    ]
    assert shown["text/html"].count("<tr>") == 3
    assert [each.positions for each in results] == [(0, 1), (0, 2)]


def test_graphs_files_readings_and_times(notebook: Notebook) -> None:
    notebook.variables["first"] = [(1, FIRST)]
    Path("second.trig").write_text(
        "@prefix : <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
        ":g prov:generatedAtTime 4 . :g { :a :q 1 . }\n", encoding="utf-8",
    )
    given = "--stream S1=first --stream http://e/u2=second.trig"
    [pair] = notebook.run(f"%%denota {given} --from 0 --reading window=match\n{SPASEQ}")
    assert pair.time == 4
    assert pair.window is None
    assert "takes no --at" in notebook.error(f"%%denota {given} --at 3\n{SPASEQ}")


def test_a_background_graph_may_be_a_variable(notebook: Notebook) -> None:
    query = SPASEQ.replace("?x :q ?y", "?x :q ?y . GRAPH :kb { ?x :r ?z }").replace(
        "SELECT ?x", "SELECT ?x ?z"
    )
    notebook.variables.update(
        one=[(1, FIRST)], two=[(2, SECOND)], known="@prefix : <http://e/> . :a :r :b ."
    )
    [pair] = notebook.run(f"%%denota --stream S1=one --stream S2=two --kb :kb=known\n{query}")
    [solution] = pair.solutions
    assert str(dict(solution.items())).count("http://e/b") == 1


@pytest.mark.parametrize("line, cell, message", [
    ("--stream S=rows", CEQL[:-1], "cell:2:"),
    ("--stream S=rows", f"\n\n{CEQL} )", "cell:4:29"),
    ("--stream S=nothing", CEQL, "'nothing' is neither a variable of the notebook nor a file"),
    ("--stream T=rows", CEQL, "the query names no stream 'T'"),
    ("", CEQL, "no input for the query's stream 'S'"),
    ("--strem S=rows", CEQL, "did you mean '--stream'?"),
    ("--stream S='rows", CEQL, "no closing quotation"),
    ("--stream S=rows --reading x=y", CEQL, "'x'"),
    ("--stream S=rows --language ceq", CEQL, "ceq"),
    ("--stream S=rows -o 1", CEQL, "-o: '1' is not the name of a variable"),
    ("--stream S=broken", CEQL, "stream S"),
    ("--stream S=rows", CEQL.replace("B", "Bb"), "event type 'Bb' does not occur in the input"),
])
def test_errors_are_one_line(notebook: Notebook, line: str, cell: str, message: str) -> None:
    notebook.variables.update(rows=ROWS, broken=[{"no": 1}])
    assert message in notebook.error(f"%%denota {line}\n{cell}")


def test_no_results_and_why(notebook: Notebook) -> None:
    notebook.variables["rows"] = ROWS
    results = notebook.run("%%denota --stream S=rows\nSELECT * FROM S WHERE B ; A")
    err = notebook.capsys.readouterr().err
    assert "B: 2 items, A: 1; the sequence breaks off after B: no A follows" in err
    assert notebook.shown(results)["text/plain"] == "no results"
    notebook.variables.update(one=[(1, FIRST)], two=iter([]))
    notebook.run(f"%%denota --stream S1=one --stream S2=two\n{SPASEQ}")
    # A stream cannot be read again, but names are noted.
    assert notebook.capsys.readouterr().err == "cell: warning: no item has ':q'\n"


def test_help_is_no_error(notebook: Notebook) -> None:
    assert notebook.run(f"%%denota --help\n{CEQL}") is None
    assert "--stream IRI=SOURCE" in notebook.capsys.readouterr().out


def test_more_results_than_are_shown(notebook: Notebook) -> None:
    notebook.variables["rows"] = [{"type": "A"}] * 30
    results = notebook.run("%%denota --stream S=rows\nSELECT * FROM S WHERE A")
    assert notebook.shown(results)["text/plain"].splitlines()[-1] == "the first 20 results"
    assert len(list(results)) == 30


def test_a_query_is_shown_as_text_and_picture(notebook: Notebook) -> None:
    shown = notebook.shown(denota.parse(SPASEQ))
    assert "SEQ(A; B)" in shown["text/plain"]
    assert shown["text/plain"].startswith("SpaseqQuery(")
    assert shown["text/html"].count("<img ") == 1
