"""The report as Markdown: counts, tables by language, and what speaks against the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .conformance import Engines, called, sheet_lines, sheets
from .judged import Judged, Judgement
from .lines import explanation
from .page_parts import plain, write_page


def write_markdown(judgement: Judgement, path: Path) -> None:
    """Write the report."""
    write_page(path, "\n".join(_lines(judgement)) + "\n")


def _lines(judgement: Judgement) -> Iterator[str]:
    who = called(judgement.engine, judgement.version)
    yield f"# {plain(who)}"
    yield ""
    yield plain(judgement.summary() + (f", {judgement.origin}" if judgement.origin else ""))
    for entry in judgement.judged:
        if entry.verdict.against:
            yield from _entry(entry)
    for sheet in sheets(Engines({who: judgement.tally})):
        yield ""
        yield f"## {sheet.title}"
        yield ""
        yield from sheet_lines(sheet)


def _entry(entry: Judged) -> Iterator[str]:
    like = f", {entry.like:,} cases like it" if entry.like > 1 else ""
    yield ""
    yield f"## {entry.verdict.outcome}: {plain(entry.title)}"
    yield ""
    yield f"{plain(entry.place)}{like}"
    yield ""
    for note in entry.notes:
        yield plain(note)
        yield ""
    # An indented block ends only with its indentation, whatever an engine says.
    yield from (f"    {line}".rstrip() for each in explanation(entry) for line in each.split("\n"))
    if entry.command:
        yield ""
        yield f"    {' '.join(entry.command.splitlines())}"
