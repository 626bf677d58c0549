"""The verdicts of a sweep: one Parquet file a chunk, there in full or not at all.

A chunk's sum stands in the file's metadata, as JSON under `denota.verdicts`; its rows are those
verdicts that have one (`verdict_sum.ROWS`). Pages and sum have checksums.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.input_errors import input_errors
from ...semantics.streams.files.outputs import output_errors
from .manifest import SweepError
from .verdict_sum import VERDICT_SCHEMA, VerdictSum

_SUM = b"denota.verdicts"
_UNFINISHED = ".unfinished"


class VerdictFiles:
    """The directory of a sweep's verdicts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def prepare(self) -> None:
        """Make the directory, and clear away what a killed sweep has left half written."""
        self.directory.mkdir(parents=True, exist_ok=True)
        for leftover in self.directory.glob(f".*{_UNFINISHED}"):
            leftover.unlink(missing_ok=True)

    def commit(self, chunk: int, verdicts: VerdictSum) -> None:
        """Write a chunk's verdicts, rows in the order of cases; the file appears in one step."""
        path = self.path(chunk)
        unfinished = path.with_name(f".{path.name}{_UNFINISHED}")
        rows = verdicts.rows.sort_by("number")
        table = rows.replace_schema_metadata({_SUM: verdicts.text()})
        with output_errors(str(path)):
            try:
                with unfinished.open("wb") as file:
                    pq.write_table(table, file, compression="zstd", write_page_checksum=True)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, path)
            except BaseException:
                unfinished.unlink(missing_ok=True)  # a full disk is not kept full
                raise

    def path(self, chunk: int) -> Path:
        return self.directory / f"chunk-{chunk:06d}.parquet"

    def finished(self) -> tuple[dict[int, int], list[str]]:
        """Return the finished chunks with their numbers of verdicts, and the invalid ones.

        One that cannot be read is removed: it is checked again.
        """
        found, removed = {}, []
        for path in self._paths():
            try:
                found[int(path.stem.removeprefix("chunk-"))] = _read(path).cases
            except DenotaError as error:
                path.unlink()
                removed.append(str(error))
        return found, removed

    def read(self) -> Iterator[VerdictSum]:
        """Yield the verdicts, chunk by chunk."""
        for path in self._paths():
            yield _read(path)

    def _paths(self) -> list[Path]:
        return sorted(self.directory.glob("chunk-[0-9]*.parquet"))


def _read(path: Path) -> VerdictSum:
    """Return the verdicts in a file; raises SweepError if they are not those that were written."""
    source = str(path)
    with input_errors(source, kind=SweepError), pq.ParquetFile(
        path, page_checksum_verification=True
    ) as file:
        table = file.read()
        table.validate(full=True)
        said = (file.schema_arrow.metadata or {}).get(_SUM, b"").decode()
    if not table.schema.equals(VERDICT_SCHEMA):
        raise SweepError("not a chunk of verdicts", source=source)
    try:
        return VerdictSum.read(said, table.replace_schema_metadata(None))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SweepError(f"not a chunk of verdicts: {error}", source=source) from None
