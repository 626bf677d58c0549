"""Engines kept apart: whatever they do is a verdict, and nothing of it reaches the tester."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rdflib.term import URIRef

from denota.engine.warm_up import warm_up
from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.embedded_text import Table, Text
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome
from denota.oracle.checking.worker_pool import check_cases
from denota.oracle.cli import main
from denota.oracle.engines import isolated_engine, worker_process
from denota.oracle.engines.builtin import Production
from denota.oracle.engines.engine import Engine, close
from denota.oracle.engines.engine_specs import engine
from denota.oracle.fuzzing.differential import fuzz

ENGINE = '''\
import os, re, signal, sys, threading, time

import denota

asked = 0


class Interrupting(BaseException):
    pass


def misbehave():
    {body}


def make():
    return run


def run(query, streams, kb, readings, start):
    """Every second case is the one too many."""
    global asked
    asked += 1
    if asked % 2 == 0:
        misbehave()
    return denota.run(query, streams, kb, readings, start)
'''

ROOT = Path(isolated_engine.__file__).resolve().parents[2]

MakeEngine = Callable[[str], str]
CaseText = Callable[..., str]
UntilGone = Callable[[int], None]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeEngine:
    """Writes a module with an engine that does something at each second case."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = iter(range(1 << 16))

    def written(body: str) -> str:
        name = f"apart_{abs(hash(str(tmp_path)))}_{next(names)}"
        lines = body.replace("\n", "\n    ")
        (tmp_path / f"{name}.py").write_text(ENGINE.format(body=lines), encoding="utf-8")
        return f"python:{name}:make"

    return written


@pytest.fixture
def folder(tmp_path: Path, case_text: CaseText) -> Path:
    cases = tmp_path / "cases"
    cases.mkdir()
    for number in range(4):
        (cases / f"{number}.case.yaml").write_text(case_text(), encoding="utf-8")
    return cases


