"""The formats of results, and who writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, TextIO

from ...semantics.model.errors import DenotaError
from ..languages.registry import Language, Query, Result
from .times import ResultTimes

FORMATS = ("jsonl", "csv", "srj", "parquet")


class FormatError(DenotaError):
    """An output format that cannot carry the results that were asked for."""


class ResultWriter(Protocol):
    """Takes results one by one.

    That of a language whose results come in record batches, too, has also `write_batch(batch)`.
    """

    def write(self, result: Result) -> None:
        """Write one result; what is written is flushed."""

    def close(self) -> None:
        """Write what ends the document."""


def writer(
    format: str, language: Language, query: Query, readings: Any, *,
    out: TextIO, path: Path | None, times: ResultTimes | None = None,
) -> ResultWriter:
    """The writer of a format: to `out`, or for Parquet to `path`; `times` watches the streams."""
    own = getattr(language, "writer", None)
    if own is not None:
        made: ResultWriter = own(format, query, readings, out=out, path=path)
        return made
    from .writing import solution_writer

    return solution_writer(
        format, language, query, readings, out=out, path=path, times=times or ResultTimes()
    )
