"""The formats of results, and what a writer of one does."""

from __future__ import annotations

from typing import Protocol

from ...semantics.model.errors import DenotaError
from ..languages.registry import Result

FORMATS = ("jsonl", "csv", "srj", "parquet")


class FormatError(DenotaError):
    """An output format that cannot carry the results that were asked for."""


class ResultWriter(Protocol):
    """Takes results one by one.

    Where a language also has results as record batches, its writer has `write_batch(batch)` too.
    """

    def write(self, result: Result) -> None:
        """Write one result, and flush it."""

    def close(self) -> None:
        """Write what ends the document."""
