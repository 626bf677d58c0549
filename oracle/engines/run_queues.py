"""How long processes could have run and did not, because others used the processors (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")


def waited_for_processors(pid: int) -> float:
    """Seconds that a process, by its first thread, has waited for processors; 0.0 if unknown."""
    return _waited(PROC / str(pid))


class Waiting:
    """What a program, and who asks it, have waited for processors since this was made.

    Of the program it is what that thread has waited, of all in it and in what it has started, that
    has waited longest. It is not the sum: then a program of many threads that hang could wait, all
    together, as long as time passes, and its time would never be up.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._before = dict(_threads(pid))
        self._asker_before = waited_for_processors(os.getpid())

    def seconds(self) -> float:
        """How long it is so far; 0.0 if the system does not say."""
        program = (
            waited - self._before.get(thread, 0.0) for thread, waited in _threads(self._pid)
        )
        asker = waited_for_processors(os.getpid()) - self._asker_before
        return max(0.0, *program, 0.0) + max(0.0, asker)


def _threads(pid: int) -> Iterator[tuple[int, float]]:
    """The threads of a process and of all that it has started, and what each has waited."""
    processes = [pid]
    for process in processes:
        try:
            threads = [*(PROC / str(process) / "task").iterdir()]
        except OSError:  # it has ended, or nobody says
            continue
        for thread in threads:
            yield int(thread.name), _waited(thread)
            try:
                started = (thread / "children").read_text(encoding="ascii")
            except OSError:
                continue
            processes += map(int, started.split())


def _waited(folder: Path) -> float:
    try:
        return int((folder / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
