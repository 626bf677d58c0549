"""Memory of the production engine of CQELS-CEP over a long stream.

    python bench/cqels_memory.py [--items 1000000] [--window 1000] [--page docs/memory.md]

Vehicles are delayed at stops and arrive there, every fifth item over an interval; a third of the
stops are fresh IRIs, so that nothing can be remembered by accident. Memory is bounded by the
windows iff the resident memory of the last half is that of the first.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from measuring.memory import Pace, resident_mib
from measuring.pages import write_section
from rdflib.term import URIRef

from denota.engine.cqels.streaming_query import CqelsStreamingQuery
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.model.items import IntervalGraph, Item, TimestampedGraph
from denota.semantics.streams.merging import StreamItem, interval_items
from denota.semantics.streams.rdf.graphs import parse_graph

EX = "http://example.org/"
STREAM = URIRef(EX + "publicTransport")
STOPS = [URIRef(EX + name) for name in "mbhg"]
HEAD = """PREFIX : <http://example.org/>
SELECT * FROM :transportationMap FROM NAMED WINDOW :W ON :publicTransport [{window}] WHERE {{ """
QUERIES = {
    "two delays, no arrival (Example 6)": (
        "RANGE", "SEQ({?v :delayAt ?s}, {?v :delayAt ?s}, !{?v :arriveAt ?s})",
        "?v a :subway . ?s (^:beg/[:means :subway]/:end)+ :c",
    ),
    "two delays, no arrival between": (
        "RANGE", "SEQ({?v :delayAt ?s}, !{?v :arriveAt ?s}, {?v :delayAt ?s})", "?v a :subway",
    ),
    "three in a row": (
        "RANGE", "SEQ({?v :delayAt ?s}, {?v :delayAt ?t}, {?v :arriveAt ?u})", "?v a :subway",
    ),
}
MAP = """
:conn1 :beg :m ; :end :b ; :means :subway .  :conn2 :beg :b ; :end :c ; :means :subway .
:conn3 :beg :h ; :end :g ; :means :subway .  :conn4 :beg :g ; :end :c ; :means :tram .
"""


class Row(NamedTuple):
    """What was measured after so many items."""

    items: int
    resident_mib: float
    held: int
    rows: int
    solutions: int
    per_second: int


def stream(items: int, vehicles: int, seed: int) -> Iterator[Item]:
    """One report a time unit."""
    draw = random.Random(seed)
    names = [URIRef(f"{EX}v{number}") for number in range(vehicles)]
    what = [URIRef(EX + "delayAt"), URIRef(EX + "arriveAt")]
    for t in range(items):
        stop = draw.choice(STOPS) if draw.random() < 2 / 3 else URIRef(f"{EX}stop{t}")
        graph = frozenset({(draw.choice(names), draw.choice(what), stop)})
        if t % 5:
            yield TimestampedGraph(t, graph)
        else:
            yield IntervalGraph(t - draw.randrange(20), t, graph)


def measure(name: str, items: int, width: int) -> list[Row]:
    """Twenty rows of figures for one query."""
    window, sequence, background = QUERIES[name]
    text = HEAD.format(window=f"{window} {width}") + f"WINDOW :W {{ {sequence} }} {background} }}"
    vehicles = "".join(f":v{number} a :subway . " for number in range(0, 1_000, 2))
    kb = {URIRef(EX + "transportationMap"): parse_graph(MAP + vehicles, {"": EX})}
    running = CqelsStreamingQuery(parse(text), kb)
    engine = running.engine
    figures: list[Row] = []
    found = 0
    pace = Pace(items)

    def watched() -> Iterator[StreamItem]:
        for count, item in enumerate(interval_items(stream(items, 1_000, seed=7), STREAM), 1):
            yield item
            if pace.due(count):
                held = engine.statistics()
                rate = pace.rate(count)
                row = Row(count, round(resident_mib(), 1), held.items, held.rows, found, rate)
                figures.append(row)
                print(f"{name:36}", *(f"{value:>10,}" for value in row), flush=True)

    for _ in running.run(watched()):
        found += 1
    return figures


def section(figures: dict[str, list[Row]], width: int) -> str:
    """The figures as a section of the page on memory."""
    lines = [
        "## CQELS-CEP",
        "",
        f"A thousand vehicles report delays and arrivals; the window is `[RANGE {width:,}]`, one",
        "item a time unit. What the engine holds are the items in the window, as the rows that",
        "patterns have found in them, and the inputs of its joins and sequences.",
        "",
        "| query | items | resident at half, MiB | at the end, MiB | items held | rows held |"
        " solutions | items/s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, rows in figures.items():
        half, end = rows[len(rows) // 2 - 1], rows[-1]
        lines.append(
            f"| {name}: `{QUERIES[name][1]}` | {end.items:,} | {half.resident_mib} |"
            f" {end.resident_mib} | {end.held:,} | {end.rows:,} | {end.solutions:,} |"
            f" {end.per_second:,} |"
        )
    return "\n".join([
        *lines,
        "",
        "A window `[ALL]` never lets go of an item in which a pattern has found something, nor the",
        "engine of a solution that it has reported: memory grows linearly with these.",
        "",
        "`python bench/cqels_memory.py --page docs/memory.md` measures this and writes this"
        " section.",
        "",
    ])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--window", type=int, default=1_000)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    figures = {name: measure(name, arguments.items, arguments.window) for name in QUERIES}
    if arguments.page is not None:
        write_section(arguments.page, "CQELS-CEP", section(figures, arguments.window))


if __name__ == "__main__":
    main()
