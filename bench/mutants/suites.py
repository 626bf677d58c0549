"""Checking many faulty engines by the corpus and by the tests, in one warm process.

    python bench/mutants/suites.py --part PART [--by KILLER] [--fault NAME] --results FILE

Everything but the engine is imported once, and the tests are run once with the engine as it is,
which says of each what modules of the engine it calls and what examples a property is given
(`recording.py`). Each fault is then planted in processes that are forked from this one, one for
each way to look for it, and have the engine still to import: the tests that call the faulty module
are asked there, the quickest first, until one fails. What is known from the file of results is not
asked again.
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / ".typing"))

from mutants.faults import ROOT, Fault, catalogue, of_parts, sampled
from mutants.killers import FOLDERS, GRAPH_PATTERNS, LANGUAGES, SEEDS, SUITES, Kill, Results
from mutants.planting import forked, without_engine
from mutants.recording import Recorded, Recorder, Replayer, remembered

_FOR_EVER = 3_000.0  # seconds of processor time for the run without a fault
_GUARD = 60.0  # seconds of processor time beyond which an engine is taken to hang
_UNIT = ("tests/engine/{}", "tests/oracle/languages/{}", "tests/engine/test_*.py")
_PROPERTIES = (
    "property_tests/{}", "property_tests/engine/{}", "property_tests/engine/test_*.py",
    "property_tests/laws", "property_tests/relations",
)
_LAWS = ("laws", "relations")
"""A file or folder with one of these in its name holds laws, which no oracle stands beside."""


def folders(part: str) -> list[str]:
    """The folders of a part, and those of the languages in whose cases its faults may show."""
    languages = [name for name in LANGUAGES[part] if name != GRAPH_PATTERNS]
    return list(dict.fromkeys([FOLDERS[part], *languages]))


def files_of(part: str) -> list[str]:
    """The files of tests that may speak of a part."""
    found: dict[str, None] = {}
    for folder in folders(part):
        for pattern in (*_UNIT, *_PROPERTIES):
            for path in sorted(ROOT.glob(pattern.format(folder))):
                files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
                found |= dict.fromkeys(str(file.relative_to(ROOT)) for file in files)
    return list(found)


def killer_of(test: str) -> str:
    """Which way to look for a fault a test belongs to."""
    if not test.startswith("property_tests/"):
        return "unit"
    file = test.partition("::")[0]
    return "laws" if any(word in file for word in _LAWS) else "properties"


def told_by(work: Callable[[Path], int]) -> Any:
    """What a child without a fault writes, pickled, into a file."""
    with tempfile.TemporaryDirectory(prefix="denota-mutants-") as folder:
        path = Path(folder) / "told"
        code, _ = forked(None, lambda: work(path), _FOR_EVER)
        if code < 0 or not path.exists():
            raise SystemExit("the tests without a fault could not be run")
        return pickle.loads(path.read_bytes())


def run_tests(files: Sequence[str], plugin: object, *options: str) -> int:
    """pytest's exit code, or 0 where no test was left."""
    import pytest

    code = int(pytest.main(
        ["-q", "-p", "no:cacheprovider", *options, *files],
        plugins=[plugin],
    ))
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


class Corpus:
    """The cases of a part, each checked by what its file expects, in every setup of the engine."""

    def __init__(self, part: str) -> None:
        from denota.oracle.cases.case_reader import read_case

        self._cases = [
            read_case(path) for language in folders(part)
            for path in sorted(ROOT.glob(f"corpus/*/{language}/*.case.yaml"))
        ]
        code, seconds = forked(None, self._failing, _FOR_EVER)
        if code:
            raise SystemExit("the engine without a fault does not pass the corpus")
        _say(f"{len(self._cases)} cases, {seconds:.1f} s")

    def judged(self, fault: Fault) -> Kill:
        """Whether a case finds the fault."""
        code, seconds = forked(fault, self._failing, _GUARD)
        return Kill(fault.name, "corpus", code != 0, seconds)

    def _failing(self) -> int:
        from denota.oracle.cases.schedule import FIXED
        from denota.oracle.checking.case_checker import check_case
        from denota.oracle.engines.builtin import Production

        engine = Production(f"schedules={1 + len(FIXED)}")
        return int(not all(check_case(case, engine, timeout=None).ok for case in self._cases))


