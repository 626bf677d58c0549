"""`denota fuzz`: judge an engine on generated cases."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...semantics.streams.files.boundaries import write_text
from . import INTERRUPTED, UsageError
from .options import (
    add_engine,
    add_reports,
    add_timeout,
    cases,
    exit_code,
    positive,
    report_files,
    seconds,
)
from .progress import Bar, bar

if TYPE_CHECKING:
    from ..fuzzing.differential import FuzzReport
    from ..fuzzing.steering import Met
    from ..studies.opinions.asking import OpinionReport


EPILOG = """\
--language sparql asks a graph pattern matcher instead: --engine production (the default),
pyoxigraph or rdflib. Disagreements that a known deviation of theirs explains are counted, anything
else is a discovery, exit code 1.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--language", "-l", action="append", metavar="L", dest="languages",
        help="generate cases in this language (repeatable; default: all that the engine takes)",
    )
    add_engine(parser)
    parser.add_argument("--examples", "-n", type=positive, metavar="N", help="judge N cases")
    parser.add_argument(
        "--seconds", type=seconds, metavar="S", help="judge for S seconds"
    )
    parser.add_argument(
        "--seed", type=_whole, metavar="N", help="repeat the run that had this seed"
    )
    parser.add_argument(
        "--save", metavar="DIR", type=Path, help="write the shrunk cases to this directory"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text",
        help="json: one object, with how often each pair of situations was met (text)",
    )
    add_reports(parser)
    add_timeout(parser)


def run(arguments: argparse.Namespace) -> int:
    """0: no discrepancy, 1: some, 3: nothing was judged, 130: interrupted before any was found."""
    from ..engines.engine import close
    from ..engines.naming import engine
    from ..fuzzing.differential import DEFAULT_EXAMPLES, fuzz
    from ..judging.pool import identity

    examples = arguments.examples
    if examples is None and arguments.seconds is None:
        examples = DEFAULT_EXAMPLES
    if "sparql" in (arguments.languages or ()):
        return _run_sparql(arguments, examples)
    files = report_files(arguments)
    judged = engine(arguments.engine, timeout=arguments.timeout)
    try:
        with (
            bar("generating …", counted=False) as shown, files.recording("fuzz") as record,
        ):
            show = _watched(shown, arguments, examples)
            report = fuzz(
                judged,
                arguments.languages,
                examples=examples,
                seconds=arguments.seconds,
                seed=arguments.seed,
                save=arguments.save,
                progress=lambda report: show(report.examples, report.seconds, _doing(report)),
                timeout=arguments.timeout,
                witness=lambda case, verdict, place: record(
                    identity(judged), case, verdict, place
                ),
            )
    finally:
        close(judged)
    print(summary(report) if arguments.format == "text" else json.dumps(in_json(report)))
    if report.interrupted and not report.failing:
        return INTERRUPTED
    return exit_code(against=report.failing, judged=report.judged)


def _run_sparql(arguments: argparse.Namespace, examples: int | None) -> int:
    from random import SystemRandom

    from ..studies.opinions.asking import ask, deviation_file
    from ..studies.opinions.respondents import opinion

    if set(arguments.languages) != {"sparql"}:
        raise UsageError("--language sparql stands alone")
    if arguments.format != "text":
        raise UsageError("--format json is not for --language sparql")
    seed = SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    asked = opinion(arguments.engine)
    with bar("generating …", counted=False) as shown:
        show = _watched(shown, arguments, examples)
        report = ask(
            asked, examples=examples, seconds=arguments.seconds, seed=seed,
            progress=lambda so_far: show(
                so_far.examples, so_far.seconds, f"asking: {so_far.examples:,} graph patterns"
            ),
        )
    print(sparql_summary(report))
    if arguments.save is not None:
        arguments.save.mkdir(parents=True, exist_ok=True)
        for number, found in enumerate(report.discoveries.values(), start=1):
            path = arguments.save / f"{report.who}-{report.seed}-{number}.yaml"
            write_text(path, deviation_file(found))
            print(f"saved as {path}")
    return 0 if report.ok else 1


def sparql_summary(report: OpinionReport) -> str:
    """What a run on SPARQL has found, for people."""
    new = len(report.discoveries)
    explained = sum(report.known.values())
    lines = [
        f"{report.who} {report.version} against the oracle: "
        + (f"{new} distinct discover{'y' if new == 1 else 'ies'}" if new else "nothing new"),
        f"  {report.examples:,} graph patterns in {report.seconds:.1f} s (sparql), "
        f"{_share(report.answered, report.examples)} with a solution; seed {report.seed}",
    ]
    lines += _situations("sparql", report.met)
    if explained:
        lines.append(f"  {explained:,} disagreements by {len(report.known)} known deviations:")
        lines += [f"  {count:5}  {name}" for name, count in report.known.most_common()]
    for found in report.discoveries.values():
        lines += ["", str(found)]
    return "\n".join(lines)


