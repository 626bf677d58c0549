"""What a program has waited for processors, as a folder like /proc says it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from denota.oracle.engines import run_queues
from denota.oracle.engines.run_queues import Waiting, waited_for_processors

ASKER = os.getpid()
PROGRAM, STARTED = 10**8, 10**8 + 5


class Proc:
    """A folder in which it stands who has waited how long."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def says(self, process: int, thread: int, waited: float, started: str = "") -> None:
        """A thread has waited so many seconds, and has started these processes."""
        task = self.folder / str(process) / "task" / str(thread)
        task.mkdir(parents=True, exist_ok=True)
        schedstat = f"5 {int(waited * 1e9)} 7\n"
        for folder in (task, task.parents[1]) if thread == process else (task,):
            (folder / "schedstat").write_text(schedstat, encoding="ascii")
        (task / "children").write_text(started, encoding="ascii")


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Proc:
    """A program of two threads, the second of which has started another one, and who asks."""
    monkeypatch.setattr(run_queues, "PROC", tmp_path)
    made = Proc(tmp_path)
    made.says(ASKER, ASKER, 50.0)
    made.says(PROGRAM, PROGRAM, 3.0)
    made.says(PROGRAM, PROGRAM + 1, 2.0, f"{STARTED} ")
    made.says(STARTED, STARTED, 1.0)
    return made


def test_the_thread_that_has_waited_longest_counts(proc: Proc) -> None:
    waiting = Waiting(PROGRAM)
    assert waiting.seconds() == 0.0
    proc.says(PROGRAM, PROGRAM, 4.0)
    proc.says(PROGRAM, PROGRAM + 1, 9.0, f"{STARTED} ")
    assert waiting.seconds() == 7.0


def test_what_the_program_has_started_counts(proc: Proc) -> None:
    waiting = Waiting(PROGRAM)
    proc.says(STARTED, STARTED, 6.0)
    assert waiting.seconds() == 5.0
    proc.says(STARTED, STARTED, 6.0, f"{STARTED + 1}")
    proc.says(STARTED + 1, STARTED + 1, 8.0)
    assert waiting.seconds() == 8.0


def test_who_asks_may_have_waited_to_hear_the_answer(proc: Proc) -> None:
    waiting = Waiting(PROGRAM)
    proc.says(PROGRAM, PROGRAM, 4.0)
    proc.says(ASKER, ASKER, 52.0)
    assert waiting.seconds() == 3.0


def test_of_what_is_gone_nothing_is_known(proc: Proc) -> None:
    waiting = Waiting(PROGRAM + 77)
    assert waiting.seconds() == 0.0
    assert waited_for_processors(PROGRAM + 77) == 0.0


def test_where_nobody_says_it_all_time_is_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_queues, "PROC", tmp_path / "nowhere")
    assert Waiting(ASKER).seconds() == 0.0
    assert waited_for_processors(ASKER) == 0.0


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="only Linux says it")
def test_the_system_says_it() -> None:
    waited = waited_for_processors(ASKER)
    waiting = Waiting(ASKER)
    assert 0.0 <= waited <= waited_for_processors(ASKER)
    assert waiting.seconds() >= 0.0
