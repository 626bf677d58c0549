"""Ten million items through SPAseq's engine, by batches: flat memory, whatever a batch's size.

    python bench/spaseq_soak.py [--items 10000000] [--window 1000] [--page docs/memory.md]

Every event has a subject of its own, so that nothing can be remembered by accident. The same items
go in batches of two sizes; both must find the same number of matches. Memory is bounded by the
window iff the resident memory of the last half is that of the first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measuring.memory import Pace, resident_mib
from measuring.pages import write_section
from rdf_bench.spaseq import KEYED, made
from rdf_bench.streams import STREAM, iri

from denota.engine.rdf.columns.batch import GraphBatch
from denota.engine.rdf.data.dictionary import Dictionary
from denota.semantics.model.items import TimeKind

KEYS = 200


class Row(NamedTuple):
    """What was measured after so many items."""

    items: int
    resident_mib: float
    nodes: int
    terms: int
    matches: int
    per_second: int


def columns(dictionary: Dictionary, items: int, size: int, seed: int = 7) -> Iterator[GraphBatch]:
    """⟨event a|b|c key⟩ in batches; a batch's terms are encoded when it is asked for."""
    keys = np.array([dictionary.encode(iri(f"k{n}"), permanent=True) for n in range(KEYS)])
    kinds = np.array([dictionary.encode(iri(name), permanent=True) for name in "abc"])
    draw = np.random.default_rng(seed)
    drawn = 1 << 16  # what is drawn at once does not depend on the size of batches
    for begin in range(0, items, drawn):
        kind, key = draw.integers(0, 3, drawn), draw.integers(0, KEYS, drawn)
        for first in range(0, min(drawn, items - begin), size):
            here = slice(first, min(first + size, items - begin, drawn))
            count = here.stop - here.start
            times = np.arange(begin + here.start, begin + here.stop)
            events = np.array([dictionary.encode(iri(f"e{time}")) for time in times.tolist()])
            none = np.zeros(count, np.int64)
            yield GraphBatch(
                dictionary, TimeKind.INTEGER, (STREAM,), none, times, times, none,
                np.arange(count + 1), events, kinds[kind[here]], keys[key[here]],
            )


def measured(items: int, window: int, size: int) -> list[Row]:
    """Twenty rows of figures."""
    engine = made(KEYED, window)
    rows: list[Row] = []
    pace, count, matches = Pace(items), 0, 0
    due = items // 20
    for batch in columns(engine.dictionary, items, size):
        matches += len(engine.feed_batch(batch))
        engine.sweep()
        count += len(batch)
        if count >= due * (len(rows) + 1) or count == items:
            held = engine.statistics()
            row = Row(
                count, round(resident_mib(), 1), held.nodes, held.terms, matches, pace.rate(count)
            )
            rows.append(row)
            print(f"{size:>6}", *(f"{value:>12,}" for value in row), flush=True)
    return rows


def section(runs: dict[int, list[Row]], window: int) -> str:
    """A section of the page on memory."""
    lines = [
        "## SPAseq by batches",
        "",
        f"`SEQ(A: B: C)` with an equal key, a window of {window:,} items, every event with a",
        "subject of its own. Terms that no partial match holds are forgotten between two batches.",
        "",
        "| items in a batch | items | resident at half, MiB | at the end, MiB | nodes | matches |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for size, rows in runs.items():
        half, end = rows[len(rows) // 2 - 1], rows[-1]
        lines.append(
            f"| {size:,} | {end.items:,} | {half.resident_mib} | {end.resident_mib} "
            f"| {end.nodes:,} | {end.matches:,} |"
        )
    command = "`python bench/spaseq_soak.py --page docs/memory.md`"
    return "\n".join([*lines, "", f"{command} measures this and writes this section.", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000_000)
    parser.add_argument("--window", type=int, default=1_000, help="in items, one a time unit")
    parser.add_argument("--sizes", type=int, nargs="+", default=[16_384, 1_000])
    parser.add_argument("--page", type=Path, help="the page whose section is written")
    arguments = parser.parse_args()
    runs = {
        size: measured(arguments.items, arguments.window, size) for size in arguments.sizes
    }
    if len({rows[-1].matches for rows in runs.values()}) > 1:
        print("matches depend on the size of batches", file=sys.stderr)
        return 1
    if arguments.page:
        write_section(arguments.page, "SPAseq by batches", section(runs, arguments.window))
    return 0


if __name__ == "__main__":
    sys.exit(main())
