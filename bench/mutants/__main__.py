"""Which of the catalogue's faults are found, by what, and how soon.

    python bench/mutants [--part PART] [--fault NAME] [--by KILLER] [--budget 60] [--jobs 2]
                         [--first] [--sample N] [--results FILE]...
                         [--page docs/mutation.md]

Each fault is planted alone. `fuzz` draws its cases once for all faults of a part (`replay.py`);
the corpus and the tests are asked in a process that has read them once (`suites.py`). With --first
the tests are not asked about what is found already. Every result is kept at once; a run that was
interrupted goes on where it was, and --again measures anew. Seconds are processor time. --page
writes the table without measuring, from all files of results that are given.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mutants.faults import ROOT, Fault, FaultError, catalogue, of_parts, planted
from mutants.killers import NAMES, SEEDS, SUITES, Results
from mutants.page import written

_RESULTS = ROOT / "build" / "mutants.jsonl"


def asked(part: str, faults: list[Fault], by: list[str], arguments: argparse.Namespace) -> None:
    """Measure the faults of a part, in processes that have nothing of the engine imported."""
    chosen = [
        "--part", part, "--results", str(arguments.results[0]),
        *(option for each in faults if each.part == part for option in ("--fault", each.name)),
    ]
    for fuzzing in (each for each in SEEDS if each in by):
        left = [
            each for each in faults if each.part == part and each.equivalent is None
            and (arguments.again or not Results(*arguments.results).asked(each, fuzzing))
        ]
        if left:
            names = [option for each in left for option in ("--fault", each.name)]
            _run(
                "replay.py", "--part", part, "--results", str(arguments.results[0]), "--shrink",
                "--budget", str(arguments.budget), "--by", fuzzing, *names,
            )
    suites = [option for name in SUITES if name in by for option in ("--by", name)]
    if suites:
        more = [f"--{name}" for name in ("first", "again") if getattr(arguments, name)]
        more += ["--sample", str(arguments.sample)]
        _run("suites.py", *chosen, *suites, *more)


def _run(program: str, *options: str) -> None:
    subprocess.run(
        [sys.executable, str(Path(__file__).with_name(program)), *options],
        check=True, env={**os.environ, "PYTHONHASHSEED": "0"},
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], prog="python bench/mutants"
    )
    parser.add_argument("--part", action="append", default=[], help="a file of the catalogue")
    parser.add_argument("--fault", action="append", default=[], help="one fault, by its name")
    parser.add_argument("--by", action="append", choices=NAMES)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for fuzzing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", action="store_true", help="one suite is enough")
    parser.add_argument("--sample", type=int, default=1, metavar="N",
                        help="ask the tests about every Nth fault of a part")
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    parser.add_argument("--results", type=Path, action="append", metavar="FILE",
                        help="the first is written; of what several say, the last holds")
    parser.add_argument("--page", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    arguments.results = arguments.results or [_RESULTS]
    try:
        faults = of_parts(catalogue(), arguments.part)
        if arguments.page is not None:
            written(arguments.page, faults, Results(*arguments.results), arguments.sample)
            return 0
        if arguments.fault:
            faults = [fault for fault in faults if fault.name in arguments.fault]
        for fault in faults:
            planted((ROOT / fault.path).read_text(encoding="utf-8"), fault)
    except FaultError as error:
        print(error, file=sys.stderr)
        return 2
    by = arguments.by or NAMES
    faults = [fault for fault in faults if fault.equivalent is None]
    print(f"{len(faults)} faults, {', '.join(by)}", file=sys.stderr)
    parts = list(dict.fromkeys(fault.part for fault in faults))
    try:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda part: asked(part, faults, by, arguments), parts))
    except subprocess.CalledProcessError as error:
        return error.returncode
    except KeyboardInterrupt:
        print("interrupted; what is measured is kept", file=sys.stderr)
        return 130
    results = Results(*arguments.results)
    found = sum(bool(results.found_by(fault)) for fault in faults)
    print(f"{found} of {len(faults)} faults were found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
