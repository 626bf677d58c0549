"""Items by the batch: what is remembered, and when what is complete is reported."""

from __future__ import annotations

from rdflib.term import URIRef

from denota.engine.cqels import CqelsEngine
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.tuning import capacities
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.model.items import TimeKind
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
QUERY = (
    f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :w ON :s [RANGE 10] WHERE"
    " { WINDOW :w { SEQ({ ?a :p ?k }, { ?b :p ?k }) } }"
)


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


def test_memory_is_bounded_by_the_window() -> None:
    found = 0
    with capacities(terms=500):
        engine = CqelsEngine(parse(QUERY))
        for begin in range(0, 6000, 300):
            found += len(engine.feed_batch(batch_of(items(begin, 300), engine.dictionary)))
            held = engine.statistics()
            assert held.rows < 1000
            assert held.items < 1500
            assert held.terms < 1500
        assert found + len(engine.settle()) == sum(6000 - lag for lag in (3, 6, 9))


def test_the_last_time_is_reported_once_it_is_over() -> None:
    engine = CqelsEngine(parse(QUERY))
    first = engine.feed_batch(batch_of(items(0, 400), engine.dictionary))
    assert max(solution.end for solution in first) == 398  # type: ignore[union-attr]
    assert {solution.end for solution in engine.settle()} == {399}  # type: ignore[union-attr]
    assert engine.settle() == []


def test_items_and_batches_find_each_other() -> None:
    """What has come one by one is joined with what comes by the batch, and the reverse."""
    engine, alone = CqelsEngine(parse(QUERY)), CqelsEngine(parse(QUERY))
    found = []
    for begin in range(0, 1000, 500):
        for item in items(begin, 100):
            found += engine.arrive(item)
        found += engine.feed_batch(batch_of(items(begin + 100, 400), engine.dictionary))
    expected = [solution for item in items(0, 1000) for solution in alone.arrive(item)]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
