"""Items by the batch, of EP-SPARQL and CQELS-CEP: what is remembered, and when results come."""

from __future__ import annotations

from typing import Any

import pytest
from rdflib.term import URIRef

from denota.engine.cqels import CqelsEngine
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.rdf.columns.batch import GraphBatch, batch_of
from denota.engine.tuning import capacities
from denota.semantics.cqels.syntax.parse import parse as parse_cqels
from denota.semantics.epsparql.syntax.parse import parse as parse_epsparql
from denota.semantics.model.items import TimeKind
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
EPSPARQL = {
    "sequence": "{ ?a :p ?k } SEQ { ?b :p ?k } FILTER (getDURATION() <= 10)",
    "block": "?a :p ?k . ?b :p ?k FILTER (?a != ?b && getDURATION() <= 10)",
}
CQELS = (
    f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :w ON :s [RANGE 10] WHERE"
    " { WINDOW :w { SEQ({ ?a :p ?k }, { ?b :p ?k }) } }"
)
BOUNDS = {
    "cqels": {"rows": 1000, "items": 1500, "terms": 1500},
    # The engine keeps the results of a batch until the next one arrives.
    **{name: {"rows": 1300, "terms": 1500} for name in EPSPARQL},
}


def engine(name: str) -> Any:
    if name == "cqels":
        return CqelsEngine(parse_cqels(CQELS))
    return EpsparqlEngine(
        parse_epsparql(f"PREFIX : <{EX}> SELECT * WHERE {{ {EPSPARQL[name]} }}")
    )


def feed(running: Any, item: StreamItem) -> list[Any]:
    found: list[Any] = (
        running.arrive(item) if isinstance(running, CqelsEngine) else running.feed(item)
    )
    return found


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


def batch(running: Any, begin: int, count: int) -> GraphBatch:
    return batch_of(items(begin, count), running.dictionary)


@pytest.mark.parametrize("name", BOUNDS)
def test_memory_is_bounded(name: str) -> None:
    found = 0
    with capacities(terms=500):
        running = engine(name)
        for begin in range(0, 6000, 300):
            found += len(running.feed_batch(batch(running, begin, 300)))
            held = running.statistics()
            for figure, bound in BOUNDS[name].items():
                assert getattr(held, figure) < bound, figure
        found += len(running.settle()) if name == "cqels" else 0
    assert found == sum(6000 - lag for lag in (3, 6, 9)) * (2 if name == "block" else 1)


@pytest.mark.parametrize("name", BOUNDS)
def test_items_and_batches_find_each_other(name: str) -> None:
    """The engine joins single items with batches, and the reverse."""
    running, alone = engine(name), engine(name)
    found = []
    for begin in range(0, 1000, 500):
        for item in items(begin, 100):
            found += feed(running, item)
        found += running.feed_batch(batch(running, begin + 100, 400))
    expected = [solution for item in items(0, 1000) for solution in feed(alone, item)]
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_the_last_time_is_reported_once_it_is_over() -> None:
    running = engine("cqels")
    assert max(solution.end for solution in running.feed_batch(batch(running, 0, 400))) == 398
    assert {solution.end for solution in running.settle()} == {399}
    assert running.settle() == []
