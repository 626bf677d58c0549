"""Conformance of engines: for each engine and language a table of the features that cases tested.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import yaml

from ..checking.verdicts import Outcome
from ..engines.capabilities import vocabulary
from ..explanations.plurals import counted
from ..languages.registry import is_language, language, names
from .generated_sections import plain, write_page
from .html.page_style import bar, page_head
from .run_result import WORDS, Counts, Tally, groups_of
from .verdict_records import SUFFIX, Record, ResultsError, read_results

MANIFEST = "manifest.json"
"""By which a sweep's folder is known."""

FINDINGS: Final = Path(__file__).resolve().parents[2] / "docs" / "findings"
"""The folder of findings in third-party engines, in a checkout."""

_SORTS: Final = ("fault", "meaning", "documentation", "limit")
_ONE: Final = {
    "": "", "fault": "fault", "meaning": "difference of meaning", "limit": "limit",
    "documentation": "documentation against itself",
}
_STYLES: Final = {
    "": "fail", "fault": "fault", "meaning": "explained", "documentation": "explained",
    "limit": "explained",
}
_COMPARED: Final = ("engine", "denota", "time (UTC)", "command")
_OVERVIEW: Final = (
    "engine", "language", "cases", "passed", "not explained", "faults", "differences of meaning",
    "limits", "unsupported",
)
_CASE: Final = ".case.yaml"
_MOST_PLACES: Final = 8


@dataclass(frozen=True, slots=True)
class Run:
    """A results file or a sweep: the version of denota, the time and the command; '' if unknown."""

    denota: str
    begun: str
    command: str


@dataclass
class Engines:
    """The tallies of engines by name and version, in the order in which they were met."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The engines' names without their versions."""
    runs: dict[str, list[Run]] = field(default_factory=dict)
    """The runs with an engine's verdicts, in the order of time."""
    failures: dict[tuple[str, str], list[Record]] = field(default_factory=dict)
    """The cases that speak against an engine, by engine and language, as far as files list them."""

    def of(self, engine: str, version: str) -> Tally:
        self.names[called(engine, version)] = engine
        return self.tallies.setdefault(called(engine, version), Tally())


