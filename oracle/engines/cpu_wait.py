"""Processor time of processes, and the time that they wait for processors (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def waited_for_processors(pid: int) -> float:
    """Return how many seconds a process's first thread has waited for CPUs; 0.0 if unknown."""
    return _times(PROC / str(pid))[1]


class Charge:
    """The time of a program that counts against its limit, in seconds.

    Of each interval between two looks it is what the program and all that it has started used of
    the processors or, if that is more, the time in which neither they nor this process waited for
    a processor. So a program that hangs is charged all time, also if many threads of it hang
    busily, and one that gets a tenth of a processor is charged a tenth of the time.
    """

    def __init__(self, pid: int, now: float) -> None:
        self._pid = pid
        self._now = now
        self._threads = dict(_threads(pid))
        self._asker = waited_for_processors(os.getpid())
        self._charged = 0.0

    def seconds(self, now: float) -> float:
        """Return the time charged until `now`, the time of the clock."""
        passed, self._now = now - self._now, now
        before, self._threads = self._threads, dict(_threads(self._pid))
        used = waited = 0.0
        for thread, (user, waiter) in self._threads.items():
            used_before, waited_before = before.get(thread, (0.0, 0.0))
            used += user - used_before
            waited += waiter - waited_before
        asker_before, self._asker = self._asker, waited_for_processors(os.getpid())
        free = passed - max(0.0, waited) - max(0.0, self._asker - asker_before)
        self._charged += max(0.0, used, free)
        return self._charged


def _threads(pid: int) -> Iterator[tuple[int, tuple[float, float]]]:
    """Yield the time used and waited by each thread of a process and of its descendants."""
    for process in (pid, *descendants(pid)):
        for thread in _tasks(process):
            yield int(thread.name), _times(thread)


def descendants(pid: int) -> Iterator[int]:
    """Yield the descendants of a process; none if unknown."""
    processes = [pid]
    for process in processes:
        for thread in _tasks(process):
            with suppress(OSError):
                started = (thread / "children").read_text(encoding="ascii")
                processes += map(int, started.split())
    yield from processes[1:]


def _tasks(process: int) -> list[Path]:
    try:
        return [*(PROC / str(process) / "task").iterdir()]
    except OSError:  # it has ended, or the system does not say
        return []


def _times(folder: Path) -> tuple[float, float]:
    try:
        used, waited, _ = (folder / "schedstat").read_text(encoding="ascii").split()
        return int(used) / 1e9, int(waited) / 1e9
    except (OSError, ValueError):
        return 0.0, 0.0
