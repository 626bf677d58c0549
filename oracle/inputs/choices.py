"""Choices: a function draws a value by choosing among options, and its caller says who chooses.

A drawing function takes a `Choices` first and decides everything through `among`. So one function
gives random values (`random_values`), a Hypothesis strategy (`strategy`), and every value there is
(`every`). It must be deterministic in its choices: no sets in iteration, no other randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ..fuzzing.strategies.choices import among, choice, decision
from ..fuzzing.strategies.swarms import GROUPS, SEEDS, Swarm

T = TypeVar("T")
P = ParamSpec("P")


class Choices(Protocol):
    """Chooses among the options of each decision."""

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return one of the options, which are repeated as often as they weigh.

        Args:
            name: `language/decision`, by which swarms and capabilities know the decision; empty for
                plain values, none of which is worth leaving out.
            options: hashable values, or a range; the first is the simplest.
        """


class RandomChoices:
    """Random choices, of which a swarm leaves some options out."""

    def __init__(self, random: Random, swarm: Swarm) -> None:
        self._random = random.random
        self._swarm = swarm

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return an option at random, as often as it is repeated."""
        place = int(self._random() * len(options))
        if not name:
            return options[place]
        return options[self._swarm.place(decision(name, *options), place)]


class HypothesisChoices:
    """Choices of a Hypothesis strategy, which Hypothesis replays and shrinks."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return an option that Hypothesis draws, under the swarm of the test case."""
        if name:
            return self._draw(choice(name, options))
        if isinstance(options, range):
            numbers: Any = st.integers(0, len(options) - 1)
            place: Any = self._draw(numbers)
            return cast(T, options[place])
        return self._draw(among(options))


class _Replayed:
    """The choices at the places of a path; after its end, the first option of each decision."""

    def __init__(self, path: list[tuple[int, int]]) -> None:
        self.path = path
        self._at = 0

    def among(self, name: str, options: Sequence[T]) -> T:
        # Weights do not matter here.
        different: Any = options if isinstance(options, range) else tuple(dict.fromkeys(options))
        if self._at == len(self.path):
            self.path.append((0, len(different)))
        place, _ = self.path[self._at]
        self._at += 1
        return cast(T, different[place])


def random_values(
    draw: Callable[[Choices], T], seed: str, count: int, swarm: Swarm | None = None
) -> Iterator[T]:
    """Return `count` random values of a drawing function, the same for the same seed.

    Args:
        draw: the drawing function.
        seed: the seed, of all values together.
        count: the number of values.
        swarm: the swarm of all values; default: each value has a random swarm of its own.
    """
    random = Random(seed)
    for _ in range(count):
        own = swarm or Swarm([random.randrange(SEEDS) for _ in range(GROUPS)])
        own.decided.clear()
        yield draw(RandomChoices(random, own))


@st.composite
def _strategy(draw: DrawFn, function: Any, args: Any, kwargs: Any) -> Any:
    return function(HypothesisChoices(draw), *args, **kwargs)


def strategy(
    draw: Callable[Concatenate[Choices, P], T], *args: P.args, **kwargs: P.kwargs
) -> SearchStrategy[T]:
    """Return the Hypothesis strategy of a drawing function with these further arguments."""
    found: SearchStrategy[T] = _strategy(draw, args, kwargs)
    return found


def every(draw: Callable[[Choices], T]) -> Iterator[T]:
    """Return each value of a drawing function once for each way to choose, in one order.

    The function is called again for each value: the last decision that has a further option takes
    it, and the decisions after that one begin again.

    >>> def pair(choices: Choices) -> str:
    ...     first = choices.among("", "ab")
    ...     return first + (choices.among("", "xy") if first == "a" else "")
    >>> list(every(pair))
    ['ax', 'ay', 'b']
    """
    path: list[tuple[int, int]] = []
    while True:
        yield draw(_Replayed(path))
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        place, count = path[-1]
        path[-1] = place + 1, count
