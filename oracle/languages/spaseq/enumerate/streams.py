"""All streamsets with a number of events over an alphabet, one of each isomorphism class.

A streamset is its events in time order, as tuples of numbers. Of all the streamsets that renaming
makes of one, the least is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from .....semantics.spaseq.syntax.readings import Ties
from ....ranks.numbered_streams import check_held
from ..alphabets.event_graphs import EventGraphs, Triple
from .windows import WindowChoice, instants

Layout: TypeAlias = tuple[tuple[int, int], ...]
"""Of each event the number of its instant and of its stream."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """What the queries on a streamset can tell apart.

    The streams from `named_streams` on have no name in the query; they may be exchanged unless the
    window tells events of one time apart by their streams.
    """

    named_streams: int
    ordered: bool


def enumerated_streamsets(
    events: int, alphabet: EventGraphs, window: WindowChoice, ties: Ties, symmetry: Symmetry
) -> NDArray[numpy.int16]:
    """Every streamset with exactly so many events, up to renaming, in a fixed order.

    [streamset, event]: the time, the number of the stream, the number of the graph. Raises
    TooManyStreams if there are too many to hold them.
    """
    check_held(len(alphabet.contents) ** events, events)
    count = 0
    chosen = _product(len(alphabet.contents), events)
    found = []
    for layout in _layouts(events, alphabet.streams, ties):
        contents = chosen[_least(layout, chosen, alphabet, window, ties, symmetry)]
        moments = list(instants(_instant_count(layout), window))
        count += len(contents) * len(moments)
        check_held(count, events)
        times = numpy.array(
            [[each[instant] for instant, _ in layout] for each in moments], numpy.int16
        )
        streams = numpy.array([stream for _, stream in layout], numpy.int16)
        several = numpy.empty((len(contents), len(moments), events, 3), numpy.int16)
        several[..., 0] = times[None, :, :]
        several[..., 1] = streams[None, None, :]
        several[..., 2] = contents[:, None, :]
        found.append(several.reshape(len(contents) * len(moments), events, 3))
    return numpy.concatenate(found)


def _product(numbers: int, length: int) -> NDArray[numpy.int16]:
    """Every tuple of so many numbers below `numbers`, ascending."""
    grid = numpy.indices((numbers,) * length, numpy.int16)
    return grid.reshape(length, numbers**length).T


def _layouts(events: int, streams: int, ties: Ties) -> Iterator[Layout]:
    """Every way to give events an instant and a stream, most instants first."""
    at_once = combinations if ties == "error" else combinations_with_replacement
    widest = streams if ties == "error" else events

    def from_instant(instant: int, left: int) -> Iterator[Layout]:
        if left == 0:
            yield ()
            return
        for width in range(1, min(left, widest) + 1):
            for together in at_once(range(streams), width):
                for rest in from_instant(instant + 1, left - width):
                    yield (*((instant, stream) for stream in together), *rest)

    yield from from_instant(0, events)


def _instant_count(layout: Layout) -> int:
    return layout[-1][0] + 1 if layout else 0


def _least(
    layout: Layout, contents: NDArray[numpy.int16], alphabet: EventGraphs, window: WindowChoice,
    ties: Ties, symmetry: Symmetry,
) -> NDArray[numpy.bool_]:
    """Which of these contents, at these places, are the least that renaming makes of them."""
    size = len(alphabet.contents)
    order = sorted(range(size), key=alphabet.contents.__getitem__)
    rank = numpy.argsort(order)
    places = [(instant * alphabet.streams + stream) * size for instant, stream in layout]
    # A streamset as a number: those that come earlier as tuples of events are less.
    digits = (max(places, default=0) + size) ** numpy.arange(len(layout))[::-1]
    events = numpy.array(places, numpy.int64) + rank[contents]
    own = events @ digits
    # Merged graphs have no order: one of their orders stands for all.
    least = own == numpy.sort(events) @ digits if ties == "merge" else numpy.ones(len(own), bool)
    others = range(symmetry.named_streams, alphabet.streams)
    exchanges = [tuple(others)] if window.orders_streams else list(permutations(others))
    triples = alphabet.triples
    bits = numpy.array([
        sum(1 << triples.index(triple) for triple in content) for content in alphabet.contents
    ])
    used = numpy.bitwise_or.reduce(bits[contents], axis=1, initial=0)
    for exchange in exchanges:
        streams = (*range(symmetry.named_streams), *exchange)
        moved = [
            (instant * alphabet.streams + streams[stream]) * size for instant, stream in layout
        ]
        # Events of one stream at one instant keep their order, unless they are merged.
        turned = numpy.argsort(moved, kind="stable")
        for some in map(int, numpy.unique(used)):
            rows = numpy.flatnonzero(used == some)
            present = frozenset(t for bit, t in enumerate(triples) if some >> bit & 1)
            for renaming in alphabet.renamings(present, ordered=symmetry.ordered):
                images = rank[_images(renaming, alphabet)]
                image = numpy.array(moved, numpy.int64) + images[contents[rows]]
                image = numpy.sort(image) if ties == "merge" else image[:, turned]
                least[rows] &= image @ digits >= own[rows]
    return least


def _images(renaming: Mapping[Triple, Triple], alphabet: EventGraphs) -> list[int]:
    """What each graph becomes, by its number; 0 where it has a triple that is not renamed."""
    numbers = {content: number for number, content in enumerate(alphabet.contents)}
    return [
        numbers[tuple(sorted(renaming[triple] for triple in content))]
        if all(triple in renaming for triple in content) else 0
        for content in alphabet.contents
    ]