class Tests:
    """The tests of a part that are one way to look for a fault, with what is known of them."""

    def __init__(self, part: str, killer: str) -> None:
        self._killer = killer
        recorded = _recorded([name for name in files_of(part) if killer_of(name) == killer])
        _say(f"{len(recorded)} tests")
        for test in recorded.values():
            if not test.passed:  # instrumented code may fail where it is compiled or deeply nested
                test.modules = test.examples = None
        self._tests = {name: test for name, test in recorded.items() if test.modules != frozenset()}
        self._examples = remembered({
            name: test for name, test in self._tests.items() if test.examples is not None
        })
        gc.freeze()
        self._settle()

    def _settle(self) -> None:
        """Run every test as it will be run for a fault.

        A property that fails on its recorded examples draws its own; another test that fails is
        left out.
        """
        def asked(path: Path) -> int:
            told: dict[str, tuple[bool, float]] = {}

            def tell(name: str, passed: bool, seconds: float) -> None:
                told[name] = passed, seconds

            run_tests(_files(self._tests), Replayer(list(self._tests), self._examples, tell))
            path.write_bytes(pickle.dumps(told))
            return 0

        told: dict[str, tuple[bool, float]] = told_by(asked) if self._tests else {}
        for name in list(self._tests):
            passed, seconds = told.get(name, (False, 0.0))
            if passed:
                self._tests[name].seconds = seconds
            elif name in self._examples:
                _say(f"  {name} draws its examples each time")
                del self._examples[name]
            else:
                _say(f"  {name} is skipped or fails without a fault")
                del self._tests[name]
        seconds = sum(test.seconds for test in self._tests.values())
        _say(f"{len(self._tests)} call the engine, {seconds:.1f} s")

    def judged(self, fault: Fault) -> Kill:
        """Run the tests that call the faulty module, or whose modules are not known."""
        names = sorted(
            (
                name for name, test in self._tests.items()
                if test.modules is None or fault.module in test.modules or not fault.function
            ),
            key=lambda name: self._tests[name].seconds,
        )
        if not names:
            return Kill(fault.name, self._killer, False, 0.0)
        limit = _GUARD + 3 * sum(self._tests[name].seconds for name in names)
        plugin = Replayer(names, self._examples)
        code, seconds = forked(fault, lambda: run_tests(_files(names), plugin, "-x"), limit)
        return Kill(fault.name, self._killer, code != 0, seconds)


def _files(tests: Sequence[str] | dict[str, Recorded]) -> list[str]:
    return list(dict.fromkeys(name.partition("::")[0] for name in tests))


def _recorded(files: Sequence[str]) -> dict[str, Recorded]:
    def record(path: Path) -> int:
        recorder = Recorder()
        run_tests(files, recorder)
        path.write_bytes(pickle.dumps(recorder.tests))
        return 0

    tests: dict[str, Recorded] = told_by(record)
    return tests


def _say(*lines: str) -> None:
    print(*lines, sep="\n  ", flush=True)


def _warm() -> None:
    """Import what does not depend on the engine."""
    import_module("denota.strategies")
    registry = import_module("denota.oracle.languages.registry")
    for name in registry.names():
        registry.language(name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", required=True)
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--by", action="append", choices=SUITES)
    parser.add_argument("--first", action="store_true", help="what is found is not asked again")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every Nth fault")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.part == "ceql":
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # compiled loops would be taken from a cache
    faults = [
        each for each in sampled(of_parts(catalogue(), [arguments.part]), arguments.sample)
        if not arguments.fault or each.name in arguments.fault
    ]
    _warm()
    without_engine()
    for killer in arguments.by or SUITES:
        known = Results(arguments.results)
        asked = [
            each for each in faults
            if (arguments.again or not known.asked(each, killer))
            and (not arguments.first or set(known.found_by(each)) <= set(SEEDS))
        ]
        if not asked:
            continue
        suite = Corpus(arguments.part) if killer == "corpus" else Tests(arguments.part, killer)
        for number, fault in enumerate(asked, start=1):
            kill = suite.judged(fault)
            known.add(kill)
            _say(f"{number}/{len(asked)} {fault.name}: {kill}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
