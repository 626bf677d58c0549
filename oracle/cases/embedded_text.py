"""Texts inside other files, with the places of errors in them, and the sources of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ...semantics.model.errors import DenotaError

if TYPE_CHECKING:
    from ...semantics.model.items import Item
    from ...semantics.model.temporal_graphs import TemporalGraph
    from ...semantics.model.terms import Graph
    from ...semantics.model.tuples import EventTuple


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
        """Map the positions of errors raised inside from this text to the file."""
        try:
            yield
        except DenotaError as error:
            raise self.relocated(error) from error

    @contextmanager
    def unplaced_errors_here(self) -> Iterator[None]:
        """Map positions as `errors_here`, only of errors that have a position but no file."""
        try:
            yield
        except DenotaError as error:
            if error.source is not None or not error.line:
                raise
            raise self.relocated(error) from error

    def relocated(self, error: DenotaError) -> DenotaError:
        """Return the same error at its place in the file."""
        if self.source is None:
            return error
        line, column = self.line + 1, 0
        if self.exact:
            line = self.line + error.line if error.line else 0
            column = self.column + error.column if error.column else 0
        return type(error)(error.message, source=self.source, line=line, column=column)


STANDARD_PREFIXES: dict[str, str] = {
    "prov": "http://www.w3.org/ns/prov#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Predeclared in a case's streams, kb and expectation."""


@dataclass(frozen=True)
class Table:
    """A stream of tuples: CSV text or a file, with the declaration of its types, if any."""

    csv: str | Path
    declaration: str | None = None


@dataclass(frozen=True)
class Changes:
    """A background graph that changes: TriG, or a file of it, one named graph a change."""

    trig: Text | Path


StreamSource: TypeAlias = "Text | Path | Table | Sequence[Item] | Sequence[EventTuple]"
GraphSource: TypeAlias = "Text | Path | Graph | Changes | TemporalGraph"


def turtle_header(prefixes: Iterable[tuple[str, str]]) -> str:
    """Return prefix declarations in Turtle, one a line.

    >>> turtle_header([("", "http://example.org/")])
    '@prefix : <http://example.org/> .\\n'
    """
    return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes)
