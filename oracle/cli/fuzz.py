"""`denota fuzz`: judge an engine on generated cases."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...semantics.streams.files.boundaries import write_text
from . import UsageError
from .terminal import beneath

if TYPE_CHECKING:
    from ..fuzzing.differential import FuzzReport
    from ..studies.opinions.fuzzing import OpinionReport


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
    parser.add_argument(
        "--engine", "-e", default="production", metavar="ENGINE",
        help="production (default), oracle, python:MODULE:FACTORY or command:PROGRAM ARGS",
    )
    parser.add_argument("--examples", "-n", type=_positive, metavar="N", help="judge N cases")
    parser.add_argument(
        "--seconds", type=_positive_seconds, metavar="S", help="judge for S seconds"
    )
    parser.add_argument(
        "--seed", type=_whole, metavar="N", help="repeat the run that had this seed"
    )
    parser.add_argument(
        "--save", metavar="DIR", type=Path, help="write the shrunk cases to this directory"
    )
    parser.add_argument(
        "--timeout", type=_positive_seconds, default=None, metavar="S",
        help="what the engine may take for a case, in seconds (10)",
    )


def run(arguments: argparse.Namespace) -> int:
    """0: no discrepancy, 1: some, 3: nothing was judged, 130: interrupted before any was found."""
    from ..engines.engine import DEFAULT_TIMEOUT, close, engine
    from ..fuzzing.differential import DEFAULT_EXAMPLES, fuzz

    examples = arguments.examples
    if examples is None and arguments.seconds is None:
        examples = DEFAULT_EXAMPLES
    if "sparql" in (arguments.languages or ()):
        return _run_sparql(arguments, examples)
    timeout = DEFAULT_TIMEOUT if arguments.timeout is None else arguments.timeout
    judged = engine(arguments.engine, timeout=timeout)
    try:
        with _Display(examples, arguments.seconds) as display:
            report = fuzz(
                judged,
                arguments.languages,
                examples=examples,
                seconds=arguments.seconds,
                seed=arguments.seed,
                save=arguments.save,
                progress=display.show,
                timeout=timeout,
            )
    finally:
        close(judged)
    print(summary(report))
    if report.failing:
        return 1
    if report.interrupted:
        return 130
    return 0 if report.judged else 3


def _run_sparql(arguments: argparse.Namespace, examples: int | None) -> int:
    from random import SystemRandom

    from ..studies.opinions.engines import opinion
    from ..studies.opinions.fuzzing import ask, deviation_file

    if set(arguments.languages) != {"sparql"}:
        raise UsageError("--language sparql stands alone")
    seed = SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    asked = opinion(arguments.engine)
    with _Display(examples, arguments.seconds) as display:
        report = ask(
            asked, examples=examples, seconds=arguments.seconds, seed=seed,
            progress=lambda so_far: display.count(so_far.examples, so_far.seconds),
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
        found = f"{_cases(report.failing)} failed, {many} distinct " + (
            "discrepancy" if many == 1 else "discrepancies"
        )
        if flaky := sum(each.flaky for each in report.discrepancies):
            found += f" ({flaky} flaky)"
    lines = [
        f"{report.engine} against the oracle: {found}",
        f"  {_cases(report.examples)} in {report.seconds:.1f} s"
        f" ({', '.join(report.languages) or 'in no language'}), "
        f"{_share(report.answered, report.examples)} with a non-empty result, "
        f"{report.unsupported} not supported; seed {report.seed}"
        + (" (interrupted)" if report.interrupted else ""),
    ]
    if report.refused:
        lines.append(
            f"  the engine does not take {', '.join(report.refused)}"
            f" (it takes: {', '.join(report.takes) or 'nothing'})"
        )
    if not report.judged:
        lines += [f"  {count:5}  {why}" for why, count in report.reasons.most_common(3)]
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
        if discrepancy.path is not None:
            lines.append(f"     saved as {discrepancy.path}")
    if many and report.discrepancies[0].path is None:
        lines += ["", "The shrunk cases (--save DIR writes them to files):"]
        for discrepancy in report.discrepancies:
            lines += ["", case_text(discrepancy.case).rstrip()]
    return "\n".join(lines)


_STDERR_LINES = 8


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count:,} cases"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"


# --- options -------------------------------------------------------------------------------------


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def _positive(text: str) -> int:
    number = _whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not at least 1")
    return number


def _positive_seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number of seconds")
    return number


# --- the bar -------------------------------------------------------------------------------------


class _Display:
    """A progress bar on a terminal, nothing in a pipe."""

    def __init__(self, examples: int | None, seconds: float | None) -> None:
        self.examples = examples
        self.seconds = seconds
        self.bar: Any = None

    def __enter__(self) -> _Display:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self.bar = Progress(
                TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(),
                console=Console(file=beneath(sys.stderr)), transient=True,
                redirect_stdout=False, redirect_stderr=False,
            )
            self.bar.start()
            self.task = self.bar.add_task("generating …", total=self.examples or self.seconds)
        return self

    def __exit__(self, *raised: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def show(self, report: FuzzReport) -> None:
        """The state of a run."""
        if self.bar is None:
            return
        doing = "shrinking" if report.shrinking else "judging"
        failed = f", {report.failing:,} failed" if report.failing else ""
        self.update(report.examples, report.seconds, f"{doing}: {_cases(report.examples)}{failed}")

    def count(self, examples: int, seconds: float) -> None:
        """How far a run on SPARQL is."""
        if self.bar is not None:
            self.update(examples, seconds, f"asking: {examples:,} graph patterns")

    def update(self, examples: int, seconds: float, description: str) -> None:
        """The bar's position and what stands in front of it."""
        done = examples if self.examples is not None else seconds
        self.bar.update(self.task, completed=done, description=description)
