"""Texts that stand inside another file, and the places of errors in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...semantics.model.errors import DenotaError


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where it stands.

    `line` and `column` say by how much a position in the text is moved in the file around it;
    `exact` is False for a text whose lines are not those of the file (a quoted YAML scalar): then
    only the place where it begins is known.
    """

    text: str
    source: str | None = None
    line: int = 0
    column: int = 0
    exact: bool = True

    @contextmanager
    def errors_here(self) -> Iterator[None]:
        """Errors raised inside with positions in this text get positions in the file."""
        try:
            yield
        except DenotaError as error:
            raise self.relocated(error) from error

    @contextmanager
    def unplaced_errors_here(self) -> Iterator[None]:
        """As `errors_here`, for those errors only that have a position but no file."""
        try:
            yield
        except DenotaError as error:
            if error.source is not None or not error.line:
                raise
            raise self.relocated(error) from error

    def relocated(self, error: DenotaError) -> DenotaError:
        """The same error at its place in the file."""
        if self.source is None:
            return error
        line, column = self.line + 1, 0
        if self.exact:
            line = self.line + error.line if error.line else 0
            column = self.column + error.column if error.column else 0
        return type(error)(error.message, source=self.source, line=line, column=column)
