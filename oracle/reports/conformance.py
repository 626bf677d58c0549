"""Which engine supports, passes and fails what: a table a language, like an implementation report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from ..engines.capabilities import vocabulary
from ..judging.verdicts import Outcome
from ..languages.registry import is_language, language, names
from .html.page_style import page_head
from .judged import WORDS
from .page_parts import plain, write_page
from .records import SUFFIX, Record, ResultsError, read_results
from .tally import Counts, Tally, groups_of

MANIFEST = "manifest.json"
"""By which a sweep's folder is known."""


@dataclass
class Engines:
    """The tallies of engines by name and version, in the order in which they were met."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    judged_by: list[str] = field(default_factory=list)
    """What they were judged by: the files and folders."""

    def of(self, engine: str) -> Tally:
        return self.tallies.setdefault(engine, Tally())


@dataclass(frozen=True, slots=True)
class AskedName:
    """What cases ask for, and how they went, engine by engine."""

    group: str
    name: str
    cells: tuple[Counts, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The table of one language; `unasked` are the names of its groups that no case asked for."""

    title: str
    total: tuple[Counts, ...]
    rows: tuple[AskedName, ...]
    unasked: tuple[tuple[str, tuple[str, ...]], ...]


def read_engines(places: Iterable[Path]) -> Engines:
    """What results files and sweeps in these places say; raises ResultsError where there is none.

    Of a case that an engine was judged on more than once, the last verdict counts.
    """
    found = Engines()
    records: dict[tuple[str, str, str, str], Record] = {}
    for place in places:
        files = sorted(place.rglob(f"*{SUFFIX}")) if place.is_dir() else [place]
        sweeps = sorted(each.parent for each in place.rglob(MANIFEST)) if place.is_dir() else []
        if not files and not sweeps:
            raise ResultsError(f"there are no results (*{SUFFIX}) and no sweep", source=str(place))
        results = [(path, *read_results(path)) for path in files]
        for path, head, entries in sorted(results, key=lambda each: str(each[1].get("begun"))):
            engine = called(head["engine"], str(head.get("version", "")))
            found.of(engine)
            found.judged_by.append(str(path))
            for each in entries:
                records[engine, each.language, each.place, each.title] = each
        for folder in sweeps:
            from ..sweeps.tallying import sweep_tally

            manifest, tally = sweep_tally(folder)
            found.of(called(*manifest.judged)).update(tally)
            found.judged_by.append(str(folder))
    for (engine, *_), record in records.items():
        found.of(engine).add(record.language, record.asks, record.outcome)
    return found


def called(engine: str, version: str) -> str:
    """An engine with its version, as the columns are headed."""
    return f"{engine} {version}".strip()


def sheets(engines: Engines) -> Iterator[Sheet]:
    """The tables, in the order in which languages are listed."""
    tallies = list(engines.tallies.values())
    known = {name for tally in tallies for name in tally.languages}
    for name in [*filter(known.__contains__, names()), *sorted(known.difference(names()))]:
        rows = tuple(
            AskedName(group, each, tuple(
                tally.names.get((name, group, each), Counts()) for tally in tallies
            ))
            for group in groups_of(name)
            for each in sorted({each for tally in tallies for each in tally.asked(name, group)})
        )
        asked = {(row.group, row.name) for row in rows}
        unasked = (
            (group, tuple(sorted(each for each in every if (group, each) not in asked)))
            for group, every in (vocabulary(name) if is_language(name) else {}).items()
        )
        yield Sheet(
            language(name).title if is_language(name) else name,
            tuple(tally.languages.get(name, Counts()) for tally in tallies),
            rows,
            tuple((group, left) for group, left in unasked if left),
        )


