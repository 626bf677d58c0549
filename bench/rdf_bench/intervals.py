"""EP-SPARQL's and CQELS-CEP's engines: sequences from columns against item by item."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from denota.engine.cqels import CqelsEngine
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import GraphBatch
from denota.semantics.cqels.syntax.parse import parse as parse_cqels
from denota.semantics.epsparql.syntax.parse import parse as parse_epsparql
from denota.semantics.model.terms import Graph
from denota.semantics.streams.merging import StreamItem

from .figures import Figure, rates
from .streams import EX, STREAM, batches, iri, keyed, number, stream

_SLOW = 50_000
"""Items of the stream that an engine gets one by one: its pace does not depend on how many."""
KEYED = (
    f"PREFIX : <{EX}> SELECT ?k ?a ?b ?c WHERE"
    " { { ?a :a ?k } SEQ { ?b :b ?k } SEQ { ?c :c ?k } }"
)
PRICES = (
    f"PREFIX : <{EX}> SELECT * WHERE {{ {{ ?c :price ?p }} SEQ {{ ?c :price ?q }} SEQ"
    " { ?c :price ?r } FILTER (?q < ?p * 0.01 && ?r > ?p * 5 && getDURATION() < 1000) }"
)
IN_WINDOW = (
    f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :w ON <{STREAM}> [RANGE 10000] WHERE"
    " { WINDOW :w { SEQ({ ?a :a ?k }, { ?b :b ?k }, { ?c :c ?k }) } }"
)


def prices(items: int, companies: int = 100, seed: int = 7) -> list[StreamItem]:
    """A price a time unit, each company's as if drawn anew."""
    draw = random.Random(seed)
    names = [iri(f"c{company}") for company in range(companies)]

    def graphs() -> Iterator[Graph]:
        for _ in range(items):
            amount = number(draw.randrange(1, 1_000_000))
            yield frozenset({(draw.choice(names), iri("price"), amount)})  # type: ignore[arg-type]

    return stream(graphs())


def epsparql(query: str) -> EpsparqlEngine:
    return EpsparqlEngine(parse_epsparql(query))


def cqels(query: str) -> CqelsEngine:
    return CqelsEngine(parse_cqels(query))


def by_item(
    made: Callable[[], EpsparqlEngine | CqelsEngine], items: Sequence[StreamItem]
) -> Callable[[], int]:
    """How many solutions the items have, one by one."""

    def work() -> int:
        engine = made()
        found = sum(len(engine.arrive(item)) for item in items)
        return found + len(ended(engine))

    return work


def by_batch(
    made: Callable[[], EpsparqlEngine | CqelsEngine], items: list[StreamItem], runs: int
) -> Callable[[], int]:
    """How many they have in batches; each time it is asked, of an engine of its own."""

    def fresh() -> tuple[EpsparqlEngine | CqelsEngine, list[GraphBatch]]:
        engine = made()
        return engine, batches(items, engine.dictionary)

    ready = [fresh() for _ in range(runs)]

    def work() -> int:
        engine, given = ready.pop()
        found = sum(len(engine.feed_batch(batch)) for batch in given)
        return found + len(ended(engine))

    return work


def ended(engine: EpsparqlEngine | CqelsEngine) -> Sequence[object]:
    return engine.finish() if isinstance(engine, EpsparqlEngine) else engine.settle()


def section_c(items: int, runs: int) -> list[Figure]:
    """The keyed sequence of both, and one with a stateful filter over a bounded time."""
    three, goal = "three in a row with equal ?k", "300,000"
    figures = []
    for what, made, given in (
        (f"EP-SPARQL: {three}", lambda: epsparql(KEYED), keyed(items, 10_000)),
        ("EP-SPARQL: a drop and a rise within 1,000", lambda: epsparql(PRICES), prices(items)),
        (f"CQELS-CEP: {three}, window of 10,000", lambda: cqels(IN_WINDOW), keyed(items, 10_000)),
    ):
        columns = by_batch(made, given, runs + 2)
        print(f"  c {columns():,} solutions in {items:,} items", flush=True)
        fast = rates({"columns": columns}, items, runs)["columns"]
        single = by_item(made, given[:_SLOW])
        slow = rates({"items": single}, min(_SLOW, items), runs)["items"]
        whole = f"{what}, {items:,} items, from columns"
        figures.append(Figure("c", whole, fast, "items/s", slow, "item by item", goal))
    return figures
