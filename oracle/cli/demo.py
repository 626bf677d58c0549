"""The demonstration of `make demo`: four tests of the production engine against the oracle.

Prints one summary. The exit code is 1 if a case fails, or if the self-test does not find the bug
that is seeded for it.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ... import __version__
from ...semantics.model.errors import DenotaError
from ...semantics.model.printable import printable
from ..cases.case import Case
from ..checking.levels import Level
from ..engines.engine import DEFAULT_TIMEOUT
from ..engines.engine_specs import engine
from ..explanations.plurals import counted
from ..languages.registry import Result, default, language

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
FUZZED = 400
SEED = 1
OPERATORS = 1
EVENTS = 2
CORES = min(2, os.cpu_count() or 1)

MEANING = """\
The oracle implements the definitions of five papers directly, one function per definition. The
production engine evaluates the same queries incrementally. The two share no evaluation code.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the summary; `details` explain a failure."""

    name: str
    tested: str
    result: str
    ok: bool
    cases: int = 0
    details: Sequence[str] = ()
    seconds: float = 0.0


def main() -> int:
    """Run the demonstration; return the exit code."""
    console = Console(highlight=False, width=_width())
    console.print(
        f"[bold]denota {__version__}[/], Python {platform.python_version()}, "
        f"{os.cpu_count()} cores\n"
    )
    console.print(MEANING)
    lines = []
    for name, step in STEPS.items():
        with console.status(f"{name} …"):
            lines.append(_measured(name, step))
    _print_summary(console, lines)
    return 0 if all(line.ok for line in lines) else 1


def _measured(name: str, step: Callable[[], Line]) -> Line:
    began = perf_counter()
    try:
        line = step()
    except DenotaError as error:
        line = Line(name, "cannot be run", str(error), False)
    return replace(line, seconds=perf_counter() - began)


# --- the four tests ------------------------------------------------------------------------------


def corpus() -> Line:
    """Check all cases of the corpus."""
    from ..cases.case_reader import find_cases, read_case
    from ..checking.worker_pool import check_cases
    from ..reports.console import case_lines
    from ..reports.run_result import CaseResult

    cases = [read_case(path) for path in find_cases([CORPUS])]
    verdicts = check_cases(cases, "production", timeout=DEFAULT_TIMEOUT)
    judged = [
        CaseResult(case, verdict, str(case.path))
        for case, (verdict, _) in zip(cases, verdicts, strict=True)
    ]
    languages = {case.language_name for case in cases}
    against = [entry for entry in judged if entry.verdict.is_failure]
    passed = sum(entry.verdict.ok for entry in judged)
    return Line(
        "corpus",
        f"{len(cases):,} hand-written cases in {len(languages)} languages",
        f"{passed:,} passed{_besides(len(cases) - passed)}",
        not against,
        len(cases),
        [line for entry in against for line in case_lines(entry)],
    )


def fuzzing() -> Line:
    """Check generated cases."""
    from ..fuzzing.differential import fuzz
    from ..reports.fuzz_summary import summary

    report = fuzz(engine("production"), examples=FUZZED, seed=SEED)
    share = 100 * report.answered // max(report.examples, 1)
    return Line(
        "fuzz",
        f"{report.examples:,} generated queries and streams in {len(report.languages)} languages",
        ("no discrepancy" if report.ok else f"{len(report.discrepancies)} discrepancies")
        + f" ({share} % with results)",
        report.ok and report.answered > 0,
        report.examples,
        () if report.ok else summary(report).splitlines(),
    )


def spark() -> Line:
    """Check all small cases on Spark."""
    from ..languages.enumeration import Bounds
    from ..sweeps.case_sources import RankSource
    from ..sweeps.summary import summary_text
    from ..sweeps.sweep import SweepOptions, sweep

    bounds = Bounds(OPERATORS, EVENTS, alphabet="keys")
    with TemporaryDirectory(prefix="denota-demo-") as folder:
        out = Path(folder, "sweep")
        options = SweepOptions(
            RankSource(default(), bounds), out, master=f"local[{CORES}]", baseline=0
        )
        report = sweep(options)
        details = [] if report.ok else summary_text(report, out).splitlines()
    passed = report.outcomes["pass"]
    return Line(
        "sweep",
        f"all {language(default()).title} cases, ≤ {OPERATORS} operator and ≤ {EVENTS} events "
        f"(Spark starts in {report.start_seconds:.0f} s)",
        f"{passed:,} passed{_besides(report.cases - passed)}",
        report.ok and report.cases > 0,
        report.cases,
        details,
    )


SEEDED = "an engine with a seeded bug: it misses matches at the end of a window"


class _WithoutWindowEnds:
    """An engine with a bug: it misses matches that end when their window does."""

    name = "seeded"
    version = "1"
    languages = (default(),)
    level: Level = "pair"

    def run(self, case: Case) -> Iterable[Any]:
        """Return the results but those at the end of a window."""
        return (pair for pair in engine("production").run(case) if not _at_the_end(pair))


def _at_the_end(pair: Result) -> bool:
    return pair.window is not None and pair.time == pair.window[1]


def self_test() -> Line:
    """Fuzz an engine with a bug, which has to be found."""
    from ..fuzzing.differential import fuzz

    report = fuzz(_WithoutWindowEnds(), [default()], examples=FUZZED, seed=SEED, stop_after=1)
    if report.ok:
        return Line("self-test", SEEDED, "bug not found", False)
    found = report.discrepancies[0]
    events = sum(len(list(items)) for items in found.case.streams.values())
    return Line(
        "self-test",
        SEEDED,
        f"bug found after {counted(found.example, 'case')}, shrunk to {counted(events, 'event')}",
        True,
    )


STEPS: dict[str, Callable[[], Line]] = {
    "corpus": corpus,
    "fuzz": fuzzing,
    "sweep": spark,
    "self-test": self_test,
}


# --- the summary ---------------------------------------------------------------------------------


def _print_summary(console: Console, lines: Sequence[Line]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column("test cases", ratio=3)
    table.add_column("result", ratio=2)
    table.add_column("time", justify="right", no_wrap=True)
    for line in lines:
        colour = "green" if line.ok else "bold red"
        table.add_row(
            Text(line.name, colour), Text(line.tested), Text(line.result, colour),
            Text(f"{line.seconds:.1f} s"),
        )
    console.print(table)
    for line in lines:
        for detail in line.details:
            console.print(printable(detail, keep="\n\t"), markup=False, soft_wrap=True)
    tested = sum(line.cases for line in lines)
    seconds = sum(line.seconds for line in lines)
    if all(line.ok for line in lines):
        console.print(
            f"\nAll {tested:,} cases passed: the engine agrees with the oracle ({seconds:.0f} s)."
        )
    else:
        broken = ", ".join(line.name for line in lines if not line.ok)
        console.print(f"\n[bold red]Failed: {broken}.[/]")


def _width() -> int:
    """Return the width of the terminal, at most 110 characters; 110 in a pipe."""
    columns = os.get_terminal_size().columns if sys.stdout.isatty() else 110
    return min(columns, 110)


def _besides(count: int) -> str:
    return f", {count:,} did not pass" if count else ""


if __name__ == "__main__":
    raise SystemExit(main())