@dataclass(frozen=True, slots=True)
class TestedFeature:
    """The verdicts on the cases that ask for a feature; findings explain some of the failures."""

    group: str
    name: str
    counts: Counts
    explained: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """Failures of one finding; those that no finding explains have no name and no sort."""

    name: str
    sort: str
    what: str
    page: str
    """The file and the heading of the finding, from `FINDINGS`; '' if there is none."""
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The table of one engine in one language.

    `rows` are features that cases tested; `refused` are those for which every case was unsupported,
    and `unasked` those for which there was no case, by group.
    """

    engine: str
    title: str
    total: Counts
    rows: tuple[TestedFeature, ...]
    refused: tuple[tuple[str, tuple[str, ...]], ...]
    unasked: tuple[tuple[str, tuple[str, ...]], ...]
    faults: tuple[Fault, ...] = ()

    def of_sort(self, *sorts: str) -> int:
        """Return the number of failures that findings of these sorts explain."""
        return sum(len(each.records) for each in self.faults if each.sort in sorts)

    @property
    def explained(self) -> int:
        """The number of failures that findings explain."""
        return self.of_sort(*_SORTS)


def read_engines(places: Iterable[Path]) -> Engines:
    """Return the contents of results files and sweeps. Raises ResultsError if there is none.

    Of a case that an engine was checked on more than once, the last verdict counts.
    """
    found = Engines()
    records: dict[tuple[str, str, str, str, str], Record] = {}
    for place in places:
        files = sorted(place.rglob(f"*{SUFFIX}")) if place.is_dir() else [place]
        sweeps = sorted(each.parent for each in place.rglob(MANIFEST)) if place.is_dir() else []
        if not files and not sweeps:
            raise ResultsError(f"there are no results (*{SUFFIX}) and no sweep", source=str(place))
        results = [read_results(path) for path in files]
        for head, entries in sorted(results, key=lambda each: str(each[0].get("begun"))):
            engine = head["engine"], str(head.get("version", ""))
            found.of(*engine)
            found.runs.setdefault(called(*engine), []).append(
                Run(*(str(head.get(key, "")) for key in ("denota", "begun", "command")))
            )
            for each in entries:
                records[*engine, each.language, each.place, each.title] = each
        for folder in sweeps:
            from ..sweeps.sweep_tally import sweep_tally

            manifest, tally = sweep_tally(folder)
            found.of(*manifest.judged).update(tally)
            run = Run("", "", f"denota sweep … -o {folder}")
            found.runs.setdefault(called(*manifest.judged), []).append(run)
    for (name, version, *_), record in records.items():
        found.of(name, version).add(record.language, record.asks, record.outcome)
        if record.outcome.is_failure:
            key = called(name, version), record.language
            found.failures.setdefault(key, []).append(record)
    return found


def called(engine: str, version: str) -> str:
    """Return an engine with its version."""
    return f"{engine} {version}".strip()


def sheets(engines: Engines) -> Iterator[Sheet]:
    """Yield the tables, by engine; its languages in the order in which languages are listed."""
    for engine, tally in engines.tallies.items():
        known = set(tally.languages)
        for name in [*filter(known.__contains__, names()), *sorted(known.difference(names()))]:
            failures = engines.failures.get((engine, name), [])
            yield _sheet(
                engine, tally, name, tuple(_faults(engines.names.get(engine, ""), failures))
            )


def _sheet(engine: str, tally: Tally, name: str, faults: tuple[Fault, ...]) -> Sheet:
    asked = {group: sorted(tally.asked(name, group)) for group in groups_of(name)}
    explained = Counter(
        (group, str(each))
        for fault in faults if fault.sort
        for record in fault.records
        for group, names in record.asks.items() for each in names
    )
    features = [
        TestedFeature(group, each, tally.names[name, group, each], explained[group, each])
        for group, found in asked.items() for each in found
    ]
    refused = [each for each in features if not each.counts.judged]
    every = vocabulary(name) if is_language(name) else {}
    unasked = ((group, tuple(sorted(every[group] - set(asked[group])))) for group in every)
    return Sheet(
        engine,
        language(name).title if is_language(name) else name,
        tally.languages[name],
        tuple(each for each in features if each.counts.judged),
        tuple(
            (group, tuple(each.name for each in found))
            for group, found in groupby(refused, key=lambda each: each.group)
        ),
        tuple((group, left) for group, left in unasked if left),
        faults,
    )


def _faults(engine: str, failures: Iterable[Record]) -> Iterator[Fault]:
    """Yield failures by the finding that explains them, after those that no finding explains."""
    findings = _findings(engine)
    by_name: dict[str, list[Record]] = {}
    for record in failures:
        by_name.setdefault(_finding_of(record, engine, findings), []).append(record)
    sorts = {name: _sort(name, findings) for name in by_name}
    places = ("", *_SORTS)
    for name in sorted(by_name, key=lambda name: (places.index(sorts[name]), -len(by_name[name]))):
        finding = findings.get(name)
        yield Fault(
            name,
            sorts[name],
            "" if finding is None else " ".join(str(finding.get("what", "")).split()),
            "" if finding is None else f"{engine}.md#{name}",
            tuple(by_name[name]),
        )


def _sort(name: str, findings: Mapping[str, Any]) -> str:
    """Return the sort of a finding; a known difference without a page counts as a fault."""
    return str(findings.get(name, {}).get("sort", "fault")) if name else ""


def _findings(engine: str) -> dict[str, Any]:
    """Return the findings in an engine by name, none where nothing is written down of it."""
    path = FINDINGS / f"{engine}.yaml"
    if not re.fullmatch(r"[\w-]+", engine) or not path.is_file():
        return {}
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {str(each["name"]): each for each in written["findings"]}


def _finding_of(record: Record, engine: str, findings: dict[str, Any]) -> str:
    """Return the finding with a record's case, or with the name of its known difference."""
    place = Path(record.place)
    if place.parent.name == engine:
        for name, finding in findings.items():
            cases = [f"{each['case']}{_CASE}" for each in finding.get("cases", ())]
            if place.name in cases:
                return name
    # One finding may be several known differences: `in-missing` and `in-unexpected`.
    named = [each for each in findings if f"{record.known}-".startswith(f"{each}-")]
    return max(named, key=len, default=record.known)


