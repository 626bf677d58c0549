"""Choices: a function draws a value by choosing among options, and its caller says who chooses.

A drawing function takes a `Choices` first and decides everything through `among`. So one function
gives random values (`random_values`), a Hypothesis strategy (`strategy`), and every value there is
(`every`). It must be deterministic in its choices: no sets in iteration, no other randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache, wraps
from inspect import Signature, signature
from random import Random
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .swarms import Decision, Swarm, random_swarm, swarms

T = TypeVar("T")
P = ParamSpec("P")
QueryT = TypeVar("QueryT")

COIN: Final = False, True

Decided: TypeAlias = tuple[str, Sequence[T]]
"""The name of a decision, and its options."""


class Choices(Protocol):
    """Chooses among the options of each decision."""

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return one of the options, which are repeated as often as they weigh.

        Args:
            name: `language/decision`, by which swarms, capabilities and restrictions know it. Plain
                values, none of which a swarm leaves out, have a name without a slash, or none.
            options: hashable values, or a range; the first is the simplest.
        """


def several(
    choices: Choices, options: Sequence[T], most: int, *, least: int = 1, again: bool = False
) -> list[T]:
    """Draw at least `least` and at most `most` of the options, each once unless `again`."""
    count = choices.among("", range(least, most + 1)) if least < most else most
    if again:
        return [choices.among("", options) for _ in range(count)]
    left, found = list(dict.fromkeys(options)), []
    for _ in range(min(count, len(left))):
        found.append(left.pop(choices.among("", range(len(left)))))
    return found


_DROPPED: Final = (True,) + (False,) * 19


def dropped(choices: Choices) -> bool:
    """Return whether the part drawn just before goes: seldom, and at once when shrinking.

    Hypothesis shrinks the sequence of choices behind a value. If a part that goes took its choices
    with it, all later ones would shift and mean something else; dropped by a choice of its own, it
    goes alone. So the first, simplest choice is to drop.
    """
    return choices.among("", _DROPPED)


# --- random choices -------------------------------------------------------------------------------


def label(option: object) -> str:
    """Return the name of an option for swarms: the same in every process, as a seed needs it."""
    if isinstance(option, str):
        return str(option)  # of an IRI, too
    if isinstance(option, Enum):
        return str(option.value)
    shown = repr(option)
    # Neither addresses nor the order of sets.
    assert not any(sign in shown for sign in (" at 0x", "{")), f"{shown} is not its name elsewhere"
    return shown


# By their types, too: True is no 1.
@lru_cache(maxsize=1 << 14, typed=True)
def decision(name: str, *options: object) -> Decision:
    """Return the decision between options, which swarms know by their labels."""
    return Decision(name, tuple(map(label, options)))


_KNOWN: dict[tuple[str, int], tuple[Sequence[object], Decision]] = {}
_MOST_KNOWN: Final = 1 << 12


def _decision(name: str, options: Sequence[object]) -> Decision:
    """Return `decision(name, *options)`, without hashing options that were met before."""
    key = name, id(options)
    known = _KNOWN.get(key)
    if known is not None:  # it holds its options, so that no others have their id
        return known[1]
    found = decision(name, *options)
    if isinstance(options, tuple | range):
        if len(_KNOWN) == _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = options, found
    return found


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
        return options[self._swarm.place(_decision(name, options), place)]


def choice(name: str, options: Iterable[T]) -> SearchStrategy[T]:
    """Return the strategy of a named decision between options, repeated as often as they weigh.

    Args:
        name: `language/decision`, by which swarms know it.
        options: hashable values, the simplest first; the test case's swarm may leave some out.
    """
    return _choice(name, *options)


@lru_cache(maxsize=1 << 14, typed=True)
def _choice(name: str, *options: T) -> SearchStrategy[T]:
    return _decided(decision(name, *options), options)


@st.composite
def _decided(draw: DrawFn, decision: Decision, options: tuple[T, ...]) -> T:
    swarm = draw(swarms())
    return options[swarm.place(decision, draw(_place(len(options))))]


@lru_cache(maxsize=1 << 10)
def _place(count: int) -> SearchStrategy[int]:
    return st.sampled_from(range(count))


