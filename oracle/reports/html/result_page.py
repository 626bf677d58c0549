"""Run results and explanations as self-contained HTML pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path

from ....semantics.model.errors import DenotaError
from ...cases.case import Case, ExpectedError
from ...cases.case_writer import case_text
from ...cases.embedded_text import Table, Text
from ...checking.verdicts import Outcome, Verdict
from ...explanations.explain_case import (
    Explanation,
    explain_verdict,
    explainer_of,
    explanation_html,
)
from ...explanations.explainer import Explainer
from ...explanations.plurals import counted
from ..conformance import Engines, called, cell, sheet_part, sheets
from ..differences import MISSING, AnswersTable, deciding_definitions, difference_table
from ..generated_sections import write_page
from ..run_result import WORDS, CaseResult, RunResult
from .page_style import page_head

_MAX_EXPLAINED = 2
"""The number of answers of a case that are explained, for each kind of difference."""


def write_explanations(
    explainer: Explainer, explanations: Sequence[Explanation], path: Path
) -> None:
    """Write the output of `denota explain` as one self-contained HTML page."""
    write_page(path, "\n".join(_explanation_page(explainer, explanations)) + "\n")


def _explanation_page(explainer: Explainer, explanations: Sequence[Explanation]) -> Iterator[str]:
    case = explainer.case
    title = case.title or case.id
    yield from page_head(title, title, f"explained by denota, {case.language.title}", [])
    yield f"<pre>{escape(case.text.rstrip())}</pre>"
    for explanation in explanations:
        yield from explanation_html(explainer, explanation)
    yield "</body></html>"


def verdict_part(case: Case, verdict: Verdict) -> Iterator[str]:
    """Yield explanations of missing, unexpected and repeated answers."""
    if not (verdict.missing or verdict.unexpected or verdict.duplicate):
        return
    try:
        explainer = explainer_of(case)
        for explanation in explain_verdict(explainer, verdict, _MAX_EXPLAINED):
            yield from explanation_html(explainer, explanation)
    except DenotaError as error:
        yield f"<p>no explanation available: {escape(error.message)}</p>"


_MOST_EXPLAINED = 50
_OPENED = 3


def write_html(judgement: RunResult, path: Path) -> None:
    """Write the page."""
    write_page(path, "\n".join(_page(judgement)))


def _page(judgement: RunResult) -> Iterator[str]:
    who = called(judgement.engine, judgement.version)
    number = sum(judgement.counts.values())
    origin = f"{judgement.origin}, " if judgement.origin else ""
    yield from page_head(
        f"{who}: conformance", who,
        f"{counted(number, 'case')}, {origin}comparison level: {judgement.compared()},"
        f" {judgement.seconds:.1f} s",
        [(str(outcome), count, WORDS[outcome]) for outcome, count in judgement.counts.items()],
    )
    yield from _summary(judgement, who)
    telling = [entry for entry in judgement.judged if entry.verdict.is_failure]
    if telling:
        yield "<h2>Failures</h2>"
        if len(telling) > _MOST_EXPLAINED:
            yield f"<p>The first {_MOST_EXPLAINED} of {len(telling):,} are explained.</p>"
        for place, entry in enumerate(telling):
            yield from _article(entry, opened=place < _OPENED, why=place < _MOST_EXPLAINED)
    unsupported = [e for e in judgement.judged if e.verdict.outcome is Outcome.UNSUPPORTED]
    if unsupported:
        yield "<h2>Unsupported</h2>"
        yield from _listing(unsupported, detail=True)
    passed = [entry for entry in judgement.judged if entry.verdict.ok]
    if passed:
        yield "<h2>Passed</h2>"
        yield from _listing(passed, detail=False)
    yield "</body></html>"


def _summary(judgement: RunResult, who: str) -> Iterator[str]:
    """Yield the verdicts by language; by operator, window and reading where one asks for them."""
    tables = list(sheets(Engines({who: judgement.tally})))
    if not tables:
        return
    yield "<h2>By language</h2>"
    yield '<div class="scroll" tabindex="0"><table class="levels"><tbody>'
    for sheet in tables:
        yield f"<tr><td>{escape(sheet.title)}</td>{cell(sheet.total)}</tr>"
    yield "</tbody></table></div>"
    for sheet in tables:
        if sheet.rows:
            yield f"<details><summary>{escape(sheet.title)} by operator, window, reading</summary>"
            yield from sheet_part(sheet)
            yield "</details>"


def _article(entry: CaseResult, *, opened: bool, why: bool) -> Iterator[str]:
    verdict = entry.verdict
    yield f"<article><details{' open' * opened}><summary>"
    yield (
        f'<h3><small class="{verdict.outcome}">{verdict.outcome}</small>{escape(entry.title)}</h3>'
    )
    yield "</summary>"
    like = f", {entry.like:,} similar cases" if entry.like > 1 else ""
    yield f'<p class="place">{escape(entry.place + like)}</p>'
    if entry.command:
        yield f'<pre class="command">{escape(entry.command)}</pre>'
    for note in (*entry.notes, *filter(None, (verdict.detail,))):
        yield f"<p>{escape(note)}</p>"
    if verdict.stderr:
        yield f"<p>Its stderr ended with:</p><pre>{escape(verdict.stderr)}</pre>"
    if verdict.translated:
        yield from _translation(entry)
    if verdict.outcome is Outcome.FAIL:
        table = difference_table(entry.case, verdict)
        if table is not None:
            yield from _rows(table)
        if why:
            yield from verdict_part(entry.case, verdict)
        definitions = deciding_definitions(entry.case)
        if definitions:
            listed = "; ".join(map(escape, definitions))
            yield f'<p class="decides"><b>Decided by</b> {listed}.</p>'
    yield from _inputs(entry)
    yield "</details></article>"


def _translation(entry: CaseResult) -> Iterator[str]:
    """Yield the query and its translation, side by side where there is room."""
    yield '<div class="pair">'
    with suppress(DenotaError):  # a query that cannot be printed
        yield f"<div><p>The query:</p><pre>{escape(entry.case.text.rstrip())}</pre></div>"
    yield "<div><p>The query as the adapter translated it:</p>"
    yield f"<pre>{escape(entry.verdict.translated)}</pre></div></div>"


def _rows(table: AnswersTable) -> Iterator[str]:
    yield '<div class="scroll" tabindex="0"><table class="rows"><thead><tr>'
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


def _inputs(entry: CaseResult) -> Iterator[str]:
    case = entry.case
    yield "<details><summary>Query, streams and expectation</summary>"
    if not isinstance(case.query, Text):  # it has been made, not written
        yield f"<pre>{escape(case_text(case).rstrip())}</pre></details>"
        return
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


def _listing(entries: list[CaseResult], *, detail: bool) -> Iterator[str]:
    yield '<div class="scroll" tabindex="0"><table class="all"><tbody>'
    for entry in entries:
        said = entry.verdict.detail if detail else entry.case.cites
        yield (
            f"<tr><td>{escape(entry.title)}</td><td>{escape(said)}</td>"
            f"<td>{escape(entry.place)}</td></tr>"
        )
    yield "</tbody></table></div>"