def verdict_on(counts: Counts, explained: int = 0) -> tuple[str, str]:
    """Return a cell: its style and its text. Findings explain so many of the failures.

    >>> from denota.oracle.checking.verdicts import Outcome
    >>> from collections import Counter
    >>> of = lambda **n: Counts(Counter({Outcome(k): v for k, v in n.items()}))
    >>> verdict_on(of(**{"pass": 8})), verdict_on(of(**{"pass": 8, "fail": 1, "crash": 1}))
    (('pass', '8 passed'), ('fail', '2 of 10 failed'))
    >>> verdict_on(of(**{"pass": 8, "unsupported": 3})), verdict_on(of(unsupported=3))
    (('pass', '8 passed, 3 unsupported'), ('unsupported', '3 unsupported'))
    >>> verdict_on(of(), 0), verdict_on(of(**{"pass": 8, "fail": 3}), 2)
    (('untested', 'not tested'), ('fail', '1 of 11 failed, findings 2'))
    >>> verdict_on(of(**{"pass": 8, "fail": 3}), 3)
    ('explained', '8 passed, findings 3')
    """
    more = f", findings {explained:,}" if explained else ""
    more += f", {counts.unsupported:,} unsupported" if counts.unsupported else ""
    if counts.failures > explained:
        return "fail", f"{counts.failures - explained:,} of {counts.judged:,} failed{more}"
    if explained:
        return "explained", f"{counts.judged - explained:,} passed{more}"
    if counts.judged:
        return "pass", f"{counts.judged:,} passed{more}"
    if counts.unsupported:
        return "unsupported", f"{counts.unsupported:,} unsupported"
    return "untested", "not tested"


_KEY = (
    "A case counts in the row of each feature that it uses; another feature may cause its failure."
    " “findings” counts the failures that a finding explains. Engines support different cases:"
    " their numbers are not comparable."
)


def markdown(engines: Engines, folder: Path) -> str:
    """Return the page as Markdown; links lead to findings from a folder."""
    return "\n".join(_markdown(engines, folder)) + "\n"


def _markdown(engines: Engines, folder: Path) -> Iterator[str]:
    yield "# Conformance"
    yield ""
    yield _KEY
    yield ""
    yield _line(_COMPARED)
    yield _line(["---"] * len(_COMPARED))
    for row in compared(engines):
        yield _line([plain(each).replace("|", "\\|") for each in row])
    found = list(sheets(engines))
    yield ""
    yield _line(_OVERVIEW)
    yield _line(["---"] * len(_OVERVIEW))
    for sheet in found:
        numbers = [str(number or "") for _, number in overview(sheet)]
        yield _line([plain(sheet.engine), plain(sheet.title), *numbers])
    for sheet in filter(lambda sheet: sheet.total.judged, found):
        yield ""
        yield f"## {plain(sheet.engine)}: {plain(sheet.title)}"
        yield ""
        yield from sheet_lines(sheet)
        if sheet.faults:
            yield ""
        for fault in sheet.faults:
            what = f": {fault.what}" if fault.what else ""
            many = f"{_ONE[fault.sort]}, {counted(len(fault.records), 'case')}".removeprefix(", ")
            yield f"- {_linked(fault, folder)} ({many}){what}"
            shown, more = _repeated_by(fault)
            yield from (f"  - {_code(each)}" for each in shown)
            if more:
                yield f"  - and {more:,} more"


