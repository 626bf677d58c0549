"""Choices: a function draws a value by choosing among options, and its caller says who chooses.

A drawing function takes a `Choices` first and decides everything through `among`. So one function
gives random values (`random_values`), a Hypothesis strategy (`strategy`), and every value there is
(`every`). It must be deterministic in its choices: no sets in iteration, no other randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar, cast

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
            name: `language/decision`, by which swarms, capabilities and restrictions know it. Plain
                values, none of which a swarm leaves out, have a name without a slash, or none.
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
        if "/" not in name:
            return options[place]
        return options[self._swarm.place(decision(name, *options), place)]


class HypothesisChoices:
    """Choices of a Hypothesis strategy, which Hypothesis replays and shrinks."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return an option that Hypothesis draws, under the swarm of the test case."""
        if "/" in name:
            return self._draw(choice(name, options))
        if isinstance(options, range):
            numbers: Any = st.integers(0, len(options) - 1)
            place: Any = self._draw(numbers)
            return cast(T, options[place])
        return self._draw(among(options))


Options: TypeAlias = Mapping[str, Collection[object]]
"""By the names of choices, some of their options."""


def _known(option: object) -> object:
    """Return an option as others are compared with it: 1, 1.0 and True are three."""
    return (type(option), option) if isinstance(option, int | float) else option


class Restriction:
    """The options that alone are allowed of some choices, or those that are `refused`."""

    def __init__(self, options: Options, *, refused: bool = False) -> None:
        self._named = {name: frozenset(map(_known, some)) for name, some in options.items()}
        self._refused = refused

    def left(self, name: str, options: Sequence[T]) -> Sequence[T]:
        """Return the options that are allowed of a choice."""
        named = self._named.get(name)
        if named is None:
            return options
        return [options[place] for place in _left(named, self._refused, *options)]


# Places are remembered, not options: equal ones may hold 1 or 1.0.
@lru_cache(maxsize=1 << 14, typed=True)
def _left(named: frozenset[object], refused: bool, *options: object) -> Sequence[int]:
    return [k for k, option in enumerate(options) if (_known(option) in named) is not refused]


class NothingAllowed(Exception):
    """A choice none of whose options is allowed: these choices lead to no value."""


class Restricted:
    """Another's choices, among allowed options alone."""

    def __init__(self, choices: Choices, restriction: Restriction) -> None:
        self._choices = choices
        self._restriction = restriction

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return the other's choice among allowed options; raise NothingAllowed without any."""
        left = self._restriction.left(name, options)
        if not left:
            raise NothingAllowed(name)
        return self._choices.among(name, left)


_ATTEMPTS: Final = 20


def restricted(draw: Callable[[Choices], T], restriction: Restriction) -> Callable[[Choices], T]:
    """Return a drawing function under a restriction.

    Where twenty attempts lead to no value, the restriction is given up for that value.
    """
    def drawn(choices: Choices) -> T:
        allowed = Restricted(choices, restriction)
        for _ in range(_ATTEMPTS):
            try:
                return draw(allowed)
            except NothingAllowed:
                pass
        return draw(choices)

    return drawn


Path: TypeAlias = list[tuple[int, int]]
"""The choices behind a value: of each the place of its option, and how many options it has."""


class _Replayed:
    """The choices at the places of a path; after its end, the first option of each decision."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._at = 0

    def among(self, name: str, options: Sequence[T]) -> T:
        # Weights do not matter here.
        places = range(len(options)) if isinstance(options, range) else _different(*options)
        if self._at == len(self.path):
            self.path.append((0, len(places)))
        place, _ = self.path[self._at]
        self._at += 1
        return options[places[place]]


@lru_cache(maxsize=1 << 14, typed=True)
def _different(*options: object) -> Sequence[int]:
    """Return the place at which each option is first."""
    first = {_known(options[k]): k for k in range(len(options) - 1, -1, -1)}
    return sorted(first.values())


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


def every(draw: Callable[[Choices], T], path: Path | None = None) -> Iterator[T]:
    """Return each value of a drawing function once for each way to choose, in one order.

    The function is called again for each value: the last decision that has a further option takes
    it, and the decisions after that one begin again.

    Args:
        draw: the drawing function; NothingAllowed that it raises skips a way to choose.
        path: where to begin; has the choices behind each value when that is returned.

    >>> def pair(choices: Choices) -> str:
    ...     first = choices.among("", "ab")
    ...     return first + (choices.among("", "xy") if first == "a" else "")
    >>> list(every(pair)), list(every(pair, [(0, 2), (1, 2)]))
    (['ax', 'ay', 'b'], ['ay', 'b'])
    """
    path = [] if path is None else path
    while True:
        try:
            value = draw(_Replayed(path))
        except NothingAllowed:
            pass
        else:
            yield value
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        place, count = path[-1]
        path[-1] = place + 1, count
