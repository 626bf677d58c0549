"""What libraries raise over an input is one DenotaError; what our own logic raises is not."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from denota.semantics.model.errors import CaseError, DenotaError, StreamError
from denota.semantics.streams.files.input_errors import input_errors
from denota.semantics.streams.files.outputs import Output, output_errors, write_text


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (pa.ArrowInvalid("Bad offsets\nat a place"), "f:7: not a table: bad offsets"),
        (pa.ArrowNotImplementedError("No"), "f:7: not a table: no"),
        (csv.Error("field larger"), "f:7: not a table: field larger"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), "f:7: not a table: the text is not UTF"),
        (RecursionError(), "f:7: not a table: it is nested too deeply"),
        (MemoryError(), "more memory than there is"),
        (EOFError("The end"), "f: not a table: the end"),
        (FileNotFoundError(2, "No such file"), "f: not a table: no such file"),
    ],
)
def test_libraries(error: Exception, message: str) -> None:
    with (
        pytest.raises(CaseError) as raised,
        input_errors("f", what="not a table", line=lambda: 7, kind=CaseError),
    ):
        raise error
    assert message in str(raised.value)


def test_numbers_of_too_many_digits() -> None:
    with pytest.raises(StreamError, match="more digits than can be read"), input_errors("f"):
        json.loads("1" * 5_000)


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyError("no"), AssertionError(), SystemExit()]
)
def test_bugs_stay_bugs(error: BaseException) -> None:
    with pytest.raises(type(error)), input_errors("f"):
        raise error


def test_a_full_disk_names_the_file() -> None:
    with (
        pytest.raises(DenotaError, match=r"^/dev/full: cannot be written: no space left"),
        output_errors("/dev/full"), open("/dev/full", "w", encoding="utf-8") as full,
    ):
        full.write("x")


# --- one writer ----------------------------------------------------------------------------------

DIES_WHILE_ITS_CHILD_LIVES = """
import os, signal, sys, time
from pathlib import Path
from denota.semantics.streams.files.outputs import Output

held = Output(Path(sys.argv[1]))
held.__enter__()
if not os.fork():
    # The child prints: by now it has closed the file of the lock, which the parent cannot know.
    print(os.getpid(), flush=True)
    signal.pause()
sys.stdin.readline()
"""


def test_a_lock_ends_with_its_holder_though_a_child_lives(tmp_path: Path) -> None:
    path = tmp_path / "out"
    holder = subprocess.Popen(
        [sys.executable, "-c", DIES_WHILE_ITS_CHILD_LIVES, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    assert holder.stdout is not None
    child = int(holder.stdout.readline())
    try:
        with (
            pytest.raises(DenotaError, match="another output is being written"),
            Output(path),
        ):
            pass
        holder.kill()
        holder.wait()
        with Output(path):
            pass
        os.kill(child, 0)  # it is still there
    finally:
        os.kill(child, signal.SIGKILL)
        holder.kill()
    assert not list(tmp_path.iterdir())


def test_devices_have_several_writers(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (Path("/dev/null"), Path("/dev/stdout"), pipe):
        with Output(path), Output(path):
            pass


def test_a_text_that_is_no_utf8_is_written_with_escapes(tmp_path: Path) -> None:
    write_text(tmp_path / "text", json.dumps("\ud800", ensure_ascii=False))
    assert (tmp_path / "text").read_text("utf-8") == '"\\ud800"'
