"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5f6b76; --line: #d9dee3; --ground: #fff;
  --card: #f6f8fa; --pass: #1a7f4b; --fail: #c0322b; --warn: #9a6700; --missing: #fff3d6;
  --unexpected: #fbe4f4; --repeated: #dff2f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --soft: #9aa5b0; --line: #353c44;
  --ground: #14181c; --card: #1c2228; --pass: #4cc38a; --fail: #ff7b72; --warn: #e3b341;
  --missing: #3b2f10; --unexpected: #3a1d33; --repeated: #12323a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2.5rem 1.5rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.who { color: var(--soft); margin: .2rem 0 1.4rem; }
.counts { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; margin: 0 0 1rem; padding: 0;
  list-style: none; }
.counts b { display: block; font-size: 1.7rem; line-height: 1.2; }
.bar { display: flex; height: .5rem; border-radius: .25rem; overflow: hidden;
  background: var(--line); }
.bar i { display: block; min-width: 3px; }
.pass { color: var(--pass); } .fail, .crash, .timeout { color: var(--fail); }
.unsupported { color: var(--warn); }
.bar .pass { background: var(--pass); } .bar .unsupported { background: var(--warn); }
.bar .fail, .bar .crash, .bar .timeout { background: var(--fail); }
article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.2rem;
  margin: 0 0 1rem; }
article h3 { font-size: 1rem; margin: 0; }
article h3 small { font-weight: 700; text-transform: uppercase; letter-spacing: .04em;
  font-size: .72rem; margin-right: .6rem; }
.place { color: var(--soft); font: .82rem ui-monospace, monospace; margin: .1rem 0 .7rem;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; }
th, td { text-align: left; padding: .25rem .9rem .25rem .5rem; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); }
.rows td { font-family: ui-monospace, monospace; font-size: .84rem; white-space: nowrap; }
.rows td:first-child { font-family: inherit; font-weight: 600; }
tr.missing td { background: var(--missing); } tr.unexpected td { background: var(--unexpected); }
tr.repeated td { background: var(--repeated); }
pre { background: var(--card); padding: .7rem .9rem; border-radius: .4rem; overflow-x: auto;
  font: .84rem/1.45 ui-monospace, monospace; margin: .4rem 0 .8rem; }
details { margin-top: .6rem; } summary { cursor: pointer; color: var(--soft); }
.all { width: 100%; } .all td { border-bottom: 1px solid var(--line); }
.all td:last-child { color: var(--soft); font: .82rem ui-monospace, monospace;
  overflow-wrap: anywhere; }
.decides { margin: .8rem 0 0; } .decides b { font-weight: 600; }
"""


def write_html(judgement: Judgement, path: Path) -> None:
    """Write the page."""
    write_text(path, "\n".join(_page(judgement)))


def page_head(
    title: str, heading: str, who: str, counts: Sequence[tuple[str, int, str]]
) -> Iterator[str]:
    """The beginning of a page, up to the `counts`: each a class of style, a number and a word."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
    yield f"<h1>{escape(heading)}</h1>"
    yield f'<p class="who">{escape(who)}</p>'
    yield '<ul class="counts">'
    for style, count, word in counts:
        yield f'<li class="{style}"><b>{count}</b>{word}</li>'
    yield "</ul>"
    parts = "".join(f'<i class="{style}" style="flex:{count}"></i>' for style, count, _ in counts)
    yield f'<div class="bar">{parts}</div>'


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

