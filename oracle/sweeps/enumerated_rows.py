"""A block of cases as the rows of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..languages.readings import Readings, non_default
from .corpus_file import CorpusRow, json_text


def rows_of_block(
    language: str,
    operators: int,
    events: int,
    cases: Iterable[tuple[str, Iterable[str]]],
    *,
    prefixes: str,
    readings: Readings,
) -> Iterator[CorpusRow]:
    """One row for each query, a text, on each of its streams, JSON objects; numbered throughout."""
    named = json_text(non_default(readings))
    listed = 0
    for query, streams in cases:
        for each in streams:
            yield CorpusRow(
                id=f"{language}-{operators}-{events}-{listed:07d}",
                language=language,
                query=query,
                prefixes=prefixes,
                streams=each,
                readings=named,
                operators=operators,
                events=events,
            )
            listed += 1