class HypothesisChoices:
    """Choices of a Hypothesis strategy, which Hypothesis replays and shrinks."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def among(self, name: str, options: Sequence[T]) -> T:
        """Return an option that Hypothesis draws, under the swarm of the test case."""
        if "/" in name:
            return self._draw(choice(name, options))
        if len(options) < 1 << 10:
            return options[self._draw(_place(len(options)))]
        return options[self._draw(st.integers(0, len(options) - 1))]


Options: TypeAlias = Mapping[str, Collection[object]]
"""By the names of choices, some of their options."""


def all_of(several_options: Iterable[Options]) -> Options:
    """Return the options that stand in one mapping or another, by the names of choices."""
    found: dict[str, list[object]] = {}
    for each in several_options:
        for name, options in each.items():
            found.setdefault(name, []).extend(options)
    return found


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

    def different(self, name: str, options: Sequence[T]) -> Sequence[int]:
        """Return the place at which each of the options that are allowed is first."""
        named = self._named.get(name)
        if named is None and isinstance(options, range):
            return range(len(options))
        return _different(named, self._refused, *options)


# Places are remembered, not options: equal ones may hold 1 or 1.0.
@lru_cache(maxsize=1 << 14, typed=True)
def _left(named: frozenset[object], refused: bool, *options: object) -> Sequence[int]:
    return [k for k, option in enumerate(options) if (_known(option) in named) is not refused]


@lru_cache(maxsize=1 << 14, typed=True)
def _different(
    named: frozenset[object] | None, refused: bool, *options: object
) -> tuple[int, ...]:
    first = {_known(options[k]): k for k in range(len(options) - 1, -1, -1)}
    return tuple(sorted(
        place for option, place in first.items()
        if named is None or (option in named) is not refused
    ))


UNRESTRICTED: Final = Restriction({})


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


Path: TypeAlias = list[tuple[Sequence[int], int]]
"""The choices behind a value: of each the places of the options that differ, and the chosen one's
place among them."""


class _Replayed:
    """The choices of a path; after its end, the first allowed option of each decision."""

    def __init__(self, path: Path, restriction: Restriction) -> None:
        self.path = path
        self._restriction = restriction
        self._at = 0

    def among(self, name: str, options: Sequence[T]) -> T:
        # Weights do not matter here.
        if self._at == len(self.path):
            if not (left := self._restriction.different(name, options)):
                raise NothingAllowed(name)
            self.path.append((left, 0))
        places, chosen = self.path[self._at]
        self._at += 1
        return options[places[chosen]]


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
        own = swarm or random_swarm(random)
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


def strategies(draw: Callable[Concatenate[Choices, P], T]) -> Callable[P, SearchStrategy[T]]:
    """Return the function of a drawing function's further arguments that returns its strategy."""
    @wraps(draw)
    def made(*args: P.args, **kwargs: P.kwargs) -> SearchStrategy[T]:
        return strategy(draw, *args, **kwargs)

    own = signature(draw)  # of which `choices` is the first
    made.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*own.parameters.values()][1:], return_annotation=Signature.empty
    )
    return made


@st.composite
def cases_on(
    draw: DrawFn,
    function: Callable[[Choices, QueryT | None], T],
    queries: SearchStrategy[QueryT] | None,
) -> T:
    """Return the strategy of a function that draws a case, on the queries of a strategy if any."""
    return function(HypothesisChoices(draw), None if queries is None else draw(queries))


def every(
    draw: Callable[[Choices], T], path: Path | None = None, restriction: Restriction = UNRESTRICTED
) -> Iterator[T]:
    """Return each value of a drawing function once for each way to choose, in one order.

    The function is called again for each value: the last decision that has a further option takes
    it, and the decisions after that one begin again.

    Args:
        draw: the drawing function; NothingAllowed that it raises skips a way to choose.
        path: where to begin; has the choices behind each value when that is returned.
        restriction: the options that alone are allowed; default: all.

    >>> def pair(choices: Choices) -> str:
    ...     first = choices.among("", "ab")
    ...     return first + (choices.among("", "xy") if first == "a" else "")
    >>> list(every(pair)), list(every(pair, [((0, 1), 0), ((0, 1), 1)]))
    (['ax', 'ay', 'b'], ['ay', 'b'])
    """
    path = [] if path is None else path
    while True:
        try:
            value = draw(_Replayed(path, restriction))
        except NothingAllowed:
            pass
        else:
            yield value
        while path and path[-1][1] + 1 == len(path[-1][0]):
            path.pop()
        if not path:
            return
        places, chosen = path[-1]
        path[-1] = places, chosen + 1
