"""What a certificate's bound catches: each fault, asked about every case of it.

    python bench/mutants/exhausting.py --part PART --max-operators Q --max-events N [--alphabet A]
                                       [--within W] [--slide N] [--reading K=V]... [--fault NAME]...
                                       [--missed] [--first] [--patience 60] --results FILE
    python bench/mutants/exhausting.py --results FILE --page docs/certificates.md

The bounds are those of `denota sweep --enumerate`. What the definitions say of the cases is asked
once; every fault is planted in a process that is forked after that and has the engine still to
import. A case is a failure if its answer is not the definitions', as `checking.batches`
compares them; of the first one the case checker is asked, too. What is for the case checker
anyway, it is asked. The engine without a fault has to pass first.

FILE may hold what several bounds catch. --missed asks the faults that no bound in it has found;
--first goes no further than the query with the first case that is a failure. --page
writes the tables by bound (by_bound.md) and their summary on the page, from all that FILE holds;
notes on a page stand before the part that it renews.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / ".typing"))

from denota.oracle.cli import UsageError
from denota.oracle.cli.options import add_bounds, bounds_of, seconds
from denota.oracle.languages.enumeration import Bounds
from denota.semantics.model.errors import DenotaError, UnsupportedError
from mutants.caught import Found, caught_in, read, written
from mutants.faults import Fault, catalogue, of_parts
from mutants.planting import Planted, without_engine

_SLOWER = 10  # times as long by the clock as on the processor: others run on the machine, too


@dataclass(frozen=True)
class Expected:
    """A query with all its streams of one length, and what the definitions say of each."""

    run: Any
    given: list[Any]
    rows: list[Any]


def expected(language: str, bounds: Bounds) -> list[Expected]:
    """Every case of the bound, the smallest first, with its answer.

    Without one are those that are for the case checker.
    """
    from denota.oracle.languages.registry import part_of
    from denota.oracle.ranks.space import Space

    space = Space.of(language, bounds)
    on_many = part_of(language, "batch").on_many
    made = []
    for run in space.runs(0, space.cases):
        given = [run.given(place) for place in range(len(run))]
        try:
            rows = list(on_many(run.query, run.readings, **run.beside).expected(given))
        except UnsupportedError:
            rows = [None] * len(given)
        made.append(Expected(run, given, rows))
    return made


def without_users() -> int:
    """Forget the engine, and the oracle, which holds parts of it; how many modules there were."""
    users = [name for name in sys.modules if name.startswith("denota.oracle.")]
    for name in users:
        del sys.modules[name]
    return len(users) + without_engine()


# --- one fault -----------------------------------------------------------------------------------


def exhausted(
    fault: Fault | None, language: str, cases: Sequence[Expected], patience: float, *, first: bool
) -> dict[str, Any]:
    """What comes of a fault, or of the engine as it is, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            limit = int(patience) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            signal.alarm(_SLOWER * limit)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in (1, 2):
                os.dup2(nowhere, number)
            if fault is not None:
                sys.meta_path.insert(0, Planted(fault))
            _ask(language, cases, os.fdopen(writing, "w", buffering=1), only_first=first)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        lines = told.read().splitlines()
    _, _, used = os.wait4(child, 0)
    found: dict[str, Any] = {"asked": 0, "against": 0, "lost": True}
    for line in lines:
        found.update(json.loads(line))
    found["seconds"] = round(used.ru_utime + used.ru_stime, 1)
    return found


def _ask(language: str, cases: Sequence[Expected], out: Any, *, only_first: bool) -> None:
    """Count the cases that are failures; say so after each query."""
    from denota.oracle.languages.registry import part_of

    on_many = part_of(language, "batch").on_many
    asked = against = 0
    first: dict[str, Any] = {}
    for each in cases:
        run = each.run
        wrong = _wrong(on_many, each)
        asked += len(each.rows)
        against += len(wrong)
        if wrong and not first:
            row = run.row(wrong[0])
            first = {"operators": run.operators, "events": run.events, "case": row.id}
            first["confirmed"] = _fails(row)
        out.write(json.dumps({"asked": asked, "against": against, **first}) + "\n")
        if wrong and only_first:
            break
    out.write(json.dumps({"lost": False}) + "\n")


def _wrong(on_many: Any, each: Expected) -> list[int]:
    """The places of the cases that are failures."""
    from denota.oracle.checking.batch_checker import same

    if all(rows is None for rows in each.rows):
        return [place for place in range(len(each.rows)) if _fails(each.run.row(place))]
    return [
        place for place, (wanted, told) in enumerate(
            zip(each.rows, _reported(on_many, each), strict=True)
        )
        if not same(wanted, told) and (wanted is not None or _fails(each.run.row(place)))
    ]


def _reported(on_many: Any, each: Expected) -> list[Any]:
    """The engine's answers; of a case on which it fails, none."""
    run = each.run
    try:
        return list(on_many(run.query, run.readings, **run.beside).reported(each.given))
    except Exception:
        return [*_one_by_one(on_many, each)]


def _one_by_one(on_many: Any, each: Expected) -> Iterator[Any]:
    run = each.run
    for given in each.given:
        try:
            (rows,) = on_many(run.query, run.readings, **run.beside).reported([given])
            yield rows
        except Exception:
            yield None


def _fails(row: Any) -> bool:
    """Return whether the case checker says that a case fails."""
    from denota.oracle.checking.case_checker import check_case
    from denota.oracle.engines.builtin import Production
    from denota.oracle.sweeps.corpus_file import case_of

    return bool(check_case(case_of(row), Production(), timeout=None).is_failure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part")
    parser.add_argument("--fault", action="append", default=[])
    add_bounds(parser, size=1, length=2)
    parser.add_argument("--missed", action="store_true",
                        help="ask the faults that no bound in FILE has found")
    parser.add_argument("--first", action="store_true",
                        help="stop at the first case that speaks against the engine")
    parser.add_argument("--patience", type=seconds, default=60.0,
                        help="seconds of processor time for one fault")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.page is not None:
        written(arguments.page, read(arguments.results))
        return 0
    part = arguments.part
    if part == "ceql":
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # compiled loops would be taken from a cache
    known = caught_in(arguments.results) if arguments.missed else set()
    faults = [
        each for each in of_parts(catalogue(), [part])
        if each.equivalent is None and each.name not in known
        and (not arguments.fault or each.name in arguments.fault)
    ]
    try:
        bounds = bounds_of(arguments, part)
        cases = expected(part, bounds)
    except (DenotaError, UsageError) as error:
        parser.error(str(error))
    so_many = sum(len(each.rows) for each in cases)
    print(f"{part}: {so_many:,} cases, {process_time():.1f} s", flush=True)
    without_users()
    gc.freeze()
    sound = exhausted(None, part, cases, arguments.patience, first=False)
    print(f"the engine without a fault: {sound}", flush=True)
    if sound["against"] or sound["lost"]:
        return 1
    with arguments.results.open("a", encoding="utf-8") as results:
        for number, fault in enumerate(faults, start=1):
            told = exhausted(fault, part, cases, arguments.patience, first=arguments.first)
            if not told.pop("confirmed", True):
                print(f"{fault.name}: the ordinary judge does not confirm {told}", file=sys.stderr)
                return 1
            found = Found(part, fault.name, bounds, so_many, **told)
            results.write(found.line())
            results.flush()
            print(f"{number}/{len(faults)} {found}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
