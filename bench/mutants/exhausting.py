"""What a certificate's bound catches: each fault, asked about every case up to a size and a length.

    python bench/mutants/exhausting.py --part PART --size Q --length N [--fault NAME]...
                                       [--patience 60] --results FILE
    python bench/mutants/exhausting.py --results FILE --page docs/certificates.md

The cases are those of `oracle.ranks`, and what the definitions say of them is asked once; every
fault is planted in a process that is forked after that and has the engine still to import. A case
speaks against the engine if its answer is not the definitions', as `judging.batches` compares them;
of the first one the ordinary judge is asked, too. The engine without a fault has to pass first.
--page writes the tables, from all that FILE holds.
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
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / ".typing"))

from mutants.faults import Fault, catalogue, of_parts
from mutants.planting import Planted, without_engine

_SLOWER = 10  # times as long by the clock as on the processor: others run on the machine, too


@dataclass(frozen=True)
class Found:
    """What comes of a fault within a bound.

    `operators` and `events` are the block of the first case that speaks against the engine (None:
    there is none), `case` is its id; `against` is how many of the `asked` cases do. A process that
    was `lost` has hung or gone down before it was through.
    """

    part: str
    fault: str
    size: int
    length: int
    cases: int
    asked: int
    against: int
    operators: int | None = None
    events: int | None = None
    case: str | None = None
    lost: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Expected:
    """A query with all its streams of one length, and what the definitions say of each."""

    run: Any
    given: list[Any]
    rows: list[Any]


def expected(language: str, size: int, length: int) -> list[Expected]:
    """Every case of the bound, the smallest first, with its answer."""
    from denota.oracle.languages.enumeration import Bounds
    from denota.oracle.languages.registry import part_of
    from denota.oracle.ranks.space import Space

    bounds = Bounds(size, length, alphabet="keys" if language == "spaseq" else "")
    space = Space.of(language, bounds)
    on_many = part_of(language, "batch").on_many
    made = []
    for run in space.runs(0, space.cases):
        given = [run.given(place) for place in range(len(run))]
        rows = list(on_many(run.query, run.readings).expected(given))
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
    fault: Fault | None, language: str, cases: Sequence[Expected], patience: float
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
            _ask(language, cases, os.fdopen(writing, "w", buffering=1))
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


def _ask(language: str, cases: Sequence[Expected], out: Any) -> None:
    """Count the cases that speak against the engine; say so after each query."""
    from denota.oracle.judging.batches import same
    from denota.oracle.languages.registry import part_of

    on_many = part_of(language, "batch").on_many
    asked = against = 0
    first: dict[str, Any] = {}
    for each in cases:
        run = each.run
        reported = _reported(on_many, each)
        wrong = [
            place for place, (wanted, told) in enumerate(zip(each.rows, reported, strict=True))
            if not same(wanted, told)
        ]
        asked += len(each.rows)
        against += len(wrong)
        if wrong and not first:
            row = run.row(wrong[0])
            first = {"operators": run.operators, "events": run.events, "case": row.id}
            first["confirmed"] = _judged(row)
        out.write(json.dumps({"asked": asked, "against": against, **first}) + "\n")
    out.write(json.dumps({"lost": False}) + "\n")


def _reported(on_many: Any, each: Expected) -> list[Any]:
    """The engine's answers; of a case on which it fails, none."""
    readings = each.run.readings
    try:
        return list(on_many(each.run.query, readings).reported(each.given))
    except Exception:
        return [*_one_by_one(on_many, each)]


def _one_by_one(on_many: Any, each: Expected) -> Iterator[Any]:
    for given in each.given:
        try:
            (rows,) = on_many(each.run.query, each.run.readings).reported([given])
            yield rows
        except Exception:
            yield None


def _judged(row: Any) -> bool:
    """Whether the ordinary judge says so, too."""
    from denota.oracle.engines.own import Production
    from denota.oracle.judging.judge import judge
    from denota.oracle.sweeps.corpus_cases import case_of

    return bool(judge(case_of(row), Production(), timeout=None).against)


# --- the page ------------------------------------------------------------------------------------


def listed(found: Sequence[Found]) -> str:
    """A table a part, in Markdown: the faults as they are met, and last those that are not."""
    lines = []
    for part, those in groupby(found, key=lambda each: each.part):
        several = list(those)
        caught = [each for each in several if each.case is not None or each.lost]
        one = several[0]
        lines += [
            f"### {part}", "",
            f"{len(caught)} of {len(several)} faults are found by {one.cases:,} cases: at most"
            f" {one.size} operator{'s' * (one.size != 1)} and {one.length} events.", "",
            "| fault | found at (operators, events) | cases against the engine |",
            "| --- | --- | --- |",
            *map(_line, sorted(several, key=_size)), "",
        ]
    return "\n".join(lines)


def _size(each: Found) -> tuple[int, int, int]:
    if each.operators is None or each.events is None:
        return (0 if each.lost else 99, 0, 0)
    return each.operators + each.events, each.operators, -each.against


def _line(each: Found) -> str:
    if each.operators is not None:
        where = f"{each.operators}, {each.events}"
    else:
        where = "it hangs or crashes" if each.lost else "**not by this bound**"
    share = f"{each.against:,}" + (f" of the first {each.asked:,}" if each.lost else "")
    return f"| `{each.fault}` | {where} | {share} |"


def written(page: Path, found: Sequence[Found]) -> None:
    """Renew the tables on a page."""
    from denota.oracle.reports.page_parts import with_part

    text = with_part(page.read_text(encoding="utf-8"), "faults", listed(found))
    if text is None:
        raise SystemExit(f"{page}: no part between <!-- faults --> and <!-- end -->")
    page.write_text(text, encoding="utf-8")


def read(results: Path) -> list[Found]:
    """All that is known, the last word on each fault, by parts."""
    known = {}
    for line in results.read_text(encoding="utf-8").splitlines():
        each = Found(**json.loads(line))
        known[each.fault] = each
    return sorted(known.values(), key=lambda each: each.part)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part")
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--size", type=int, default=1)
    parser.add_argument("--length", type=int, default=2)
    parser.add_argument("--patience", type=float, default=60.0,
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
    faults = [
        each for each in of_parts(catalogue(), [part])
        if each.equivalent is None and (not arguments.fault or each.name in arguments.fault)
    ]
    cases = expected(part, arguments.size, arguments.length)
    so_many = sum(len(each.rows) for each in cases)
    print(f"{part}: {so_many:,} cases, {process_time():.1f} s", flush=True)
    without_users()
    gc.freeze()
    sound = exhausted(None, part, cases, arguments.patience)
    if sound["against"] or sound["lost"]:
        print(f"the engine without a fault fails: {sound}", file=sys.stderr)
        return 1
    with arguments.results.open("a", encoding="utf-8") as results:
        for number, fault in enumerate(faults, start=1):
            told = exhausted(fault, part, cases, arguments.patience)
            if not told.pop("confirmed", True):
                print(f"{fault.name}: the ordinary judge does not confirm {told}", file=sys.stderr)
                return 1
            found = Found(
                part, fault.name, arguments.size, arguments.length, so_many, **told
            )
            results.write(json.dumps(asdict(found)) + "\n")
            results.flush()
            print(f"{number}/{len(faults)} {found}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
