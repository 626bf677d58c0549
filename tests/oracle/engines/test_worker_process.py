"""The clock of processes that are kept apart."""

from __future__ import annotations

import pytest

from denota.oracle.engines import worker_process
from denota.oracle.engines.engine import EngineTimeout
from denota.oracle.engines.worker_process import Clock


class Machine:
    """Says what time it is, and how long the process has waited for a processor."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waited = 7.0

    def passes(self, seconds: float, *, waiting: float = 0.0) -> None:
        self.now += seconds
        self.waited += waiting


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(worker_process, "monotonic", lambda: made.now)
    monkeypatch.setattr(worker_process, "waited_for_processors", lambda pid: made.waited)
    return made


def test_time_is_up(machine: Machine) -> None:
    clock = Clock()
    running = clock.running(10.0)
    running.__enter__()
    machine.passes(9.0)
    assert not clock.over()
    machine.passes(2.0)
    assert clock.over()
    assert clock.wait() == 0.0
    with pytest.raises(EngineTimeout):
        running.__exit__(None, None, None)
    assert not clock.over()


def test_waiting_for_a_processor_is_not_charged(machine: Machine) -> None:
    clock = Clock()
    running = clock.running(10.0)
    running.__enter__()
    machine.passes(60.0, waiting=55.0)
    assert not clock.over()
    assert clock.wait() > 0.0
    machine.passes(6.0, waiting=0.5)
    assert clock.over()
    with pytest.raises(EngineTimeout):
        running.__exit__(None, None, None)


def test_waiting_while_the_clock_stands_still_counts_once(machine: Machine) -> None:
    clock = Clock()
    running = clock.running(10.0)
    running.__enter__()
    with clock.stopped():
        machine.passes(60.0, waiting=55.0)
        assert not clock.over()
    machine.passes(9.0)
    assert not clock.over()
    machine.passes(2.0)
    assert clock.over()
    with pytest.raises(EngineTimeout):
        running.__exit__(None, None, None)
    assert clock.uncharged == 60.0


def test_ten_times_the_limit_by_the_clock_is_too_much(machine: Machine) -> None:
    clock = Clock()
    running = clock.running(10.0)
    running.__enter__()
    machine.passes(99.0, waiting=99.0)
    assert not clock.over()
    machine.passes(2.0, waiting=2.0)
    assert clock.over()
    with pytest.raises(EngineTimeout, match=r"within 100 s by the clock, 10 times the limit"):
        running.__exit__(None, None, None)
