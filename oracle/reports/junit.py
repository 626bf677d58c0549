"""The report as JUnit XML, for continuous integration."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePath
from xml.etree import ElementTree

from ...semantics.streams.files.boundaries import output_errors
from ..judging.verdicts import Outcome
from .judged import Judged, Judgement
from .lines import explanation

# What XML 1.0 cannot carry.
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(judgement: Judgement, path: Path) -> None:
    """Write one test suite a directory, one test case a case."""
    suites = ElementTree.Element("testsuites", name=f"denota: {judgement.engine}")
    _count(suites, judgement.judged)
    by_folder: dict[str, list[Judged]] = defaultdict(list)
    for entry in judgement.judged:
        by_folder[str(PurePath(entry.place).parent)].append(entry)
    for folder, entries in by_folder.items():
        suite = ElementTree.SubElement(suites, "testsuite", name=folder)
        _count(suite, entries)
        for entry in entries:
            _add(suite, folder, entry)
    write_suites(suites, path)


def write_suites(suites: ElementTree.Element, path: Path) -> None:
    """Write a JUnit document."""
    ElementTree.indent(suites)
    with output_errors(str(path)):
        ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _count(element: ElementTree.Element, entries: Sequence[Judged]) -> None:
    outcomes = [entry.verdict.outcome for entry in entries]
    element.set("tests", str(len(entries)))
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
        name=clean(entry.title),
        classname=folder.replace("/", ".").strip(".") or "cases",
        file=entry.place,
        time=f"{verdict.seconds:.6f}",
    )
    text = clean("\n".join(explanation(entry)))
    if verdict.outcome is Outcome.FAIL:
        message = verdict.detail or f"{verdict.counted} at level {verdict.level}"
        failure = ElementTree.SubElement(case, "failure", type="fail", message=clean(message))
        failure.text = text
    elif verdict.outcome in (Outcome.CRASH, Outcome.TIMEOUT):
        error = ElementTree.SubElement(
            case, "error", type=str(verdict.outcome), message=clean(verdict.detail)
        )
        error.text = text
    elif verdict.outcome is Outcome.UNSUPPORTED:
        ElementTree.SubElement(case, "skipped", message=clean(verdict.detail))


def clean(text: str) -> str:
    """A text without what XML cannot carry."""
    return _FORBIDDEN.sub("\ufffd", text)
