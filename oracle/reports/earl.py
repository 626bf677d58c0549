"""The report as EARL 1.0 assertions, in Turtle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from ...semantics.streams.files.outputs import write_text
from ..checking.verdicts import Outcome
from .run_result import WORDS, CaseResult, RunResult


def write_report(lines: Iterable[str], path: Path) -> None:
    """Write a report of these lines, which follow the prefixes and what denota is."""
    write_text(path, "\n".join([*_beginning(), *lines]) + "\n")


def now(precision: str = "seconds") -> str:
    """Return this instant as an xsd:dateTime; the precision is one of `datetime.isoformat`."""
    return datetime.now(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def quoted(text: str) -> str:
    """Return the text as a Turtle literal."""
    # Turtle has no surrogates, which texts from JSON may hold.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # JSON's escapes are Turtle's, given that what JSON leaves alone is written as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _beginning() -> Iterator[str]:
    from ... import __version__

    yield "@prefix earl: <http://www.w3.org/ns/earl#> ."
    yield "@prefix dct: <http://purl.org/dc/terms/> ."
    yield "@prefix doap: <http://usefulinc.com/ns/doap#> ."
    yield "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    yield ""
    yield "_:denota a earl:Software, earl:Assertor, doap:Project ;"
    yield f'  doap:name "denota" ; doap:release [ doap:revision {quoted(__version__)} ] .'


# EARL 1.0 Schema, 2.7: what was not tried is `untested`, what cannot be told is `cantTell`.
_OUTCOMES = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNSUPPORTED: "inapplicable",
    Outcome.TIMEOUT: "failed",
    Outcome.CRASH: "failed",
}


def write_earl(judgement: RunResult, path: Path) -> None:
    """Write the assertions."""
    write_report(_assertions(judgement, now()), path)


def test_iri(place: str) -> str:
    """Return the IRI by which EARL and manifests call a case.

    >>> test_iri("corpus/papers/example-7.case.yaml")
    'urn:denota:case:corpus/papers/example-7'
    """
    plain = Path(place).as_posix().removesuffix(".yaml").removesuffix(".case")
    return f"urn:denota:case:{quote(plain.removeprefix('./').lstrip('/'))}"


def _assertions(judgement: RunResult, now: str) -> Iterator[str]:
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


def _assertion(entry: CaseResult, now: str) -> Iterator[str]:
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
