"""Batches by columns: which queries go that way, and that the way taken does not show."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from rdflib.term import URIRef

from denota.engine.checkpoints.streaming_query import restore_state, save_state
from denota.engine.rdf.columns.batch import GraphBatch, batch_of
from denota.engine.spaseq import SpaseqEngine
from denota.engine.spaseq.columnar.columnar_runs import ColumnMatches
from denota.engine.spaseq.streaming_query import SpaseqStreamingQuery
from denota.engine.tuning import capacities
from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.streams.merging import StreamItem

EX = "http://example.org/"
GPMS = {
    "A": "{ ?a :a ?k }",
    "B": "{ ?b :b ?k }",
    "C": "{ ?c :c ?k . FILTER (?c > ?b) }",
    "D": "{ ?c :c ?l . FILTER (CONDITION) }",
}


def query(sequence: str, within: int = 20) -> str:
    gpms = " ".join(f"DEFINE GPM {n} ON S {body}" for n, body in GPMS.items() if n in sequence)
    return (
        f"PREFIX : <{EX}> SELECT * WITHIN {within} FROM STREAM S :s"
        f" WHERE {{ SEQ({sequence}) {gpms} }}"
    )


def engine(sequence: str, **readings: str) -> SpaseqEngine:
    return SpaseqEngine(parse(query(sequence)), readings=Readings.of(readings))


def items(count: int, seed: int = 2) -> list[StreamItem]:
    draw = Random(seed)
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    return [
        StreamItem(
            URIRef(EX + "s"), time, 0,
            frozenset(
                {(literal(str(draw.randrange(9)), integer), URIRef(EX + draw.choice("abc")),
                  URIRef(EX + draw.choice("kl")))}
            ),
            TimeKind.INTEGER,
        )
        for time in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sequence",
    [
        "A; B, C", "A: B: C", "A; B+", "A+", "A: B+: C", "A; (A | B)+; C", "A: B?: C", "A, C!; B",
        "B?: A",
    ],
)
@pytest.mark.parametrize("window", ["tumbling", "match"])
def test_columns_find_what_objects_find(sequence: str, window: str) -> None:
    given = items(100)
    single = engine(sequence, window=window)
    expected = [Counter(single.feed(item)) for item in given]
    batched = engine(sequence, window=window)
    found = []
    with capacities(handed=1, partial=2, pasts=1):
        for begin in range(0, 100, 20):
            matches = batched.feed_batch(batch_of(given[begin : begin + 20], batched.dictionary))
            assert isinstance(matches, ColumnMatches)
            told = [Counter[object]() for _ in range(20)]
            for number, pair in matches.by_item():
                told[number][pair] += 1
            assert len(matches) == sum(map(Counter.total, told))
            found += told
    assert found == expected
    assert sum(map(len, expected)) > 0


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("?c > ?b + 1", True),
        ("?c - ?b > 1 && ?c != ?b", True),
        ("STR(?c) > STR(?b)", True),
        ("?c IN (?b, 3)", True),
        ("STRLEN(STR(?l)) >= STRLEN(STR(?k))", True),
        ("?b > 3", True),
        ("?c > ?b - STRLEN(STR(?k))", False),
    ],
)
@pytest.mark.parametrize("answered", [0, 1000])
def test_what_kernels_cannot_compare_is_asked(
    condition: str, columns: bool, answered: int
) -> None:
    sequence = query("B: D").replace("CONDITION", condition)
    given = items(100)
    single, batched = SpaseqEngine(parse(sequence)), SpaseqEngine(parse(sequence))
    expected = Counter(pair for item in given for pair in single.feed(item))
    found: Counter[object] = Counter()
    with capacities(handed=1, answered=answered, pasts=1):
        for begin in range(0, 100, 20):
            matches = batched.feed_batch(batch_of(given[begin : begin + 20], batched.dictionary))
            assert isinstance(matches, ColumnMatches) == columns
            found.update(matches)
    assert found == expected != Counter()


@pytest.mark.parametrize(
    ("sequence", "readings"),
    [
        ("A: (B & B): C", {}), ("A, (B & B)", {}), ("B: A!: C", {"negation": "absence"}),
        ("A: B+", {"kleene": "collect"}),
    ],
)
def test_where_partial_matches_are_objects_graphs_are_not(
    sequence: str, readings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = items(60)
    single, batched = engine(sequence, **readings), engine(sequence, **readings)
    expected = Counter(pair for item in given for pair in single.feed(item))
    batches = [batch_of(given[at : at + 20], batched.dictionary) for at in (0, 20, 40)]
    monkeypatch.setattr(GraphBatch, "items", None)
    with capacities(handed=1):
        found = Counter(pair for batch in batches for pair in batched.feed_batch(batch))
    assert found == expected != Counter()


def test_of_several_solutions_on_an_item_none_is_left_out() -> None:
    alone = items(60)
    given = [
        replace(item, graph=item.graph | other.graph)
        for item, other in pairwise(alone)
    ]
    single, batched = engine("A: B"), engine("A: B")
    expected = Counter(pair for item in given for pair in single.feed(item))
    with capacities(handed=1):
        found = Counter(batched.feed_batch(batch_of(given, batched.dictionary)))
    assert found == expected
    assert any(len(pair.solutions) > 1 for pair in found)


def test_an_item_that_comes_too_late_is_refused_where_it_stands() -> None:
    batched = engine("A; B")
    late = [*items(3), items(2)[1]]
    with capacities(handed=1), pytest.raises(StreamError, match="at 1 comes after one at 2"):
        batched.feed_batch(batch_of(late, batched.dictionary))


def test_a_checkpoint_holds_what_is_in_arrays() -> None:
    given = items(100)
    single = engine("A: B+: C", window="match")
    expected = [Counter(single.feed(item)) for item in given][50:]
    tree, readings = parse(query("A: B+: C")), Readings.of({"window": "match"})
    running = SpaseqStreamingQuery(tree, readings=readings)
    with capacities(handed=1):
        running.engine.feed_batch(batch_of(given[:50], running.engine.dictionary))
    again = restore_state(
        lambda dictionaries: SpaseqStreamingQuery(
            tree, readings=readings, dictionaries=dictionaries
        ),
        save_state(running),
    )
    assert [Counter(again.take(item)) for item in given[50:]] == expected


def test_terms_that_nothing_needs_are_forgotten_between_batches() -> None:
    with capacities(handed=1, terms=0, grown=1):
        batched = engine("A: B", window="match")
        for begin in range(0, 200, 20):
            given = items(200)[begin : begin + 20]
            batched.feed_batch(batch_of(given, batched.dictionary))
            batched.sweep()
    assert batched.statistics().nodes <= 21
    assert batched.dictionary.sweeps == 10
