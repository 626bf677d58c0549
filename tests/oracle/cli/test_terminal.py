"""Nothing from data reaches a terminal raw; what machines read stays exact."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from denota.oracle.cli import main

from .children import fork

ESC = "\x1b]0;owned\x07\x9b2J\u202e[bold]"
CASE = """\
title: "{title}"
language: spaseq
cites: "{title}"
query: |
  SELECT ?x WITHIN 5 FROM STREAM S <urn:s> WHERE {{ SEQ(A) DEFINE GPM A ON S {{ ?y <urn:p> ?x }} }}
streams:
  urn:s: "<urn:g> prov:generatedAtTime 1 . <urn:g> {{ <urn:a> <urn:p> \\"{title}\\" }}"
expect: {{results: []}}
tags: ["{title}"]
"""
YAML = "\\e]0;owned\\a\\x9b2J\\u202E[bold]"
QUERY = (
    "SELECT ?x WITHIN 5 FROM STREAM S <urn:s> "
    "WHERE { SEQ(A) DEFINE GPM A ON S { ?y <urn:p> ?x } }"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.case.yaml").write_text(
        CASE.format(title=YAML).replace(f'\\"{YAML}\\"', f'\'{YAML}\''), encoding="utf-8"
    )
    (tmp_path / "q.rq").write_text(QUERY, encoding="utf-8")
    (tmp_path / "s.nq").write_text(
        "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "
        '"1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        f'<urn:a> <urn:p> "{ESC}" <urn:g> .\n', encoding="utf-8",
    )
    return tmp_path


def _is_plain(text: str) -> bool:
    return text.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "words",
    [
        ["check", "a.case.yaml"],
        ["explain", "a.case.yaml"],
        ["check", f"no{ESC}.case.yaml"],
        ["run", f"{ESC}.rq"],
        ["run", "q.rq", "--stream", f"S={ESC}"],
        ["run", "q.rq", "--stream", f"{ESC}=s.nq"],
        ["run", "q.rq", "--reading", f"kleene={ESC}", "--stream", "S=s.nq"],
        ["run", "q.rq", "--engine", f"python:{ESC}", "--stream", "S=s.nq"],
        ["run", "q.rq", f"--{ESC}"],
        [ESC],
        ["run", "q.rq", "--stream", "S=s.nq"],
        ["run", "q.rq", "--stream", "S=s.nq", "--format", "srj"],
    ],
)
@pytest.mark.usefixtures("folder")
def test_text_for_people_is_printable(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(words)
    out, err = capsys.readouterr()
    assert out + err
    assert _is_plain(out + err)


def test_an_engines_stderr_is_printable(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.py").write_text(f"import sys\nsys.stderr.write({ESC!r})\nsys.exit(3)\n")
    assert main(["check", "a.case.yaml", "--engine", f"command:{sys.executable} bad.py"]) == 1
    out, err = capsys.readouterr()
    assert "owned" in out
    assert _is_plain(out + err)


@pytest.mark.usefixtures("folder")
def test_what_machines_read_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "q.rq", "--stream", "S=s.nq"]) == 0
    [solution] = json.loads(capsys.readouterr().out)["solutions"]
    assert solution["x"]["value"] == ESC
    assert main(["run", "q.rq", "--stream", "S=s.nq", "--format", "csv"]) == 0
    assert ESC in capsys.readouterr().out


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.usefixtures("folder")
def test_on_a_terminal_it_is_printable(format: str) -> None:
    here, there = pty.openpty()
    words = ["run", "q.rq", "--stream", "S=s.nq", "--format", format]
    running = fork(lambda: main(words), Path.cwd(), subprocess.DEVNULL, there)
    os.close(there)
    read = b""
    while True:
        try:
            piece = os.read(here, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        read += piece
    os.close(here)
    assert (running.communicate()[1], running.returncode) == ("", 0)
    text = read.decode().replace("\r\n", "\n")
    assert "owned" in text
    assert _is_plain(text)
