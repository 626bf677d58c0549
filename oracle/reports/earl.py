"""The report as EARL 1.0 assertions, in Turtle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from ..judging.verdicts import Outcome
from .earl_prologue import now, quoted, write_report
from .judged import WORDS, Judged, Judgement

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
    write_report(_assertions(judgement, now()), path)


def test_iri(place: str) -> str:
    """The IRI by which EARL and manifests call a case.

    >>> test_iri("corpus/papers/example-7.case.yaml")
    'urn:denota:case:corpus/papers/example-7'
    """
    plain = Path(place).as_posix().removesuffix(".yaml").removesuffix(".case")
    return f"urn:denota:case:{quote(plain.removeprefix('./').lstrip('/'))}"


def _assertions(judgement: Judgement, now: str) -> Iterator[str]:
    yield ""
    yield "_:engine a earl:Software, earl:TestSubject, doap:Project ;"
    release = f" ; doap:release [ doap:revision {quoted(judgement.version)} ]"
    yield f"  doap:name {quoted(judgement.engine)}{release if judgement.version else ''} ."
    for entry in judgement.judged:
        yield ""
        yield from _assertion(entry, now)
    for language, outcome, number in judgement.unlisted():
        yield ""
        title = f"{number:,} cases in {language}: {WORDS[outcome]}"
        iri = test_iri(f"{judgement.origin}/{language}/{outcome}")
        yield from _tested(iri, title, judgement.origin, outcome, title, now)


def _assertion(entry: Judged, now: str) -> Iterator[str]:
    verdict = entry.verdict
    info = f"{verdict.outcome}" + (f" at level {verdict.level}" if verdict.level else "")
    if said := verdict.detail or (verdict.counted if verdict.outcome is Outcome.FAIL else ""):
        info += f": {said}"
    iri = entry.iri or test_iri(entry.place)
    yield from _tested(iri, entry.title, entry.place, verdict.outcome, info, now)


def _tested(
    iri: str, title: str, source: str, outcome: Outcome, info: str, now: str
) -> Iterator[str]:
    yield f"<{iri}> a earl:TestCase ; dct:title {quoted(title)} ;"
    yield f"  dct:source {quoted(source)} ."
    yield "[] a earl:Assertion ; earl:assertedBy _:denota ; earl:subject _:engine ;"
    yield f"  earl:test <{iri}> ; earl:mode earl:automatic ;"
    yield f"  earl:result [ a earl:TestResult ; earl:outcome earl:{_OUTCOMES[outcome]} ;"
    yield f'    earl:info {quoted(info)} ; dct:date "{now}"^^xsd:dateTime ] .'
