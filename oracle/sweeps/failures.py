"""The distinct failures of a sweep: each shrunk to a case that shows nothing else.

Two failures are the same if, shrunk, they have the same signature: the operators and constructs of
the query, its readings, and what kind of verdict it is. Failing cases are shrunk the smallest
first; those that a known signature explains are shrunk ever more rarely (the 1st, 2nd, 4th, 8th, …
of each), because they are most likely the same failure once more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ...semantics.model.errors import DenotaError
from ..cases.case import Case, parsed_query
from ..cases.case_reader import SUFFIX
from ..cases.case_writer import write_case
from ..checking.case_checker import check_case, expectation_of
from ..checking.verdicts import Outcome, Verdict
from ..engines.engine import Engine, close
from ..engines.engine_specs import engine
from ..fuzzing.clusters import is_worth_shrinking
from ..fuzzing.discrepancies import shrunk_failure
from ..languages.features import features_of
from ..languages.readings import reading_features
from ..languages.registry import language as language_named
from .case_sources import CaseSource
from .corpus_file import CorpusRow, case_of, json_text
from .row_verdicts import RowVerdict, row_verdict
from .verdict_files import VerdictFiles
from .verdict_sum import AGAINST

DEFAULT_MOST_SHRUNK = 40

# Each simplification of a time-out that times out too takes as long as the time limit.
_SECONDS_FOR_TIMEOUTS = 30.0
_LEAST_TRIES = 3

Signature: TypeAlias = frozenset[str]
"""The signature of a failure, which distinguishes it from others."""


@dataclass(slots=True)
class Failure:
    """A distinct failure: a case that shows it, and where it came from.

    `verdict` speaks of `case`, and so does `shown`, with the answers; `first` is the id of the
    case that was shrunk, `explains` counts the failing cases of the sweep that have all
    that the signature has.
    """

    signature: Signature
    case: Case
    verdict: RowVerdict
    first: str
    shown: Verdict
    explains: int = 1
    path: Path | None = field(default=None, compare=False)


@dataclass(slots=True)
class Failures:
    """The failures of a sweep.

    `failing` counts the failing cases, `shrunk` those of them that were shrunk, `left` those that
    no signature explains and that there was no shrinking left for.
    """

    distinct: list[Failure] = field(default_factory=list)
    failing: int = 0
    shrunk: int = 0
    left: int = 0


Progress: TypeAlias = Callable[[Failures], None]


def distinct_failures(
    source: CaseSource,
    verdicts: VerdictFiles,
    engine_name: str,
    timeout: float,
    *,
    most_shrunk: int = DEFAULT_MOST_SHRUNK,
    progress: Progress = lambda failures: None,
) -> Failures:
    """Return the distinct failures among a source's failing cases, in order of occurrence.

    At most `most_shrunk` cases are shrunk.
    """
    found = Failures()
    judged = engine(engine_name, timeout=timeout)
    try:
        for row, verdict in failing_rows(source, verdicts):
            found.failing += 1
            signature = signature_of(row.language, row.query, row.readings, verdict)
            explaining = [f for f in found.distinct if f.signature <= signature]
            for failure in explaining:
                failure.explains += 1
            if not all(is_worth_shrinking(failure.explains) for failure in explaining):
                continue
            if found.shrunk >= most_shrunk:
                found.left += not explaining
                continue
            failure = _shrunk(row, verdict, judged, timeout)
            found.shrunk += 1
            if all(failure.signature != known.signature for known in found.distinct):
                found.distinct.append(failure)
            progress(found)
    finally:
        close(judged)
    return found


def _shrunk(row: CorpusRow, verdict: RowVerdict, judged: Engine, timeout: float) -> Failure:
    """Return the failure that a row shows."""
    if row.expected is not None:
        # The corpus's own expectation decided; the oracle may differ from it.
        return _as_it_is(row, verdict)
    case = case_of(row)
    again = check_case(case, judged, timeout=timeout)
    if str(again.outcome) != verdict.outcome:  # it does not fail a second time
        return _as_it_is(row, verdict)
    limit = None
    if again.outcome is Outcome.TIMEOUT:
        limit = max(_LEAST_TRIES, int(_SECONDS_FOR_TIMEOUTS / timeout))
    found = shrunk_failure(case, again, judged, timeout=timeout, limit=limit, tags=("sweep",))
    last = row_verdict(found.verdict)
    text = found.case.text
    signature = signature_of(row.language, text, json_text(found.case.reading_names), last)
    return Failure(signature, found.case, last, row.id, found.verdict)


def _as_it_is(row: CorpusRow, verdict: RowVerdict) -> Failure:
    case = case_of(row)
    if case.expect is None:
        case = case.but(expect=expectation_of(case))
    signature = signature_of(row.language, row.query, row.readings, verdict)
    shown = Verdict(Outcome(verdict.outcome), detail=verdict.detail)
    return Failure(signature, case.but(tags=("sweep",)), verdict, row.id, shown)


def write_failures(failures: Failures, directory: Path) -> None:
    """Write each distinct failure's case into a directory; earlier ones there are dropped."""
    directory.mkdir(parents=True, exist_ok=True)
    for earlier in directory.glob(f"*{SUFFIX}"):
        earlier.unlink()
    for number, failure in enumerate(failures.distinct, start=1):
        name = "case" + SUFFIX if failure.case.path is None else failure.case.path.name
        failure.path = directory / f"{number:02d}-{failure.verdict.outcome}-{name}"
        write_case(failure.case, failure.path)


def failing_rows(
    source: CaseSource, verdicts: VerdictFiles
) -> Iterator[tuple[CorpusRow, RowVerdict]]:
    """Yield the failing cases of a sweep with their verdicts, in their order."""
    for chunk in verdicts.read():
        against = chunk.rows.filter(pc.is_in(chunk.rows.column("outcome"), pa.array(AGAINST)))
        if against.num_rows:
            entries = {entry.pop("number"): entry for entry in against.to_pylist()}
            for row in source.rows(list(entries)):
                entry = entries[row.number]
                del entry["id"]
                yield row, RowVerdict(**entry)


# --- signatures ----------------------------------------------------------------------------------


def signature_of(
    language: str, query: str, readings: str, verdict: RowVerdict
) -> Signature:
    """Return the signature of a failure, which distinguishes it from others."""
    return _case_signature(language, query, readings) | _kind(verdict)


def _kind(verdict: RowVerdict) -> Signature:
    """Return the outcome, and on which side something is wrong."""
    sides = {
        "missing": verdict.missing, "unexpected": verdict.unexpected, "repeated": verdict.repeated,
    }
    return frozenset({str(verdict.outcome), *(name for name, wrong in sides.items() if wrong > 0)})


@lru_cache(maxsize=4096)
def _case_signature(language: str, query: str, readings: str) -> Signature:
    try:
        tree = parsed_query(language, query)
        known = features_of(language)
        under = language_named(language).readings(json.loads(readings))
        return frozenset({language}) | known.query_features(tree) | reading_features(under)
    except (DenotaError, KeyError, ValueError):
        return frozenset()
