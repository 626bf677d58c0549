"""How much processor time a process and all that it has started have taken (Linux)."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def processor_seconds(root: int) -> Counter[str]:
    """Seconds by program, of all descendants of a process; what has ended counts for its parent."""
    tick = os.sysconf("SC_CLK_TCK")
    found: Counter[str] = Counter()
    for _, program, fields in _descendants(root):
        found[program] += sum(map(int, fields[11:15])) / tick  # type: ignore[assignment]
    return found


def resident_bytes(root: int) -> dict[int, tuple[str, int]]:
    """The program and the resident memory of all descendants of a process."""
    page = os.sysconf("SC_PAGE_SIZE")
    return {
        pid: (program, int(fields[21]) * page) for pid, program, fields in _descendants(root)
    }


def _descendants(root: int) -> Iterator[tuple[int, str, list[str]]]:
    """Number, program, and from its state on the fields of /proc/PID/stat."""
    children = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            before, _, after = stat.read_text(encoding="utf-8").rpartition(")")
            pid, _, program = before.partition(" (")
            fields = after.split()
            children[int(fields[1])].append((int(pid), program, fields))
    waiting = list(children[root])
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children[process[0]]
