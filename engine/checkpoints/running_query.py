"""A query at work, as a checkpoint sees it, and its state as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..rdf.data.dictionary import Dictionary
from .declared import stateful
from .restored_graphs import restored
from .saved_graphs import Plain, SavedGraph, saved


class RunningQuery(ABC):
    """A query that takes what arrives, in order, and returns results as they become certain.

    Between two arrivals nothing of it is on the way: what it has returned and what it remembers
    are all that there is.
    """

    dictionary: Dictionary | None = None
    """The ids that the state is written in; None where it has none."""

    @abstractmethod
    def arriving(self, streams: Any) -> Iterator[Any]:
        """What the streams bring, in the order in which `take` takes it."""

    @abstractmethod
    def take(self, arrival: Any) -> list[Any]:
        """The results that this arrival makes certain."""

    @abstractmethod
    def finish(self) -> list[Any]:
        """The results that the end of all streams makes certain."""

    @property
    def is_done(self) -> bool:
        """Whether nothing that arrives can bring a result any more."""
        return False

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
    terms: SavedGraph | None
    engine: SavedGraph


def state_of(running: RunningQuery) -> RunningState:
    """The state of a query between two arrivals."""
    dictionary = running.dictionary
    if dictionary is None:
        return RunningState(running.told(), None, saved(running))
    return RunningState(running.told(), saved(dictionary), saved(running, apart=(dictionary,)))


def taken_up(
    make: Callable[[Dictionary | None], RunningQuery], state: RunningState
) -> RunningQuery:
    """A query in this state; `make` compiles it.

    Terms have their ids before anything is compiled, so that constants have the ids that they had.
    """
    if state.terms is None:
        running = make(None)
        running.compile(state.told)
        restored(running, state.engine)
        return running
    dictionary = Dictionary()
    restored(dictionary, state.terms)
    running = make(dictionary)
    running.compile(state.told)
    restored(dictionary, state.terms)  # without what compiling alone has looked at
    restored(running, state.engine, apart=(dictionary,))
    return running


__all__ = ["RunningQuery", "RunningState", "state_of", "stateful", "taken_up"]
