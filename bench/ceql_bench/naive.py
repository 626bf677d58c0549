"""What CORE is compared with: an engine that keeps one run for each partial match.

It shares nothing with the engine but the deterministic automaton and the events' symbols: at each
event every run is looked at, and a run that marks the event is a new one beside the old. Compiled
as the engine is, so that the difference is the algorithm's.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from denota.engine.ceql.automaton.deterministic import Automaton
from denota.engine.ceql.runtime import CeqlEngine
from denota.engine.kernels import compiled

MOST_RUNS = 1 << 23
_CHUNK = 256


@compiled
def step_runs(
    symbols: Any,
    partitions: Any,  # empty: one
    keys: Any,
    begin: int,
    end: int,
    epsilon: int,
    room: int,
    rows: Any,
    start_rows: Any,
    transitions: Any,
    states: Any,
    starts: Any,
    owners: Any,
    links: Any,
    positions: Any,  # of the arena of marked positions
    parents: Any,
    counts: Any,  # runs, arena, matches, sum of the matches' positions
    found: Any,
    consume: bool,
) -> int:
    """Returns where it stopped: at `end`, or earlier when there are too many runs."""
    nowhere = 0xFFFFFFFF
    partition = 0
    for i in range(begin, end):
        if partitions.size > 0:
            partition = partitions[i]
        runs = counts[0]
        if runs * 2 + 8 > states.size or counts[1] + runs + 8 > positions.size:
            return i
        kept = 0
        fresh = runs  # runs made by this event stand behind the others
        matched = False
        for run in range(-1, runs):
            if run < 0:
                at = symbols[i] * 2
                first, last = start_rows[at], start_rows[at + 1]
                start, link = i, -1
            else:
                start, link = starts[run], links[run]
                if keys[i] - keys[start] > epsilon:
                    continue
                if owners[run] != partition:
                    states[kept], starts[kept] = states[run], start
                    owners[kept], links[kept] = owners[run], link
                    kept += 1
                    continue
                at = (states[run] * room + symbols[i]) * 2
                first, last = rows[at], rows[at + 1]
            stays = -1
            for t in range(first, last, 4):
                marking = transitions[t] != 0
                target = transitions[t + 2]
                node = link
                if marking:
                    node = counts[1]
                    positions[node] = i
                    parents[node] = link
                    counts[1] = node + 1
                if transitions[t + 3] != 0:
                    matched = True
                    counts[2] += 1
                    size = 0
                    back = node
                    while back >= 0:
                        found[size] = positions[back]
                        counts[3] += positions[back]
                        size += 1
                        back = parents[back]
                if target != nowhere:
                    if marking or run < 0:
                        states[fresh], starts[fresh] = target, start
                        owners[fresh], links[fresh] = partition, node
                        fresh += 1
                    else:
                        stays = target
            if stays >= 0:
                states[kept], starts[kept] = stays, start
                owners[kept], links[kept] = partition, link
                kept += 1
        for run in range(runs, fresh):
            states[kept], starts[kept] = states[run], starts[run]
            owners[kept], links[kept] = owners[run], links[run]
            kept += 1
        counts[0] = 0 if matched and consume else kept
        if counts[0] == 0:
            counts[1] = 0
    return end


class Outcome(NamedTuple):
    """How far the naive engine came in its time."""

    events: int
    seconds: float
    matches: int
    positions: int  # the sum of all positions of all matches
    runs: int  # at the end


def _all_determinised(automaton: Automaton) -> Automaton:
    state = 0
    while state < len(automaton.states):  # learning makes more
        for symbol in range(automaton.symbols):
            if (state, symbol) not in automaton.moves:
                automaton.learn(state, symbol)
        state += 1
    return automaton


def run_naive(engine: CeqlEngine, batch: Any, seconds: float) -> Outcome:
    """Run the engine's query naively for so long, or until there are too many runs.

    `engine` must be new; it lends its automaton and its encoding.
    """
    symbols, partitions = (codes.astype(np.int64) for codes in engine.encoded(batch))
    keys = batch.column("stock_time").to_numpy()
    tables = _all_determinised(engine.automaton).dense_tables()
    arrays = [np.zeros(MOST_RUNS, np.int64) for _ in range(4)]
    arena = [np.zeros(4 * MOST_RUNS, np.int64) for _ in range(2)]
    counts = np.zeros(4, np.int64)
    fixed = (
        int(engine.window.extent), int(tables.symbol_room), tables.rows.astype(np.int64),
        tables.start_rows.astype(np.int64), tables.transitions.astype(np.int64),
    )  # fmt: skip
    consume = engine.query.consume.value == "ANY"
    found = np.zeros(1 << 16, np.int64)

    def step(begin: int, end: int) -> int:
        return step_runs(
            symbols, partitions, keys, begin, end, *fixed, *arrays, *arena, counts, found, consume
        )

    step(0, 0)  # compiled or read from the cache
    begin = perf_counter()
    at, taken = 0, 0.0
    while at < batch.num_rows and taken < seconds:
        end = min(at + _CHUNK, batch.num_rows)
        stopped = step(at, end)
        at = stopped
        taken = perf_counter() - begin
        if stopped < end:
            break
    return Outcome(at, taken, int(counts[2]), int(counts[3]), int(counts[0]))
