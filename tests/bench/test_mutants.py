"""The catalogue of faults still speaks of the engine that there is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from mutants.faults import ROOT, Edit, Fault, FaultError, catalogue, planted
from mutants.killers import LANGUAGES, SUITES, Kill, Results
from mutants.page import tables
from mutants.replay import shares
from mutants.suites import files_of, killer_of

FAULTS = catalogue()

SOURCE = dedent("""\
    class Ring:
        def push(self, item):
            # a comment
            if self.size + 1 > self.limit:
                self.drop()
                return False
            self.items.append(item)
            return True
    """)


def fault(find: str, replace: str, occurrence: int | None = None) -> Fault:
    edits = (Edit(find, replace, occurrence),)
    return Fault("toy", "toy", "boundary", "toy", "Ring.push", edits, "why")


@pytest.mark.parametrize("each", FAULTS, ids=lambda each: each.name)
def test_a_fault_is_where_it_says(each: Fault) -> None:
    sound = (ROOT / each.path).read_text(encoding="utf-8")
    assert planted(sound, each) != sound


def test_an_expression_is_replaced_where_it_stands() -> None:
    changed = planted(SOURCE, fault("self.size + 1 > self.limit", "self.size > self.limit"))
    assert "if (self.size > self.limit):" in changed
    assert "# a comment" in changed


def test_statements_are_replaced_with_their_indentation() -> None:
    changed = planted(SOURCE, fault("self.drop()\nreturn False", "if True:\n    self.drop()"))
    assert "            if True:\n                self.drop()\n        self.items" in changed


def test_layout_does_not_matter() -> None:
    assert "limit - 1" in planted(SOURCE, fault("self.limit", "self.limit - 1"))
    assert "pass" in planted(SOURCE, fault("self.items.append( item, )", "pass"))


def test_one_of_several_is_named() -> None:
    with pytest.raises(FaultError, match="stands 4 times"):
        planted(SOURCE, fault("self", "other"))
    assert "(other).drop" in planted(SOURCE, fault("self", "other", 3))


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(FaultError, match=r"stands 0 times in toy:Ring\.push"):
        planted(SOURCE, fault("self.nothing", "self"))
    with pytest.raises(FaultError, match=r"there is no toy:Ring\.push"):
        planted("x = 1\n", fault("x", "y"))


def test_the_catalogue_is_as_large_as_it_should_be() -> None:
    by_hand = [each for each in FAULTS if not each.mechanical]
    assert len(FAULTS) >= 150
    assert len(by_hand) >= 60
    assert {each.part for each in FAULTS} == {
        "ceql", "cqels", "epsparql", "graphs", "rsepql", "spaseq",
    }
    assert all(each.why for each in by_hand)


def test_an_engine_is_imported_with_the_fault() -> None:
    program = dedent("""\
        import sys
        sys.path.insert(0, "bench")
        from mutants.faults import catalogue
        from mutants.planting import Planted
        [fault] = [each for each in catalogue() if each.name == sys.argv[1]]
        sys.meta_path.insert(0, Planted(fault))
        from importlib import import_module
        print(import_module(f"denota.{fault.module}").__loader__.source != open(fault.path).read())
        """)
    told = subprocess.run(
        [sys.executable, "-c", program, FAULTS[0].name],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    assert told.stdout == "True\n"


def test_a_plain_fault_is_found_and_the_sound_engine_is_not(tmp_path: Path) -> None:
    """Steps that are not negated are compiled as if they were: the first cases show it."""
    results = tmp_path / "results.jsonl"
    subprocess.run(
        [
            sys.executable, "bench/mutants/replay.py", "--part", "spaseq", "--budget", "600",
            "--cases", "50", "--fault", "spaseq-connective-3", "--results", str(results),
        ],
        cwd=ROOT, capture_output=True, check=True,
    )
    [found] = map(json.loads, results.read_text(encoding="utf-8").splitlines())
    assert found["killed"]
    assert found["language"] == "spaseq"
    assert found["cases"] < 50


@pytest.mark.slow
def test_the_corpus_finds_a_plain_fault_and_passes_without_one(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    subprocess.run(
        [
            sys.executable, "bench/mutants/suites.py", "--part", "epsparql", "--by", "corpus",
            "--fault", "epsparql-connective-3", "--results", str(results),
        ],
        cwd=ROOT, capture_output=True, check=True,
    )
    [found] = map(json.loads, results.read_text(encoding="utf-8").splitlines())
    assert (found["by"], found["killed"]) == ("corpus", True)


def test_a_property_is_asked_of_the_examples_of_before(tmp_path: Path) -> None:
    """It prints its arguments; the second time, nothing is drawn.

    It takes longer than Hypothesis' default deadline, which must not matter.
    """
    test = tmp_path / "test_toy.py"
    test.write_text(dedent("""\
        from time import sleep
        from hypothesis import given
        from hypothesis import strategies as st
        from denota.engine.rdf.data.dictionary import Dictionary

        @given(st.integers(), st.data())
        def test_property(number, data):
            Dictionary()
            sleep(0.25 if number == 0 else 0)
            assert data.draw(st.just(number)) is not None
            print("given", number)

        def test_without_the_engine():
            pass
        """))
    program = dedent("""\
        import sys
        sys.path.insert(0, "bench")
        from hypothesis import HealthCheck, settings
        settings.register_profile(
            "ci", max_examples=20, database=None, deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        from mutants.recording import Recorder, Replayer, remembered
        from mutants.suites import run_tests
        recorder = Recorder()
        run_tests([sys.argv[1]], recorder, "-s")
        [toy, other] = recorder.tests
        assert recorder.tests[toy].passed and not recorder.tests[other].modules
        assert "engine.rdf.data.dictionary" in recorder.tests[toy].modules
        print("again")
        told = []
        examples = remembered({toy: recorder.tests[toy]})
        run_tests([sys.argv[1]], Replayer([toy], examples, lambda *told_: told.append(told_)), "-s")
        assert [name for name, *_ in told] == [toy]
        """)
    told = subprocess.run(
        [sys.executable, "-c", program, str(test)], cwd=ROOT, capture_output=True, text=True,
    )
    assert told.returncode == 0, told.stderr
    first, second = (
        [line for line in part.splitlines() if "given" in line]
        for part in told.stdout.split("again\n")
    )
    assert len(first) >= 20
    assert [line.split()[-1] for line in first] == [line.split()[-1] for line in second]


def test_the_page_lists_what_was_measured_and_not_found(tmp_path: Path) -> None:
    found, missed, unmeasured, same = (
        replace(fault("x", "y"), name=f"toy-{name}", hard="nothing reaches it", equivalent=reason)
        for name, reason in (("a", None), ("b", None), ("c", None), ("d", "it is the same"))
    )
    results = Results(tmp_path / "results.jsonl")
    results.add(Kill(found.name, "fuzz", False, 1.0))
    results.add(Kill(found.name, "unit", True, 1.0))
    results.add(Kill(missed.name, "fuzz", False, 1.0))
    results.add(Kill(same.name, "fuzz", False, 1.0))
    page = tables([found, missed, unmeasured, same], results)
    assert [line for line in page.splitlines() if line.startswith("* ")] == [
        "* `toy-b`: why. Nothing reaches it."
    ]


def test_the_committed_page_lists_faults_of_the_catalogue() -> None:
    page = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\* `(\S+)`: (.*)", page.partition("### Faults that nothing")[2], re.M)
    assert len(lines) > 10
    shown = {each.name: each for each in FAULTS if each.equivalent is None}
    for name, text in lines:
        assert text.startswith(shown[name].why)


@pytest.mark.slow
def test_tests_that_fail_only_while_they_are_recorded_are_asked_of_every_fault(
    tmp_path: Path,
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_toy.py").write_text(dedent("""\
        import builtins
        from denota.engine.rdf.data.dictionary import Dictionary

        def test_of_a_module():
            Dictionary()

        def test_fails_while_recorded():
            assert not hasattr(builtins, "__called_modules__")

        def test_fails_always():
            assert Dictionary() is None

        def test_without_the_engine():
            pass
        """))
    program = dedent("""\
        import os, sys
        sys.path[:0] = [os.path.abspath("bench"), os.path.abspath(".typing")]
        from mutants import suites
        os.chdir(sys.argv[1])  # tests are named from here
        suites.files_of = lambda part: ["test_toy.py"]
        asked = suites.Tests("spaseq", "unit")._tests
        print({name.partition("::")[2]: test.modules is None for name, test in asked.items()})
        """)
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True,
    )
    assert told.returncode == 0, told.stderr
    assert "test_fails_always is skipped or fails without a fault" in told.stdout
    assert told.stdout.splitlines()[-1] == (
        "{'test_of_a_module': False, 'test_fails_while_recorded': True}"
    )


def test_graph_patterns_have_half_of_the_budget() -> None:
    assert shares(["sparql", "spaseq", "ceql"]) == {"sparql": 0.5, "spaseq": 0.25, "ceql": 0.25}
    assert shares(["ceql"]) == {"ceql": 1.0}


@pytest.mark.parametrize("part", LANGUAGES)
def test_each_part_has_tests_of_each_kind(part: str) -> None:
    assert {killer_of(name) for name in files_of(part)} == set(SUITES) - {"corpus"}
