"""On a terminal of 80 columns every line fits, whatever the names are; a pipe gets them whole."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from denota.oracle.cli import main
from denota.oracle.cli.terminal import folded

from .children import fork

NAME = "a_very_long_name_" * 8
CASE = f"""title: {"a long title " * 12}
language: spaseq
cites: SPAseq Def. 11
prefixes: {{"": "http://example.org/"}}
query: |
  PREFIX : <http://example.org/>
  SELECT ?{NAME} ?y WITHIN 15 FROM STREAM S :s
  WHERE {{ SEQ(A; B) DEFINE GPM A ON S {{ ?{NAME} :p 1 }} DEFINE GPM B ON S {{ ?y :{NAME} 2 }} }}
streams:
  http://example.org/s: |
    :g1 prov:generatedAtTime 1 . :g1 {{ :{NAME} :p 1 }}
    :g2 prov:generatedAtTime 2 . :g2 {{ :{NAME} :{NAME} 2 }}
expect:
  level: row
  results: [{{time: 3, solutions: [{{{NAME}: ":{NAME}", y: ":z"}}]}}]
"""


def test_lines_are_folded_between_words_under_their_indent():
    line = "  " + "word " * 30
    parts = folded(line, 40)
    assert all(len(part) <= 40 for part in parts)
    assert all(part.startswith("    word") for part in parts[1:])
    assert " ".join(" ".join(parts).split()) == " ".join(line.split())


@pytest.mark.parametrize("line", ["", "short", "x" * 40, "\x1b[1m" + "x" * 40])
def test_what_fits_stays(line):
    assert folded(line, 40) == [line]


def test_the_first_word_keeps_its_colour():
    parts = folded("\x1b[31mFAIL\x1b[0m    " + "word " * 20, 40)
    assert parts[0].startswith("\x1b[31mFAIL\x1b[0m    word")
    assert all(len(part) <= 40 + 9 * (part is parts[0]) for part in parts)


def on_a_terminal(folder: Path, *words: str) -> list[str]:
    """The lines of what a command prints on a terminal of 80 columns."""
    pty = pytest.importorskip("pty")
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def run() -> int:
        os.environ |= {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
        return main(words)

    running = fork(run, folder, subprocess.DEVNULL, theirs)
    os.close(theirs)
    printed = b""
    while True:
        try:
            chunk = os.read(ours, 1 << 16)
        except OSError:  # the other end has been closed
            break
        if not chunk:
            break
        printed += chunk
    os.close(ours)
    _, error = running.communicate()
    assert printed, f"exit code {running.returncode}: {error}"
    return printed.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ("check", "long.case.yaml"),
        ("explain", "long.case.yaml"),
        ("fuzz", "--cases", "5", "--language", "ceql", "--seed", "1"),
        ("corpus", "enumerate", "--max-operators", "0", "--max-events", "1", "-o",
            f"{NAME}.parquet"),
    ],
    ids=lambda words: words[0],
)
def test_every_line_fits_a_terminal(tmp_path, words):
    (tmp_path / "long.case.yaml").write_text(CASE, encoding="utf-8")
    lines = on_a_terminal(tmp_path, *words)
    assert [line for line in lines if len(line) > 80] == []


def test_a_pipe_gets_whole_lines(tmp_path):
    (tmp_path / "long.case.yaml").write_text(CASE, encoding="utf-8")

    def run() -> int:
        os.environ["COLUMNS"] = "80"
        return main(["check", "long.case.yaml"])

    out, _ = fork(run, tmp_path).communicate()
    assert any(NAME in line for line in out.splitlines())
