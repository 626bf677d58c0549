"""Writers of results: the writer of each format, and large results without holding all."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from ...semantics.streams.files.outputs import Output
from ..languages.registry import Language, Query, Result
from .formats import ResultWriter
from .text_table import TextRows
from .times import ResultTimes


def count(language: Language, query: Query, inputs: Mapping[str, Any]) -> int:
    """Return the production engine's number of results; `inputs` are those of `Language.run`."""
    own = getattr(language, "count", None)
    if own is not None:
        counted: int = own(query, **inputs)
        return counted
    return sum(1 for _ in language.run(query, **inputs))


def sample(
    language: Language, query: Query, size: int, seed: int | None, inputs: Mapping[str, Any]
) -> list[Result]:
    """Return a uniform sample of `size` results, or all if there are no more."""
    own = getattr(language, "sample", None)
    if own is not None:
        taken: list[Result] = own(query, size, seed, **inputs)
        return taken
    return sampled(language.run(query, **inputs), size, seed)


def sampled(results: Iterable[Result], size: int, seed: int | None) -> list[Result]:
    """Return a uniform sample of an iterable, in its order (Waterman's algorithm R)."""
    drawing = random.Random(seed)
    kept: list[tuple[int, Result]] = []
    for number, result in enumerate(results):
        place = number if number < size else drawing.randrange(number + 1)
        if place < size:
            kept[place : place + 1] = [(number, result)]
    return [result for _, result in sorted(kept, key=lambda pair: pair[0])]


def batches(
    language: Language, query: Query, limit: int | None, inputs: Mapping[str, Any],
    times: ResultTimes,
) -> Iterator[Any]:
    """Return the first `limit` results as Arrow's record batches, with the times of the inputs."""
    own = own_batches(language, query, limit, inputs)
    if own is not None:
        return own
    from .solution_writers import ArrowRows, Layout

    results = first(language.run(query, **inputs), limit)
    return ArrowRows(Layout(language, query, inputs["readings"], times)).batches(results)


def own_batches(
    language: Language, query: Query, limit: int | None, inputs: Mapping[str, Any]
) -> Iterator[Any] | None:
    """Return the batches that a language makes without single results; None if none."""
    own = getattr(language, "batches", None)
    if own is None:
        return None
    made: Iterator[Any] = own(query, limit, **inputs)
    return made


def first(results: Iterable[Result], limit: int | None) -> Iterator[Result]:
    """Return the first results up to a limit; the source is not read any further."""
    return iter(results) if limit is None else islice(results, limit)


def write_parquet(
    language: Language, query: Query, path: str, limit: int | None, inputs: Mapping[str, Any],
    times: ResultTimes,
) -> int:
    """Write the first `limit` results, as they are found; how many they are."""
    import os
    from pathlib import Path


    written = 0
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        out: Any = writer(
            "parquet", language, query, inputs["readings"],
            out=nothing, path=Path(path), times=times,
        )
        try:
            made = own_batches(language, query, limit, inputs)
            if made is not None:
                for batch in made:
                    out.write_batch(batch)
                    written += batch.num_rows
            else:
                for result in first(language.run(query, **inputs), limit):
                    out.write(result)
                    written += 1
        finally:
            out.close()
    return written


def writer(
    format: str, language: Language, query: Query, readings: Any, *,
    out: TextIO, path: Path | Output | None, times: ResultTimes | None = None,
) -> ResultWriter:
    """Return a format's writer: to `out`, or for Parquet to `path`; `times` watches the streams."""
    own = getattr(language, "writer", None)
    if own is not None:
        made: ResultWriter = own(format, query, readings, out=out, path=path)
        return made
    from .solution_writers import solution_writer  # which loads RDF's terms

    return solution_writer(
        format, language, query, readings, out=out, path=path, times=times or ResultTimes()
    )


def text_rows(language: Language, query: Query, readings: Any, times: ResultTimes) -> TextRows:
    """Return results as people read them: IRIs as names with the query's prefixes."""
    own = getattr(language, "text_rows", None)
    if own is not None:
        made: TextRows = own(readings)
        return made
    from .solution_writers import Layout, short_text

    layout = Layout(language, query, readings, times)
    return layout.text_rows(short_text(language.prefixes(query)), local=True)
