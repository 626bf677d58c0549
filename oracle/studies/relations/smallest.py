"""The smallest stream on which a claim fails: all streams over an alphabet, the shortest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

from ....semantics.model.items import IntervalGraph, TimestampedGraph
from ....semantics.model.terms import Graph
from .rows import Events

Times: TypeAlias = Literal["apart", "ties", "intervals"]
"""What items have: an instant each, instants that some may share, or intervals."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found: the witness, or how many streams there are without one."""

    witness: Events | None
    tried: int


def streams(alphabet: Sequence[Graph], events: int, times: Times = "apart") -> Iterator[Events]:
    """All streams of so many events.

    They come at 1, 2, …; with ties, at the time of the one before or one later; or each over an
    interval within [1, events], in the order of their ends.
    """
    if times == "intervals":
        instants = range(1, events + 1)
        spans = [(start, end) for end in instants for start in instants if start <= end]
        for taken in product(product(spans, alphabet), repeat=events):
            ends = [span[1] for span, _ in taken]
            if ends == sorted(ends):
                yield tuple(IntervalGraph(*span, graph) for span, graph in taken)
        return
    for gaps in product((0, 1) if times == "ties" else (1,), repeat=max(events - 1, 0)):
        at = [1]
        for gap in gaps:
            at.append(at[-1] + gap)
        for graphs in product(alphabet, repeat=events):
            yield tuple(map(TimestampedGraph, at, graphs))


def smallest(
    fails: Callable[[Events], bool],
    alphabet: Sequence[Graph],
    most_events: int,
    times: Times = "apart",
) -> Found:
    """A stream with the fewest events on which a claim fails; none up to so many events."""
    tried = 0
    for events in range(most_events + 1):
        for stream in streams(alphabet, events, times):
            tried += 1
            if fails(stream):
                return Found(stream, tried)
    return Found(None, tried)
