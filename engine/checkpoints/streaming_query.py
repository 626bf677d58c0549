"""A streaming query and its state as a whole, as a checkpoint stores it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..rdf.data.dictionary import Dictionary

if TYPE_CHECKING:
    from .state_encoder import Plain, SavedGraph


class RunningQuery(ABC):
    """A query that takes what arrives, in order, and returns results as they become certain.

    Between two arrivals nothing of it is on the way: what it has returned and what it remembers
    are all that there is.
    """

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """Whose ids the state is written in."""
        return ()

    @abstractmethod
    def arriving(self, streams: Any) -> Iterator[Any]:
        """What the streams bring, in the order in which `take` takes it."""

    @abstractmethod
    def taking(self, arrival: Any) -> Iterator[Any]:
        """The results that this arrival makes certain; it is taken when all have been asked for."""

    def take(self, arrival: Any) -> list[Any]:
        """The results that this arrival makes certain."""
        return list(self.taking(arrival))

    def taking_all(self, arrivals: Iterable[Any]) -> Iterator[Any]:
        """The results that these arrivals make certain, one after the other."""
        for arrival in arrivals:
            if self.is_done:
                return
            yield from self.taking(arrival)

    @abstractmethod
    def finish(self) -> list[Any]:
        """The results that the end of all streams makes certain."""

    def over(self, arrivals: Iterable[Any]) -> Iterator[Any]:
        """The results over all that arrives, each as soon as it is certain."""
        for arrival in arrivals:
            yield from self.taking(arrival)
            if self.is_done:
                return
        yield from self.finish()

    @property
    def is_done(self) -> bool:
        """Whether nothing that arrives can bring a result any more."""
        return False

    def settle(self) -> None:
        """Brings all that is remembered to where it is declared."""
        return

    def told(self) -> dict[str, Plain]:
        """What the query has been compiled for that only its streams could tell."""
        return {}

    def compile(self, told: Mapping[str, Plain]) -> None:
        """Compiles for what `told` has said of another run."""
        return


@dataclass(frozen=True, slots=True)
class RunningState:
    """What a running query remembers."""

    told: Mapping[str, Plain]
    terms: tuple[SavedGraph, ...]
    engine: SavedGraph


def state_of(running: RunningQuery) -> RunningState:
    """The state of a query between two arrivals."""
    from .state_encoder import saved

    running.settle()
    apart = running.dictionaries
    return RunningState(running.told(), tuple(map(saved, apart)), saved(running, apart))


def taken_up(
    make: Callable[[Sequence[Dictionary]], RunningQuery], state: RunningState
) -> RunningQuery:
    """A query in this state; `make` compiles it with these dictionaries.

    Terms have their ids before anything is compiled, so that constants have the ids that they had.
    """
    from .state_decoder import DamagedState, restored

    dictionaries = [Dictionary() for _ in state.terms]
    for dictionary, terms in zip(dictionaries, state.terms, strict=True):
        restored(dictionary, terms)
    running = make(dictionaries)
    running.compile(state.told)
    if [*map(id, running.dictionaries)] != [*map(id, dictionaries)]:
        raise DamagedState("it is the state of a query with other dictionaries")
    for dictionary, terms in zip(dictionaries, state.terms, strict=True):
        restored(dictionary, terms)  # without what compiling alone has looked at
    restored(running, state.engine, apart=dictionaries)
    return running
