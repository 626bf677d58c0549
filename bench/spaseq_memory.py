"""Resident memory of the production engine over a long stream.

    python bench/spaseq_memory.py [--events 1000000] [--window 1000] [--page docs/memory.md]

A sensor stream of fresh IRIs and numbers (so that nothing can be remembered by accident) runs
through several queries. Printed every so often: resident memory, what the engine remembers, and the
rate. Memory is bounded by the window iff the resident memory of the last half is that of the first.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from measuring.memory import Pace, resident_mib
from rdflib.term import URIRef

from denota.engine.spaseq import SpaseqEngine
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import Graph, literal
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.streams.merging import merge

Figures: TypeAlias = dict[str, list[dict[str, float]]]

EX = "http://example.org/"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
STREAM = URIRef(EX + "s")
SENSOR, VALUE = URIRef(EX + "sensor"), URIRef(EX + "value")
HEAD = """PREFIX : <http://example.org/>
SELECT {select} WITHIN {window} FROM STREAM S :s WHERE {{ SEQ({seq})"""
GPM = """
 DEFINE GPM A ON S {{ ?a :sensor ?s ; :value ?x . FILTER (?x > {high}) }}
 DEFINE GPM B ON S {{ ?b :sensor ?s ; :value ?y . FILTER (?y < ?x) }}
 DEFINE GPM C ON S {{ ?c :sensor ?s ; :value ?z . FILTER (?z > ?x) }} }}"""
QUERIES = {
    "skip-till-next": ("?s ?a ?c", "A; B; C", "tumbling", 80),
    "skip-till-any": ("?s ?c", "A: B: C", "match", 90),
    "kleene": ("?s ?a ?b", "A; B+", "match", 90),
}


def items(events: int, sensors: int, seed: int) -> Iterator[TimestampedGraph]:
    """One reading a time unit, each with a subject of its own."""
    random_ = random.Random(seed)
    names = [URIRef(f"{EX}sensor/{i}") for i in range(sensors)]
    for time_ in range(events):
        subject = URIRef(f"{EX}reading/{time_}")
        value = literal.__wrapped__(str(random_.randrange(1_000_000) // 10_000), INTEGER)
        graph: Graph = frozenset(
            {(subject, SENSOR, random_.choice(names)), (subject, VALUE, value)}
        )
        yield TimestampedGraph(time_, graph)


def measure(name: str, events: int, window: int) -> list[dict[str, float]]:
    select, sequence, reading, high = QUERIES[name]
    text = HEAD.format(select=select, window=window, seq=sequence) + GPM.format(high=high)
    engine = SpaseqEngine(parse(text), readings=Readings.of({"window": reading}))
    rows: list[dict[str, float]] = []
    matches, pace = 0, Pace(events)
    stream = merge({STREAM: items(events, 20, seed=7)}, ties="error", order=(STREAM,))
    for count, item in enumerate(stream, 1):
        matches += len(engine.feed(item))
        if pace.due(count):
            held = engine.statistics()
            row = {
                "events": count,
                "resident_mib": round(resident_mib(), 1),
                "nodes": held.nodes,
                "groups": held.groups,
                "terms": held.terms,
                "matches": matches,
                "events_per_second": pace.rate(count),
            }
            rows.append(row)
            print(f"{name:15}", "  ".join(f"{k} {v:>10,}" for k, v in row.items()), flush=True)
    return rows


def page(figures: Figures, window: int) -> str:
    """The figures as a page of the documentation."""
    lines = [
        "# Memory of the production engine",
        "",
        "What the engine remembers is bounded by the window, whatever has gone by. Here every",
        f"event has a subject of its own, the window is {window:,} events wide, and resident",
        "memory (the whole process, Python included) is read twenty times on the way.",
        "",
        "![Resident memory by the number of events: one flat line a query](pictures/memory.svg)",
        "",
        "| query | events | resident at half, MiB | at the end, MiB | nodes at the end | matches |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, rows in figures.items():
        half, end = rows[len(rows) // 2 - 1], rows[-1]
        _, sequence, reading, _ = QUERIES[name]
        lines.append(
            f"| {name}: `SEQ({sequence})`, window={reading} | {end['events']:,.0f} | "
            f"{half['resident_mib']} | {end['resident_mib']} | {end['nodes']:,.0f} | "
            f"{end['matches']:,.0f} |"
        )
    lines += [
        "",
        "Nodes are the partial matches; those that differ only in their past are one.",
        "Terms that no partial match holds are evicted from the dictionary in portions.",
        "",
        "`python bench/spaseq_memory.py --page docs/memory.md` measures this and writes this page.",
        "",
    ]
    return "\n".join(lines)


def plot(figures: Figures) -> str:
    """Resident memory against events, as SVG."""
    width, height, left, bottom = 640, 300, 60, 250
    most = max(row["events"] for rows in figures.values() for row in rows)
    top = max(row["resident_mib"] for rows in figures.values() for row in rows) * 1.25
    colours = ("#0550ae", "#953800", "#116329")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="resident memory by events">',
        "<style>text { font: 12px sans-serif; fill: #1b1f24 }</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<path d="M{left},20 V{bottom} H{width - 20}" fill="none" stroke="#1b1f24"/>',
        f'<text x="{width - 20}" y="{bottom + 34}" text-anchor="end">events</text>',
        f'<text x="{left}" y="14" text-anchor="middle">MiB</text>',
    ]
    for i in range(5):
        mib, events = top * i / 4, most * i / 4
        y, x = bottom - (bottom - 30) * i / 4, left + (width - left - 40) * i / 4
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{mib:.0f}</text>')
        parts.append(
            f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{events:,.0f}</text>'
        )
    for i, (name, rows) in enumerate(figures.items()):
        points = " ".join(
            f"{left + (width - left - 40) * row['events'] / most:.1f},"
            f"{bottom - (bottom - 30) * row['resident_mib'] / top:.1f}"
            for row in rows
        )
        colour = colours[i % len(colours)]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(
            f'<text x="{left + 24}" y="{150 + 18 * i}" style="fill: {colour}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--window", type=int, default=1_000, help="in events, one a time unit")
    parser.add_argument("--query", choices=QUERIES, action="append")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--figures", type=Path, help="an earlier run's figures, to write a page")
    parser.add_argument("--page", type=Path, help="the page to write, with a picture beside it")
    arguments = parser.parse_args()
    figures: Figures = {}
    if arguments.figures:
        figures = json.loads(arguments.figures.read_text(encoding="utf-8"))
    else:
        for name in arguments.query or QUERIES:
            figures[name] = measure(name, arguments.events, arguments.window)
    if arguments.page:
        picture = arguments.page.parent / "pictures" / "memory.svg"
        picture.write_text(plot(figures), encoding="utf-8")
        others = ""
        if arguments.page.exists():  # the sections of other languages stay
            _, heading, rest = arguments.page.read_text(encoding="utf-8").partition("\n## ")
            others = heading + rest
        arguments.page.write_text(
            page(figures, arguments.window) + others, encoding="utf-8"
        )
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
