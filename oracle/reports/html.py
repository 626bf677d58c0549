"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.boundaries import write_text
from ..cases.expectations import ExpectedError
from ..cases.sources import Table
from ..cases.texts import Text
from ..judging.verdicts import Outcome
from .differences import MISSING, AnswersTable, deciding_definitions, difference_table
from .judged import WORDS, Judged, Judgement
from .page_style import page_head


def write_html(judgement: Judgement, path: Path) -> None:
    """Write the page."""
    write_text(path, "\n".join(_page(judgement)))


def _page(judgement: Judgement) -> Iterator[str]:
    who = f"{judgement.engine} {judgement.version}".strip()
    number = len(judgement.judged)
    yield from page_head(
        f"{who}: conformance", who,
        f"judged by denota on {number} case{'s' * (number != 1)}, compared at level"
        f" {judgement.compared()}, in {judgement.seconds:.1f} s",
        [(str(outcome), count, WORDS[outcome]) for outcome, count in judgement.counts.items()],
    )
    telling = [entry for entry in judgement.judged if entry.verdict.against]
    if telling:
        yield "<h2>What speaks against it</h2>"
        for entry in telling:
            yield from _article(entry)
    unsupported = [e for e in judgement.judged if e.verdict.outcome is Outcome.UNSUPPORTED]
    if unsupported:
        yield "<h2>Not supported</h2>"
        yield from _listing(unsupported, detail=True)
    passed = [entry for entry in judgement.judged if entry.verdict.ok]
    if passed:
        yield "<h2>Passed</h2>"
        yield from _listing(passed, detail=False)
    yield "</body></html>"


def _article(entry: Judged) -> Iterator[str]:
    verdict = entry.verdict
    yield (
        f'<article><h3><small class="{verdict.outcome}">{verdict.outcome}</small>'
        f"{escape(entry.title)}</h3>"
    )
    yield f'<p class="place">{escape(entry.place)}</p>'
    if verdict.detail:
        yield f"<p>{escape(verdict.detail)}</p>"
    if verdict.stderr:
        yield f"<p>Its stderr ended with:</p><pre>{escape(verdict.stderr)}</pre>"
    if verdict.outcome is Outcome.FAIL:
        table = difference_table(entry.case, verdict)
        if table is not None:
            yield from _rows(table)
        definitions = deciding_definitions(entry.case)
        if definitions:
            listed = "; ".join(map(escape, definitions))
            yield f'<p class="decides"><b>Decided by</b> {listed}.</p>'
    yield from _inputs(entry)
    yield "</article>"


def _rows(table: AnswersTable) -> Iterator[str]:
    yield '<div class="scroll"><table class="rows"><thead><tr>'
    yield "".join(f"<th>{escape(name)}</th>" for name in table.header)
    yield "</tr></thead><tbody>"
    side = MISSING
    for row in table.rows:
        side = row[0] or side
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
        yield f'<tr class="{side}">{cells}</tr>'
    yield "</tbody></table></div>"
    if table.left_out:
        yield f"<p>… and {table.left_out} more</p>"


def _inputs(entry: Judged) -> Iterator[str]:
    case = entry.case
    yield "<details><summary>Query, streams and expectation</summary>"
    try:
        yield f"<pre>{escape(case.text.rstrip())}</pre>"
    except DenotaError as error:
        yield f"<p>{escape(str(error))}</p>"
    for iri, source in (*case.stream_sources.items(), *case.kb_sources.items()):
        given = source.csv if isinstance(source, Table) else source
        text = given.text if isinstance(given, Text) else given
        text = text.rstrip() if isinstance(text, str) else f"from {text}"
        yield f'<p class="place">{escape(str(iri))}</p><pre>{escape(text)}</pre>'
    for name, values in (("readings", case.reading_names), ("evaluate", case.evaluation)):
        if values:
            shown = ", ".join(f"{key}: {value}" for key, value in values.items())
            yield f"<p>{name}: {escape(shown)}</p>"
    if isinstance(case.expect, ExpectedError) and case.expect.pattern is not None:
        yield f"<p>expected: an error that matches <code>{escape(case.expect.pattern)}</code></p>"
    yield "</details>"


def _listing(entries: list[Judged], *, detail: bool) -> Iterator[str]:
    yield '<div class="scroll"><table class="all"><tbody>'
    for entry in entries:
        said = entry.verdict.detail if detail else entry.case.cites
        yield (
            f"<tr><td>{escape(entry.title)}</td><td>{escape(said)}</td>"
            f"<td>{escape(entry.place)}</td></tr>"
        )
    yield "</tbody></table></div>"

