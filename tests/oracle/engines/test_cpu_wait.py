"""What a program is charged, as a folder like /proc says it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from denota.oracle.engines import cpu_wait
from denota.oracle.engines.cpu_wait import Charge, waited_for_processors

ASKER = os.getpid()
PROGRAM, STARTED = 10**8, 10**8 + 5


class Proc:
    """A folder in which it stands who has used processors, and waited for them, how long."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def says(
        self, process: int, thread: int, used: float, waited: float, started: str = ""
    ) -> None:
        """A thread has used and waited so many seconds, and has started these processes."""
        task = self.folder / str(process) / "task" / str(thread)
        task.mkdir(parents=True, exist_ok=True)
        schedstat = f"{int(used * 1e9)} {int(waited * 1e9)} 7\n"
        for folder in (task, task.parents[1]) if thread == process else (task,):
            (folder / "schedstat").write_text(schedstat, encoding="ascii")
        (task / "children").write_text(started, encoding="ascii")


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Proc:
    """A program of two threads, the second of which has started another one, and who asks."""
    monkeypatch.setattr(cpu_wait, "PROC", tmp_path)
    made = Proc(tmp_path)
    made.says(ASKER, ASKER, 9.0, 50.0)
    made.says(PROGRAM, PROGRAM, 1.0, 3.0)
    made.says(PROGRAM, PROGRAM + 1, 1.0, 2.0, f"{STARTED} ")
    made.says(STARTED, STARTED, 1.0, 1.0)
    return made


def test_a_program_that_hangs_is_charged_all_time(proc: Proc) -> None:
    charge = Charge(PROGRAM, 100.0)
    assert charge.seconds(100.0) == 0.0
    assert charge.seconds(104.0) == 4.0


def test_a_program_that_waits_is_charged_what_it_uses(proc: Proc) -> None:
    charge = Charge(PROGRAM, 100.0)
    proc.says(PROGRAM, PROGRAM, 2.0, 11.0)
    assert charge.seconds(110.0) == 2.0  # it neither ran nor waited for the other second
    proc.says(STARTED, STARTED, 4.0, 8.0)
    assert charge.seconds(120.0) == 5.0


def test_threads_that_hang_busily_are_charged_though_they_wait_for_one_another(
    proc: Proc,
) -> None:
    charge = Charge(PROGRAM, 100.0)
    proc.says(PROGRAM, PROGRAM, 6.0, 8.0)
    proc.says(PROGRAM, PROGRAM + 1, 6.0, 7.0, f"{STARTED} ")
    assert charge.seconds(110.0) == 10.0


def test_a_thread_and_a_process_that_are_new_count(proc: Proc) -> None:
    charge = Charge(PROGRAM, 100.0)
    proc.says(STARTED, STARTED, 1.0, 1.0, f"{STARTED + 1}")
    proc.says(STARTED + 1, STARTED + 1, 3.0, 9.0)
    assert charge.seconds(110.0) == 3.0


def test_who_asks_may_have_waited_to_hear_the_answer(proc: Proc) -> None:
    charge = Charge(PROGRAM, 100.0)
    proc.says(ASKER, ASKER, 9.0, 58.0)
    assert charge.seconds(110.0) == 2.0


def test_where_the_system_does_not_say_it_all_time_is_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_wait, "PROC", tmp_path / "nowhere")
    assert Charge(ASKER, 100.0).seconds(107.0) == 7.0
    assert waited_for_processors(ASKER) == 0.0


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="only Linux says it")
def test_the_system_says_it() -> None:
    waited = waited_for_processors(ASKER)
    assert 0.0 <= waited <= waited_for_processors(ASKER)
    assert Charge(ASKER, 100.0).seconds(100.0) >= 0.0
