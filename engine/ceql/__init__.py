"""CEQL, compiled to a complex event automaton and run as CORE does: constant time per event.

Numba and Arrow are loaded with the first engine, not with this package.

However many complex events there are, they need not be made: `count` counts them and `sample` takes
some of them without enumerating the others, `batches` and `write_parquet` hold one buffer of them
at a time, and with a `limit` the engine stops after that many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...semantics.ceql.syntax.readings import Readings
from ...semantics.ceql.syntax.results import ComplexEvent
from ...semantics.ceql.syntax.tree import CeqlQuery
from .symbols.input_batches import batches_of

if TYPE_CHECKING:
    from .runtime import CeqlEngine


def run(
    query: CeqlQuery, stream: Any, readings: Readings | None = None, **options: Any
) -> Iterator[ComplexEvent]:
    """Yield the complex events of a query, in the order of their ends.

    `stream` is the merged stream: a pyarrow Table, RecordBatch or RecordBatchReader, `Tuples`, or
    an iterable, which may be unbounded, of batches, of `EventTuple`s or of mappings with the event
    type under `type`. Rows are taken 1,024 at a time; whoever wants results sooner makes smaller
    batches. `options` are those of `CeqlEngine`.
    """
    from .output.records import complex_events

    for batch in batches(query, stream, readings, **options):
        yield from complex_events(batch)


def batches(
    query: CeqlQuery,
    stream: Any,
    readings: Readings | None = None,
    *,
    limit: int | None = None,
    **options: Any,
) -> Iterator[Any]:
    """Yield them as pyarrow RecordBatches: start, end, positions, under valuations also bindings.

    With a `limit` nothing is read after so many complex events.
    """
    engine = _limited(query, readings, limit, options)
    if engine.remaining == 0:
        return
    for batch in batches_of(stream, engine.columns):
        yield from engine.batches(batch)
        if engine.remaining == 0:
            return


def count(
    query: CeqlQuery, stream: Any, readings: Readings | None = None, **options: Any
) -> int:
    """Return the exact number of complex events; none of them is enumerated.

    The time is that of the update plus, for each event that completes something, that of the nodes
    of its complex events inside the window; not that of the complex events.
    """
    engine = _limited(query, readings, None, options)
    total = 0
    for batch in batches_of(stream, engine.columns):
        total += engine.count(batch)
        if engine.remaining == 0:
            break
    return total


def sample(
    query: CeqlQuery,
    stream: Any,
    size: int,
    readings: Readings | None = None,
    *,
    seed: int | None = None,
    **options: Any,
) -> list[ComplexEvent]:
    """Return a uniform sample of `size` complex events, ordered by their ends.

    All, if they are no more. Of the others none is enumerated. A seed always takes the same ones.
    """
    from .output.sampling import Sampler

    sampler = Sampler(_limited(query, readings, None, options), size, seed)
    for batch in batches_of(stream, sampler.engine.columns):
        sampler.feed(batch)
        if sampler.engine.remaining == 0:
            break
    return sampler.result()


def write_parquet(
    query: CeqlQuery,
    stream: Any,
    where: str | os.PathLike[str] | Any,
    readings: Readings | None = None,
    *,
    limit: int | None = None,
    **options: Any,
) -> int:
    """Write the complex events to a Parquet file, one row group at a time; how many they are."""
    from .output.records import write_parquet as write

    engine = _limited(query, readings, limit, options)
    return write(engine, batches_of(stream, engine.columns), where)


def _limited(
    query: CeqlQuery, readings: Readings | None, limit: int | None, options: dict[str, Any]
) -> CeqlEngine:
    from .runtime import CeqlEngine

    engine = CeqlEngine(query, readings, **options)
    if limit is not None:
        engine.remaining = limit if engine.remaining is None else min(limit, engine.remaining)
    return engine


def __getattr__(name: str) -> Any:
    if name == "CeqlEngine":
        from .runtime import CeqlEngine

        return CeqlEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["CeqlEngine", "batches", "count", "run", "sample", "write_parquet"]
