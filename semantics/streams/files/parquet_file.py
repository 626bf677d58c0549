"""Parquet files that are there in full or not at all."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from .outputs import Output, output_errors


class ParquetFile:
    """A Parquet file that appears when it is closed.

    Where it cannot be written, a DenotaError names it and nothing is left of it. `where` is a path,
    an output that the caller has entered, or an open binary file, which is written to as it is.
    """

    def __init__(
        self, where: str | os.PathLike[str] | Output | Any, schema: Any, **options: Any
    ) -> None:
        import pyarrow.parquet as pq

        self._held = ExitStack()
        self._output = where if isinstance(where, Output) else None
        if isinstance(where, str | os.PathLike):
            self._output = self._held.enter_context(Output(Path(where)))
        self._name = str(
            getattr(where, "name", "<parquet>") if self._output is None else self._output.path
        )
        self._writer: Any = None
        try:
            with output_errors(self._name):
                place = where if self._output is None else self._output.begin()
                self._writer = pq.ParquetWriter(place, schema, **options)
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
                if self._output is not None:
                    self._output.commit()
        except BaseException:
            self.abandon()
            raise
        self._held.close()

    def abandon(self) -> None:
        """Leave nothing of the file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(OSError):  # the disk may be full
                writer.close()
        self._held.close()
