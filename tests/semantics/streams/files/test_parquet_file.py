"""A Parquet file is there in full or not at all."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.semantics.model.errors import DenotaError
from denota.semantics.streams.files.outputs import ParquetFile

SCHEMA = pa.schema([("x", pa.int64())])


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _write(path: Path, table: pa.Table) -> None:
    file = ParquetFile(path, SCHEMA)
    try:
        file.write(table)
    finally:
        file.close()


def test_it_appears_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    file = ParquetFile(path, SCHEMA)
    file.write(pa.table({"x": [1, 2]}, SCHEMA))
    assert not path.exists()
    file.close()
    assert pq.read_table(path).column("x").to_pylist() == [1, 2]
    assert [each.name for each in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("room", [0, 20_000])
def test_where_there_is_no_room_nothing_is_left(room: int, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    numbers = pa.table({"x": [n * 0x9E3779B97F4A7C15 % (1 << 62) for n in range(10_000)]}, SCHEMA)
    with (
        _files_of_at_most(room),
        pytest.raises(DenotaError, match=f"^{path}: cannot be written: .*too large"),
    ):
        _write(path, numbers)
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(DenotaError, match=r"^/dev/full: cannot be written: .*No space left"):
        _write(Path("/dev/full"), pa.table({"x": list(range(100_000))}, SCHEMA))
    assert Path("/dev/full").is_char_device()
