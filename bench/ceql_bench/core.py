"""CORE beside our engine, on the same events: a section of the documentation's page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from denota.engine.ceql.runtime import CeqlEngine
from denota.semantics.ceql.syntax.parse import parse

from . import data

TITLE = "Beside CORE"
MOST = 200_000
"""Complex events at most; a query that has more gets only the first events."""

_CHILD = Path(__file__).with_name("core_child.py")
_VERSION = "from importlib.metadata import version; print(version('pycer'))"
_RUNS = 3


class Beside(NamedTuple):
    """A query on as many events as both engines were given: seconds of processor time."""

    events: int
    matches: int
    core: float
    ours: float

    @property
    def ratio(self) -> float:
        return self.core / self.ours


def measure_core(
    batch: Any, queries: Mapping[str, str], python: str, tell: Callable[[str], None]
) -> dict[str, Beside]:
    """Both engines in turns, each query by itself."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in queries.items():
            prefix = data.plain(few(text, batch))
            path = Path(folder) / "events.csv"
            data.as_csv(prefix, path)
            ours, theirs = [], []
            for _ in range(_RUNS):
                began = process_time()
                matches = sum(each.num_rows for each in CeqlEngine(parse(text)).batches(prefix))
                ours.append(process_time() - began)
                core = asked(python, path, text)
                theirs.append(core["seconds"])
                if matches != core["matches"]:
                    sys.exit(f"{name}: CORE finds {core['matches']} matches, ours {matches}")
            found[name] = row = Beside(prefix.num_rows, matches, median(theirs), median(ours))
            tell(f"{name:6} CORE {row.core:.3f} s, ours {row.ours:.4f} s: {row.ratio:,.0f}")
    return found


def few(text: str, batch: Any) -> Any:
    """The first events, as many as make at most `MOST` complex events."""
    query = parse(text)

    def too_many(events: int) -> bool:
        return CeqlEngine(query).count(batch.slice(0, events)) > MOST

    return batch.slice(0, bisect_left(range(batch.num_rows + 1), True, key=too_many) - 1)


def asked(python: str, path: Path, text: str) -> Any:
    """What CORE needs for a query on the events of a file, and how many complex events it has."""
    done = subprocess.run(
        [python, str(_CHILD), str(path), in_core(text)], check=True, cwd=path.parent,
        capture_output=True, text=True,
    )  # fmt: skip
    # CORE itself writes to the same stream.
    return json.loads(next(line for line in done.stderr.splitlines() if line.startswith("{")))


def in_core(text: str) -> str:
    """The query as CORE means it: WITHIN n [attribute] is at most n - 1 there.

    >>> in_core("SELECT * FROM S WHERE A WITHIN 10 [t]")
    'SELECT * FROM S WHERE A WITHIN 11 [t]'
    """
    return re.sub(r"WITHIN (\d+) \[", lambda n: f"WITHIN {int(n[1]) + 1} [", text)


def version_of_core(python: str) -> str:
    told = subprocess.run([python, "-c", _VERSION], check=True, capture_output=True, text=True)
    return told.stdout.strip()


def section(found: Mapping[str, Beside], core: str, load: float) -> str:
    """The figures as a section of the page."""
    lines = [
        f"## {TITLE}",
        "",
        f"CORE (pycer {core}) and this engine in turns, in one run, in seconds of processor",
        "time, with all events in memory, CORE's as its event objects, this engine's as",
        "Arrow columns of plain strings: compiling the query, reading the events, and making every",
        "complex event, in CORE a text, here lists of positions. Both find the same number. Of",
        f"a query with more than {MOST:,} complex events only the first events are used, as many",
        "as make no more; where these are few, this engine's time is mostly compiling.",
        "",
        "| query | events | complex events | CORE | denota | CORE / denota |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, row in found.items():
        lines.append(
            f"| {name} | {row.events:,} | {row.matches:,} | {row.core:.3f} | {row.ours:.4f} |"
            f" {row.ratio:,.0f} |"
        )
    lines += [
        "",
        f"Medians of {_RUNS} runs; the load average was {load:.1f}, which makes processor times",
        "somewhat longer.",
        "`python bench/ceql.py --stocks stock_data.csv --core PYTHON --page docs/ceql-speed.md`",
        "measures this with all else, and with `--only-core` nothing else.",
        "",
    ]
    return "\n".join(lines)
