"""Snapshots: unions that count occurrences, with indexes that follow."""

from __future__ import annotations

from random import Random

from denota.engine.rdf.data.graphs import EncodedTriple, IndexedGraph, by_predicate
from denota.engine.rsepql.windows.snapshots import Snapshot


def test_a_triple_stays_as_long_as_an_item_has_it() -> None:
    snapshot = Snapshot()
    assert snapshot.add([(1, 2, 3), (1, 2, 4)]) == [(1, 2, 3), (1, 2, 4)]
    assert snapshot.add([(1, 2, 3)]) == []
    assert snapshot.discard([(1, 2, 3), (1, 2, 4)]) == [(1, 2, 4)]
    assert (1, 2, 3) in snapshot
    assert snapshot.discard([(1, 2, 3)]) == [(1, 2, 3)]
    assert len(snapshot) == 0
    assert snapshot.by_predicate == {}


def test_the_version_changes_with_the_set_of_triples_only() -> None:
    snapshot = Snapshot()
    snapshot.add([(1, 2, 3)])
    version = snapshot.version
    snapshot.add([(1, 2, 3)])
    snapshot.discard([(1, 2, 3)])
    assert snapshot.version == version
    snapshot.discard([(1, 2, 3)])
    assert snapshot.version != version


def test_indexes_follow() -> None:
    random = Random(3)
    snapshot = Snapshot()
    inside: list[list[EncodedTriple]] = []
    for _ in range(400):
        if len(inside) > 12 or (inside and random.random() < 0.4):
            snapshot.discard(inside.pop(random.randrange(len(inside))))
        else:
            item = list({
                (random.randrange(4), random.randrange(4, 6), random.randrange(4))
                for _ in range(random.randrange(4))
            })
            inside.append(item)
            snapshot.add(item)
        plain = IndexedGraph(by_predicate({triple for item in inside for triple in item}))
        assert sorted(snapshot.triples) == sorted(plain.triples)
        assert snapshot.nodes == plain.nodes
        for p in (4, 5):
            assert lists(snapshot.objects(p)) == lists(plain.objects(p))
            assert lists(snapshot.subjects(p)) == lists(plain.subjects(p))
            assert set(snapshot.pairs(p)) == plain.pairs(p)
        assert lists(snapshot.by_subject) == lists(plain.by_subject)
        assert lists(snapshot.by_object) == lists(plain.by_object)


def lists(index: dict[int, list[int]] | dict[int, list[EncodedTriple]]) -> object:
    return {key: sorted(values) for key, values in index.items()}
