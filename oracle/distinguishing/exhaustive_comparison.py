"""The comparison of two readings on every small case, up to a bound.

The cases are those of `ranks`, the smallest first, so that the first one on which the readings
differ is a smallest: of query and streams together. A reading may decide what cases there are (of
SPAseq's windows, say, which times matter); then all those of either are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from ...semantics.model.errors import ReadingError
from ..languages.enumeration import Bounds, blocks
from ..languages.registry import language
from ..ranks.space import Run, Space
from . import Side, Witness, difference
from .search import Data


@dataclass(frozen=True, slots=True)
class ApartCase:
    """A case on which two readings differ: a query and streams."""

    a: Side
    b: Side
    witness: Witness
    operators: int
    events: int
    id: str


@dataclass
class Exhausted:
    """The bounds of a comparison, and its outcome.

    `tried` counts the cases on which both answer, `refused` those to which one of them says with
    an error that it has no answer. `through` are the blocks (operators, events) on which they
    agree.
    """

    tried: int = 0
    refused: int = 0
    through: list[tuple[int, int]] = field(default_factory=list)
    apart: ApartCase | None = None
    out_of_time: bool = False


def exhaust(
    name: str,
    bounds: Bounds,
    a: Mapping[str, str],
    b: Mapping[str, str],
    *,
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda events, tried: None,
) -> Exhausted:
    """Return the smallest case on which two readings differ; `bounds` has their shared settings.

    Raises ReadingError, BoundsError or QueryError for what the language does not have. `progress`
    is told the number of events and how many cases were tried.
    """
    found = Exhausted()
    named = [{**bounds.readings, **each} for each in (a, b)]
    spaces = [Space.of(name, replace(bounds, readings=each)) for each in named]
    deadline = None if seconds is None else monotonic() + seconds
    for operators, events in blocks(bounds.operators, bounds.length):
        for run, places in _asked(spaces, operators, events):
            progress(events, found.tried + found.refused)
            if deadline is not None and monotonic() > deadline:
                found.out_of_time = True
                return found
            found.apart = _first(run, places, named, found)
            if found.apart is not None:
                return found
        found.through.append((operators, events))
    return found


def _first(
    run: Run, places: Sequence[int], named: Sequence[Mapping[str, str]], found: Exhausted
) -> ApartCase | None:
    """Return the first of these cases on which the readings differ, after which none is asked."""
    try:
        a, b = (
            Side(run.query, language(run.language).readings(each, run.query)) for each in named
        )
    except ReadingError:  # one of them says nothing of this query
        found.refused += len(places)
        return None
    for place in places:
        witness = difference(a, b, Data(run.given(place)))
        if witness is not None and (witness.error_a or witness.error_b):
            found.refused += 1
            continue
        found.tried += 1
        if witness is not None:
            return ApartCase(a, b, witness, run.operators, run.events, run.row(place).id)
    return None


def _asked(
    spaces: Sequence[Space], operators: int, events: int
) -> Iterator[tuple[Run, Sequence[int]]]:
    """Yield a block's cases, places in runs: all of one space, and those only in the other."""
    first, other = (_runs(space, operators, events) for space in spaces)
    more = {run.text: run for run in other}
    beyond: dict[Hashable, list[int]] = {}  # what a query's streams are depends on what it names
    for run in first:
        yield run, range(len(run))
        same = more.pop(run.text, None)
        if same is None:
            continue
        about = (run.about, same.about)
        if about not in beyond:
            known = set(run.streams)
            beyond[about] = [n for n, each in enumerate(same.streams) if each not in known]
        yield same, beyond[about]
    for run in more.values():
        yield run, range(len(run))


def _runs(space: Space, operators: int, events: int) -> Iterator[Run]:
    block = space.block(operators, events)
    return space.runs(block.first, block.end)
