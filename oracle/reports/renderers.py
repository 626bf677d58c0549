"""Renderers of the report: Markdown, and JUnit XML for continuous integration."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ...semantics.streams.files.outputs import write_text
from ..checking.verdicts import Outcome
from .conformance import Engines, called, sheet_lines, sheets
from .console import explanation
from .generated_sections import plain, write_page
from .run_result import WORDS, CaseResult, RunResult

if TYPE_CHECKING:
    pass


def write_markdown(judgement: RunResult, path: Path) -> None:
    """Write the report."""
    write_page(path, "\n".join(_lines(judgement)) + "\n")


def _lines(judgement: RunResult) -> Iterator[str]:
    who = called(judgement.engine, judgement.version)
    yield f"# {plain(who)}"
    yield ""
    yield plain(judgement.summary() + (f", {judgement.origin}" if judgement.origin else ""))
    for entry in judgement.judged:
        if entry.verdict.is_failure:
            yield from _entry(entry)
    for sheet in sheets(Engines({who: judgement.tally})):
        yield ""
        yield f"## {sheet.title}"
        yield ""
        yield from sheet_lines(sheet)


def _entry(entry: CaseResult) -> Iterator[str]:
    like = f", {entry.like:,} similar cases" if entry.like > 1 else ""
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


def write_junit(judgement: RunResult, path: Path) -> None:
    """Write one test suite a directory, one test case a case."""
    suites = ElementTree.Element("testsuites", name=f"denota: {judgement.engine}")
    unlisted = list(judgement.unlisted())
    _count(suites, judgement.judged, [outcome for _, outcome, _ in unlisted])
    by_folder: dict[str, list[CaseResult]] = defaultdict(list)
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
    element: ElementTree.Element, entries: Sequence[CaseResult], others: Sequence[Outcome] = ()
) -> None:
    outcomes = [*(entry.verdict.outcome for entry in entries), *others]
    element.set("tests", str(len(outcomes)))
    element.set("failures", str(outcomes.count(Outcome.FAIL)))
    element.set(
        "errors", str(outcomes.count(Outcome.CRASH) + outcomes.count(Outcome.TIMEOUT))
    )
    element.set("skipped", str(outcomes.count(Outcome.UNSUPPORTED)))
    element.set("time", f"{sum(entry.verdict.seconds for entry in entries):.6f}")


def _add(suite: ElementTree.Element, folder: str, entry: CaseResult) -> None:
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
    """Write a verdict as a JUnit element."""
    if outcome is Outcome.PASS:
        return
    if outcome is Outcome.UNSUPPORTED:
        ElementTree.SubElement(case, "skipped", message=message)
        return
    kind = "failure" if outcome is Outcome.FAIL else "error"
    said = ElementTree.SubElement(case, kind, type=str(outcome), message=message)
    said.text = text
