"""Consumption (RSEP-QL 4.4) by marks: what took part in an answer is passed over from then on.

𝒫^c and 𝒫^r leave of a window what is new, and what was available at the last evaluation and took
part in no answer. So each window has a set of marks; a mark goes when what it stands on has left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...checkpoints.declared import stateful
from ...rdf.data.graphs import EncodedTriple
from .occurrences import Consumable, Occurrence, Store


@stateful(
    kept=("_counts", "_consumed", "_resting"), compiled=("_by_time", "_keeps_all")
)
class Marks:
    """What of one window's content an event pattern has consumed.

    `by_time`: an occurrence is consumed, a triple at its time; else the triple itself, so that one
    that arrives again while it is in the window is not new. `keeps_all`: nothing ever leaves the
    window, and `move` is not told of what enters.
    """

    def __init__(self, *, by_time: bool, keeps_all: bool) -> None:
        self._by_time = by_time
        self._keeps_all = keeps_all
        self._counts: dict[Consumable, int] = {}
        self._consumed: set[Consumable] = set()
        self._resting: dict[Consumable, dict[tuple[Store, Occurrence], None]] = {}

    def consumables(self, time: int, triples: Iterable[EncodedTriple]) -> tuple[Consumable, ...]:
        """What an item, or an occurrence, rests on."""
        if self._by_time:
            return tuple((*triple, time) for triple in triples)
        return tuple(triples)

    def move(
        self,
        entered: Iterable[tuple[int, list[EncodedTriple]]],
        left: Iterable[tuple[int, list[EncodedTriple]]],
    ) -> None:
        """The window's content has changed: items as (time, triples)."""
        counts = self._counts
        for time, triples in entered:
            for each in self.consumables(time, triples):
                counts[each] = counts.get(each, 0) + 1
        for time, triples in left:
            for each in self.consumables(time, triples):
                counts[each] -= 1
                if not counts[each]:
                    del counts[each]
                    self._consumed.discard(each)

    def available(self, time: int, triples: Iterable[EncodedTriple]) -> list[EncodedTriple]:
        """What of an item is not consumed."""
        consumed = self._consumed
        if not consumed:
            return list(triples)
        return [
            triple
            for triple, each in zip(triples, self.consumables(time, triples), strict=True)
            if each not in consumed
        ]

    def enter(self, store: Store, occurrences: Iterable[Occurrence]) -> None:
        """Occurrences have entered the window; one that rests on something consumed is
        unavailable."""
        for occurrence in occurrences:
            if self._consumed.isdisjoint(occurrence.rests_on):
                for each in occurrence.rests_on:
                    self._resting.setdefault(each, {})[store, occurrence] = None
            else:
                store.remove(occurrence)

    def leave(self, store: Store, occurrences: Iterable[Occurrence]) -> None:
        """Occurrences have left the window."""
        for occurrence in occurrences:
            for each in occurrence.rests_on:
                others = self._resting[each]
                others.pop((store, occurrence), None)
                if not others:
                    del self._resting[each]

    def consume(self, used: Collection[Consumable]) -> list[Occurrence]:
        """These took part in an answer; returns the occurrences that rest on them."""
        if not (self._by_time and self._keeps_all):
            # Else what enters is later than all that has been consumed.
            self._consumed.update(used)
        resting = dict.fromkeys(pair for each in used for pair in self._resting.get(each, ()))
        for store, occurrence in resting:
            store.remove(occurrence)
            self.leave(store, (occurrence,))
        return [occurrence for _, occurrence in resting]

    def ids(self) -> Iterable[int]:
        """The term ids that marks hold, with repetitions."""
        held = self._consumed if self._keeps_all else self._counts
        return (number for each in held for number in each[:3])
