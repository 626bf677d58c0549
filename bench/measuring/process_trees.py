"""How much processor time a process and all that it has started have taken (Linux)."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path


def processor_seconds(root: int) -> Counter[str]:
    """Seconds by program, of all descendants of a process; what has ended counts for its parent."""
    children, taken = defaultdict(list), {}
    tick = os.sysconf("SC_CLK_TCK")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            before, _, after = stat.read_text(encoding="utf-8").rpartition(")")
            pid, _, program = before.partition(" (")
            fields = after.split()
            children[int(fields[1])].append(int(pid))
            taken[int(pid)] = program, sum(map(int, fields[11:15])) / tick
    found: Counter[str] = Counter()
    waiting = list(children[root])
    while waiting:
        pid = waiting.pop()
        program, seconds = taken[pid]
        found[program] += seconds  # type: ignore[assignment]
        waiting += children[pid]
    return found


def resident_bytes(root: int) -> dict[int, tuple[str, int]]:
    """The program and the resident memory of all descendants of a process."""
    children, held = defaultdict(list), {}
    page = os.sysconf("SC_PAGE_SIZE")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            before, _, after = stat.read_text(encoding="utf-8").rpartition(")")
            pid, _, program = before.partition(" (")
            fields = after.split()
            children[int(fields[1])].append(int(pid))
            held[int(pid)] = program, int(fields[21]) * page
    found, waiting = {}, list(children[root])
    while waiting:
        pid = waiting.pop()
        found[pid] = held[pid]
        waiting += children[pid]
    return found
