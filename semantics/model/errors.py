"""The exceptions: errors of the user, and violated invariants of the program.

A `DenotaError` is the user's to mend: its text is one line that names file, line and column where
there is one. An `Impossible` is ours: it says that the program has broken its own invariant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from .printable import printable

_LONGEST = 200  # characters of a name; difflib takes their square


def nearest(name: str, known: Iterable[str]) -> str:
    """`, did you mean 'x'?` with the nearest of the known names, or nothing if none is near.

    >>> nearest("SEL", ["BUY", "SELL"])
    ", did you mean 'SELL'?"
    """
    from difflib import get_close_matches

    short = [each[:_LONGEST] for each in known]
    same = [each for each in short if each.casefold() == name.casefold()]
    close = same or get_close_matches(name[:_LONGEST], short, n=1)
    return f", did you mean '{close[0]}'?" if close else ""


_LONGEST_SOURCE = 200  # characters of it in a message


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text: `line` and `column` count from 1; 0 means "not known"."""

    line: int = 0
    column: int = 0


def position_field() -> Position:
    """Return the dataclass field for the position of a part of a text; ignored by equality."""
    return field(default=Position(), compare=False, repr=False)


class DenotaError(Exception):
    """An error in the input; its text is one line, `file:line:column: message`.

    >>> str(DenotaError("unknown GPM 'C'", source="q.rq", line=3, column=9))
    "q.rq:3:9: unknown GPM 'C'"
    """

    def __init__(
        self, message: str, *, source: str | None = None, line: int = 0, column: int = 0
    ) -> None:
        self.message = printable(" ".join(message.split()))
        self.source = source
        self.line = line
        self.column = column
        super().__init__(str(self))

    def __str__(self) -> str:
        place = [_one_line(self.source or "")]
        if self.line:
            place.append(str(self.line))
            if self.column:
                place.append(str(self.column))
        prefix = ":".join(part for part in place if part)
        return f"{prefix}: {self.message}" if prefix else self.message

    def at(self, source: str | None, line: int = 0, column: int = 0) -> Self:
        """Return the same error with its place in a text."""
        return type(self)(self.message, source=source, line=line, column=column)

    def __reduce__(self) -> tuple[object, ...]:  # errors are sent from process to process
        return _rebuild, (type(self), self.message, self.source, self.line, self.column)


def _one_line(source: str) -> str:
    """Return a source's name on one line: a document may have been given in place of a path."""
    line = printable(" ".join(source.split()))
    return line if len(line) <= _LONGEST_SOURCE else line[: _LONGEST_SOURCE - 1] + "…"


def _rebuild(
    kind: type[DenotaError], message: str, source: str | None, line: int, column: int
) -> DenotaError:
    return kind(message, source=source, line=line, column=column)


class QueryError(DenotaError):
    """A query that does not parse, or that names what does not exist."""


class ReadingError(DenotaError):
    """A reading (or a value of one) that the language does not have."""


class StreamError(DenotaError):
    """A stream or graph file that cannot be read, or whose items are out of order."""


class TruncatedInputError(StreamError):
    """A file that became shorter while it was read: earlier results are valid."""


class CaseError(DenotaError):
    """A conformance case that does not follow the case format."""


class UnsupportedError(DenotaError):
    """A valid query or input that the evaluator does not support (SERVICE, say)."""


@dataclass(eq=False)
class QueryWarning(UserWarning):
    """A valid query that is probably a mistake: `code` is stable, `message` is for people."""

    code: str
    message: str
    position: Position = Position()

    def __str__(self) -> str:
        place = self.position
        return str(DenotaError(self.message, line=place.line, column=place.column))


class Impossible(AssertionError):
    """A broken invariant: a bug of denota's own, never the user's."""
