"""`denota check`: test an engine with conformance cases."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from .. import UsageError
from ..options import (
    add_files_outside,
    add_renamed,
    add_reports,
    add_schedules,
    add_timeout,
    command,
    exit_code,
    positive,
    report_files,
    scheduled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...cases.case import Case
    from ...checking.worker_pool import Identity
    from ...manifests.running import ManifestVerdict
    from ...reports.run_result import CaseResult, RunResult

EPILOG = """\
A directory is searched for *.case.yaml. Every verdict is pass, fail, unsupported, timeout or crash;
a failing case lists its missing, unexpected and duplicate results. Exit code 1 if a case fails,
times out or crashes the engine, 2 if a case cannot be read, 3 if the engine supports none of the
cases.

An ENGINE is production (the default), oracle, python:MODULE:FACTORY, or command:PROGRAM ARGS, a
subprocess that implements the adapter protocol. Its results are compared at its comparison level.

A *.ttl file (or a directory with manifest.ttl and no case) is a manifest of the W3C's SPARQL tests,
query evaluation and syntax; mf:include is followed. Engines are oracle (the default) or production;
a table lists the tests that passed, failed or were excluded, with the reason.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    from . import recorded_answers

    parser.epilog = f"{EPILOG}\n{recorded_answers.EPILOG}"
    recorded_answers.configure(parser)
    parser.add_argument("places", metavar="CASE_OR_DIR", nargs="*", help="cases and directories")
    parser.add_argument(
        "--engine", metavar="ENGINE", help="engine under test (default: production)"
    )
    add_files_outside(parser)
    add_reports(parser)
    add_renamed(
        parser, "--export", "--export-manifest", dest="export", metavar="DIR", type=Path,
        help="write the cases to DIR as a W3C-style test manifest with all its files",
    )
    add_schedules(parser)
    parser.add_argument(
        "--schedule", metavar="S",
        help="schedule of the production engine for cases that state none, such as "
        "'file,cuts=3!.1' (docs/fuzzing.md)",
    )
    add_renamed(
        parser, "--known", "--known-differences", dest="known", metavar="FILE", type=Path,
        action="append", default=[],
        help="note in --save-verdicts the known difference of FILE that explains a failure "
        "(repeatable)",
    )
    add_timeout(parser)
    parser.add_argument(
        "--jobs", "-j", metavar="N", type=positive, default=1,
        help="number of worker processes (default: 1)",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print passing cases, too"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.answers is not None:
        from . import recorded_answers

        return recorded_answers.run(arguments)
    if not arguments.places:
        raise UsageError("name a CASE_OR_DIR, or recorded output with --recorded")
    from ....semantics.model.errors import Impossible
    from ...checking.worker_pool import identity_of
    from ...reports.console import case_lines, colours
    from ...reports.run_result import RunResult
    from ..progress import display

    began = perf_counter()
    files = report_files(arguments)
    manifests, paths = _places(arguments.places)
    cases = _read(paths, arguments.allow_files_outside)
    if cases is None:
        return 2
    files.check()  # now that the files which cases name are known
    engine = _engine(arguments, manifests)
    tested: list[ManifestVerdict] = []
    entries: list[CaseResult] = []
    identities: list[Identity] = []
    interrupted = False
    with (
        display(len(cases) + len(manifests), "testing") as shown,
        _explaining(arguments, engine) as explained,
        files.recording("check") as record,
        suppress(KeyboardInterrupt),
    ):
        interrupted = True  # unless all is checked
        for judged, identity in _judged(cases, manifests, engine, arguments, tested):
            entries.extend(judged)
            identities.extend([identity] if identity is not None else [])
            who = identity or identity_of(engine)
            for entry in judged:
                place, known = entry.place, explained(entry)
                record(who, entry.case, entry.verdict, place, known, entry.command)
                # Why a manifest's tests are excluded is told once, by the table.
                told = entry.verdict.ok or (identity is None and not entry.verdict.is_failure)
                if arguments.verbose or not told:
                    shown.say("\n".join(case_lines(entry, colour=colours(sys.stdout))))
            shown.advance()
        interrupted = False
    if interrupted and not entries:
        raise KeyboardInterrupt
    if not interrupted and len(entries) != len(cases) + len(tested):
        raise Impossible(f"{len(cases) + len(tested)} cases, {len(entries)} verdicts")
    who = identities[-1] if identities else identity_of(engine)
    judgement = RunResult(who.name, who.version, who.level, entries, perf_counter() - began)
    _print_summary(judgement, engine, tested)
    files.write(judgement)
    if interrupted:  # the summary counts the cases that were checked
        raise KeyboardInterrupt
    if arguments.export is not None:
        _export(cases, arguments.export)
    return exit_code(failed=judgement.has_failures, judged=judgement.any_judged)


def _engine(arguments: argparse.Namespace, manifests: list[Path]) -> str:
    """Return the engine that is asked for, with its schedule."""
    engine = scheduled(arguments.engine or ("oracle" if manifests else "production"), arguments)
    if manifests and engine not in ("oracle", "production"):
        raise UsageError("W3C manifests are judged with --engine oracle or production")
    return engine


def _export(cases: list[Case], folder: Path) -> None:
    from ...cases.w3c_manifest import write_manifest

    write_manifest(cases, folder)


def _judged(
    cases: list[Case],
    manifests: list[Path],
    engine: str,
    arguments: argparse.Namespace,
    tested: list[ManifestVerdict],
) -> Iterator[tuple[list[CaseResult], Identity | None]]:
    """Yield the verdict on each manifest and each case, and the engine checked.

    The verdicts on the manifests' tests are appended to `tested`.
    """
    from ...checking.worker_pool import check_cases
    from ...reports.run_result import CaseResult

    for manifest in manifests:
        yield _run_manifest(manifest, engine, tested, arguments.allow_files_outside), None
    naming = [] if engine == "production" else ["--engine", engine]
    verdicts = check_cases(cases, engine, timeout=arguments.timeout, jobs=arguments.jobs)
    for case, (verdict, who) in zip(cases, verdicts, strict=True):
        repeat = command("check", str(case.path), *naming)
        yield [CaseResult(case, verdict, str(case.path), command=repeat)], who


@contextmanager
def _explaining(
    arguments: argparse.Namespace, engine: str
) -> Iterator[Callable[[CaseResult], str]]:
    """Provide the function that names the known difference which explains a failure, or ''."""
    if not arguments.known or arguments.results is None:
        yield lambda entry: ""
        return
    from ....semantics.model.errors import DenotaError
    from ...engines.engine import close
    from ...engines.engine_specs import engine as named
    from ...fuzzing.attribution import remainder
    from ...fuzzing.known_differences import read_known

    known = [each for path in arguments.known for each in read_known(path)]
    judged = named(engine, timeout=arguments.timeout)

    def explained(entry: CaseResult) -> str:
        if not entry.verdict.is_failure:
            return ""
        try:
            case = entry.case.parsed()
        except DenotaError:
            return ""
        left = remainder(case, entry.verdict, known, judged, timeout=arguments.timeout)
        return left.found.name if left.found else ""

    try:
        yield explained
    finally:
        close(judged)


def _print_summary(judgement: RunResult, engine: str, tested: list[ManifestVerdict]) -> None:
    if tested:
        from ...manifests.tables import summary

        print("\n".join([*summary({engine: tested}), ""]))
    print(judgement.summary())


def _places(places: list[str]) -> tuple[list[Path], list[Path]]:
    """Return the manifests (*.ttl) and the cases at these places."""
    from ...cases.case_reader import SUFFIX, find_cases

    found = []
    for place in map(Path, places):
        inside = place / "manifest.ttl"
        if inside.is_file() and not any(place.rglob(f"*{SUFFIX}")):
            found.append(inside)
        else:
            found += find_cases([place])
    found = list(dict.fromkeys(found))
    return (
        [path for path in found if path.suffix == ".ttl"],
        [path for path in found if path.suffix != ".ttl"],
    )


def _run_manifest(
    path: Path, engine: str, tested: list[ManifestVerdict], files_outside: bool
) -> list[CaseResult]:
    """Return the verdicts on a W3C manifest's tests, in the form of cases."""
    from ....semantics.model.errors import DenotaError
    from ...cases.case import Case
    from ...cases.embedded_text import Text
    from ...checking.verdicts import Verdict
    from ...manifests.reading import DocumentGraphs
    from ...manifests.running import run_manifest, subject
    from ...reports.run_result import CaseResult

    entries = []
    for judged in run_manifest(path, subject(engine), files_outside=files_outside):
        tested.append(judged)
        query = ""
        with suppress(DenotaError):  # its verdict says so
            query = DocumentGraphs(judged.test.root).text(judged.test.query or "")
        case = Case("sparql", Text(query), {}, title=judged.test.name, path=judged.test.manifest)
        verdict = Verdict(judged.outcome, detail=judged.detail, seconds=judged.seconds)
        entries.append(CaseResult(case, verdict, str(judged.test.manifest), judged.test.iri))
    return entries


def _read(paths: list[Path], files_outside: bool) -> list[Case] | None:
    """Return the cases in these files; None, after a line for each, if some cannot be read."""
    from ....semantics.model.errors import CaseError
    from ...cases.case_reader import read_case

    cases: list[Case] = []
    readable = True
    for path in paths:
        try:
            cases.append(read_case(path, files_outside=files_outside))
        except CaseError as error:
            print(error, file=sys.stderr)
            readable = False
    return cases if readable else None
