"""The search for a smallest stream on which two sides differ, in any language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

WitnessT = TypeVar("WitnessT")
DataT = TypeVar("DataT")


@dataclass
class Search(Generic[WitnessT]):
    """What a search has done: how many streams, and up to how many events all, were tried."""

    tried: int = 0
    complete: int = -1
    witness: WitnessT | None = None
    out_of_time: bool = False


def search_by_size(
    streams: Callable[[int], Iterable[DataT]],
    difference: Callable[[DataT], WitnessT | None],
    *,
    max_events: int,
    seconds: float,
    progress: Callable[[int, int], None],
) -> Search[WitnessT]:
    """The first witness that a difference gives, over the streams of no event, of one, and so on.

    `progress` is told the number of events and how many streams were tried.
    """
    search: Search[WitnessT] = Search()
    deadline = monotonic() + seconds
    for events in range(max_events + 1):
        for each in streams(events):
            search.tried += 1
            if search.tried % 256 == 0:
                progress(events, search.tried)
                if monotonic() > deadline:
                    search.out_of_time = True
                    return search
            search.witness = difference(each)
            if search.witness is not None:
                return search
        search.complete = events
    return search


def least(
    witness: WitnessT,
    smaller: Callable[[WitnessT], Iterable[DataT]],
    difference: Callable[[DataT], WitnessT | None],
) -> WitnessT:
    """The witness of which no smaller data is a witness."""
    while True:
        found = (difference(each) for each in smaller(witness))
        less = next((each for each in found if each is not None), None)
        if less is None:
            return witness
        witness = less
