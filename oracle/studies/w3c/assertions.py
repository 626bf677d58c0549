"""The verdicts on a manifest's tests as an EARL 1.0 report, in Turtle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ...judging.verdicts import Outcome
from ...reports.earl_prologue import now, quoted, write_report
from .running import ManifestVerdict

_OUTCOMES = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNSUPPORTED: "untested",
    Outcome.TIMEOUT: "failed",
    Outcome.CRASH: "failed",
}


def write_earl(
    verdicts: Iterable[ManifestVerdict], path: Path, subject: str = "denota oracle"
) -> None:
    """Write one assertion a test about the software called `subject`."""
    write_report(_assertions(verdicts, subject, now()), path)


def _assertions(
    verdicts: Iterable[ManifestVerdict], subject: str, now: str
) -> Iterator[str]:
    yield "_:subject a earl:Software, earl:TestSubject, doap:Project ;"
    yield f"  doap:name {quoted(subject)} ."
    for verdict in verdicts:
        yield ""
        yield f"<{verdict.test.iri}> a earl:TestCase ; dct:title {quoted(verdict.test.name)} ."
        yield "[] a earl:Assertion ; earl:assertedBy _:denota ; earl:subject _:subject ;"
        yield f"  earl:test <{verdict.test.iri}> ; earl:mode earl:automatic ;"
        yield "  earl:result [ a earl:TestResult ;"
        yield f"    earl:outcome earl:{_OUTCOMES[verdict.outcome]} ;"
        if verdict.detail:
            yield f"    earl:info {quoted(verdict.detail)} ;"
        yield f'    dct:date "{now}"^^xsd:dateTime ] .'
