"""Fuzzing: what a run does, when it ends, what it reports and what it writes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from rdflib.term import URIRef

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome, Verdict
from denota.oracle.engines.builtin import Oracle, Production
from denota.oracle.engines.capabilities import needs_of
from denota.oracle.engines.engine import EngineCrash
from denota.oracle.engines.engine_specs import FunctionEngine
from denota.oracle.fuzzing import rounds
from denota.oracle.fuzzing.clusters import (
    Cause,
    Cluster,
    add_cluster,
    count_one,
    last_words,
    of_cause,
)
from denota.oracle.fuzzing.differential import fuzz, fuzzable
from denota.oracle.fuzzing.discrepancies import shrunk_failure
from denota.oracle.fuzzing.fuzz_report import FuzzReport
from denota.oracle.fuzzing.rounds import CaseRounds
from denota.oracle.fuzzing.side_by_side import RememberedAnswers, SideBySide
from denota.oracle.languages.registry import language
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.oracle.reports.fuzz_summary import summary
from denota.peers.hosted import HostedEngine
from denota.semantics.model.errors import DenotaError, UnsupportedError
from denota.semantics.model.tuples import EventTuple

SPASEQ = ["spaseq"]

pytestmark = pytest.mark.long


def answers_nothing(query: Any, **rest: Any) -> Iterable[Any]:
    return []


def fails_under_collect(query: Any, **rest: Any) -> Iterable[Any]:
    if rest["readings"].kleene == "collect":
        raise ZeroDivisionError("division by zero")
    return SpaseqCase(query, **rest).matches()


def takes_no_kleene_plus(query: Any, **rest: Any) -> Iterable[Any]:
    if "KleenePlus" in repr(query.sequence):
        raise UnsupportedError("no +")
    return SpaseqCase(query, **rest).matches()


def test_the_oracle_agrees_with_itself() -> None:
    report = fuzz(Oracle(), SPASEQ, examples=60, seed=1)
    assert report.ok
    assert report.examples == 60
    assert 0 < report.answered <= 60
    assert report.discrepancies == []


def test_the_production_engine_agrees_with_the_oracle() -> None:
    assert fuzz(Production(), SPASEQ, examples=40, seed=2).ok


def test_every_language_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "ROUND", 4)
    report = fuzz(Oracle(), examples=40, seed=1)
    assert report.languages == fuzzable()
    assert {*report.coverage} == {*fuzzable()}
    assert report.ok


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> FuzzReport:
    """A run over an engine that finds nothing."""
    return fuzz(
        FunctionEngine(answers_nothing, "silent"), SPASEQ, examples=30, seed=1,
        save=tmp_path_factory.mktemp("silent"),
    )


def test_a_discrepancy_is_small_and_saved_with_the_oracles_answer(silent: FuzzReport) -> None:
    assert not silent.ok
    [found] = silent.discrepancies
    assert found.path is not None
    [cluster] = silent.clusters
    saved = {each.witness.path for each in (cluster, *cluster.variants)}
    assert {*find_cases([found.path.parent])} == saved
    case = read_case(found.path)
    assert check_case(case, Oracle()).ok
    assert case.title == "SEQ(A): silent: 1 missing result"
    assert "SPAseq Def. 7" in case.cites
    assert "fuzz" in case.tags
    assert sum(map(len, case.streams.values())) == 1


def test_failures_that_a_known_one_explains_are_not_shrunk_again(silent: FuzzReport) -> None:
    [cluster] = silent.clusters
    assert cluster.count == silent.failing > 5
    assert 1 < cluster.shrunk < silent.failing / 2
    assert cluster.cause.shape == {"missing"}
    assert len(silent.discrepancies) == 1


def test_a_crash_is_a_discrepancy() -> None:
    report = fuzz(FunctionEngine(fails_under_collect, "fragile"), SPASEQ, examples=40, seed=1)
    [found] = report.discrepancies
    assert found.verdict.outcome is Outcome.CRASH
    assert found.case.reading_names == {"kleene": "collect"}
    assert found.case.title.endswith("fragile: crash")


def test_what_an_engine_does_not_support_is_no_discrepancy() -> None:
    report = fuzz(FunctionEngine(takes_no_kleene_plus, "modest"), SPASEQ, examples=80, seed=1)
    assert report.ok
    assert 0 < report.unsupported < 80


def test_where_nothing_was_judged_nothing_is_agreed_on() -> None:
    def refuses(query: Any, **rest: Any) -> Iterable[Any]:
        raise UnsupportedError("not today")

    report = fuzz(FunctionEngine(refuses, "lazy"), SPASEQ, examples=10, seed=1)
    assert (report.judged, report.unsupported, report.ok) == (0, 10, False)
    assert report.reasons == {"not today": 10}


class Once:
    """An engine that goes down over one case and answers every other one, also the same again."""

    name, version, languages, level = "nervous", "", ("spaseq",), "pair"

    def __init__(self) -> None:
        self.asked = 0

    def run(self, task: Case) -> Iterable[Any]:
        self.asked += 1
        if self.asked == 5:
            raise RuntimeError("what was that?")
        return Oracle().run(task)


def test_a_crash_that_does_not_recur_is_flaky() -> None:
    report = fuzz(Once(), examples=10, seed=1)
    assert report.languages == ("spaseq",)
    [found] = report.discrepancies
    assert found.flaky
    assert found.verdict.outcome is Outcome.CRASH
    assert "what was that?" in found.verdict.stderr
    assert "flaky" in found.case.tags
    assert not report.ok
    assert report.unsupported == 0


CRASHING = '''
import json, os, signal, sys
def evaluate(query, number):
    print("case", number, "of", query, file=sys.stderr, flush=True)
    if "LIMIT" in query:
        os.kill(os.getpid(), signal.SIGKILL)
    if " ; " in query:
        raise RuntimeError(query)
for number, line in enumerate(sys.stdin):
    case = json.loads(line)
    if case["type"] == "hello":
        answer = {"type": "hello", "name": "chatty", "languages": ["ceql"], "level": "positions"}
    else:
        evaluate(case["query"], number)
        answer = {"type": "unsupported", "id": case["id"], "reason": "no answers"}
    print(json.dumps(answer), flush=True)
'''


class Crashing(HostedEngine):
    """An engine in several processes, each of which ends over some queries."""

    side_by_side, at_once = 2, 2

    def __init__(self, timeout: float) -> None:
        super().__init__(
            [sys.executable, "-I", "-S", "-c", CRASHING.strip()], timeout, name="chatty",
            language="ceql", level="positions", capabilities={},
        )

    def question(self, case: Case) -> dict[str, Any]:
        return {"query": case.text}


class CrashingAlone(Crashing):
    side_by_side = 1


def crashes(engine: Crashing) -> FuzzReport:
    try:
        return fuzz(engine, examples=20, seed=2)
    finally:
        engine.close()


@pytest.fixture(scope="module")
def crashes_alone() -> FuzzReport:
    return crashes(CrashingAlone(60.0))


def test_crashes_are_told_apart_by_place_or_signal_whatever_is_logged(
    crashes_alone: FuzzReport,
) -> None:
    report = crashes_alone
    assert report.failing > 2
    assert {cluster.cause.message for cluster in report.clusters} == {
        "RuntimeError in <string>, evaluate, line 7", "signal SIGKILL",
    }
    assert not any(found.flaky for found in report.discrepancies)


def found_in(report: FuzzReport) -> list[tuple[Cause, str, int]]:
    return [(c.cause, c.witness.case.text, c.witness.example) for c in report.clusters]


def test_processes_side_by_side_find_what_one_finds(crashes_alone: FuzzReport) -> None:
    several = crashes(Crashing(60.0))
    assert several.failing == crashes_alone.failing
    causes = [{cause for cause, _, _ in found_in(each)} for each in (several, crashes_alone)]
    assert causes[0] == causes[1]


@pytest.mark.slow
def test_processes_side_by_side_find_the_same_again() -> None:
    assert found_in(crashes(Crashing(60.0))) == found_in(crashes(Crashing(60.0)))


def test_a_lost_process_accuses_nobody() -> None:
    helpers = SideBySide(Crashing(60.0), 60.0)
    try:
        found = list(helpers.each(ends_at_two, range(6)))
    finally:
        helpers.close()
    assert [each for each in found if isinstance(each, int)] == [0, 1, 3, 4, 5]
    assert isinstance(found[2], EngineCrash)


def ends_at_two(item: int, engine: RememberedAnswers) -> int:
    if item == 2:
        os._exit(1)
    return item


class Counting:
    """The definitions, with the texts of the queries that were asked."""

    name, version, languages, level, keeps_time = "counting", "", ("ceql",), "positions", True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(self, task: Case) -> Iterable[Any]:
        self.asked.append(task.text)
        return Oracle().run(task)


def test_an_engine_is_asked_once_about_a_case() -> None:
    counting = Counting()
    engine = RememberedAnswers(counting, None)
    stream = (EventTuple("A", {"n": 1}),)
    for value in ("1", "1.0", "1"):  # which are equal in Python
        query = language("ceql").parse(f"SELECT * FROM S WHERE A FILTER A[n = {value}]")
        assert check_case(Case("ceql", query, {URIRef("S"): stream}), engine).ok
    assert len(counting.asked) == len(set(counting.asked)) == 2


class AfterOthers:
    """An engine that goes down over each case but the first one that a process is asked."""

    name, version, languages, level = "tired", "", ("spaseq",), "pair"

    def __init__(self) -> None:
        self.asked = 0

    def run(self, task: Case) -> Iterable[Any]:
        self.asked += 1
        if self.asked > 1:
            raise RuntimeError("enough")
        return Oracle().run(task)


def test_a_crash_that_a_new_process_does_not_show_is_flaky() -> None:
    engine = AfterOthers()
    [generated, *_] = CaseRounds("spaseq", Oracle(), 1).round(0, 0)
    assert check_case(generated.case, engine).ok
    verdict = check_case(generated.case, engine)
    assert verdict.outcome is Outcome.CRASH
    assert shrunk_failure(generated.case, verdict, engine, timeout=10.0, limit=3).flaky


def test_crashes_are_told_apart_by_what_was_said() -> None:
    def two_ways(query: Any, **rest: Any) -> Iterable[Any]:
        if rest["readings"].kleene == "collect":
            raise ValueError(f"at {id(query):#x}")
        if query.select is None:
            raise LookupError(f"no columns in {id(query)}")
        return SpaseqCase(query, **rest).matches()

    report = fuzz(FunctionEngine(two_ways, "fragile"), SPASEQ, examples=40, seed=1)
    said = [found.verdict.stderr.splitlines()[-1].split(":")[0] for found in report.discrepancies]
    assert sorted(said) == ["LookupError", "ValueError"]


def test_refusals_are_clustered_by_their_message() -> None:
    def refuses(query: Any, **rest: Any) -> Iterable[Any]:
        case = SpaseqCase(query, **rest)
        needs = needs_of(case)["operators"]
        if "|" in needs or "&" in needs:
            name = case.text.partition("DEFINE GPM ")[2].split()[0]
            raise DenotaError(f"invalid argument {name} at {len(case.text)}")
        return case.matches()

    report = fuzz(FunctionEngine(refuses, "strict"), SPASEQ, examples=15, seed=1)
    [cluster] = report.clusters
    assert cluster.count == report.failing
    assert cluster.cause.message == "invalid argument … at …"
    assert cluster.variants  # with other features
    assert cluster.count > sum(each.count for each in cluster.variants)
    text = summary(report)
    assert "1 cluster" in text
    for each in cluster.variants:
        assert f"also ({each.count} case" in text
        assert f"--cases {each.witness.example} " in text


def cause(shape: str, *features: str) -> Cause:
    return Cause("spaseq", frozenset(features), frozenset(shape.split()))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (cause("missing", ";"), cause("missing unexpected", ";"), True),
        (cause("missing", ";"), cause("unexpected", ";", "+"), True),
        (cause("missing", ";"), cause("missing", ";", "+", "!"), False),
        (cause("missing", ";", "+"), cause("missing", ";"), False),
        (cause("missing", ";"), cause("missing", "+"), False),
        (cause("missing", ";"), cause("repeated", ";"), False),
        (cause("timeout", ";"), cause("timeout", "+"), True),
        (cause("timeout", ";"), cause("missing", ";"), False),
    ],
)
def test_causes_with_one_root(one: Cause, other: Cause, same: bool) -> None:
    assert one.is_root_of(other) is same


def test_a_more_general_cluster_takes_in_others() -> None:
    clusters: list[Cluster] = []
    witness: Any = None
    for features, cases in (((";", "+"), 2), ((";", "!"), 3), ((";",), 4)):
        add_cluster(clusters, Cluster(cause("missing", *features), witness, cases))
    [cluster] = clusters
    assert (cluster.count, [each.count for each in cluster.variants]) == (9, [2, 3])
    count_one(clusters, cluster.variants[1])
    assert (cluster.count, [each.count for each in cluster.variants]) == (10, [2, 4])
    assert of_cause(clusters, cause("missing", ";", "+")) is cluster.variants[0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("segfault at 0x7f00", "segfault at 0x7f99", True),
        ("[12:03:04] out of memory", "[12:03:09] out of memory", True),
        ("Engine@1b2c3d4e failed", "Engine@99ffee00 failed", True),
        ("no operator SEQ", "no operator OPTIONAL", False),
        ("panicked at src/main.rs:10:5", "panicked at src/main.rs:12:5", False),
        ("panicked at src/main.rs:10:5: 'x'", "panicked at src/main.rs:10:5: 'y'", True),
        ("exit 'x'", "exit 'y'", True),
        (
            'case 1\nTraceback (most recent call last):\n  File "/a/e.py", line 3\nKeyError: 1',
            'case 2\nTraceback (most recent call last):\n  File "/b/e.py", line 3\nKeyError: 2',
            True,
        ),
        (
            '  File "/a/e.py", line 3, in f\n    raise each\nKeyError: "A; B"\n',
            '  File "/a/e.py", line 4, in f\n    raise each\nKeyError: "A; B"\n',
            False,
        ),
        (
            "java.lang.MyException: SELECT *\nWHERE\n\tat a.B.c(B.java:12)\n\tat a.D.e(D.java:1)",
            "log\njava.lang.MyException: A\n\tat a.B.c(B.java:12)\n\tat a.F.g(F.java:2)",
            True,
        ),
        (
            "a.First: x\n\tat a.B.c(B.java:12)\nCaused by: a.Bad: y\n\tat a.B.d(B.java:7)",
            "a.First: x\n\tat a.B.c(B.java:12)\nCaused by: a.Bad: y\n\tat a.B.d(B.java:8)",
            False,
        ),
        (
            "/a/host.js:3\n throw e\n\nTypeError: no A\n    at f (/a/host.js:3:1)\n\nNode.js v20",
            "/b/host.js:3\n throw e\n\nTypeError: no B\n    at f (/b/host.js:3:1)\n\nNode.js v20",
            True,
        ),
        (
            "e.c:12: main: Assertion `a == 'x'' failed.",
            "warning\ne.c:12: main: Assertion `a == 'y'' failed.",
            True,
        ),
        (  # a regular expression that backtracks takes forever here
            'File "/a/e.py", line 4, in f\n' + 60 * f"{' ' * 20}A\n" + "(cut off)",
            'File "/b/e.py", line 4, in f\n' + 60 * f"{' ' * 20}B\n" + "(cut off)",
            True,
        ),
    ],
)
def test_what_differs_from_one_run_to_the_next_does_not_tell_crashes_apart(
    one: str, other: str, same: bool
) -> None:
    first, second = (last_words(Verdict(Outcome.CRASH, stderr=said)) for said in (one, other))
    assert (first == second) is same


def test_a_discrepancy_in_one_language_explains_none_in_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rounds, "ROUND", 5)
    report = fuzz(
        FunctionEngine(answers_nothing, "silent"), ["spaseq", "cqels"], examples=60, seed=1
    )
    assert {found.case.language for found in report.discrepancies} == {"spaseq", "cqels"}


def test_one_seed_does_one_thing() -> None:
    def run(seed: int) -> list[str]:
        broken = FunctionEngine(fails_under_collect, "fragile")
        report = fuzz(broken, SPASEQ, examples=15, seed=seed)
        told = [f"{report.failing} {report.answered}"]
        return told + [case_text(found.case) for found in report.discrepancies]

    fuzz(Oracle(), SPASEQ, examples=1, seed=0)  # loads what there is to load
    assert run(5) == run(5)
    assert run(5) != run(6)


class Variable:
    """An engine that answers nothing, in one of the ways in which it can be set up."""

    version, languages, level, own = "", ("spaseq",), "pair", False

    def __init__(self, name: str = "variable") -> None:
        self.name = name

    def varied(self, number: int) -> Any:
        return Variable("variable:odd") if number % 2 else self

    def run(self, task: Case) -> Iterable[Any]:
        return Oracle().run(task) if self.name == "variable" else []


def test_an_engine_is_set_up_in_turns_and_a_discrepancy_says_how() -> None:
    report = fuzz(Variable(), examples=100, seed=1)
    [found] = report.discrepancies
    assert found.example > 50
    assert found.engine == "variable:odd"
    assert "with --engine variable:odd" in summary(report)


class Forgetful(Production):
    """denota's engine, with a fault: what is restored from a checkpoint has no further results."""

    def run(self, case: Case) -> Iterable[Any]:
        schedule = case.schedule
        results = list(super().run(case))
        forgets = schedule is not None and any(cut.checkpoint for cut in schedule.cuts)
        return results[:1] if forgets else results


