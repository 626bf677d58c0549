"""A file that becomes shorter while `denota run` reads it: results are kept, the exit code is 1."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from denota.oracle.cli import main

QUERY = """PREFIX : <http://example.org/>
SELECT ?x FROM STREAM :s WHERE { ?x :p ?y }"""
ITEM = (
    "<http://example.org/g{0}> <http://www.w3.org/ns/prov#generatedAtTime>"
    ' "{0}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    "<http://example.org/x{0}> <http://example.org/p> <http://example.org/y>"
    " <http://example.org/g{0}> .\n"
)
ITEMS = 20_000


class Truncating(io.StringIO):
    """Standard output that truncates a file when the first result comes."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def write(self, text: str, /) -> int:
        if self.file.stat().st_size > 10:
            os.truncate(self.file, 10)
        return super().write(text)


@pytest.mark.parametrize("follow", [False, True])
def test_a_truncated_file_is_reported(
    follow: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "q.rq").write_text(QUERY)
    stream = tmp_path / "s.nq"
    stream.write_text("".join(ITEM.format(number) for number in range(ITEMS)))
    output = Truncating(stream)
    monkeypatch.setattr(sys, "stdout", output)
    words = ["run", str(tmp_path / "q.rq"), "--stream", f":s={stream}", *["--follow"] * follow]
    assert main(words) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{stream}: the file was truncated while it was read: 10 bytes")
    assert error.count("\n") == 1
    assert 0 < output.getvalue().count("\n") < ITEMS
