"""Which of the catalogue's faults are found, by what, and how soon.

    python bench/mutants [--part PART] [--fault NAME] [--by KILLER] [--budget 60] [--seed 1]
                         [--jobs 2] [--first] [--results FILE] [--page docs/mutation.md]

Each fault is planted alone. `fuzz` draws its cases once for all faults of a part (`replay.py`);
`corpus`, `laws`, `properties` and `unit` run as processes of their own in a copy of the repository.
With --first a fault that is found is not looked for any further. Every result is kept in the file
of results at once; a run that was interrupted goes on where it was, and --again measures anew.
Seconds are processor time. --page writes the table without measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).parents[1]))

from mutants.faults import ROOT, Fault, FaultError, catalogue, of_parts, planted
from mutants.killers import FUZZ, KILLERS, NAMES, Kill, Killer
from mutants.page import written

_RESULTS = ROOT / "build" / "mutants.jsonl"


class Results:
    """What is known by now: for each fault and killer, what came of it. Kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kills: dict[tuple[str, str], Kill] = {}
        self._lock = threading.Lock()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                found = Kill(**json.loads(line))
                self.kills[found.fault, found.by] = found

    def add(self, found: Kill) -> None:
        with self._lock:
            self.kills[found.fault, found.by] = found
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(vars(found)) + "\n")

    def asked(self, fault: Fault, by: str) -> bool:
        return (fault.name, by) in self.kills

    def killed(self, fault: Fault) -> bool:
        return any(found.killed for (name, _), found in self.kills.items() if name == fault.name)


class Copies:
    """Copies of the repository, as many as there are jobs; each holds one fault at a time."""

    def __init__(self, folder: Path, many: int) -> None:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        )
        names = [name for name in listed.stdout.decode().split("\0") if name]
        self.free: Queue[Path] = Queue()
        for number in range(many):
            copy = folder / str(number)
            for name in names:
                if not (ROOT / name).exists():
                    continue
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
            self.free.put(copy)

    def judged(self, fault: Fault, killers: list[Killer], results: Results, first: bool) -> str:
        """Plant a fault and let the killers have it, one after the other."""
        copy = self.free.get()
        path = copy / fault.path
        sound = path.read_text(encoding="utf-8")
        said = []
        try:
            path.write_text(planted(sound, fault), encoding="utf-8")
            for killer in killers:
                if first and results.killed(fault):
                    break
                found = killer.run(fault, copy)
                results.add(found)
                said.append(str(found))
        finally:
            path.write_text(sound, encoding="utf-8")
            self.free.put(copy)
        return f"{fault.name}: {', '.join(said) or 'known'}"


def fuzzed(part: str, faults: list[Fault], arguments: argparse.Namespace) -> None:
    """Fuzz the faults of a part, in a process that has nothing of the engine imported."""
    names = [option for each in faults if each.part == part for option in ("--fault", each.name)]
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            sys.executable, str(Path(__file__).with_name("replay.py")), "--part", part, "--shrink",
            "--budget", str(arguments.budget), "--seed", str(arguments.seed),
            "--results", str(arguments.results), *names,
        ],
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
    parser.add_argument("--seed", type=int, default=1, help="fuzzing's seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", action="store_true", help="the first that finds it is enough")
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    parser.add_argument("--results", type=Path, default=_RESULTS, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    results = Results(arguments.results)
    try:
        faults = of_parts(catalogue(), arguments.part)
        if arguments.page is not None:
            written(arguments.page, faults, results.kills)
            return 0
        if arguments.fault:
            faults = [fault for fault in faults if fault.name in arguments.fault]
        for fault in faults:
            planted((ROOT / fault.path).read_text(encoding="utf-8"), fault)
    except FaultError as error:
        print(error, file=sys.stderr)
        return 2
    asked = arguments.by or NAMES
    killers = [killer for killer in KILLERS if killer.name in asked]
    faults = [fault for fault in faults if fault.equivalent is None]
    print(f"{len(faults)} faults, {', '.join(asked)}", file=sys.stderr)
    if FUZZ in asked:
        left = [each for each in faults if arguments.again or not results.asked(each, FUZZ)]
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda part: fuzzed(part, left, arguments), dict.fromkeys(
                each.part for each in left
            )))
        results = Results(arguments.results)
    with tempfile.TemporaryDirectory(prefix="denota-mutants-") as folder:
        copies = Copies(Path(folder), arguments.jobs)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            waiting = []
            for fault in faults:
                left = [
                    killer for killer in killers
                    if arguments.again or not results.asked(fault, killer.name)
                ]
                waiting.append(
                    pool.submit(copies.judged, fault, left, results, arguments.first)
                )
            try:
                for number, done in enumerate(waiting, start=1):
                    print(f"{number}/{len(faults)} {done.result()}", flush=True)
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                print("interrupted; what is measured is kept", file=sys.stderr)
                return 130
    found = sum(results.killed(fault) for fault in faults)
    print(f"{found} of {len(faults)} faults were found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