def verdict_on(counts: Counts) -> tuple[str, str]:
    """A cell: its style, and what it says.

    >>> from denota.oracle.judging.verdicts import Outcome
    >>> from collections import Counter
    >>> of = lambda **n: Counts(Counter({Outcome(k): v for k, v in n.items()}))
    >>> verdict_on(of(**{"pass": 8})), verdict_on(of(**{"pass": 8, "fail": 1, "crash": 1}))
    (('pass', 'passes 8'), ('fail', 'fails 2 of 10'))
    >>> verdict_on(of(**{"pass": 8, "unsupported": 3})), verdict_on(of(unsupported=3))
    (('pass', 'passes 8, 3 unsupported'), ('unsupported', 'unsupported 3'))
    >>> verdict_on(of())
    ('untested', 'not tested')
    """
    more = f", {counts.unsupported:,} unsupported" if counts.unsupported else ""
    if counts.against:
        return "fail", f"fails {counts.against:,} of {counts.judged:,}{more}"
    if counts.judged:
        return "pass", f"passes {counts.judged:,}{more}"
    if counts.unsupported:
        return "unsupported", f"unsupported {counts.unsupported:,}"
    return "untested", "not tested"


_KEY = (
    "A case counts in each row whose name it asks for, so that a failure may be due to another row."
)


def markdown(engines: Engines) -> str:
    """The page as Markdown."""
    return "\n".join(_markdown(engines)) + "\n"


def _markdown(engines: Engines) -> Iterator[str]:
    yield "# Conformance"
    yield ""
    yield _KEY
    for sheet in sheets(engines):
        yield ""
        yield from sheet_lines(sheet, list(engines.tallies))


def sheet_lines(sheet: Sheet, engines: Sequence[str]) -> Iterator[str]:
    """A language's table as Markdown."""
    yield f"## {plain(sheet.title)}"
    yield ""
    yield _line(["", "", *map(plain, engines)])
    yield _line(["---"] * (2 + len(engines)))
    yield _line(["**all cases**", "", *(verdict_on(each)[1] for each in sheet.total)])
    for row in sheet.rows:
        said = (verdict_on(each)[1] for each in row.cells)
        yield _line([row.group, _code(row.name).replace("|", "\\|"), *said])
    if sheet.unasked:
        yield ""
    for group, left in sheet.unasked:
        yield f"- no case asked for these {group}: {', '.join(map(_code, left))}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(name: str) -> str:
    """A name as it is; its own backticks end nothing (CommonMark, 6.1)."""
    name = " ".join(name.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", name)), default=0))
    space = " " if len(fence) > 1 else ""
    return f"{fence}{space}{name}{space}{fence}"


def write_html(engines: Engines, path: Path) -> None:
    """Write the page as one self-contained HTML file."""
    write_page(path, "\n".join(_html(engines)) + "\n")


def _html(engines: Engines) -> Iterator[str]:
    outcomes = sum((tally.outcomes for tally in engines.tallies.values()), Counter[Outcome]())
    yield from page_head(
        "Conformance", "Conformance", f"of {', '.join(engines.tallies)}, judged by denota",
        [(str(each), outcomes[each], WORDS[each]) for each in Outcome if outcomes[each]],
    )
    yield f"<p>{escape(_KEY)}</p>"
    for sheet in sheets(engines):
        yield f"<h2>{escape(sheet.title)}</h2>"
        yield from sheet_part(sheet, list(engines.tallies))
    yield "</body></html>"


def sheet_part(sheet: Sheet, engines: Sequence[str]) -> Iterator[str]:
    """A language's table, as a part of a page."""
    yield '<div class="scroll" tabindex="0"><table class="levels"><thead><tr><th></th><th></th>'
    yield "".join(f"<th>{escape(engine)}</th>" for engine in engines)
    yield "</tr></thead><tbody>"
    yield f"<tr><td>all cases</td><td></td>{cells(sheet.total)}</tr>"
    group = ""
    for row in sheet.rows:
        first, group = row.group != group, row.group
        yield (
            f'<tr{" class=first" if first else ""}><td>{escape(group) if first else ""}</td>'
            f"<td><code>{escape(row.name)}</code></td>{cells(row.cells)}</tr>"
        )
    yield "</tbody></table></div>"
    if sheet.unasked:
        yield "<details><summary>What no case asked for</summary>"
        for group, left in sheet.unasked:
            shown = ", ".join(f"<code>{escape(each)}</code>" for each in left)
            yield f"<p>{escape(group)}: {shown}</p>"
        yield "</details>"


def cells(counted: Iterable[Counts]) -> str:
    """A row's cells, one an engine."""
    return "".join(
        f'<td class="{style}">{escape(said)}</td>' for style, said in map(verdict_on, counted)
    )
