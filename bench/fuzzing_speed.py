"""Where the processor time of a fuzzed case goes, and what drawing and asking twice would cost.

    python bench/fuzzing_speed.py [--cases 300] [--language L]

`before` draws the same cases through Hypothesis' engine and asks the definitions again for the
verdict; `now` is what `denota fuzz` does, without steering. The parts are those of `now`. The
language `sparql` stands for graph patterns alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

from denota.oracle.engines.own import Production
from denota.oracle.fuzzing.differential import fuzzable
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.oracle.fuzzing.strategies.plain_generation import _asked_for, drawn
from denota.oracle.fuzzing.strategies.sparql import questions
from denota.oracle.judging.judge import expectation_of, judge
from denota.oracle.languages.registry import language as language_named
from denota.oracle.studies.opinions.disagreements import disagreement
from denota.oracle.studies.opinions.questions import Question
from denota.oracle.studies.opinions.respondents import opinion

GRAPH_PATTERNS = "sparql"


def judging_of(language: str) -> tuple[Any, Callable[[Any], object]]:
    """What draws a case, and what judges it."""
    if language == GRAPH_PATTERNS:
        asked = opinion("production")
        return questions(ruled=True), lambda case: disagreement(asked, Question(*case))
    engine = Production()
    language_named(language).load()
    return cases_strategy(language), lambda case: judge(
        case.but(expect=expectation_of(case)), engine, timeout=None
    )


def again(language: str, case: Any) -> object:
    """Ask the definitions once more."""
    if language == GRAPH_PATTERNS:
        return Question(*case).solutions
    return expectation_of(case.but())


def before(language: str, count: int) -> float:
    """Milliseconds a case."""
    strategy, judged = judging_of(language)
    began = process_time()
    cases = _asked_for(strategy, "1", count)
    for case in cases:
        again(language, case)
        judged(case)
    return 1000 * (process_time() - began) / len(cases)


def now(language: str, count: int) -> tuple[float, float, float]:
    """Milliseconds a case: to draw it, what the definitions take in that too; and to judge it."""
    strategy, judged = judging_of(language)
    judging = 0.0
    began = process_time()
    for case in drawn(strategy, "1", count):
        drawn_at = process_time()
        judged(case)
        judging += process_time() - drawn_at
    whole = process_time() - began
    return 1000 * whole / count, 1000 * (whole - judging) / count, 1000 * judging / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--language", action="append")
    arguments = parser.parse_args()
    print("language   before      now  drawing  judging  (ms of processor time a case)")
    for language in arguments.language or (*fuzzable(), GRAPH_PATTERNS):
        now(language, 50)  # what is compiled and loaded
        old = before(language, arguments.cases)
        whole, drawing, judging = now(language, arguments.cases)
        print(f"{language:9} {old:7.1f}  {whole:7.1f}  {drawing:7.1f}  {judging:7.1f}")


if __name__ == "__main__":
    main()
