"""Memory of the production engine of EP-SPARQL over a long stream.

    python bench/epsparql_memory.py [--items 200000] [--duration 1000] [--page docs/memory.md]

Prices of companies, one a time unit; each price is a literal of its own, so that nothing can be
remembered by accident. Where a FILTER bounds getDURATION(), memory is bounded by it iff the
resident memory of the last half is that of the first.
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

from denota.engine.epsparql import EpsparqlEngine
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.model.items import Item, TimestampedGraph
from denota.semantics.model.terms import literal
from denota.semantics.model.time import XSD
from denota.semantics.streams.merging import interval_items

EX = "http://example.org/"
QUERIES = {
    "a drop and a rise (query (1))": (
        "{{ ?c :price ?p }} SEQ {{ ?c :price ?q }} SEQ {{ ?c :price ?r }}"
        " FILTER (?q < ?p * 0.01 && ?r > ?p * 5 && getDURATION() < {width})"
    ),
    "two prices in any order": (
        "{{ ?c :price ?p . ?c :price ?q FILTER (?q < ?p * 0.01 && getDURATION() < {width}) }}"
    ),
    "the price before, if there is one": (
        "{{ ?c :price ?p }} SEQ {{ {{ ?c :price ?q FILTER (?q > 900000) }}"
        " EQUALSOPTIONAL {{ ?d :price ?q }} }} FILTER (?p < 1000 && getDURATION() < {width})"
    ),
    "without a bound": "{{ ?c :price ?p }} SEQ {{ ?c :price 0 }}",
}


class Row(NamedTuple):
    """What was measured after so many items."""

    items: int
    resident_mib: float
    rows: int
    terms: int
    solutions: int
    per_second: int


def stream(items: int, companies: int, seed: int) -> Iterator[Item]:
    """One price a time unit."""
    draw = random.Random(seed)
    names = [URIRef(f"{EX}c{number}") for number in range(companies)]
    price = URIRef(EX + "price")
    for t in range(items):
        amount = literal(str(draw.randrange(1, 1_000_000)), XSD + "integer")
        yield TimestampedGraph(t, frozenset({(draw.choice(names), price, amount)}))


def measure(name: str, items: int, width: int) -> list[Row]:
    """Twenty rows of figures for one query."""
    where = QUERIES[name].format(width=width)
    engine = EpsparqlEngine(parse(f"PREFIX : <{EX}>\nSELECT * WHERE {where}"))
    figures: list[Row] = []
    found = 0
    pace = Pace(items)
    for count, item in enumerate(interval_items(stream(items, 100, seed=7), URIRef(EX)), 1):
        found += len(engine.feed(item))
        if pace.due(count):
            held = engine.statistics()
            rate = pace.rate(count)
            row = Row(count, round(resident_mib(), 1), held.rows, held.terms, found, rate)
            figures.append(row)
            print(f"{name:36}", *(f"{value:>10,}" for value in row), flush=True)
    return figures


def section(figures: dict[str, list[Row]], width: int) -> str:
    """The figures as a section of the page on memory."""
    lines = [
        "## EP-SPARQL",
        "",
        f"Prices of a hundred companies, one a time unit; `getDURATION() < {width:,}` bounds all",
        "queries but the last. What the engine holds are occurrences and solutions that may still",
        "be joined.",
        "",
        "| query | items | resident at half, MiB | at the end, MiB | rows held | solutions |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, rows in figures.items():
        half, end = rows[len(rows) // 2 - 1], rows[-1]
        where = QUERIES[name].format(width=f"{width:,}")
        lines.append(
            f"| {name}: `{where}` | {end.items:,} | {half.resident_mib} | {end.resident_mib} |"
            f" {end.rows:,} | {end.solutions:,} |"
        )
    return "\n".join([
        *lines,
        "",
        "Without a bound of the duration (the last row) memory grows linearly with the stream.",
        "What the first query grows by is a cache of 65,536 literals that fills up.",
        "",
        "`python bench/epsparql_memory.py --page docs/memory.md` measures this and writes this"
        " section.",
        "",
    ])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--duration", type=int, default=1_000)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    figures = {name: measure(name, arguments.items, arguments.duration) for name in QUERIES}
    if arguments.page is not None:
        write_section(arguments.page, "EP-SPARQL", section(figures, arguments.duration))


if __name__ == "__main__":
    main()
