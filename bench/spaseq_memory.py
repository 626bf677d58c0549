"""Resident memory of the production engine over a long stream.

    python bench/spaseq_memory.py [--events 1000000] [--window 1000] [--output bench/results/…]

A sensor stream of fresh IRIs and numbers (so that nothing can be remembered by accident) runs
through several queries. Printed every so often: resident memory, what the engine remembers, and the
rate. Memory is bounded by the window iff the resident memory of the last half is that of the first.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rdflib.term import URIRef

from denota.engine.spaseq import SpaseqEngine
from denota.semantics.rdf.terms import Graph, literal
from denota.semantics.spaseq.parse import parse
from denota.semantics.spaseq.readings import Readings
from denota.semantics.streams.items import TimestampedGraph
from denota.semantics.streams.merging import merge

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


def resident_mib() -> float:
    """This process' resident memory, in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmRSS in /proc/self/status")


def measure(name: str, events: int, window: int) -> list[dict[str, float]]:
    select, sequence, reading, high = QUERIES[name]
    text = HEAD.format(select=select, window=window, seq=sequence) + GPM.format(high=high)
    engine = SpaseqEngine(parse(text), readings=Readings.of({"window": reading}))
    rows: list[dict[str, float]] = []
    matches, begin = 0, time.perf_counter()
    every = max(1, events // 20)
    stream = merge({STREAM: items(events, 20, seed=7)}, ties="error", order=(STREAM,))
    for count, item in enumerate(stream, 1):
        matches += len(engine.feed(item))
        if count % every == 0:
            held = engine.statistics()
            row = {
                "events": count,
                "resident_mib": round(resident_mib(), 1),
                "nodes": held.nodes,
                "groups": held.groups,
                "terms": held.terms,
                "matches": matches,
                "events_per_second": round(count / (time.perf_counter() - begin)),
            }
            rows.append(row)
            print(f"{name:15}", "  ".join(f"{k} {v:>10,}" for k, v in row.items()), flush=True)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--window", type=int, default=1_000, help="in events, one a time unit")
    parser.add_argument("--query", choices=QUERIES, action="append")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    arguments = parser.parse_args()
    figures = {}
    for name in arguments.query or QUERIES:
        figures[name] = measure(name, arguments.events, arguments.window)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
