"""Fuzzing many faulty engines with one drawing of the cases.

    python bench/mutants/replay.py --part PART [--by KILLER] [--budget 60] [--cases N] [--shrink] …

What fuzzing draws, and what the oracle says to it, does not depend on the engine. So the cases of a
run are drawn and answered once, and every fault is planted in a process that is forked after that
and has the engine still to import. What is noted of each fault is the case that finds it, and the
processor time that drawing, the oracle and this engine have taken until then; a fault that takes
the whole budget is not found. With --shrink the size of the shrunk witness is noted, too. Of the
faults of graph patterns `--language sparql` has half of the budget, the languages over RDF share
the other half.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / ".typing"))

from mutants.faults import Fault, catalogue, of_parts
from mutants.killers import FUZZ, GRAPH_PATTERNS, LANGUAGES, SEEDS, Kill
from mutants.planting import Planted, without_engine

_PATIENCE = 10  # seconds of processor time that an engine may take for one case, as in fuzzing


_SHRINKING = 120  # seconds of processor time that shrinking may take


@dataclass
class Drawn:
    """A case, or a question of graph patterns: how it is checked, and what it cost until then.

    `shrunk` counts the operators and the items of the smallest case that fails like this one.
    """

    language: str
    spent: float
    fails: Callable[[], bool]
    shrunk: Callable[[], tuple[int, int]] | None = None


def shares(languages: Sequence[str]) -> dict[str, float]:
    """What part of the budget each language has."""
    others = [each for each in languages if each != GRAPH_PATTERNS]
    if len(others) == len(languages):
        return {each: 1 / len(languages) for each in languages}
    return {GRAPH_PATTERNS: 0.5, **{each: 0.5 / len(others) for each in others}}


def cases(language: str, budget: float, seed: int) -> Iterator[Drawn]:
    """The cases that `denota fuzz` checks in this language within a budget of processor time."""
    from denota.oracle.engines.builtin import Production
    from denota.oracle.fuzzing.discrepancies import shrunk_failure
    from denota.oracle.fuzzing.rounds import CaseRounds
    from denota.oracle.languages.registry import part_of

    rounds = CaseRounds(language, Production(), seed)
    began = process_time()
    for asked in chain.from_iterable(rounds.round(number, number) for number in count()):

        def fails(asked: Any = asked) -> bool:
            return asked.expected is not None and bool(asked.verdict(None).is_failure)

        def shrunk(asked: Any = asked) -> tuple[int, int]:
            verdict = asked.verdict(None)
            found = shrunk_failure(asked.case, verdict, asked.engine, timeout=None)
            witness = found.case.parsed()
            items = sum(len(stream) for stream in witness.stream_sources.values())
            return part_of(language, "shrink").HOOK.operators(witness.query), items

        spent = process_time() - began
        yield Drawn(language, spent, fails, shrunk)
        if spent > budget:
            return


def questions(budget: float, seed: int) -> Iterator[Drawn]:
    """What `denota fuzz --language sparql` asks within so much processor time."""
    from denota.oracle.sparql_evaluators.evaluator_comparison import answer_of, generated
    from denota.oracle.sparql_evaluators.evaluators import opinion

    began = process_time()
    for question, asked in generated(opinion("production"), seed):

        def fails(question: Any = question, asked: Any = asked) -> bool:
            return bool(answer_of(asked, question) != question.solutions)

        spent = process_time() - began
        yield Drawn(GRAPH_PATTERNS, spent, fails)
        if spent > budget:
            return


def replayed(
    fault: Fault | None, drawn: Sequence[Drawn], budgets: dict[str, float], shrink: bool,
    by: str = FUZZ,
) -> Kill:
    """Check a fault, or the engine as it is, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            if fault is not None:
                sys.meta_path.insert(0, Planted(fault))
            _replay(drawn, budgets, shrink, writing)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        lines = told.read().splitlines()
    os.waitpid(child, 0)
    number, seconds, killed, *size = json.loads(lines[-1]) if lines else (0, 0.0, None)
    operators, items = size or (None, None)
    # A process that says neither yes nor no has gone down, or hung, over the case after that.
    found = killed is None or killed
    at = drawn[min(number, len(drawn) - 1)]
    return Kill(
        "" if fault is None else fault.name, by, found, seconds, number + (killed is None),
        operators, items, at.language if found else None,
    )


def _replay(
    drawn: Sequence[Drawn], budgets: dict[str, float], shrink: bool, writing: int
) -> None:
    """Check the cases until one fails; say after each how far it is."""
    out = os.fdopen(writing, "w", buffering=1)
    used, before, language = 0.0, 0.0, drawn[0].language
    count = 0
    for each in drawn:
        if each.language != language:
            before += min(budgets[language], used + drawn[count - 1].spent if count else 0.0)
            language, used = each.language, 0.0
        if each.spent + used > budgets[language]:
            count += 1
            continue
        _limit(_PATIENCE)
        began = process_time()
        fails = each.fails()
        used += process_time() - began
        count += 1
        seconds = before + each.spent + used
        if fails:
            out.write(json.dumps([count, seconds, True]) + "\n")
            if shrink and each.shrunk is not None:
                _limit(_SHRINKING)
                out.write(json.dumps([count, seconds, True, *each.shrunk()]) + "\n")
            return
        out.write(json.dumps([count, seconds, None]) + "\n")
    out.write(json.dumps([count, sum(budgets.values()), False]) + "\n")


def _limit(seconds: int) -> None:
    """End the process if it takes so much more processor time."""
    limit = int(process_time()) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", required=True)
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--cases", type=int, metavar="N", help="at most N cases of each language")
    parser.add_argument("--by", choices=SEEDS, default=FUZZ, help="the seed")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # each fault in a kernel would be compiled
    faults = [
        each for each in of_parts(catalogue(), [arguments.part])
        if each.equivalent is None and (not arguments.fault or each.name in arguments.fault)
    ]
    budgets = {
        language: share * arguments.budget
        for language, share in shares(LANGUAGES[arguments.part]).items()
    }
    drawn: list[Drawn] = []
    for language, budget in budgets.items():
        made = (
            questions(budget, SEEDS[arguments.by]) if language == GRAPH_PATTERNS
            else cases(language, budget, SEEDS[arguments.by])
        )
        drawn.extend(islice(made, arguments.cases))
        print(f"{language}: {len(drawn)} cases by now", flush=True)
    without_engine()
    gc.freeze()
    sound = replayed(None, drawn, budgets, shrink=False)
    if sound.killed:
        print(f"the engine without a fault fails on case {sound.cases}", file=sys.stderr)
        return 1
    found = 0
    with arguments.results.open("a", encoding="utf-8") as results:
        for number, fault in enumerate(faults, start=1):
            kill = replayed(fault, drawn, budgets, arguments.shrink, arguments.by)
            found += kill.killed
            results.write(json.dumps(vars(kill)) + "\n")
            results.flush()
            print(f"{number}/{len(faults)} {fault.name}: {kill}", flush=True)
    print(f"{found} of {len(faults)} faults were found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
