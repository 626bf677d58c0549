"""Generated streams: as items, which engines take one by one, and from these as batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
from rdflib.term import URIRef

from denota.engine.rdf.columns.batch import GraphBatch, batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.spaseq import SpaseqEngine
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import Graph, literal
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
STREAM = URIRef(EX + "s")
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
BATCH = 1 << 14
"""Items of a batch that an engine takes at once."""


def iri(name: str) -> URIRef:
    return URIRef(EX + name)


def number(value: int) -> object:
    # Not remembered, as `literal` is: a long stream has too many.
    return literal.__wrapped__(str(value), INTEGER)


def stream(graphs: Iterator[Graph]) -> list[StreamItem]:
    """One item a time unit."""
    return [
        StreamItem(STREAM, time, 0, graph, TimeKind.INTEGER) for time, graph in enumerate(graphs)
    ]


def keyed(items: int, keys: int, seed: int = 7) -> list[StreamItem]:
    """⟨event a|b|c key⟩, each event with a subject of its own."""
    draw = random.Random(seed)
    kinds = [iri(name) for name in "abc"]
    names = [iri(f"k{key}") for key in range(keys)]
    return stream(
        frozenset({(iri(f"e{count}"), draw.choice(kinds), draw.choice(names))})
        for count in range(items)
    )


def bursts(items: int, seed: int = 7) -> list[StreamItem]:
    """As `keyed`, but what has a key comes within twenty items: wider windows hold more, and find
    no more."""
    draw = random.Random(seed)
    kinds = [iri(name) for name in "abc"]
    return stream(
        frozenset(
            {(iri(f"e{count}"), draw.choice(kinds), iri(f"k{count // 20 * 7 + draw.randrange(7)}"))}
        )
        for count in range(items)
    )


def readings(items: int, seed: int = 7) -> list[StreamItem]:
    """⟨event a value⟩ of one key; one in ten is ⟨event b value⟩, less than nearly all others."""
    draw = random.Random(seed)

    def graphs() -> Iterator[Graph]:
        for count in range(items):
            event, late = iri(f"e{count}"), draw.random() < 0.1
            value = number(draw.randrange(100 if late else 1_000_000))
            yield frozenset(
                {
                    (event, iri("b" if late else "a"), value),  # type: ignore[arg-type]
                    (event, iri("k"), iri("k0")),
                }
            )

    return stream(graphs())


def stocks(items: int, companies: int, seed: int = 7) -> list[StreamItem]:
    """Six triples a trade: whose stock, its price (which walks), how many, which way, where."""
    draw = random.Random(seed)
    price = [draw.randrange(100, 1000) for _ in range(companies)]
    names = [iri(f"company{count}") for count in range(companies)]
    places = [iri(f"market{count}") for count in range(5)]
    ways = [iri("sale"), iri("purchase")]

    def graphs() -> Iterator[Graph]:
        for count in range(items):
            trade, which = iri(f"trade{count}"), draw.randrange(companies)
            price[which] = max(1, price[which] + draw.randint(-9, 9))
            yield frozenset(
                {
                    (trade, iri("kind"), iri("Trade")),
                    (trade, iri("company"), names[which]),
                    (trade, iri("price"), number(price[which])),  # type: ignore[arg-type]
                    (trade, iri("volume"), number(draw.randrange(1000))),  # type: ignore[arg-type]
                    (trade, iri("way"), draw.choice(ways)),
                    (trade, iri("market"), draw.choice(places)),
                }
            )

    return stream(graphs())


def batches(items: list[StreamItem], dictionary: Dictionary) -> list[GraphBatch]:
    """The items as an engine gets them from a reader, their terms kept through every sweep."""
    whole = batch_of(items, dictionary)
    for column in (whole.subject, whole.predicate, whole.object):
        dictionary.keep(column.tolist())
    return [
        whole.cut(begin, min(begin + BATCH, len(items))) for begin in range(0, len(items), BATCH)
    ]


def by_item(engine: SpaseqEngine, items: list[StreamItem]) -> Callable[[], int]:
    """How many matches the items have, fed one by one."""

    def work() -> int:
        engine.restart()
        return sum(len(engine.feed(item)) for item in items)

    return work


def by_batch(engine: SpaseqEngine, given: list[GraphBatch]) -> Callable[[], int]:
    """How many matches the items have, fed in batches."""

    def work() -> int:
        engine.restart()
        # Cut anew: what has been found out of a batch is kept beside it.
        fresh = (batch.cut(0, len(batch)) for batch in given)
        return sum(len(engine.feed_batch(batch)) for batch in fresh)

    return work


def columns(dictionary: Dictionary, items: int, size: int, keys: int = 200) -> Iterator[GraphBatch]:
    """⟨event a|b|c key⟩ in batches; a batch's terms are encoded when it is asked for, its subjects
    for the first time."""
    names = np.array([dictionary.encode(iri(f"k{n}"), permanent=True) for n in range(keys)])
    kinds = np.array([dictionary.encode(iri(name), permanent=True) for name in "abc"])
    draw = np.random.default_rng(7)
    for begin in range(0, items, BATCH):  # what is drawn at once does not depend on the size
        kind, name = draw.integers(0, 3, BATCH), draw.integers(0, keys, BATCH)
        for first in range(0, min(BATCH, items - begin), size):
            last = min(first + size, items - begin, BATCH)
            times = np.arange(begin + first, begin + last)
            events = np.array([dictionary.encode(iri(f"e{time}")) for time in times.tolist()])
            none = np.zeros(last - first, np.int64)
            yield GraphBatch(
                dictionary, TimeKind.INTEGER, (STREAM,), none, times, times, none,
                np.arange(last - first + 1), events, kinds[kind[first:last]],
                names[name[first:last]],
            )
