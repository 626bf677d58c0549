"""How soon fuzzing finds that the engine here is wrong: one JSON object on the last line.

    python bench/mutants/trial.py --budget 60 --seed 1 LANGUAGE [LANGUAGE ...]

`sparql` among the languages stands for graph patterns alone, which get half of the budget. The
languages have equal shares of the rest. It is processor time in seconds, imports excluded,
shrinking excluded.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / ".typing"))

from denota.oracle.engines.engine import close
from denota.oracle.engines.naming import engine
from denota.oracle.fuzzing.differential import Discrepancy, fuzz
from denota.oracle.languages.registry import part_of
from denota.oracle.studies.opinions.asking import ask
from denota.oracle.studies.opinions.respondents import opinion

GRAPH_PATTERNS = "sparql"


@dataclass
class Trial:
    """What a run has come to: `cases` and `seconds` are those until the fault was found.

    `operators` and `items` are the size of the shrunk witness.
    """

    killed: bool = False
    language: str | None = None
    cases: int = 0
    seconds: float = 0.0
    operators: int | None = None
    items: int | None = None


def watching(trial: Trial, budget: float, found: Callable[[Any], bool]) -> Callable[[Any], None]:
    """A progress callback that notes when a fault is found, and interrupts when time is up."""
    began, before, spent = process_time(), trial.cases, trial.seconds

    def progress(report: Any) -> None:
        if trial.killed:
            return
        trial.cases = before + report.examples
        trial.seconds = spent + process_time() - began
        trial.killed = found(report)
        if not trial.killed and trial.seconds - spent > budget:
            raise KeyboardInterrupt

    return progress


def fuzzed(language: str, trial: Trial, budget: float, seed: int) -> None:
    judged = engine("production")
    try:
        report = fuzz(
            judged, [language], examples=10**9, seed=seed, stop_after=1,
            progress=watching(trial, budget, lambda report: report.failing > 0),
        )
    finally:
        close(judged)
    if report.discrepancies:
        trial.language = language
        measured(report.discrepancies[0], trial)


def measured(found: Discrepancy, trial: Trial) -> None:
    hook = part_of(found.case.language_name, "shrink").HOOK
    witness = found.case.parsed()
    trial.operators = hook.operators(witness.query)
    trial.items = sum(len(stream) for stream in witness.stream_sources.values())


def asked(trial: Trial, budget: float, seed: int) -> None:
    watch = watching(trial, budget, lambda report: bool(report.discoveries))

    def progress(report: Any) -> None:
        watch(report)
        if trial.killed:
            raise KeyboardInterrupt

    try:
        ask(opinion("production"), examples=10**9, seed=seed, progress=progress)
    except KeyboardInterrupt:
        trial.language = GRAPH_PATTERNS if trial.killed else None


def shares(languages: Sequence[str]) -> dict[str, float]:
    """What part of the budget each language has."""
    others = [each for each in languages if each != GRAPH_PATTERNS]
    if not others or len(others) == len(languages):
        return {each: 1 / len(languages) for each in languages}
    return {GRAPH_PATTERNS: 0.5, **{each: 0.5 / len(others) for each in others}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="+", metavar="LANGUAGE")
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    trial = Trial()
    for language, share in shares(arguments.languages).items():
        if trial.killed:
            break
        if language == GRAPH_PATTERNS:
            asked(trial, share * arguments.budget, arguments.seed)
        else:
            fuzzed(language, trial, share * arguments.budget, arguments.seed)
    print(json.dumps(asdict(trial)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
