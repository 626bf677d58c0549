"""The verdicts on a manifest's tests as an EARL 1.0 report, in Turtle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from ..verdicts import Outcome
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
    now = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    text = "\n".join(_document(verdicts, subject, now))
    path.write_text(text + "\n", encoding="utf-8")


def _document(
    verdicts: Iterable[ManifestVerdict], subject: str, now: str
) -> Iterator[str]:
    from ... import __version__

    yield "@prefix earl: <http://www.w3.org/ns/earl#> ."
    yield "@prefix dct: <http://purl.org/dc/terms/> ."
    yield "@prefix doap: <http://usefulinc.com/ns/doap#> ."
    yield "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    yield ""
    yield "_:denota a earl:Software, earl:Assertor, doap:Project ;"
    yield f'  doap:name "denota" ; doap:release [ doap:revision {_text(__version__)} ] .'
    yield "_:subject a earl:Software, earl:TestSubject, doap:Project ;"
    yield f"  doap:name {_text(subject)} ."
    for verdict in verdicts:
        yield ""
        yield f"<{verdict.test.iri}> a earl:TestCase ; dct:title {_text(verdict.test.name)} ."
        yield "[] a earl:Assertion ; earl:assertedBy _:denota ; earl:subject _:subject ;"
        yield f"  earl:test <{verdict.test.iri}> ; earl:mode earl:automatic ;"
        yield "  earl:result [ a earl:TestResult ;"
        yield f"    earl:outcome earl:{_OUTCOMES[verdict.outcome]} ;"
        if verdict.detail:
            yield f"    earl:info {_text(verdict.detail)} ;"
        yield f'    dct:date "{now}"^^xsd:dateTime ] .'


def _text(text: str) -> str:
    # JSON's escapes are Turtle's, given that what JSON leaves alone is written as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
