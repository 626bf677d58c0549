"""What a case is given as: texts, files and tables, with the prefixes that they may use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from .texts import Text

if TYPE_CHECKING:  # a run over tuples loads no rdflib
    from ...semantics.model.items import Item
    from ...semantics.model.temporal_graphs import TemporalGraph
    from ...semantics.model.terms import Graph
    from ...semantics.model.tuples import EventTuple

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
    """Prefix declarations in Turtle, one a line.

    >>> turtle_header([("", "http://example.org/")])
    '@prefix : <http://example.org/> .\\n'
    """
    return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes)
