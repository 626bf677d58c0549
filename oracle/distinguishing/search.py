"""The search for a smallest stream on which two sides differ: queries, or readings of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

from ..languages.registry import Language, of_query, part_of

WitnessT = TypeVar("WitnessT")

_TURN = 1_000  # streams that are listed, or drawn, in turn
_TURNS = 5  # of drawing, at least; as long as there are streams to list there are more


@dataclass(frozen=True)
class Data:
    """Streams, and background graphs."""

    streams: Mapping[Any, tuple[Any, ...]]
    kb: Mapping[Any, Any] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """The number of events."""
        return sum(map(len, self.streams.values()))


class SearchSpace(Protocol):
    """The streams that two queries may tell apart."""

    def listed(self, events: int) -> Iterator[Data]:
        """Return all streams of a number of events over an alphabet."""

    def drawn(self, random: Random, most: int) -> Data:
        """Draw one of at most that many events that is likely to distinguish."""

    def smaller(self, data: Data) -> Iterator[Data]:
        """Yield smaller data, each reduced in one place."""


@dataclass
class Search(Generic[WitnessT]):
    """A search's progress: the streams tried, and the number of events up to which all were."""

    tried: int = 0
    complete: int = -1
    witness: WitnessT | None = None
    out_of_time: bool = False


def search(
    space: SearchSpace,
    difference: Callable[[Data], WitnessT | None],
    data_of: Callable[[WitnessT], Data],
    *,
    max_events: int,
    max_drawn: int,
    seconds: float,
    progress: Callable[[int, int], None],
) -> Search[WitnessT]:
    """Return a witness of as few events as can be found, with nothing in it that it does not need.

    Streams are listed by their number of events, up to `max_events`. In turn with that, streams of
    at most `max_drawn` events are drawn at random, the same ones in each run. A drawn witness is
    made smaller, and then the list has one more turn to find a smaller one. `progress` is told the
    number of events and how many were tried.
    """
    found: Search[WitnessT] = Search()
    deadline = monotonic() + seconds
    random = Random(0)

    def tried(data: Data) -> WitnessT | None:
        found.tried += 1
        if found.tried % 64 == 0:
            progress(max(found.complete + 1, 0), found.tried)
            if monotonic() > deadline:
                raise _OutOfTime
        return difference(data)

    def listing() -> Iterator[Data]:
        for events in range(max_events + 1):
            yield from space.listed(events)
            found.complete = events

    def first(streams: Iterator[Data]) -> WitnessT | None:
        return next((w for data in streams if (w := tried(data)) is not None), None)

    listed = listing()
    turn = 0
    try:
        while found.witness is None and (turn < _TURNS or found.complete < max_events):
            turn += 1
            found.witness = first(islice(listed, _TURN))
            if found.witness is not None:
                break
            found.witness = first(space.drawn(random, max_drawn) for _ in range(_TURN))
            if found.witness is not None:
                found.witness = _least(found.witness, space, difference, data_of)
                size = data_of(found.witness).events
                better = first(d for d in islice(listed, 2 * _TURN) if d.events < size)
                found.witness = better or found.witness
    except _OutOfTime:
        found.out_of_time = found.witness is None
    if found.witness is not None:
        found.witness = _least(found.witness, space, difference, data_of)
    return found


class _OutOfTime(Exception):
    """The time is up."""


def _least(
    witness: WitnessT,
    space: SearchSpace,
    difference: Callable[[Data], WitnessT | None],
    data_of: Callable[[WitnessT], Data],
) -> WitnessT:
    """Return the witness of which nothing smaller is a witness."""
    while True:
        found = (difference(each) for each in space.smaller(data_of(witness)))
        less = next((each for each in found if each is not None), None)
        if less is None:
            return witness
        witness = less


@dataclass(frozen=True, slots=True)
class Side:
    """A query under readings."""

    query: Any
    readings: Any

    @property
    def language(self) -> Language:
        """The query's language."""
        return of_query(self.query)

    def answers(self, data: Data) -> list[Any]:
        """Return the definitions' answers, without the parts that are not compared."""
        results: Iterable[Any] = self.language.evaluate(
            self.query, streams=data.streams, kb=data.kb, readings=self.readings, evaluation={}
        )
        compared = getattr(part_of(self.language.name, "distinguish"), "compared", list)
        return list(compared(results))


@dataclass(frozen=True, slots=True)
class Witness:
    """Streams on which two sides differ, with what only the one or the other answers.

    `error_a` and `error_b` are the errors of a side that gives none. Where both may answer the
    same but leave another choice, `note` says so.
    """

    streams: Mapping[Any, tuple[Any, ...]]
    kb: Mapping[Any, Any]
    only_a: tuple[Any, ...] = ()
    only_b: tuple[Any, ...] = ()
    error_a: str = ""
    error_b: str = ""
    note: str = ""

    @property
    def data(self) -> Data:
        """The streams and background graphs."""
        return Data(self.streams, self.kb)

    @property
    def events(self) -> int:
        """The number of its events."""
        return self.data.events
