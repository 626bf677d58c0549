"""Throughput on enumerated cases, in cases a second: of the batch and of the case checker.

    python bench/sweeps.py [LANGUAGE …] [--size 2] [--length 3] [--cases 12000]

Cases are ranks that follow one another, as in a sweep, in a few places of the largest block. Both
ways are measured in one run and in one process, in processor time; the case checker gets some of
the same cases as texts, query by query, as a corpus has them. Where the time of the batch goes is
said in shares: making streams of numbers, compiling queries, the engine, the definitions,
comparing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, fields
from time import process_time

from denota.oracle.checking.batch_checker import BatchLook, same
from denota.oracle.engines.engine_specs import engine
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import having, language, part_of
from denota.oracle.ranks.space import Run, Space
from denota.oracle.sweeps.row_verdicts import check_row

ALPHABETS = {"spaseq": "keys"}
PLACES = 4
AS_TEXTS = 10  # one of so many is checked by the case checker


@dataclass(slots=True)
class Shares:
    """The costs of checking by the batch, in seconds by step."""

    given: float = 0.0
    compiling: float = 0.0
    engine: float = 0.0
    definitions: float = 0.0
    comparing: float = 0.0

    def __str__(self) -> str:
        seconds = {field.name: getattr(self, field.name) for field in fields(self)}
        whole = sum(seconds.values())
        return ", ".join(f"{name} {share / whole:.0%}" for name, share in seconds.items())


def spread(space: Space, operators: int, events: int, cases: int) -> Iterator[Run]:
    """About so many cases from some places of a block."""
    block = space.block(operators, events)
    together = min(cases, block.cases) // PLACES
    for place in range(PLACES):
        first = block.first + block.cases * place // PLACES
        yield from space.runs(first, first + together)


def shares(runs: list[Run], name: str) -> Shares:
    """Where the time goes; raises AssertionError where the two sides differ."""
    found, on_many = Shares(), part_of(name, "batch").on_many
    for run in runs:
        began = process_time()
        batch = [run.given(place) for place in range(len(run))]
        has_streams = process_time()
        readings = language(name).readings(language(name).reading_names(run.readings), run.query)
        query = on_many(run.query, readings, **run.beside)
        compiled = process_time()
        reported = list(query.reported(batch))
        ran = process_time()
        expected = list(query.expected(batch))
        defined = process_time()
        assert all(map(same, expected, reported))
        found.comparing += process_time() - defined
        found.definitions += defined - ran
        found.engine += ran - compiled
        found.compiling += compiled - has_streams
        found.given += has_streams - began
    return found


def by_batch(runs: list[Run], name: str) -> float:
    """Cases a second of one core."""
    look = BatchLook(name)
    began = process_time()
    for run in runs:
        assert not look.left(run)
    return sum(map(len, runs)) / (process_time() - began)


def one_by_one(runs: list[Run]) -> float:
    """Cases a second of one core, with the case checker."""
    rows = [run.row(place) for run in runs for place in range(0, len(run), AS_TEXTS)]
    production = engine("production")
    began = process_time()
    for row in rows:
        assert check_row(row, production, timeout=None).ok
    return len(rows) / (process_time() - began)


def main() -> None:
    able = [name for name in having("batch") if name in having("enumerate")]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="*", choices=[*able, []], metavar="LANGUAGE")
    parser.add_argument("--size", type=int, default=2, help="operators of a query")
    parser.add_argument("--length", type=int, default=3, help="events")
    parser.add_argument("--cases", type=int, default=12000)
    asked = parser.parse_args()
    for name in asked.languages or able:
        bounds = Bounds(asked.size, asked.length, alphabet=ALPHABETS.get(name, ""))
        runs = list(spread(Space.of(name, bounds), asked.size, asked.length, asked.cases))
        shares(runs[: len(runs) // 4 + 1], name)  # kernels are compiled, what is learned is learned
        ordinary, batch = one_by_one(runs), by_batch(runs, name)
        print(
            f"{name}: {asked.size} operators, {asked.length} events: {batch:,.0f} cases/s of one"
            f" core by the batch, {ordinary:,.0f} one by one: {batch / ordinary:.1f} times"
            f"\n    {shares(runs, name)}"
        )


if __name__ == "__main__":
    main()