def test_a_discrepancy_names_its_schedule_which_is_shrunk_with_the_case(tmp_path: Path) -> None:
    report = fuzz(Forgetful(), SPASEQ, examples=150, seed=1, stop_after=1, save=tmp_path)
    [found] = report.discrepancies
    assert str(found.case.schedule) == "cuts=1!"
    assert "with the schedule cuts=1!" in found.case.title
    assert found.path is not None
    assert read_case(found.path).schedule == found.case.schedule
    assert not check_case(read_case(found.path), Forgetful()).ok
    assert check_case(read_case(found.path), Production()).ok


def test_each_case_is_checked_under_three_schedules_and_other_engines_under_one() -> None:
    of_spaseq = CaseRounds("spaseq", Production(), 1)
    drawn = list(of_spaseq.round(0, 0))
    assert all(len(each.schedules) == 3 for each in drawn)
    schedules = [schedule for each in drawn for schedule in each.schedules if schedule is not None]
    assert {"memory", "file", "live"} <= {schedule.driver for schedule in schedules}
    cuts = [cut for schedule in schedules for cut in schedule.cuts]
    assert any(cut.size != 1 for cut in cuts)
    assert any(cut.checkpoint for cut in cuts)
    [other, *_] = CaseRounds("spaseq", Oracle(), 1).round(0, 0)
    assert other.schedules == (None,)