EXITS = [
    ("sys.exit(0)", "SystemExit: 0"),
    ("os._exit(0)", "the process ended (exit code 0)"),
    ("raise GeneratorExit", "GeneratorExit: GeneratorExit"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt: KeyboardInterrupt"),
    ("os.kill(os.getpid(), signal.SIGINT)", "KeyboardInterrupt: KeyboardInterrupt"),
    ("raise Interrupting('now')", "Interrupting: now"),
    ("os.kill(os.getpid(), signal.SIGKILL)", "the process ended (signal SIGKILL)"),
    ("os.close(3); os.closerange(3, 100); os._exit(4)", "the process ended (exit code 4)"),
]

STUCK = [
    "while True: time.sleep(60)",
    # Swallows whatever is raised, and ignores every signal that can be ignored.
    "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\n"
    "while True:\n    try: time.sleep(60)\n    except BaseException: pass",
    # In C, where no signal's handler is called.
    "re.match('(a+)+$', 'a' * 100 + 'b')",
]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("body, detail", EXITS)
def test_an_engine_that_ends_its_process_has_crashed(
    make: MakeEngine, case_text: CaseText, body: str, detail: str, jobs: int
) -> None:
    cases = [parse_case(case_text())] * 4
    verdicts = [v for v, _ in check_cases(cases, make(body), timeout=600.0, jobs=jobs)]
    assert len(verdicts) == 4
    crashed = [v for v in verdicts if not v.ok]
    assert {(v.outcome, v.detail) for v in crashed} == {(Outcome.CRASH, detail)}
    assert 1 <= len(crashed) <= 2


@pytest.mark.parametrize("body, detail", EXITS)
def test_it_has_where_a_single_case_is_judged(
    make: MakeEngine, case_text: CaseText, body: str, detail: str
) -> None:
    judged = engine(make(body))
    case = parse_case(case_text())
    try:
        verdicts = [check_case(case, judged) for _ in range(3)]
    finally:
        close(judged)
    assert [v.outcome for v in verdicts] == [Outcome.PASS, Outcome.CRASH, Outcome.PASS]
    assert verdicts[1].detail == detail


@pytest.mark.parametrize("words", [["check", "CASES"], ["check", "CASES", "--jobs", "2"],
                                   ["fuzz", "-l", "spaseq", "-n", "6", "--seed", "1"]])
@pytest.mark.parametrize("body", ["sys.exit(0)", "os._exit(0)", "raise KeyboardInterrupt"])
def test_no_command_ends_with_0(
    make: MakeEngine, folder: Path, capsys: pytest.CaptureFixture[str], words: list[str],
    body: str,
) -> None:
    words = [str(folder) if word == "CASES" else word for word in words]
    assert main([*words, "--engine", make(body)]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["import os; os._exit(0)", "import sys; sys.exit(0)",
                                  "def make(): raise SystemExit(0)"])
def test_an_engine_that_cannot_be_made_is_bad_input(
    make: MakeEngine, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    name = make("pass").split(":")[1]
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    for words in (["check", str(folder)], ["check", str(folder), "--jobs", "2"], ["fuzz"]):
        assert main([*words, "--engine", f"python:{name}:make"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("body", STUCK)
def test_no_engine_outlives_its_limit(
    make: MakeEngine, case_text: CaseText, clock: str, body: str, jobs: int
) -> None:
    cases = [parse_case(case_text())] * 3
    name = make(f"{clock}\n{body}")
    verdicts = [v for v, _ in check_cases(cases, name, timeout=10.0, jobs=jobs)]
    late = [v for v in verdicts if not v.ok]
    assert {(v.outcome, v.detail) for v in late} == {(Outcome.TIMEOUT, "no answer within 10 s")}


@pytest.mark.parametrize("body", STUCK)
def test_an_object_is_no_exception(case_text: CaseText, clock: str, body: str) -> None:
    names: dict[str, Any] = {}
    exec(ENGINE.format(body=f"{clock}\n{body}".replace("\n", "\n    ")), names)

    class Mine:
        name, version, languages, level = "mine", "1", ("spaseq",), "pair"

        def run(self, task: Any) -> Iterable[Any]:
            rest = (task.streams, task.kb, task.readings, None)
            return list(names["run"](task.tree, *rest))

    mine: Any = Mine()
    case = parse_case(case_text())
    outcomes = [check_case(case, mine, timeout=10.0).outcome for _ in range(3)]
    assert outcomes == [Outcome.PASS, Outcome.TIMEOUT, Outcome.PASS]


@pytest.mark.parametrize("after", ["pass", "raise ValueError", "raise denota.UnsupportedError('')"])
def test_an_answer_that_comes_too_late_is_none(
    make: MakeEngine, case_text: CaseText, clock: str, after: str
) -> None:
    judged = engine(make(f"{clock}\n{after}"))
    case = parse_case(case_text())
    outcomes = [check_case(case, judged, timeout=10.0).outcome for _ in range(2)]
    close(judged)
    assert outcomes == [Outcome.PASS, Outcome.TIMEOUT]


def test_what_denota_imports_and_compiles_is_charged_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case_text: CaseText, clock: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    slow = f"slow_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{slow}.py").write_text(f"{clock}\n", encoding="utf-8")

    class Lazy(Production):
        def run(self, task: Any) -> Any:
            import_module(slow)
            with warm_up():
                exec(clock)
            return super().run(task)

    class NotOwn(Lazy):
        own = False

    case = parse_case(case_text())
    assert check_case(case, Lazy(), timeout=10.0).ok
    assert check_case(case, NotOwn(), timeout=10.0).outcome is Outcome.TIMEOUT


@pytest.mark.slow  # it compiles anew
def test_a_limit_is_not_reached_by_compiling(tmp_path: Path) -> None:
    case = ROOT / "corpus" / "papers" / "ceql" / "figure-1-q2.case.yaml"
    code = (
        "import sys\n"
        "from denota.engine.kernels import KERNELS\n"
        "from denota.oracle.cli import main\n"
        "KERNELS.compile()\n"
        f"sys.exit(main(['check', '--timeout', '5', {str(case)!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "cache").rglob("*.nbi")), "nothing was compiled"


def test_what_an_engine_has_started_ends_with_it(
    make: MakeEngine, case_text: CaseText, clock: str, tmp_path: Path, until_gone: UntilGone
) -> None:
    told = tmp_path / "grandchild"
    judged = engine(make(
        "import subprocess\n"
        f"started = subprocess.Popen(['sleep', '1000000'])\n"
        f"open({str(told)!r}, 'w').write(str(started.pid))\n"
        f"{clock}\nwhile True: time.sleep(60)"
    ))
    case = parse_case(case_text())
    outcomes = [check_case(case, judged, timeout=10.0).outcome for _ in range(2)]
    close(judged)
    assert outcomes == [Outcome.PASS, Outcome.TIMEOUT]
    until_gone(int(told.read_text(encoding="utf-8")))


def test_a_process_ends_with_its_parent(
    tmp_path: Path, folder: Path, make: MakeEngine, until_gone: UntilGone
) -> None:
    told = tmp_path / "pid"
    name = make(
        f"open({str(told)!r} + 'x', 'w').write(str(os.getpid()))\n"
        f"os.rename({str(told)!r} + 'x', {str(told)!r})\n"
        "while True: time.sleep(60)"
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "denota", "check", str(folder), "--engine", name,
         "--timeout", "1000"],
        cwd=tmp_path, stdout=subprocess.DEVNULL,
    )
    until(told.exists)
    running.kill()
    running.wait()
    until_gone(int(told.read_text(encoding="utf-8")))


def test_what_cannot_be_sent_is_a_crash(make: MakeEngine, case_text: CaseText) -> None:
    class Odd:
        name, version, languages, level = "odd", "1", ("spaseq",), "pair"

        def run(self, task: Any) -> Any:
            return [lambda: 1]

    odd: Any = Odd()
    verdict = check_case(parse_case(case_text()), odd)
    assert verdict.outcome is Outcome.CRASH
    assert "cannot be sent" in verdict.detail


def test_a_task_that_cannot_be_sent_is_judged_all_the_same(case_text: CaseText) -> None:
    task = parse_case(case_text())
    task.unsendable = lambda: 1  # type: ignore[attr-defined]
    from denota.oracle.checking.case_checker import check_case

    judged = Production()
    assert [check_case(task, judged).outcome for _ in range(2)] == [Outcome.PASS] * 2
    assert check_case(parse_case(case_text()), judged).ok


def test_an_engine_is_asked_in_one_process_as_long_as_it_behaves(case_text: CaseText) -> None:
    class Counting(Production):
        asked = 0

        def run(self, task: Any) -> Any:
            self.asked += 1
            if self.asked == 3:
                raise ZeroDivisionError
            return super().run(task)

    case, judged = parse_case(case_text()), Counting()
    assert [check_case(case, judged).ok for _ in range(5)] == [True, True, False, True, True]
    assert judged.asked == 0, "what an engine does is done elsewhere"


def test_the_fork_is_gone_when_the_engine_is(
    case_text: CaseText, until_gone: UntilGone
) -> None:
    judged: Engine = Production()
    assert check_case(parse_case(case_text()), judged).ok
    process = isolated_engine.apart_of(judged, "spaseq")._process
    assert process is not None
    pid = process.pid
    del judged, process
    until_gone(pid)


def test_the_user_can_interrupt(
    case_text: CaseText, make: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C reaches the tester, not the engine."""
    monkeypatch.setattr(worker_process, "_FAREWELL", 0.1)  # it never ends by itself
    case: Case = parse_case(case_text())
    judged = engine(make(
        "os.kill(os.getppid(), signal.SIGINT)\nwhile True: time.sleep(60)"
    ))
    assert check_case(case, judged, timeout=1000.0).ok
    with pytest.raises(KeyboardInterrupt):
        check_case(case, judged, timeout=1000.0)
    close(judged)
    name = make("os.kill(os.getppid(), signal.SIGINT)\nwhile True: time.sleep(60)")
    report = fuzz(engine(name), ["spaseq"], examples=10, seed=1)
    assert report.interrupted


def until(happens: Callable[[], bool]) -> None:
    """Waits for as long as it takes."""
    while not happens():
        time.sleep(0.01)


def test_a_process_answers_one_case_of_tuples_after_another() -> None:
    """A task of tuples can be sent although its streams, once read, cannot."""
    with closing(isolated_engine.IsolatedEngine(Production)) as kept:
        found = []
        for price in (1, 2):
            task = Case(
                "ceql", Text("SELECT * FROM S WHERE A"),
                {URIRef("S"): Table(f"type,price\nA,{price}\n")},
            )
            assert [tuples.type for tuples in task.streams[URIRef("S")]] == ["A"]
            assert len(kept.answer(task, None)) == 1
            found.append(kept._process)
    assert found[0] is found[1]
