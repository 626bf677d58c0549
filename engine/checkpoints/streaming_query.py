"""A streaming query and its state as a whole, as a checkpoint stores it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..rdf.data.dictionary import Dictionary

if TYPE_CHECKING:
    from .state_encoder import Plain, SavedGraph


class StreamingQuery(ABC):
    """A query that processes stream elements in order and emits each result when it is final.

    Between two elements, its state and the results that it has emitted are complete.
    """

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """The dictionaries whose term ids the state contains."""
        return ()

    @abstractmethod
    def elements(self, streams: Any) -> Iterator[Any]:
        """Return the elements of the streams, in the order in which `process` expects them."""

    @abstractmethod
    def process(self, element: Any) -> Iterator[Any]:
        """Yield the results that this element makes final.

        The element is processed when the iterator is exhausted.
        """

    def take(self, element: Any) -> list[Any]:
        """Return the results that this element makes final."""
        return list(self.process(element))

    def process_all(self, elements: Iterable[Any]) -> Iterator[Any]:
        """Yield the results that these elements make final."""
        for element in elements:
            if self.is_done:
                return
            yield from self.process(element)

    @abstractmethod
    def finish(self) -> list[Any]:
        """Return the results that the end of all streams makes final."""

    def run(self, elements: Iterable[Any]) -> Iterator[Any]:
        """Yield the results over all elements, each as soon as it is final."""
        for element in elements:
            yield from self.process(element)
            if self.is_done:
                return
        yield from self.finish()

    @property
    def is_done(self) -> bool:
        """Return whether no further element can produce a result."""
        return False

    def prepare_checkpoint(self) -> None:
        """Move all state to where the state schema declares it."""
        return

    def compile_parameters(self) -> dict[str, Plain]:
        """Return the compile-time parameters inferred from the input, e.g. the timestamp kind."""
        return {}

    def compile(self, parameters: Mapping[str, Plain]) -> None:
        """Compile for the parameters that `compile_parameters` returned in another run."""
        return


@dataclass(frozen=True, slots=True)
class QueryState:
    """The state of a streaming query."""

    compile_parameters: Mapping[str, Plain]
    terms: tuple[SavedGraph, ...]
    engine: SavedGraph


def save_state(running: StreamingQuery) -> QueryState:
    """Return the state of a query between two elements."""
    from .state_encoder import saved

    running.prepare_checkpoint()
    apart = running.dictionaries
    return QueryState(running.compile_parameters(), tuple(map(saved, apart)), saved(running, apart))


def restore_state(
    make: Callable[[Sequence[Dictionary]], StreamingQuery], state: QueryState
) -> StreamingQuery:
    """Return a query in this state; `make` compiles it with these dictionaries.

    Terms get their ids before compilation, so that constants keep their ids.
    """
    from .state_decoder import DamagedState, restored

    dictionaries = [Dictionary() for _ in state.terms]
    for dictionary, terms in zip(dictionaries, state.terms, strict=True):
        restored(dictionary, terms)
    running = make(dictionaries)
    running.compile(state.compile_parameters)
    if [*map(id, running.dictionaries)] != [*map(id, dictionaries)]:
        raise DamagedState("it is the state of a query with other dictionaries")
    for dictionary, terms in zip(dictionaries, state.terms, strict=True):
        restored(dictionary, terms)  # without what compiling alone has looked at
    restored(running, state.engine, apart=dictionaries)
    return running
