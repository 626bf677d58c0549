"""Parquet files that are there in full or not at all."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from .boundaries import output_errors, sole_writer


class ParquetFile:
    """A Parquet file that appears when it is closed.

    Where it cannot be written, a DenotaError names it and nothing is left of it. `where` is a path,
    or an open binary file, which is written to as it is.
    """

    def __init__(
        self, where: str | os.PathLike[str] | Any, schema: Any, **options: Any
    ) -> None:
        import pyarrow.parquet as pq

        self._path = Path(where) if isinstance(where, str | os.PathLike) else None
        # A device or a pipe must not be replaced.
        replaced = self._path is not None and (self._path.is_file() or not self._path.exists())
        self._unfinished = (
            self._path.with_name(f".{self._path.name}.unfinished")
            if replaced and self._path is not None else None
        )
        self._name = str(self._path) if self._path is not None else str(
            getattr(where, "name", "<parquet>")
        )
        self._writer: Any = None
        self._lock = ExitStack()
        if self._path is not None:
            self._lock.enter_context(sole_writer(self._path, replaced=True))
        try:
            with output_errors(self._name):
                self._writer = pq.ParquetWriter(self._unfinished or where, schema, **options)
        except BaseException:
            self.abandon()
            raise

    def write(self, table: Any, rows: int | None = None) -> None:
        """Write a table or a batch, in row groups of at most so many rows."""
        try:
            with output_errors(self._name):
                self._writer.write(table, row_group_size=rows)
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        """Write the end; the file is there."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        try:
            with output_errors(self._name):
                writer.close()
                if self._unfinished is not None and self._path is not None:
                    os.replace(self._unfinished, self._path)
        except BaseException:
            self.abandon()
            raise
        self._lock.close()

    def abandon(self) -> None:
        """Leave nothing of the file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(OSError):  # the disk may be full
                writer.close()
        if self._unfinished is not None:
            self._unfinished.unlink(missing_ok=True)
        self._lock.close()
