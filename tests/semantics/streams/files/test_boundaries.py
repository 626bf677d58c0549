"""What libraries raise over an input is one DenotaError; what our own logic raises is not."""

from __future__ import annotations

import csv
import json

import pyarrow as pa
import pytest

from denota.semantics.model.errors import CaseError, DenotaError, StreamError
from denota.semantics.streams.files.boundaries import input_errors, output_errors


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
