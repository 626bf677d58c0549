"""Snapshots of windows: the union of their graphs (RSEP-QL 4.1), kept as items come and go.

A triple is in the snapshot as long as an item of the window has it, so occurrences are counted. A
snapshot is an `IndexedGraph` that changes: what patterns have asked to be indexed stays indexed.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...checkpoints.state_schema import stateful
from ...rdf.data.graphs import EncodedPair, EncodedTriple, IndexedGraph

_DERIVED = ("triples", "by_subject", "by_object", "nodes")
"""Indexes that are made anew when they are asked for after a change."""


@stateful(
    kept=("by_predicate", "_counts", "_places", "version"),
    anew=("_objects", "_subjects", "_pairs", "triples", "by_subject", "by_object", "nodes"),
)
class Snapshot(IndexedGraph):
    """The union of the graphs of a window, as of the latest evaluation.

    `version` changes exactly when the set of triples may have changed.
    """

    __slots__ = ("_counts", "_places", "version")

    def __init__(self) -> None:
        super().__init__({})
        self._counts: dict[EncodedTriple, int] = {}
        self._places: dict[int, dict[EncodedPair, int]] = {}
        self.version = 0

    def resumed(self) -> None:
        """Discard the indexes, which are rebuilt at their next use."""
        self._objects = self._subjects = None
        self._forget_derived()

    def __len__(self) -> int:
        return len(self._counts)

    def __bool__(self) -> bool:
        # A graph without triples is a graph all the same.
        return True

    def __contains__(self, triple: EncodedTriple) -> bool:
        return triple in self._counts

    def add(self, graph: Iterable[EncodedTriple]) -> list[EncodedTriple]:
        """Add an item of the window; return the triples that the snapshot did not have."""
        counts = self._counts
        fresh: list[EncodedTriple] = []
        for triple in graph:
            count = counts.get(triple, 0)
            counts[triple] = count + 1
            if not count:
                fresh.append(triple)
                self._insert(triple)
        if fresh:
            self._changed()
        return fresh

    def discard(self, graph: Iterable[EncodedTriple]) -> list[EncodedTriple]:
        """Remove an item from the window; return the triples of no other item."""
        lost = self.lose(graph)
        self.drop(lost)
        return lost

    def lose(self, graph: Iterable[EncodedTriple]) -> list[EncodedTriple]:
        """Discard as `discard`, but keep triples of no other item until they are dropped."""
        counts = self._counts
        lost: list[EncodedTriple] = []
        for triple in graph:
            count = counts[triple] - 1
            counts[triple] = count
            if not count:
                lost.append(triple)
        return lost

    def drop(self, lost: Iterable[EncodedTriple]) -> None:
        """Remove what has been lost."""
        dropped = False
        for triple in lost:
            del self._counts[triple]
            self._delete(triple)
            dropped = True
        if dropped:
            self._changed()

    def ids(self) -> Iterable[int]:
        """Return the term ids of all triples, with repetitions."""
        return (number for triple in self._counts for number in triple)

    def pairs(self, predicate: int) -> frozenset[EncodedPair]:
        """Return the pairs (subject, object) of the triples with this predicate: a view."""
        # Only asked whether it contains a pair, which a dictionary answers as well.
        return self._places.get(predicate, {})  # type: ignore[return-value]

    def _insert(self, triple: EncodedTriple) -> None:
        s, p, o = triple
        bucket = self.by_predicate.setdefault(p, [])
        self._places.setdefault(p, {})[s, o] = len(bucket)
        bucket.append((s, o))
        if self._objects is not None and p in self._objects:
            self._objects[p].setdefault(s, []).append(o)
        if self._subjects is not None and p in self._subjects:
            self._subjects[p].setdefault(o, []).append(s)

    def _delete(self, triple: EncodedTriple) -> None:
        s, p, o = triple
        bucket, places = self.by_predicate[p], self._places[p]
        place = places.pop((s, o))
        last = bucket.pop()
        if place < len(bucket):
            bucket[place] = last
            places[last] = place
        if self._objects is not None and p in self._objects:
            _remove(self._objects[p], s, o)
        if self._subjects is not None and p in self._subjects:
            _remove(self._subjects[p], o, s)
        if not bucket:
            del self.by_predicate[p], self._places[p]

    def _changed(self) -> None:
        self.version += 1
        self._forget_derived()

    def _forget_derived(self) -> None:
        for name in _DERIVED:
            self.__dict__.pop(name, None)


def _remove(index: dict[int, list[int]], key: int, value: int) -> None:
    values = index[key]
    values.remove(value)
    if not values:
        del index[key]
