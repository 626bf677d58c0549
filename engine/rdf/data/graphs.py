"""Encoded graphs, indexed as far as somebody has asked.

A graph on a stream has a handful of triples: buckets by predicate, scanned, beat every index. A
background graph may have millions: each index is built when a pattern first needs it, and stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TypeAlias

EncodedTriple: TypeAlias = tuple[int, int, int]
EncodedPair: TypeAlias = tuple[int, int]


class IndexedGraph:
    """A set of encoded triples with indexes: by predicate always, further ones on demand."""

    __slots__ = ("__dict__", "__weakref__", "_objects", "_pairs", "_subjects", "by_predicate")

    def __init__(self, by_predicate: dict[int, list[EncodedPair]]) -> None:
        self.by_predicate = by_predicate
        self._objects: dict[int, dict[int, list[int]]] | None = None
        self._subjects: dict[int, dict[int, list[int]]] | None = None
        self._pairs: dict[int, frozenset[EncodedPair]] | None = None

    @cached_property
    def triples(self) -> list[EncodedTriple]:
        """All triples."""
        return [(s, p, o) for p, bucket in self.by_predicate.items() for s, o in bucket]

    def objects(self, predicate: int) -> dict[int, list[int]]:
        """Return subject to objects, for the triples with this predicate."""
        if self._objects is None:
            self._objects = {}
        found = self._objects.get(predicate)
        if found is None:
            found = self._objects[predicate] = _grouped(self.by_predicate.get(predicate, ()))
        return found

    def subjects(self, predicate: int) -> dict[int, list[int]]:
        """Return object to subjects, for the triples with this predicate."""
        if self._subjects is None:
            self._subjects = {}
        found = self._subjects.get(predicate)
        if found is None:
            inverted = [(o, s) for s, o in self.by_predicate.get(predicate, ())]
            found = self._subjects[predicate] = _grouped(inverted)
        return found

    def pairs(self, predicate: int) -> frozenset[EncodedPair]:
        """Return the pairs (subject, object) of the triples with this predicate."""
        if self._pairs is None:
            self._pairs = {}
        found = self._pairs.get(predicate)
        if found is None:
            found = self._pairs[predicate] = frozenset(self.by_predicate.get(predicate, ()))
        return found

    @cached_property
    def by_subject(self) -> dict[int, list[EncodedTriple]]:
        """Subject to triples, for patterns whose predicate is a variable."""
        index: dict[int, list[EncodedTriple]] = {}
        for triple in self.triples:
            index.setdefault(triple[0], []).append(triple)
        return index

    @cached_property
    def by_object(self) -> dict[int, list[EncodedTriple]]:
        """Object to triples, for patterns whose predicate is a variable."""
        index: dict[int, list[EncodedTriple]] = {}
        for triple in self.triples:
            index.setdefault(triple[2], []).append(triple)
        return index

    @cached_property
    def nodes(self) -> frozenset[int]:
        """nodes(G), SPARQL 1.1 Query 18.4: all subjects and objects."""
        return frozenset([s for s, _, _ in self.triples] + [o for _, _, o in self.triples])

    @cached_property
    def vocabulary(self) -> frozenset[int]:
        """voc(G), nSPARQL: whatever stands in a triple."""
        return self.nodes.union(self.by_predicate)


def _grouped(pairs: Iterable[EncodedPair]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def by_predicate(triples: Iterable[EncodedTriple]) -> dict[int, list[EncodedPair]]:
    """Return predicate to pairs of subject and object."""
    buckets: dict[int, list[EncodedPair]] = {}
    for s, p, o in triples:
        bucket = buckets.get(p)
        if bucket is None:
            buckets[p] = [(s, o)]
        else:
            bucket.append((s, o))
    return buckets


EMPTY = IndexedGraph({})