def test_without_a_seed_the_report_names_one() -> None:
    first, second = (fuzz(Oracle(), SPASEQ, examples=1).seed for _ in range(2))
    assert first != second


def test_it_ends_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denota.oracle.fuzzing.differential.perf_counter", count().__next__)
    report = fuzz(Oracle(), SPASEQ, seconds=20, seed=1)
    assert report.examples == 10  # the time is asked for twice a case, and at the beginning
    assert 20 <= report.seconds < 25


def test_it_ends_after_enough_discrepancies() -> None:
    report = fuzz(
        FunctionEngine(answers_nothing, "silent"), SPASEQ, examples=1000, stop_after=1, seed=1
    )
    assert report.examples < 20


def test_an_interruption_ends_it_with_a_report() -> None:
    seen: list[int] = []

    def interrupt(report: FuzzReport) -> None:
        seen.append(report.examples)
        if report.examples == 7:
            raise KeyboardInterrupt

    report = fuzz(Oracle(), SPASEQ, examples=100, seed=1, progress=interrupt)
    assert report.interrupted
    assert report.examples == 7
    assert seen == [1, 2, 3, 4, 5, 6, 7]


def test_a_language_without_a_generator_is_a_clear_error() -> None:
    with pytest.raises(UnsupportedError, match="no cases can be generated in cypher"):
        fuzz(Oracle(), ["cypher"], examples=1)


def test_an_interruption_during_garbage_collection_ends_it_as_well() -> None:
    def collecting(phase: str, information: dict[str, int]) -> None:
        if phase == "start" and seen == [1, 2, 3]:
            signal.raise_signal(signal.SIGINT)

    def collect(report: FuzzReport) -> None:
        seen.append(report.examples)
        if report.examples == 3:
            gc.collect()

    seen: list[int] = []
    gc.callbacks.append(collecting)
    try:
        report = fuzz(Oracle(), SPASEQ, examples=100, seed=1, progress=collect)
    finally:
        gc.callbacks.remove(collecting)
    assert report.interrupted
    assert report.examples == 3
