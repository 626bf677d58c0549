"""SPAseq's engine: from columns against item by item, windows, background graphs, latency."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from time import perf_counter_ns

from rdflib.term import URIRef

from denota.engine.spaseq import SpaseqEngine
from denota.semantics.model.terms import Graph
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

from .figures import Figure, rates
from .streams import EX, STREAM, batches, bursts, by_batch, by_item, iri, keyed, readings, stocks

_SLOW = 50_000
"""Items of the stream that the engine gets one by one: its pace does not depend on how many."""
_FROM = f"WITHIN $ FROM STREAM S <{STREAM}> WHERE {{"
KEYED = (
    f"PREFIX : <{EX}> SELECT ?k ?a ?b ?c {_FROM} SEQ(A: B: C) DEFINE GPM A ON S {{ ?a :a ?k }}"
    " DEFINE GPM B ON S { ?b :b ?k } DEFINE GPM C ON S { ?c :c ?k } }"
)
BACKGROUND = KEYED.replace("?c :c ?k", "?c :c ?k GRAPH :g { ?k :in ?place }").replace(
    "SELECT ?k", "SELECT ?k ?place"
)


RISING = (
    f"PREFIX : <{EX}> SELECT ?a ?b {_FROM} SEQ(A: B) DEFINE GPM A ON S {{ ?a :a ?v ; :k ?k }}"
    " DEFINE GPM B ON S { ?b :b ?w ; :k ?k FILTER (?v < ?w) } }"
)


def _trade(name: str, way: str, condition: str) -> str:
    return (
        f" DEFINE GPM {name.upper()} ON S {{ ?{name} :company ?c ; :price ?{name}p ; :way :{way} ;"
        f" :volume ?{name}v ; :market ?{name}m ; :kind :Trade . FILTER ({condition}) }}"
    )


STOCKS = (
    f"PREFIX : <{EX}> SELECT ?c ?ap ?bp ?dp {_FROM} SEQ(A; B; D)"
    + _trade("a", "sale", "?av > 500")
    + _trade("b", "sale", "?bp > ?ap")
    + _trade("d", "purchase", "?dp > ?bp")
    + " }"
)


def made(query: str, window: int, kb: Mapping[URIRef, Graph] | None = None) -> SpaseqEngine:
    tree = parse(query.replace("$", str(window)))
    return SpaseqEngine(tree, kb, Readings.of({"window": "match"}))


def both_ways(
    section: str, what: str, query: str, window: int, items: int, runs: int, goal: str
) -> list[Figure]:
    """Items (of one triple) or triples a second: columns beside items one by one."""
    stocked = query == STOCKS
    given = stocks(items, 500) if stocked else keyed(items, 10_000)
    engine, single = made(query, window), made(query, window)
    columns = by_batch(engine, batches(given, engine.dictionary))
    print(f"  {section} {columns():,} matches in {items:,} items", flush=True)
    size = 6 if stocked else 1
    fast = rates({"columns": columns}, items * size, runs)["columns"]
    slow = rates({"items": by_item(single, given[:_SLOW])}, min(_SLOW, items) * size, runs)["items"]
    unit = "triples/s" if stocked else "items/s"
    return [Figure(section, what, fast, unit, slow, "item by item", goal)]


def section_a(items: int, runs: int) -> list[Figure]:
    what = f"`SEQ(A: B: C)` with equal ?k, {items:,} items, 10,000 keys, from columns"
    return both_ways("a", what, KEYED, items, items, runs, "1,000,000")


def section_b(items: int, runs: int) -> list[Figure]:
    what = "stocks, six triples an item, `SEQ(A; B; D)`, rising prices, from columns"
    return both_ways("b", what, STOCKS, 10_000, items, runs, "3,000,000")


def section_d(items: int, runs: int) -> list[Figure]:
    """Windows, then background graphs: the same items, from columns."""
    figures = []
    ways = {}
    long = bursts(max(items, 200_000))
    for window in (100, 1_000, 10_000, 100_000):
        engine = made(KEYED, window)
        ways[f"{window:,}"] = by_batch(engine, batches(long, engine.dictionary))
    found = rates(ways, len(long), runs)
    first = found["100"]
    for width, pace in found.items():
        what = f"`SEQ(A: B: C)`, keys for twenty items, window of {width} items"
        figures.append(Figure("d", what, pace, "items/s", first, "100 items", "0.8 to 1.2"))
    ways = {}
    given = readings(items)
    for window in (100, 1_000, 10_000):
        engine = made(RISING, window)
        ways[f"{window:,}"] = by_batch(engine, batches(given, engine.dictionary))
    found = rates(ways, items, runs)
    first = found["100"]
    for width, pace in found.items():
        what = f"`SEQ(A: B)`, one key, few pairs with ?v < ?w, window of {width} items"
        figures.append(Figure("d", what, pace, "items/s", first, "100 items"))
    given = keyed(items, 10_000)
    ways = {}
    for triples in (10_000, 100_000, 1_000_000):
        graph: Graph = frozenset(
            (iri(f"k{count}"), iri("in"), iri(f"place{count % 100}")) for count in range(triples)
        )
        engine = made(BACKGROUND, items, {iri("g"): graph})
        ways[f"{triples:,}"] = by_batch(engine, batches(given, engine.dictionary))
    found = rates(ways, items, runs)
    first = found["10,000"]
    for size, pace in found.items():
        what = f"with a background graph of {size} triples"
        figures.append(Figure("d", what, pace, "items/s", first, "10,000 triples", "at least 0.9"))
    return figures


def section_e(items: int, runs: int) -> list[Figure]:
    """From push to match, one item at a time."""
    figures = []
    for name, query, given in (
        ("`SEQ(A: B: C)` with equal ?k", KEYED, keyed(items, 10_000)),
        ("stocks, `SEQ(A; B; D)`", STOCKS, stocks(items, 500)),
    ):
        engine = made(query, 10_000)
        taken = []
        for item in given[: 2 * _SLOW]:
            began = perf_counter_ns()
            engine.feed(item)
            taken.append((perf_counter_ns() - began) / 1000)
        figures.append(Figure("e", f"one item, {name}", median(taken), "µs", goal="30 at most"))
    return figures
