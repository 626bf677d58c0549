"""Resident memory and pace, read on the way through a long stream."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter


def resident_mib() -> float:
    """This process' resident memory, in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmRSS in /proc/self/status")


class Pace:
    """When a row of figures is due, twenty times on the way, and the rate since the beginning."""

    def __init__(self, items: int) -> None:
        self._every = max(1, items // 20)
        self._begin = perf_counter()

    def due(self, count: int) -> bool:
        return count % self._every == 0

    def rate(self, count: int) -> int:
        """Items a second."""
        return round(count / (perf_counter() - self._begin))