def summary(report: FuzzReport) -> str:
    """What a run has found, for people."""
    from ..cases.writing import case_text

    many = len(report.discrepancies)
    if not report.judged:
        found = "nothing was judged"
    elif report.ok:
        found = "no discrepancy"
    else:
        found = f"{cases(report.failing)} failed, {many} distinct " + (
            "discrepancy" if many == 1 else "discrepancies"
        )
        if flaky := sum(each.flaky for each in report.discrepancies):
            found += f" ({flaky} flaky)"
    lines = [
        f"{report.engine} against the oracle: {found}",
        f"  {cases(report.examples)} in {report.seconds:.1f} s"
        f" ({', '.join(report.languages) or 'in no language'}), "
        f"{_share(report.answered, report.examples)} with a non-empty result, "
        f"{report.unsupported} not supported; seed {report.seed}"
        + (f", {report.passed_over:,} passed over" if report.passed_over else "")
        + (" (interrupted)" if report.interrupted else ""),
    ]
    if report.refused:
        lines.append(
            f"  the engine does not take {', '.join(report.refused)}"
            f" (it takes: {', '.join(report.takes) or 'nothing'})"
        )
    if not report.judged:
        lines += [f"  {count:5}  {why}" for why, count in report.reasons.most_common(3)]
    for language, met in report.met.items():
        lines += _situations(language, met)
    for number, discrepancy in enumerate(report.discrepancies, start=1):
        verdict = discrepancy.verdict
        word = "flaky: " if discrepancy.flaky else ""
        lines.append(f"  {number}. {word}{discrepancy.case.title}")
        lines.append(f"     decided by {discrepancy.case.cites}")
        if verdict.detail:
            lines.append(f"     {verdict.detail}")
        if verdict.stderr:
            lines.append("     its stderr ended with:")
            lines += [f"       {line}" for line in verdict.stderr.splitlines()[-_STDERR_LINES:]]
        if discrepancy.engine != report.engine:
            lines.append(f"     set up as --engine {discrepancy.engine}")
        if discrepancy.path is not None:
            lines.append(f"     saved as {discrepancy.path}")
    if many and report.discrepancies[0].path is None:
        lines += ["", "The shrunk cases (--save DIR writes them to files):"]
        for discrepancy in report.discrepancies:
            lines += ["", case_text(discrepancy.case).rstrip()]
    return "\n".join(lines)


_STDERR_LINES = 8
_WIDTH = 100


def _situations(language: str, met: Met) -> list[str]:
    """How often cases with an answer have met what the definitions speak of."""
    if not met.known:
        return []
    head = (
        f"  {language}: {len(met.known) - len(met.unmet)} of {len(met.known)} situations met, "
        f"{len(met.pairs)} of {met.possible_pairs} pairs"
    )
    counted = ", ".join(f"{name} {count:,}" for name, count in met.singles.most_common())
    told = [f"{head}: {counted}" if counted else head]
    if met.unmet:
        told.append(f"    never: {', '.join(met.unmet)}")
    return [
        line for text in told
        for line in wrap(text, _WIDTH, initial_indent="", subsequent_indent="    ")
    ]


def in_json(report: FuzzReport) -> dict[str, Any]:
    """What a run has found, for programs."""
    from ..cases.writing import case_text

    return {
        "engine": report.engine,
        "languages": list(report.languages),
        "seed": report.seed,
        "seconds": round(report.seconds, 3),
        "cases": report.examples,
        "answered": report.answered,
        "unsupported": report.unsupported,
        "passed over": report.passed_over,
        "failed": report.failing,
        "interrupted": report.interrupted,
        "situations": {
            language: {
                "met": {name: met.singles[name] for name in met.known},
                "pairs": [[a, b, met.pairs[a, b]] for a, b in combinations(sorted(met.known), 2)],
            }
            for language, met in report.met.items() if met.known
        },
        "discrepancies": [
            {
                "example": found.example,
                "flaky": found.flaky,
                "engine": found.engine,
                "path": None if found.path is None else str(found.path),
                "case": case_text(found.case),
            }
            for found in report.discrepancies
        ],
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"


# --- options -------------------------------------------------------------------------------------


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


# --- the bar -------------------------------------------------------------------------------------


def _watched(
    shown: Bar, arguments: argparse.Namespace, examples: int | None
) -> Callable[[int, float, str], None]:
    """Shows how far a run is, by its cases or by its time."""

    def show(done: int, passed: float, what: str) -> None:
        shown.show(what, done if examples is not None else passed, examples or arguments.seconds)

    return show


def _doing(report: FuzzReport) -> str:
    doing = "shrinking" if report.shrinking else "judging"
    failed = f", {report.failing:,} failed" if report.failing else ""
    return f"{doing}: {cases(report.examples)}{failed}"
