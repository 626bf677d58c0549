"""CEQL, compiled to a complex event automaton and run as CORE does: constant time per event.

Numba and Arrow are loaded with the first engine, not with this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...semantics.ceql.readings import Readings
from ...semantics.ceql.results import ComplexEvent
from ...semantics.ceql.syntax import CeqlQuery
from ...semantics.streams.tuples import EventTuple, Tuples

if TYPE_CHECKING:
    from .runtime import CeqlEngine

_ROWS = 1 << 10  # rows that are not in batches yet are taken together, at most


def run(
    query: CeqlQuery, stream: Any, readings: Readings | None = None, **options: Any
) -> Iterator[ComplexEvent]:
    """The complex events of a query, in the order of their ends.

    `stream` is the merged stream: a pyarrow Table or RecordBatch, `Tuples`, or an iterable, which
    may be unbounded, of batches or of `EventTuple`s. Rows are taken 1,024 at a time; whoever wants
    results sooner makes smaller batches. `options` are those of `CeqlEngine`.
    """
    from .output import complex_events
    from .runtime import CeqlEngine

    engine = CeqlEngine(query, readings, **options)
    for batch in _batches(stream):
        for found in engine.batches(batch):
            yield from complex_events(found)
        if engine.remaining == 0:
            return


def _batches(stream: Any) -> Iterator[Any]:
    if isinstance(stream, Tuples):
        yield from stream.batches()
        return
    if hasattr(stream, "schema"):
        yield stream
        return
    stream = iter(stream)
    first = next(stream, None)
    if first is None:
        return
    if isinstance(first, EventTuple):
        yield from _rows_as_batches(first, stream)
        return
    yield first
    yield from stream


def _rows_as_batches(first: EventTuple, rest: Iterable[EventTuple]) -> Iterator[Any]:
    from ...semantics.streams.tuples import batches

    rest = iter(rest)
    rows = [first, *islice(rest, _ROWS - 1)]
    while rows:
        yield from batches(rows, _ROWS)
        rows = list(islice(rest, _ROWS))


def __getattr__(name: str) -> Any:
    if name == "CeqlEngine":
        from .runtime import CeqlEngine

        return CeqlEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["CeqlEngine", "run"]