def compared(engines: Engines) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of the first table: engine, version of denota, time and command of a run."""
    for engine, runs in engines.runs.items():
        for run in runs:
            yield engine, run.denota, run.begun[:16].replace("T", " "), run.command


def overview(sheet: Sheet) -> Iterator[tuple[str, int]]:
    """Yield the numbers of cases in a row of the second table, each with its style."""
    yield "", sheet.total.of.total()
    yield "pass", sheet.total.of[Outcome.PASS]
    yield _STYLES[""], sheet.total.failures - sheet.explained
    yield _STYLES["fault"], sheet.of_sort("fault")
    yield _STYLES["meaning"], sheet.of_sort("meaning", "documentation")
    yield _STYLES["limit"], sheet.of_sort("limit")
    yield "unsupported", sheet.total.unsupported


def _linked(fault: Fault, folder: Path) -> str:
    name = plain(fault.name) or "not among the findings"
    return f"[{name}]({_link(fault, folder)})" if fault.page else name


def _link(fault: Fault, folder: Path) -> str:
    """Return the address of a finding from the page's folder."""
    file, _, heading = fault.page.partition("#")
    return f"{Path(os.path.relpath(FINDINGS / file, folder.resolve())).as_posix()}#{heading}"


def _repeated_by(fault: Fault) -> tuple[list[str], int]:
    """Return the commands that repeat the first few failures, and the number of the others."""
    shown = [each.command or each.place for each in fault.records[:_MOST_PLACES]]
    return shown, len(fault.records) - len(shown)


