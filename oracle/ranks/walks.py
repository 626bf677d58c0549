"""Words by number whose letters depend on what came before them: walks from state to state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

from .families import AboutT, Weight

StepT = TypeVar("StepT")
StateT = TypeVar("StateT", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Walks(Generic[StepT, StateT, AboutT]):
    """All ways to take so many steps, by weights of the states in which they end.

    `steps` has those from a state, the first at place 0, each with the state after it; `about` is
    what is to be known of a last one.

    >>> two = Walks(2, 0, lambda place, known: [(k, max(k + 1, known)) for k in range(known + 1)],
    ...             lambda known: known)
    >>> total = two.total(lambda known: known)
    >>> [(word, rest) for word, _, rest in (two.at(n, lambda known: known) for n in range(total))]
    [((0, 0), 0), ((0, 1), 0), ((0, 1), 1)]
    """

    length: int
    start: StateT
    steps: Callable[[int, StateT], Sequence[tuple[StepT, StateT]]]
    about: Callable[[StateT], AboutT]

    def total(self, weight: Weight[AboutT]) -> int:
        """The weight of all."""
        return self._weights(weight)[0][self.start]

    def at(
        self, rank: int, weight: Weight[AboutT]
    ) -> tuple[tuple[StepT, ...], AboutT, int]:
        """The walk that holds this rank, what is known of its end, and the rank in it."""
        weights = self._weights(weight)
        state, taken = self.start, []
        for place in range(self.length):
            for step, after in self.steps(place, state):
                held = weights[place + 1][after]
                if rank < held:
                    taken.append(step)
                    state = after
                    break
                rank -= held
            else:
                raise IndexError("no walk holds a rank that high")
        return tuple(taken), self.about(state), rank

    def _weights(self, weight: Weight[AboutT]) -> Sequence[Mapping[Any, int]]:
        return _weighed(self, tuple(weight(self.about(state)) for state in self._states[-1]))

    @cached_property
    def _states(self) -> list[list[StateT]]:
        """The states that there may be before each step, and after the last."""
        found = [[self.start]]
        for place in range(self.length):
            after = (state for before in found[-1] for _, state in self.steps(place, before))
            found.append([*dict.fromkeys(after)])
        return found

    def weighed(self, ends: Sequence[int]) -> Sequence[Mapping[Any, int]]:
        """By place, the weight of all walks from a state on; `ends` has that of each last one."""
        known: list[Mapping[Any, int]] = [dict(zip(self._states[-1], ends, strict=True))]
        for place in reversed(range(self.length)):
            later = known[-1]
            known.append({
                state: sum(later[after] for _, after in self.steps(place, state))
                for state in self._states[place]
            })
        return known[::-1]


@lru_cache(maxsize=1 << 8)
def _weighed(walks: Walks[Any, Any, Any], ends: tuple[int, ...]) -> Sequence[Mapping[Any, int]]:
    return walks.weighed(ends)
