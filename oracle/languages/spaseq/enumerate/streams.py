"""All streamsets with a number of events over an alphabet, one of each isomorphism class.

A streamset is given as its events in time order. Of all the streamsets that renaming makes of one,
the least is listed (in the order of these tuples).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TypeAlias

from .....semantics.spaseq.syntax.readings import Ties
from ..alphabets import Alphabet, Content
from .windows import WindowChoice, instants

Event: TypeAlias = tuple[int, int, Content]
"""(number of the instant, number of the stream, graph)"""

Events: TypeAlias = tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """What the queries on a streamset can tell apart.

    The streams from `named_streams` on have no name in the query; they may be exchanged unless the
    window tells events of one time apart by their streams.
    """

    named_streams: int
    ordered: bool


@dataclass(frozen=True, slots=True)
class EnumeratedStreams:
    """A streamset: its events and what time each instant is."""

    events: Events
    times: tuple[int, ...]


def enumerated_streamsets(
    events: int, alphabet: Alphabet, window: WindowChoice, ties: Ties, symmetry: Symmetry
) -> Iterator[EnumeratedStreams]:
    """Every streamset with exactly so many events, up to renaming, in a fixed order."""
    for layout in _layouts(events, alphabet.streams, ties):
        moments = list(instants(_instant_count(layout), window))
        for contents in product(alphabet.contents, repeat=events):
            placed = tuple(
                (instant, stream, content)
                for (instant, stream), content in zip(layout, contents, strict=True)
            )
            if _in_order(placed, ties) and _is_least(placed, alphabet, window, ties, symmetry):
                for times in moments:
                    yield EnumeratedStreams(placed, times)


def _layouts(events: int, streams: int, ties: Ties) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every way to give events an instant and a stream, most instants first."""
    at_once = combinations if ties == "error" else combinations_with_replacement
    widest = streams if ties == "error" else events

    def from_instant(instant: int, left: int) -> Iterator[tuple[tuple[int, int], ...]]:
        if left == 0:
            yield ()
            return
        for width in range(1, min(left, widest) + 1):
            for together in at_once(range(streams), width):
                for rest in from_instant(instant + 1, left - width):
                    yield (*((instant, stream) for stream in together), *rest)

    yield from from_instant(0, events)


def _instant_count(layout: tuple[tuple[int, int], ...]) -> int:
    return layout[-1][0] + 1 if layout else 0


def _in_order(events: Events, ties: Ties) -> bool:
    # Merged graphs have no order: one of their orders stands for all.
    return ties != "merge" or list(events) == sorted(events)


def _is_least(
    events: Events, alphabet: Alphabet, window: WindowChoice, ties: Ties, symmetry: Symmetry
) -> bool:
    used = frozenset(triple for _, _, content in events for triple in content)
    named = range(symmetry.named_streams)
    others = range(symmetry.named_streams, alphabet.streams)
    exchanges = [tuple(others)] if window.orders_streams else list(permutations(others))
    for renaming in alphabet.renamings(used, ordered=symmetry.ordered):
        for exchange in exchanges:
            streams = (*named, *exchange)
            image = [
                (instant, streams[stream], tuple(sorted(renaming[t] for t in content)))
                for instant, stream, content in events
            ]
            # Events of one stream at one instant keep their order, unless they are merged.
            image.sort(key=None if ties == "merge" else lambda event: event[:2])
            if tuple(image) < events:
                return False
    return True
