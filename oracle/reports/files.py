"""Report files: Markdown and JUnit XML, and the writing of all kinds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Protocol
from xml.etree import ElementTree

from ...semantics.streams.files.outputs import check_no_input, write_text
from ..checking.verdicts import Outcome
from .conformance import Engines, called, sheet_lines, sheets
from .console import explanation
from .generated_sections import plain, write_page
from .run_result import WORDS, Judged, Judgement

if TYPE_CHECKING:
    from ..cases.case import Case
    from ..checking.verdicts import Verdict
    from ..checking.worker_pool import Identity


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


# What XML 1.0 cannot carry.
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(judgement: Judgement, path: Path) -> None:
    """Write one test suite a directory, one test case a case."""
    suites = ElementTree.Element("testsuites", name=f"denota: {judgement.engine}")
    unlisted = list(judgement.unlisted())
    _count(suites, judgement.judged, [outcome for _, outcome, _ in unlisted])
    by_folder: dict[str, list[Judged]] = defaultdict(list)
    for entry in judgement.judged:
        by_folder[str(PurePath(entry.place).parent)].append(entry)
    for folder, entries in by_folder.items():
        suite = ElementTree.SubElement(suites, "testsuite", name=folder)
        _count(suite, entries)
        for entry in entries:
            _add(suite, folder, entry)
    if unlisted:
        suite = ElementTree.SubElement(suites, "testsuite", name=judgement.origin)
        _count(suite, (), [outcome for _, outcome, _ in unlisted])
        for language, outcome, number in unlisted:
            name = f"{number:,} cases in {language}: {WORDS[outcome]}"
            case = ElementTree.SubElement(
                suite, "testcase", name=name, classname=language, time="0"
            )
            _judged(case, outcome, "the first of each kind are listed, shrunk")
    write_suites(suites, path)


def write_suites(suites: ElementTree.Element, path: Path) -> None:
    """Write a JUnit document; names and messages may be of an engine, and hold anything."""
    for element in suites.iter():
        element.text = element.text and _FORBIDDEN.sub("\ufffd", element.text)
        for name, value in element.items():
            element.set(name, _FORBIDDEN.sub("\ufffd", value))
    ElementTree.indent(suites)
    document = ElementTree.tostring(suites, encoding="unicode")
    write_text(path, f"<?xml version='1.0' encoding='utf-8'?>\n{document}")


def _count(
    element: ElementTree.Element, entries: Sequence[Judged], others: Sequence[Outcome] = ()
) -> None:
    outcomes = [*(entry.verdict.outcome for entry in entries), *others]
    element.set("tests", str(len(outcomes)))
    element.set("failures", str(outcomes.count(Outcome.FAIL)))
    element.set(
        "errors", str(outcomes.count(Outcome.CRASH) + outcomes.count(Outcome.TIMEOUT))
    )
    element.set("skipped", str(outcomes.count(Outcome.UNSUPPORTED)))
    element.set("time", f"{sum(entry.verdict.seconds for entry in entries):.6f}")


def _add(suite: ElementTree.Element, folder: str, entry: Judged) -> None:
    verdict = entry.verdict
    case = ElementTree.SubElement(
        suite,
        "testcase",
        name=entry.title,
        classname=folder.replace("/", ".").strip(".") or "cases",
        file=entry.place,
        time=f"{verdict.seconds:.6f}",
    )
    text = "\n".join([*explanation(entry), *((entry.command,) if entry.command else ())])
    message = verdict.detail
    if verdict.outcome is Outcome.FAIL:
        message = verdict.detail or f"{verdict.counted} at level {verdict.level}"
    _judged(case, verdict.outcome, message, text)


def _judged(case: ElementTree.Element, outcome: Outcome, message: str, text: str = "") -> None:
    """A verdict as what JUnit calls it."""
    if outcome is Outcome.PASS:
        return
    if outcome is Outcome.UNSUPPORTED:
        ElementTree.SubElement(case, "skipped", message=message)
        return
    kind = "failure" if outcome is Outcome.FAIL else "error"
    said = ElementTree.SubElement(case, kind, type=str(outcome), message=message)
    said.text = text


def check_places(paths: Iterable[Path | None]) -> None:
    """Raise FileNotFoundError for a path without a folder, DenotaError for that of an input."""
    for path in paths:
        if path is not None:
            if not path.parent.is_dir():
                raise FileNotFoundError(2, "No such file or directory", str(path))
            check_no_input(path)


class Records(Protocol):
    """Takes what was judged, case by case."""

    def __call__(
        self, who: Identity, case: Case, verdict: Verdict, place: str, known: str = "",
        command: str = "",
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The file of each kind of report that the user asks for, and the folder of results.

    `command` is the command line.
    """

    html: Path | None = None
    earl: Path | None = None
    junit: Path | None = None
    markdown: Path | None = None
    results: Path | None = None
    command: str = ""

    def __bool__(self) -> bool:
        """Whether a report is asked for."""
        return any(path is not None for path in self.pages)

    @property
    def pages(self) -> tuple[Path | None, ...]:
        """The files of reports."""
        return self.html, self.earl, self.junit, self.markdown

    def check(self) -> None:
        """Raise an error now, not after long work, if a file could not be written."""
        check_places(self.pages)

    @contextmanager
    def recording(self, verb: str) -> Iterator[Records]:
        """What writes each verdict down as it is given, if results are asked for."""
        if self.results is None:
            yield lambda who, case, verdict, place, known="", command="": None
            return
        from .verdict_records import Recorder

        with Recorder(self.results, verb, self.command) as recorder:
            yield recorder.record

    def write(self, judgement: Judgement) -> None:
        """Write the reports."""
        if self.html is not None:
            from .html.result_page import write_html

            write_html(judgement, self.html)
        if self.earl is not None:
            from .earl import write_earl

            write_earl(judgement, self.earl)
        if self.junit is not None:

            write_junit(judgement, self.junit)
        if self.markdown is not None:

            write_markdown(judgement, self.markdown)
