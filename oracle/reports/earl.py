"""The report as EARL 1.0 assertions, in Turtle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from ..verdicts import Outcome
from .judged import Judged, Judgement

# EARL 1.0 Schema, 2.7: what was not tried is `untested`, what cannot be told is `cantTell`.
_OUTCOMES = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNSUPPORTED: "inapplicable",
    Outcome.TIMEOUT: "failed",
    Outcome.CRASH: "failed",
}


def write_earl(judgement: Judgement, path: Path) -> None:
    """Write the assertions."""
    now = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    path.write_text("\n".join(_document(judgement, now)) + "\n", encoding="utf-8")


def test_iri(place: str) -> str:
    """The IRI by which EARL and manifests call a case.

    >>> test_iri("corpus/papers/example-7.case.yaml")
    'urn:denota:case:corpus/papers/example-7'
    """
    plain = Path(place).as_posix().removesuffix(".yaml").removesuffix(".case")
    return f"urn:denota:case:{quote(plain.removeprefix('./').lstrip('/'))}"


def _document(judgement: Judgement, now: str) -> Iterator[str]:
    from ... import __version__

    yield "@prefix earl: <http://www.w3.org/ns/earl#> ."
    yield "@prefix dct: <http://purl.org/dc/terms/> ."
    yield "@prefix doap: <http://usefulinc.com/ns/doap#> ."
    yield "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    yield ""
    yield "_:denota a earl:Software, earl:Assertor, doap:Project ;"
    yield f'  doap:name "denota" ; doap:release [ doap:revision {_text(__version__)} ] .'
    yield ""
    yield "_:engine a earl:Software, earl:TestSubject, doap:Project ;"
    release = f" ; doap:release [ doap:revision {_text(judgement.version)} ]"
    yield f"  doap:name {_text(judgement.engine)}{release if judgement.version else ''} ."
    for entry in judgement.judged:
        yield ""
        yield from _assertion(entry, now)


def _assertion(entry: Judged, now: str) -> Iterator[str]:
    verdict = entry.verdict
    iri = entry.iri or test_iri(entry.place)
    yield f"<{iri}> a earl:TestCase ; dct:title {_text(entry.title)} ;"
    yield f"  dct:source {_text(entry.place)} ."
    yield "[] a earl:Assertion ; earl:assertedBy _:denota ; earl:subject _:engine ;"
    yield f"  earl:test <{iri}> ; earl:mode earl:automatic ;"
    yield f"  earl:result [ a earl:TestResult ; earl:outcome earl:{_OUTCOMES[verdict.outcome]} ;"
    info = f"{verdict.outcome}" + (f" at level {verdict.level}" if verdict.level else "")
    if verdict.detail:
        info += f": {verdict.detail}"
    yield f'    earl:info {_text(info)} ; dct:date "{now}"^^xsd:dateTime ] .'


def _text(text: str) -> str:
    # JSON's escapes are Turtle's, given that what JSON leaves alone is written as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
