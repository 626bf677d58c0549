"""The demonstration behind `make demo`: the production engine, judged by the oracle in four ways.

Prints one summary; exits with 1 if a verdict speaks against the engine, or if the judge overlooks
a planted mistake.
"""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
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
from ..engines.engine import DEFAULT_TIMEOUT
from ..engines.naming import engine
from ..explanations.counted import counted
from ..judging.levels import Level
from ..languages.registry import Result, default, language

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
FUZZED = 400
SEED = 1
OPERATORS = 1
EVENTS = 2
CORES = min(2, os.cpu_count() or 1)

MEANING = """\
The oracle evaluates the definitions of five languages' papers, one function each, slow and obvious.
The production engine compiles the same queries and runs them incrementally. The two share no
evaluation code, so that their agreement means something.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the summary; `details` explain a failure."""

    name: str
    meaning: str
    finding: str
    ok: bool
    cases: int = 0
    details: Sequence[str] = ()
    seconds: float = 0.0


def main() -> int:
    """Run the demonstration; the exit code says whether engine and judge have stood the test."""
    console = Console(highlight=False, width=_width())
    console.print(
        f"[bold]denota {__version__}[/], Python {platform.python_version()}, "
        f"{os.cpu_count()} cores\n"
    )
    console.print(MEANING)
    lines = []
    for name, chapter in CHAPTERS.items():
        with console.status(f"{name} …"):
            lines.append(_measured(name, chapter))
    _print_summary(console, lines)
    return 0 if all(line.ok for line in lines) else 1


def _measured(name: str, chapter: Callable[[], Line]) -> Line:
    began = perf_counter()
    try:
        line = chapter()
    except DenotaError as error:
        line = Line(name, "could not be run", str(error), False)
    return replace(line, seconds=perf_counter() - began)


# --- the four chapters ---------------------------------------------------------------------------


def corpus() -> Line:
    """Every case of the corpus that is shipped."""
    from ..cases.reading import find_cases, read_case
    from ..judging.pool import judge_cases
    from ..reports.judged import Judged
    from ..reports.lines import case_lines

    cases = [read_case(path) for path in find_cases([CORPUS])]
    verdicts = judge_cases(cases, "production", timeout=DEFAULT_TIMEOUT)
    judged = [
        Judged(case, verdict, str(case.path))
        for case, (verdict, _) in zip(cases, verdicts, strict=True)
    ]
    languages = Counter(entry.case.language.title for entry in judged)
    against = [entry for entry in judged if entry.verdict.against]
    passed = sum(entry.verdict.ok for entry in judged)
    kinds = ", ".join(f"{title} {count}" for title, count in sorted(languages.items()))
    return Line(
        "corpus",
        f"cases written down: {kinds}",
        f"{counted(len(cases), 'case')}, {passed:,} pass{_besides(len(cases) - passed)}",
        not against,
        len(cases),
        [line for entry in against for line in case_lines(entry)],
    )


def fuzzing() -> Line:
    """Random cases."""
    from ..fuzzing.differential import fuzz
    from ..reports.fuzz_summary import summary

    report = fuzz(engine("production"), examples=FUZZED, seed=SEED)
    share = 100 * report.answered // max(report.examples, 1)
    return Line(
        "fuzz",
        f"random queries of {_counted(report.languages)}, with every operator and reading, on "
        "random streams",
        f"{counted(report.examples, 'case')} ({share} % with matches), "
        + ("no discrepancy" if report.ok else f"{len(report.discrepancies)} discrepancies"),
        report.ok and report.answered > 0,
        report.examples,
        () if report.ok else summary(report).splitlines(),
    )


def spark() -> Line:
    """All small cases, on Spark."""
    from ..languages.enumeration import Bounds
    from ..sweeps.case_sources.rank_source import RankSource
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
        f"all {language(default()).title} queries with at most {OPERATORS} operator on all streams"
        f" with at most {EVENTS} events, judged on Spark ({options.master},"
        f" {report.start_seconds:.0f} s of it to start)",
        f"{counted(report.cases, 'case')}, {passed:,} pass{_besides(report.cases - passed)}",
        report.ok and report.cases > 0,
        report.cases,
        details,
    )


PLANTED = "is the judge awake? an engine that forgets what happens at the very end of a window"


class _WithoutWindowEnds:
    """An engine with a mistake: an event on the boundary of two windows is in one only."""

    name = "planted"
    version = "1"
    languages = (default(),)
    level: Level = "pair"

    def run(self, case: Case) -> Iterable[Any]:
        """The results, some of them missing."""
        return (pair for pair in engine("production").run(case) if not _at_the_end(pair))


def _at_the_end(pair: Result) -> bool:
    return pair.window is not None and pair.time == pair.window[1]


def planted() -> Line:
    """An engine with a mistake, which the judge has to find."""
    from ..fuzzing.differential import fuzz

    report = fuzz(_WithoutWindowEnds(), [default()], examples=FUZZED, seed=SEED, stop_after=1)
    if report.ok:
        return Line("judge", PLANTED, "overlooked", False)
    found = report.discrepancies[0]
    events = sum(len(list(items)) for items in found.case.streams.values())
    return Line(
        "judge",
        PLANTED,
        f"found after {counted(found.example, 'case')}, shrunk to {counted(events, 'event')}",
        True,
    )


CHAPTERS: dict[str, Callable[[], Line]] = {
    "corpus": corpus,
    "fuzz": fuzzing,
    "sweep": spark,
    "judge": planted,
}


# --- the summary ---------------------------------------------------------------------------------


def _print_summary(console: Console, lines: Sequence[Line]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column("what is judged", ratio=3)
    table.add_column("verdict", ratio=2)
    table.add_column("time", justify="right", no_wrap=True)
    for line in lines:
        colour = "green" if line.ok else "bold red"
        table.add_row(
            Text(line.name, colour), Text(line.meaning), Text(line.finding, colour),
            Text(f"{line.seconds:.1f} s"),
        )
    console.print(table)
    for line in lines:
        for detail in line.details:
            console.print(printable(detail, keep="\n\t"), markup=False, soft_wrap=True)
    judged = sum(line.cases for line in lines)
    seconds = sum(line.seconds for line in lines)
    if all(line.ok for line in lines):
        console.print(
            f"\nThe engine agrees with the definitions on all {judged:,} cases ({seconds:.0f} s)."
        )
    else:
        broken = ", ".join(line.name for line in lines if not line.ok)
        console.print(f"\n[bold red]Not everything is as it should be: {broken}.[/]")


def _width() -> int:
    """A terminal's own width, at most 110 characters; 110 in a pipe."""
    columns = os.get_terminal_size().columns if sys.stdout.isatty() else 110
    return min(columns, 110)


def _counted(languages: Sequence[str]) -> str:
    if len(languages) == 1:
        return language(languages[0]).title
    return f"all {len(languages)} languages"


def _besides(count: int) -> str:
    return f", {count:,} do not" if count else ""


if __name__ == "__main__":
    raise SystemExit(main())
