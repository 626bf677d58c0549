"""Who writes results in a format: the language itself, where they are no solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO

from ...semantics.streams.files.outputs import Output
from ..languages.registry import Language, Query
from .formats import ResultWriter
from .text_rows import TextRows
from .times import ResultTimes


def writer(
    format: str, language: Language, query: Query, readings: Any, *,
    out: TextIO, path: Path | Output | None, times: ResultTimes | None = None,
) -> ResultWriter:
    """The writer of a format: to `out`, or for Parquet to `path`; `times` watches the streams."""
    own = getattr(language, "writer", None)
    if own is not None:
        made: ResultWriter = own(format, query, readings, out=out, path=path)
        return made
    from .solution_writers import solution_writer  # which loads RDF's terms

    return solution_writer(
        format, language, query, readings, out=out, path=path, times=times or ResultTimes()
    )


def text_rows(language: Language, query: Query, readings: Any, times: ResultTimes) -> TextRows:
    """Results as people read them: IRIs as names with the query's prefixes."""
    own = getattr(language, "text_rows", None)
    if own is not None:
        made: TextRows = own(readings)
        return made
    from .solution_writers import Layout, short_text

    layout = Layout(language, query, readings, times)
    return layout.text_rows(short_text(language.prefixes(query)), local=True)
