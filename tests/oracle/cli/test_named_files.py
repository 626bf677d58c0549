"""No output is an input or another output, of any verb and by any name of the file."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import cycle, pairwise
from pathlib import Path

import pytest

from denota.oracle.cli import COMMANDS, main
from denota.oracle.cli.named_files import INPUTS, OUTPUT_FILES, OUTPUT_FOLDERS
from denota.semantics.streams.files.outputs import Output

CASE = """\
language: spaseq
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  SELECT ?x WITHIN 5 FROM STREAM S <http://example.org/S>
  WHERE { SEQ(A) DEFINE GPM A ON S { ?y :p ?x } }
streams:
  :S: {file: s.trig}
expect: {results: []}
"""
FILES = {
    "q": "SELECT * FROM S WHERE A; B",
    "r": "SELECT * FROM S WHERE A; A",
    "s.csv": "type\nA\nB\n",
    "declared": "CREATE STREAM S { EVENT A {}, EVENT B {} }",
    "c.case.yaml": CASE,
    "s.trig": "",
    "a.json": "[]",
    "known.yaml": "[]",
    "corpus.parquet": "PAR1",
    "kb.ttl": "",
}
RUN = "run q --stream S=s.csv"
CHECK = "check c.case.yaml"
ANSWERS = "check --recorded a.json --query q --stream http://example.org/s=s.trig"
REPORTS = ("--html", "--earl", "--junit", "--markdown")

INPUT_AS_OUTPUT = [
    *((f"{RUN} -o {{}}", name) for name in ("q", "s.csv")),
    *((f"{RUN} --format parquet -o {{}}", name) for name in ("q", "s.csv")),
    *((f"{RUN} --checkpoint {{}}", name) for name in ("q", "s.csv")),
    (f"{RUN} --schema declared -o {{}}", "declared"),
    (f"{RUN} --kb http://example.org/k=kb.ttl -o {{}}", "kb.ttl"),
    (f"{RUN} --engine command:./s.trig -o {{}}", "s.trig"),
    ("run q --spark --stream S=s.csv --format parquet --checkpoint state -o {}", "s.csv"),
    ("draw q -o {}", "q"),
    *((f"{CHECK} {option} {{}}", "c.case.yaml") for option in (*REPORTS, "--export-manifest")),
    *((f"{CHECK} {option} {{}}", "s.trig") for option in REPORTS),  # which the case names
    *((f"check . {option} {{}}", "c.case.yaml") for option in REPORTS),
    *(
        (f"{ANSWERS} {option} {{}}", name)
        for option in ("--json", "--html", "--junit", "--markdown")
        for name in ("a.json", "q", "s.trig")
    ),
    *((f"fuzz -n 1 --known-differences known.yaml {option} {{}}", "known.yaml")
      for option in (*REPORTS, "--coverage", "--save-failures", "--save-verdicts")),
    *((f"explain c.case.yaml {option} {{}}", "c.case.yaml") for option in ("--html", "--svg")),
    *(("distinguish q r@output=valuation --save-case {}", name) for name in ("q", "r")),
    *((f"sweep corpus.parquet --output out {option} {{}}", "corpus.parquet") for option in REPORTS),
    ("corpus export corpus.parquet -o {}", "corpus.parquet"),
    *((f"report a.json {option} {{}}", "a.json") for option in ("--html", "--markdown")),
]
ONE_FILE_FOR_TWO = [
    f"{RUN} -o {{}} --checkpoint {{}}",
    *(f"{CHECK} {one} {{}} {other} {{}}" for one, other in pairwise(REPORTS)),
    f"{ANSWERS} --json {{}} --html {{}}",
    "fuzz -n 1 --coverage {} --html {}",
    "explain c.case.yaml --html {} --svg {}",
    "report . --html {} --markdown {}",
    "sweep corpus.parquet --output swept --earl {} --junit {}",
]
NAMES: dict[str, Callable[[Path], str]] = {
    "itself": lambda path: path.name,
    "another path": lambda path: f"../{path.parent.name}/./{path.name}",
    "symbolic link": lambda path: _linked(path, os.symlink),
    "hard link": lambda path: _linked(path, os.link),
}


def _linked(path: Path, link: Callable[[Path, Path], None]) -> str:
    link(path, path.with_name("link"))
    return "link"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


@pytest.mark.parametrize(
    ("words", "file", "name"),
    [(*each, name) for each, name in zip(INPUT_AS_OUTPUT, cycle(NAMES), strict=False)]
    + [(*each, name) for each in INPUT_AS_OUTPUT[1::12] for name in NAMES],
)
def test_an_input_is_no_output(
    words: str, file: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = NAMES[name](folder / file)
    before = contents(folder)
    assert main(words.format(written).split()) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "name the same file" in error or "the file is an input" in error
    assert contents(folder) == before


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("words", ONE_FILE_FOR_TWO)
def test_two_outputs_are_two_files(
    words: str, there: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if there:
        (folder / "out").write_text("from before")
    os.symlink("out", folder / "link")
    before = contents(folder)
    assert main(words.format("out", "link").split()) == 2
    assert "name the same file, 'link'" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("words", "of"),
    [
        ("run q --stream S=in -o in/found", "--stream"),
        ("check c.case.yaml --export-manifest in --html in/x", "--export-manifest"),
        ("fuzz -n 1 --save-failures in --coverage in/x", "--save-failures"),
        ("sweep corpus.parquet -o in --html in/x", "--output"),
    ],
)
def test_a_file_in_the_folder_of_another_option_is_refused(
    words: str, of: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in").mkdir()
    assert main(words.split()) == 2
    assert f"is in the folder of {of}\n" in capsys.readouterr().err
    assert not list((folder / "in").iterdir())


def test_a_report_does_not_replace_results(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*CHECK.split(), "--save-verdicts", "."]) == 0
    [results] = folder.glob("check-*.jsonl")
    before = results.read_bytes()
    assert main(["report", ".", "--html", results.name]) == 2
    assert "the file is an input" in capsys.readouterr().err
    assert results.read_bytes() == before


# --- what goes on working -------------------------------------------------------------------------


@pytest.mark.parametrize("words", [
    f"{RUN} -o /dev/null --checkpoint state", "draw q -o /dev/null",
    f"{CHECK} --html /dev/null --markdown /dev/null --junit /dev/null",
    f"{RUN} -o /dev/stdout", f"{RUN} --format csv -o /dev/stdout",
])
def test_devices_are_written_as_they_are(
    words: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 0
    assert ("positions" in capfd.readouterr().out) is words.endswith("stdout")
    assert not [each for each in folder.iterdir() if each.name.startswith(".")]


@pytest.mark.parametrize("words", [f"{RUN} -o {{}}", "draw q -o {}", f"{CHECK} --html {{}}"])
def test_a_pipe_is_written_to(words: str, folder: Path) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert main(words.format("pipe").split()) == 0
    assert os.read(reader, 1 << 20)
    os.close(reader)
    assert main(f"{RUN} -o whole".split()) == 0
    assert (folder / "pipe").is_fifo()


@pytest.mark.parametrize("options", [[], ["--format", "parquet"], ["--checkpoint", "state"]])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one_and_its_file_is_written(
    options: list[str], there: bool, folder: Path
) -> None:
    (folder / "else").mkdir()
    target = folder / "else" / "found"
    if there:
        target.write_text("from before")
        target.chmod(0o640)
    os.symlink("else/found", folder / "link")
    assert main([*RUN.split(), "-o", "link", *options]) == 0
    assert (folder / "link").is_symlink()
    assert b"from before" not in target.read_bytes()
    assert target.read_bytes()
    assert [each.name for each in (folder / "else").iterdir()] == ["found"]
    assert not there or target.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("options", [[], ["--format", "parquet"], ["--format", "csv"]])
def test_an_output_that_fails_leaves_the_one_before(options: list[str], folder: Path) -> None:
    (folder / "found").write_text("from before")
    assert main([*RUN.split(), "-o", "found", *options, "--emulate", "csparql"]) == 2
    (folder / "q").write_text("SELECT * FROM S WHERE A;")
    assert main([*RUN.split(), "-o", "found", *options]) == 2
    assert (folder / "found").read_text() == "from before"
    assert set(FILES) | {"found"} == {each.name for each in folder.iterdir()}


@pytest.mark.parametrize("first", [[], ["--format", "parquet"], ["--checkpoint", "state"]])
@pytest.mark.parametrize("second", [
    f"{RUN} -o found", f"{RUN} -o found --format parquet", f"{RUN} --checkpoint found",
    "draw q -o found", f"{CHECK} --html found",
])
def test_one_lock_is_of_all_outputs(
    first: list[str], second: str, folder: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The second begins while the first is at work, and is refused."""
    ends: list[int] = []
    from denota.oracle.cli.run import result_output

    write = result_output.writer

    def writer(*arguments: object, **options: object) -> object:
        monkeypatch.undo()
        monkeypatch.chdir(folder)
        ends.append(main(second.split()))
        assert "another output is being written to this file" in capsys.readouterr().err
        return write(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(result_output, "writer", writer)
    assert main([*RUN.split(), "-o", "found", *first]) == 0
    assert ends == [2]
    with Output(folder / "found"):
        assert main(second.split()) == 2


# --- the table of options -------------------------------------------------------------------------

NO_FILES = {
    "stream_format": "F", "alphabet": "NAME", "setting": "NAME", "type_column": "C",
}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
        yield action


def test_every_option_that_names_a_file_is_known() -> None:
    found = set()
    for module, _ in COMMANDS.values():
        parser = argparse.ArgumentParser()
        import_module(f"denota.oracle.cli.{module}").configure(parser)
        for action in _actions(parser):
            shown = str(action.metavar or "")
            names = re.search(r"\b(FILE|DIR|PATH|QUERY(_A|_B)?|CASE|ENGINE|CORPUS|F|Q)\b", shown)
            if (action.type is Path or names) and action.dest not in NO_FILES:
                found.add(action.dest)
    assert found == INPUTS | OUTPUT_FILES | OUTPUT_FOLDERS
