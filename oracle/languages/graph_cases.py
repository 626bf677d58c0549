"""What cases of the languages over RDF streams have in common, as data and in files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from rdflib.term import URIRef

from .readings import Readings, non_default

if TYPE_CHECKING:
    from ..cases.reading import Case
    from ..cases.tasks import Task


class RdfCase(Protocol):
    """A query with its streams, background graphs and readings."""

    @property
    def query(self) -> Any: ...

    @property
    def streams(self) -> Mapping[URIRef, Any]: ...

    @property
    def kb(self) -> Mapping[URIRef, Any]: ...

    @property
    def readings(self) -> Readings: ...


def conformance_case(language: str, data: RdfCase, evaluate: Mapping[str, Any]) -> Case:
    """The same as a conformance case, without an expectation."""
    from ..cases.reading import Case

    return Case(
        language=language,
        query=data.query,
        streams=dict(data.streams),
        prefixes=dict(data.query.prologue.prefixes),
        kb=dict(data.kb),
        readings=non_default(data.readings),
        evaluate=evaluate,
    )


def inputs_of(task: Task) -> dict[str, Any]:
    """The query, the streams, read to their ends, and the background graphs."""
    return {
        "query": task.tree,
        "streams": {name: tuple(items) for name, items in task.streams.items()},
        "kb": dict(task.kb),
    }
