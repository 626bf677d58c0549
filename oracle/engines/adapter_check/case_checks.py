"""Checks of responses to cases: those of corpus/adapters, variants of them, generated cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...cases.case import Case
from ...cases.case_reader import find_cases, read_case
from ...cases.embedded_text import Table, Text, turtle_header
from ...checking.case_checker import expectation_of
from ...checking.verdicts import Outcome, Verdict
from ...languages.registry import has
from ...reports.console import explanation
from ...reports.run_result import CaseResult
from ...results.json_objects import brief
from ..capabilities import lacking
from .generated import GENERATED, generated_cases
from .program import Check, Program, Result, attempted, failed, left_out

CASES = Path(__file__).resolve().parents[3] / "corpus" / "adapters"

# Words of the cases of corpus/adapters that stand for others: one that the query speaks of, and
# one that it does not.
_SPOKEN_OF, _PADDING = "plain", "small"
_UNICODE = "žluťoučký_木_𝄞"
_MEGABYTE = "x" * 1_000_000


def written_cases(name: str) -> list[Case]:
    """Return the cases of corpus/adapters in a language, the simplest first."""
    folder = CASES / name
    found = [read_case(path) for path in find_cases([folder])] if folder.is_dir() else []
    return sorted(found, key=lambda case: case.id != "first")


def beyond(program: Program, case: Case) -> str:
    """Return the needs of a case that the program does not declare."""
    missing = lacking(case.parsed(), program.capabilities(case.language_name))
    return ", ".join(f"{group}: {', '.join(sorted(missing[group]))}" for group in sorted(missing))


def questions(program: Program, name: str) -> Iterator[Check]:
    """Yield the checks of a language's cases."""
    written = written_cases(name)
    answers = 0
    for case in written:
        check = _expected(program, case)
        answers += check.result is Result.OK
        yield check
    if written and not answers:
        yield failed(
            f"{name}: at least one of these cases is answered", "a result that is right",
            "none of them: does the adapter support this language?",
        )
    yield from _derived(program, name, written)
    yield from _what_is_refused(program, name, written)
    if has(name, "generate"):
        title = f"{name}: answers generated cases"
        expected = "a result, or unsupported, for each"
        yield attempted(title, expected, partial(_generated, program, name, title, expected))


def ids(program: Program, name: str) -> Check:
    """Check that a response has the id of its request."""
    title = "a response repeats the id of its request"
    id = 'id "7" – é\\ 木\t.'

    def check() -> Check:
        answer = program.ask({**written_cases(name)[0].message(), "id": id})
        if answer.get("id") == id:
            return Check(title)
        return failed(title, brief(id), brief(answer.get("id")))

    return attempted(title, brief(id), check)


# --- cases that are written down -----------------------------------------------------------------


def _expected(program: Program, case: Case, title: str = "") -> Check:
    """Return the check of one case: the answer is the expected one."""
    title = f"{case.language_name}: {title or case.title}"
    if missing := beyond(program, case):
        return left_out(title, f"unsupported: {missing}")
    wanted = f"the results of corpus/adapters/{case.language_name}/{case.id}.case.yaml"

    def check() -> Check:
        answer = program.ask(case.message())
        verdict = program.verdict(case, answer)
        if verdict.ok:
            return Check(title)
        if verdict.outcome is not Outcome.UNSUPPORTED:
            more = list(explanation(CaseResult(case, verdict, "")))
            return failed(title, wanted, f"{brief(answer)}, another answer", more)
        if not program.capabilities(case.language_name):
            return left_out(title, f"unsupported: {verdict.detail}")
        came = f"unsupported: {verdict.detail}"
        return failed(title, "a result, since its capabilities cover the case", came)

    return attempted(title, wanted, check)


def _derived(program: Program, name: str, written: Sequence[Case]) -> Iterator[Check]:
    """Yield the checks of variants of a case: other words, other streams."""
    marked = [case for case in written if _SPOKEN_OF in str(case.message()["streams"])]
    case = next((case for case in marked if not beyond(program, case)), None)
    if case is None:
        if marked:
            yield left_out(f"{name}: streams with other contents", "no case for its capabilities")
        return
    yield _expected(program, _empty(case), "streams may be empty")
    unicode = _with(case, _SPOKEN_OF, _UNICODE, query=True)
    yield _expected(program, unicode, f"Unicode in names and texts ({_UNICODE})")
    yield _escaped(program, unicode)
    large = _with(case, _PADDING, _MEGABYTE, query=False)
    yield _expected(program, large, "accepts a line of one megabyte")