def sheet_lines(sheet: Sheet) -> Iterator[str]:
    """Yield a table as Markdown."""
    yield _line(["group", "feature", "result"])
    yield _line(["---"] * 3)
    yield _line(["**all cases**", "", verdict_on(sheet.total, sheet.explained)[1]])
    for row in sheet.rows:
        said = verdict_on(row.counts, row.explained)[1]
        yield _line([row.group, _code(row.name).replace("|", "\\|"), said])
    if sheet.refused or sheet.unasked:
        yield ""
    for word, groups in (("unsupported", sheet.refused), ("not covered", sheet.unasked)):
        for group, left in groups:
            yield f"- {word} ({group}): {', '.join(map(_code, left))}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(name: str) -> str:
    """Return a name as it is; its own backticks end nothing (CommonMark, 6.1)."""
    name = " ".join(name.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", name)), default=0))
    space = " " if len(fence) > 1 else ""
    return f"{fence}{space}{name}{space}{fence}"


def write_markdown_page(engines: Engines, path: Path) -> None:
    """Write the page as Markdown."""
    write_page(path, markdown(engines, path.parent))


def write_html(engines: Engines, path: Path) -> None:
    """Write the page as one self-contained HTML file."""
    write_page(path, "\n".join(_html(engines, path.parent)) + "\n")


def _html(engines: Engines, folder: Path) -> Iterator[str]:
    who = f"of {', '.join(engines.tallies)}, checked by denota"
    yield from page_head("Conformance", "Conformance", who, [])
    yield from _table("compared", _COMPARED[:3])
    for row in compared(engines):
        cells = "".join(f"<td>{escape(each)}</td>" for each in row[:3])
        yield f"<tr>{cells}</tr><tr><td colspan=3><code>{escape(row[3])}</code></td></tr>"
    yield "</tbody></table></div>"
    found = list(sheets(engines))
    yield from _table("overview", _OVERVIEW)
    for number, sheet in enumerate(found):
        name = escape(sheet.engine)
        if sheet.total.judged:
            name = f'<a href="#sheet-{number}">{name}</a>'
        cells = "".join(
            f'<td class="{style}">{many:,}</td>' if many else "<td></td>"
            for style, many in overview(sheet)
        )
        yield f"<tr><td>{name}</td><td>{escape(sheet.title)}</td>{cells}</tr>"
    yield f'</tbody></table></div><p class="note">{escape(_KEY)}</p>'
    for number, sheet in enumerate(found):
        if not sheet.total.judged:
            continue
        yield f'<section id="sheet-{number}"><h2>{escape(f"{sheet.engine}: {sheet.title}")}</h2>'
        counts = [
            (style, many, word)
            for (style, many), word in zip(overview(sheet), _OVERVIEW[2:], strict=True)
            if style and many
        ]
        shown = ", ".join(f'<b class="{style}">{many:,}</b> {word}' for style, many, word in counts)
        yield f'<p class="who">{shown}</p>{bar([(style, many) for style, many, _ in counts])}'
        yield from _faults_part(sheet, folder)
        yield from sheet_part(sheet)
        yield "</section>"
    yield "</body></html>"


def _table(style: str, names: Sequence[str]) -> Iterator[str]:
    heads = "".join(f"<th>{name}</th>" for name in names)
    yield f'<div class="scroll" tabindex="0"><table class="{style}"><thead><tr>{heads}</tr>'
    yield "</thead><tbody>"


def _faults_part(sheet: Sheet, folder: Path) -> Iterator[str]:
    """Yield the failures of an engine: those without a finding, then each finding with a link."""
    if not sheet.faults:
        return
    yield '<h3>Failures by finding</h3><table class="faults"><tbody>'
    for fault in sheet.faults:
        name = escape(fault.name) or "not among the findings"
        if fault.page:
            name = f'<a href="{escape(_link(fault, folder))}">{name}</a>'
        outcomes = " or ".join(sorted({WORDS[each.outcome] for each in fault.records}))
        many = f"{counted(len(fault.records), 'case')} {outcomes}"
        sort = f'<td class="{_STYLES[fault.sort]}">{_ONE[fault.sort]}</td>'
        yield f"<tr><td>{name}</td>{sort}<td>{many}</td>"
        yield f"<td>{_markup(fault.what)}{''.join(_repeats_part(fault))}</td></tr>"
    yield "</tbody></table>"


def _repeats_part(fault: Fault) -> Iterator[str]:
    """Yield the commands that repeat failures; they are shown where no finding explains these."""
    many, (shown, more) = counted(len(fault.records), "case"), _repeated_by(fault)
    yield f"<details{' open' * (not fault.sort)}><summary>{many}</summary>"
    yield from (f'<p class="place">{escape(each)}</p>' for each in shown)
    if more:
        yield f"<p>and {more:,} more</p>"
    yield "</details>"


def _markup(what: str) -> str:
    """Return a finding's sentence, whose Markdown has code and links, as HTML without the links."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", escape(what))
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def sheet_part(sheet: Sheet) -> Iterator[str]:
    """Yield a table, as a part of a page: its groups side by side where there is room."""
    yield '<div class="groups">'
    for group, rows in groupby(sheet.rows, key=lambda row: row.group):
        yield f"<table><thead><tr><th colspan=2>{escape(group)}</th></tr></thead><tbody>"
        for row in rows:
            shown = cell(row.counts, row.explained)
            yield f"<tr><td><code>{escape(row.name)}</code></td>{shown}</tr>"
        yield "</tbody></table>"
    yield "</div>"
    for title, groups in (("Unsupported", sheet.refused), ("Not tested", sheet.unasked)):
        if groups:
            many = sum(len(left) for _, left in groups)
            yield f"<details><summary>{title}: {counted(many, 'feature')}</summary>"
            for group, left in groups:
                shown = ", ".join(f"<code>{escape(each)}</code>" for each in left)
                yield f"<p>{escape(group)}: {shown}</p>"
            yield "</details>"


def cell(counts: Counts, explained: int = 0) -> str:
    """Return a cell of a table."""
    style, said = verdict_on(counts, explained)
    return f'<td class="{style}">{escape(said)}</td>'
