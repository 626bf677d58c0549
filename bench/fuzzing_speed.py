"""The parts of a fuzzed case's processor time: drawing it, its definitions, the engine.

    python bench/fuzzing_speed.py [--cases 300] [--language L]

Cases are drawn as `denota fuzz` draws them, each under a swarm of its own. The language `sparql`
stands for graph patterns alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

from denota.oracle.checking.case_checker import check_case, expectation_of
from denota.oracle.engines.builtin import Production
from denota.oracle.fuzzing.differential import fuzzable
from denota.oracle.fuzzing.rounds import random_cases
from denota.oracle.inputs.choices import random_values
from denota.oracle.inputs.sparql import question
from denota.oracle.languages.registry import language as language_named
from denota.oracle.sparql_evaluators.evaluator_comparison import disagreement
from denota.oracle.sparql_evaluators.evaluators import opinion
from denota.oracle.sparql_evaluators.pattern_cases import Question

GRAPH_PATTERNS = "sparql"


def judging_of(language: str) -> tuple[Callable[[int], Iterator[Any]], Callable[[Any], object]]:
    """Return the functions that draw so many cases, and that check one."""
    if language == GRAPH_PATTERNS:
        asked, draw = opinion("production"), partial(question, ruled=True)
        return (
            lambda count: random_values(draw, "1", count),
            lambda case: disagreement(asked, Question(*case)),
        )
    engine = Production()
    language_named(language).load()
    return partial(random_cases, language, "1"), lambda case: check_case(
        case.but(expect=expectation_of(case)), engine, timeout=None
    )


def measured(language: str, count: int) -> tuple[float, float, float]:
    """Return the milliseconds a case: in all, to draw it with its definitions, and to check it."""
    drawn, judged = judging_of(language)
    judging = 0.0
    began = process_time()
    for case in drawn(count):
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
    print("language      all  drawing  judging  (ms of processor time a case)")
    for language in arguments.language or (*fuzzable(), GRAPH_PATTERNS):
        measured(language, 50)  # kernels are compiled, modules loaded
        whole, drawing, judging = measured(language, arguments.cases)
        print(f"{language:9} {whole:7.1f}  {drawing:7.1f}  {judging:7.1f}")


if __name__ == "__main__":
    main()
