"""Batches by example: what is refused, and what is remembered."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.engine.rdf.columns.batch import GraphBatch, batch_of
from denota.engine.rsepql import RsepqlEngine
from denota.engine.tuning import capacities
from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import TimeKind
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
STREAM = URIRef(EX + "s")
QUERY = parse(
    f"PREFIX : <{EX}> REGISTER ISTREAM :out AS SELECT ?k ?a ?b"
    " FROM NAMED WINDOW :w ON :s [RANGE 10 STEP 1]"
    " WHERE { MATCH { EVENT :w { ?a :p ?k } SEQ EVENT :w { ?b :q ?k } } }"
)


def item(time: int) -> StreamItem:
    triple = (URIRef(f"{EX}e{time}"), URIRef(EX + "pq"[time % 2]), URIRef(f"{EX}k{time // 2 % 3}"))
    return StreamItem(STREAM, time, 0, frozenset({triple}), TimeKind.INTEGER)


def batch(engine: RsepqlEngine, *times: int) -> GraphBatch:
    return batch_of([item(time) for time in times], engine.dictionary)


def test_a_batch_with_an_item_that_is_too_early_is_not_taken_in() -> None:
    engine = RsepqlEngine(QUERY, [STREAM])
    with capacities(handed=1):
        engine.feed_batch(batch(engine, 0, 1, 2))
        for times in ((1, 2), (3, 5, 4)):
            with pytest.raises(StreamError, match="comes after"):
                engine.feed_batch(batch(engine, *times))
        found = engine.feed_batch(batch(engine, 3, 4))
    assert [answer.time for answer in found] == [3]


def test_what_is_remembered_is_bounded_by_the_window() -> None:
    with capacities(handed=1, terms=0, grown=1):
        engine = RsepqlEngine(QUERY, [STREAM])
        for begin in range(0, 1000, 50):
            engine.feed_batch(batch(engine, *range(begin, begin + 50)))
            held = engine.statistics()
            # One has left the window since the latest evaluation.
            assert (held.items, held.occurrences) == (10, 11)
            assert held.terms < 60