def _escaped(program: Program, case: Case) -> Check:
    """Check that JSON may write a character as \\uXXXX, and one beyond the BMP as two of them."""
    title = f"{case.language_name}: accepts characters escaped in JSON"
    expected = "the same answer"

    def check() -> Check:
        with program.fresh() as child:
            child.tell(json.dumps(case.message(), ensure_ascii=True))
            answer = child.answer(program.timeout)
        verdict = program.verdict(case, answer)
        if verdict.ok or verdict.outcome is Outcome.UNSUPPORTED:
            return Check(title)
        return failed(title, expected, brief(answer))

    return attempted(title, expected, check)


def _empty(case: Case) -> Case:
    """Return the case on empty streams; the oracle gives the expected answer."""
    streams: dict[Any, Any] = {}
    for iri, source in case.stream_sources.items():
        if isinstance(source, Table):
            header = str(source.csv).partition("\n")[0]
            streams[iri] = Table(f"{header}\n", source.declaration)
        else:
            streams[iri] = Text(turtle_header(case.prefixes.items()))
    return case.but(streams=streams, expect=None)


def _with(case: Case, old: str, new: str, *, query: bool) -> Case:
    """Return the case with another word in its streams and query, and its expected answer."""

    def said(source: Any) -> Any:
        if isinstance(source, Table):
            return Table(str(source.csv).replace(old, new), source.declaration)
        return Text(source.text.replace(old, new))

    return case.but(
        query=Text(case.text.replace(old, new)) if query else case.query,
        streams={iri: said(source) for iri, source in case.stream_sources.items()},
        expect=None,
    )


# --- what is refused -----------------------------------------------------------------------------


def _what_is_refused(program: Program, name: str, written: Sequence[Case]) -> Iterator[Check]:
    """Yield the checks of an invalid query and of an unknown reading."""
    if not written:
        return
    message = written[0].message()
    yield _refusal(
        program, f"{name}: a query that cannot be parsed is refused", {"query": "SELECT ( WHERE"},
        message,
    )
    yield _refusal(
        program, f"{name}: a reading that it does not know is refused",
        {"readings": {"no-such-reading": "at-all"}}, message,
    )


def _refusal(
    program: Program, title: str, change: Mapping[str, Any], message: Mapping[str, Any]
) -> Check:
    expected = "error, or unsupported: no result, and no end of the program"

    def check() -> Check:
        answer = program.ask({**message, **change})
        if answer.get("type") in ("error", "unsupported"):
            return Check(title, note=str(answer["type"]))
        return failed(title, expected, brief(answer))

    return attempted(title, expected, check)


# --- cases that are generated --------------------------------------------------------------------


def _generated(program: Program, name: str, title: str, expected: str) -> Check:
    """Check that generated cases are answered with possible results, or are unsupported."""
    cases = generated_cases(program, name)
    if not cases:
        return left_out(title, f"of {GENERATED} none is within its capabilities")
    unsupported = wrong = 0
    for number, case in enumerate(cases, 1):
        answer = program.ask({**case.message(), "id": f"{name} {number}"})
        verdict = program.verdict(case.but(expect=expectation_of(case)), answer)
        if problem := _problem(answer, verdict):
            more = ["the case:", *(f"  {line}" for line in case.text.splitlines())]
            return failed(title, expected, problem, more)
        unsupported += verdict.outcome is Outcome.UNSUPPORTED
        wrong += verdict.outcome is Outcome.FAIL
    note = f"{len(cases)} cases, {unsupported} of them unsupported"
    return Check(title, note=note + (f", {wrong} wrong: denota fuzz says how" if wrong else ""))


def _problem(answer: Mapping[str, Any], verdict: Verdict) -> str:
    """Return the error in the form of a response, if there is one."""
    if verdict.outcome is Outcome.CRASH:
        return verdict.detail
    if verdict.duplicate:
        return f"duplicate results: {verdict.counted}"
    if answer.get("type") == "error" and verdict.outcome is Outcome.FAIL:
        said = brief(answer.get("message"))
        return f"error: {said}; the case has a meaning (unsupported: the engine does not do it)"
    return ""
