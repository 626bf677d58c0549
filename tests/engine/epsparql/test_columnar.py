"""Items by the batch: what is remembered, and what it is remembered as."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import GraphBatch, batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.tuning import capacities
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.model.items import TimeKind
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
SEQUENCE = "{ ?a :p ?k } SEQ { ?b :p ?k } FILTER (getDURATION() <= 10)"
BLOCK = "?a :p ?k . ?b :p ?k FILTER (?a != ?b && getDURATION() <= 10)"


def engine(where: str) -> EpsparqlEngine:
    return EpsparqlEngine(parse(f"PREFIX : <{EX}> SELECT * WHERE {{ {where} }}"))


def items(begin: int, count: int) -> list[StreamItem]:
    """One a time unit, each with a subject of its own, of three keys."""
    return [
        StreamItem(
            URIRef(EX + "s"), time, 0,
            frozenset({(URIRef(f"{EX}e{time}"), URIRef(EX + "p"), URIRef(f"{EX}k{time % 3}"))}),
            TimeKind.INTEGER,
        )
        for time in range(begin, begin + count)
    ]


def batch(dictionary: Dictionary, begin: int, count: int) -> GraphBatch:
    return batch_of(items(begin, count), dictionary)


@pytest.mark.parametrize("where", [SEQUENCE, BLOCK])
def test_memory_is_bounded_by_the_duration(where: str) -> None:
    found = 0
    with capacities(terms=500):
        running = engine(where)
        for begin in range(0, 6000, 300):
            found += len(running.feed_batch(batch(running.dictionary, begin, 300)))
            # What a batch has brought is there until the next one has come.
            assert running.statistics().rows < 1300
            assert running.statistics().terms < 1500
    assert found == sum(6000 - lag for lag in (3, 6, 9)) * (1 if where == SEQUENCE else 2)


@pytest.mark.parametrize("where", [SEQUENCE, BLOCK])
def test_items_and_batches_find_each_other(where: str) -> None:
    """What has come one by one is joined with what comes by the batch, and the reverse."""
    running, alone = engine(where), engine(where)
    found = []
    for begin in range(0, 1000, 500):
        for item in items(begin, 100):
            found += running.feed(item)
        found += running.feed_batch(batch(running.dictionary, begin + 100, 400))
    expected = [solution for item in items(0, 1000) for solution in alone.feed(item)]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
