"""Uniform samples of the complex events of a stream, without enumerating the others."""

from __future__ import annotations

import math
import random
from typing import Any

from ...semantics.ceql.results import ComplexEvent
from .counting import children_of, counts_below, words_of
from .output import Row, complex_events
from .runtime import CeqlEngine
from .store import Store
from .tecs import SOLID


class Sampler:
    """Keeps a sample of what an engine finds: each set of `size` complex events is as likely.

    A reservoir (Li's algorithm L), which draws how many complex events to pass over; what it comes
    to rest on is read off the tECS by its number in the order of enumeration.
    """

    def __init__(self, engine: CeqlEngine, size: int, seed: int | None = None) -> None:
        self.engine = engine
        self.size = size
        self.seen = 0
        """How many complex events there have been."""
        self._random = random.Random(seed)
        self._kept: list[Row] = []
        self._weight = 1.0
        self._next = 0  # the number of the next complex event to keep

    def feed(self, batch: Any) -> None:
        """Take events in."""
        for _ in self.engine.advancing(batch):
            for trigger, count in zip(*self.engine.counted(), strict=True):
                counts: dict[int, int] | None = None
                while self._next < self.seen + count and self.size:
                    if counts is None:
                        counts = counts_below(self.engine.store, trigger[1], trigger[2])
                    number = self._next - self.seen
                    self._keep(numbered(self.engine.store, counts, trigger, number))
                self.seen += count

    def result(self) -> list[ComplexEvent]:
        """The sample so far, in the order of ends; all complex events if they are no more."""
        batches = self.engine.rows(iter(sorted(self._kept, key=lambda row: (row.end, row))))
        return [event for batch in batches for event in complex_events(batch)]

    def _keep(self, row: Row) -> None:
        if len(self._kept) < self.size:
            self._kept.append(row)
        else:
            self._kept[self._random.randrange(self.size)] = row
        self._next += 1
        if len(self._kept) == self.size:
            self._weight *= math.exp(math.log(1 - self._random.random()) / self.size)
            passed = math.log1p(-self._weight) or -math.ulp(0.0)
            skipped = math.log(1 - self._random.random()) / passed
            self._next += int(min(skipped, 1e300))


def numbered(
    store: Store, counts: dict[int, int], trigger: tuple[int, int, int], number: int
) -> Row:
    """The complex event with this number among those of a trigger, in the order of enumeration."""
    end, node, least = trigger
    path: list[tuple[int, int]] = []
    while True:
        children = children_of(store, node, least)
        _, other, _, label = words_of(store, node)
        if not children:
            break
        if other & int(SOLID):
            path.append((other ^ int(SOLID), label))
        node = children[0]
        if number >= counts[node]:
            number -= counts[node]
            node = children[1]
    path.reverse()
    positions = tuple(position for position, _ in path)
    return Row(other ^ int(SOLID), end, positions, tuple(label for _, label in path))

