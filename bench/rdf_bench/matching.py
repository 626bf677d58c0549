"""Graph patterns alone: a batch at once from columns, against its items one by one."""

from __future__ import annotations

from collections.abc import Callable

from denota.engine.rdf.columns.batch import GraphBatch
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import compile_pattern
from denota.engine.tuning import IN_USE
from denota.semantics.model.terms import Graph
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Prologue

from .figures import Figure, rates
from .streams import EX, batches, iri, stocks

PATTERNS = {
    "two triples, a filter": "{ ?e :company ?c ; :price ?p FILTER(?p > 500) }",
    "three triples, a constant, a filter": (
        "{ ?e :way :sale ; :company ?c ; :price ?p FILTER(?p > 500) }"
    ),
    "six triples, two constants, a filter": (
        "{ ?e :company ?c ; :price ?p ; :way :sale ; :volume ?v ; :market ?m ; :kind :Trade"
        " FILTER(?v > 500) }"
    ),
}
JOINED = "{ ?e :company ?c ; :price ?p GRAPH :g { ?c :sector ?s } }"
GRAPH_SIZES = (10_000, 100_000, 1_000_000)
TRIPLES = 6
PROLOGUE = Prologue(prefixes=(("", EX),))
_COMPANIES = 500


def matching(
    pattern: str, given: list[GraphBatch], dictionary: Dictionary, background: Graph | None = None
) -> Callable[[], int]:
    """How many solutions the batches have."""
    named = {} if background is None else {iri("g"): background}
    matcher = compile_pattern(parse_group(pattern, prologue=PROLOGUE), dictionary, named)

    def work() -> int:
        # As in `by_batch`.
        fresh = (batch.cut(0, len(batch)) for batch in given)
        return sum(len(matcher.match_columns(batch)[1]) for batch in fresh)

    return work


def small(given: list[GraphBatch]) -> list[GraphBatch]:
    """The same in batches so small that their items are matched one by one."""
    few = IN_USE.columns // TRIPLES
    return [
        batch.cut(begin, min(begin + few, len(batch)))
        for batch in given
        for begin in range(0, len(batch), few)
    ]


def section_m(items: int, runs: int) -> list[Figure]:
    dictionary = Dictionary()
    given = batches(stocks(items, _COMPANIES), dictionary)
    figures = []
    for name, pattern in PATTERNS.items():
        ways = {
            "columns": matching(pattern, given, dictionary),
            "items": matching(pattern, small(given), dictionary),
        }
        found = rates(ways, items * TRIPLES, runs)
        what = f"stocks, six triples an item, {name}"
        figures.append(
            Figure(
                "m", what, found["columns"], "triples/s", found["items"], "item by item",
                "10,000,000",
            )
        )
    ways = {
        f"{size:,}": matching(JOINED, given, dictionary, _background(size)) for size in GRAPH_SIZES
    }
    found = rates(ways, items * TRIPLES, 5 * runs)  # each takes milliseconds
    for size, pace in found.items():
        what = f"joined with a background graph of {size} triples"
        figures.append(
            Figure(
                "m", what, pace, "triples/s", found["10,000"], "10,000 triples", "at least 0.9"
            )
        )
    return figures


def _background(size: int) -> Graph:
    return frozenset(
        (iri(f"company{count}"), iri("sector"), iri(f"sector{count % 100}"))
        for count in range(size)
    )
