"""Distinguishing: a smallest stream on which two queries, or two readings of one, differ.

Streams are made of what the two queries ask for (`graph_streams`): listed by their number of
events, and drawn as one of the queries wants them, with something changed. The definitions decide.
Of SPAseq windows are not compared, times and solutions are: two queries of different WITHIN differ
where their answers do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...semantics.model.errors import DenotaError
from ..checking.comparison import compare
from ..languages.registry import part_of
from .graph_streams import graph_streams
from .search import Data, Search, SearchSpace, Side, Witness, search

_MOST_DRAWN = 8  # events of a stream that is drawn, where nobody says how many are too many
_LISTED = 4  # and of one that is listed


def distinguish(
    a: Side,
    b: Side,
    *,
    max_events: int | None = None,
    seconds: float = 60.0,
    progress: Callable[[int, int], None] = lambda events, tried: None,
) -> Search[Witness]:
    """Return a smallest stream on which `a` and `b` differ, if one is found within the bounds.

    "Smallest" is by the number of events: if the search says that it is complete for one event
    less, all streams over the alphabet with fewer events have been tried. No event and no triple
    of it can be left out. `progress` is told the number of events and how many were tried.
    """
    return search(
        space_of(a, b),
        lambda data: difference(a, b, data),
        lambda witness: witness.data,
        max_events=_LISTED if max_events is None else max_events,
        max_drawn=_MOST_DRAWN if max_events is None else max_events,
        seconds=seconds,
        progress=progress,
    )


def space_of(a: Side, b: Side) -> SearchSpace:
    """Return the streams that two sides of one language may tell apart."""
    own: Callable[[Side, Side], SearchSpace] = getattr(
        part_of(a.language.name, "distinguish"), "space", graph_streams
    )
    return own(a, b)


def difference(a: Side, b: Side, data: Data) -> Witness | None:
    """Return the witness that these streams are, None if both sides answer alike."""
    own = getattr(part_of(a.language.name, "distinguish"), "difference", None)
    if own is not None:
        found: Witness | None = own(a, b, data)
        return found
    results: list[list[Any]] = []
    errors: list[str] = []
    for side in (a, b):
        try:
            results.append(side.answers(data))
            errors.append("")
        except DenotaError as error:
            results.append([])
            errors.append(error.message)
    if results[0] == results[1] and bool(errors[0]) == bool(errors[1]):
        return None
    language = a.language
    level = language.levels[0]
    told = compare(
        language.answers(results[0], level, partial=True),
        language.answers(results[1], level, partial=True),
        level,
        sets=language.sets,
    )
    if not told and bool(errors[0]) == bool(errors[1]):
        return None
    only_a = tuple(sorted(map(language.result_of, told.missing), key=language.order))
    only_b = tuple(sorted(map(language.result_of, told.unexpected), key=language.order))
    return Witness(data.streams, data.kb, only_a, only_b, errors[0], errors[1])


__all__ = ["Side", "Witness", "difference", "distinguish", "space_of"]
