"""Generating each example afresh, and cheaply.

Hypothesis makes most examples by mutating the one before, which suits small spaces of plain data.
Queries over streams are anything but that: afresh, as many examples are two and a half times as
many different queries. Alternative backends are not mutated, so `plain_backend` is one, for
properties. It draws small numbers evenly, and no constants from the source of the modules that
happen to be loaded: what is generated depends on the seed alone.

Where nothing is to be replayed or shrunk by Hypothesis, `drawn` leaves out what is kept for that,
four fifths of the work: it draws through a `ConjectureData` that remembers nothing. That is
inside Hypothesis; with a release where it is not to be had, `drawn` asks for examples as everyone
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.control import BuildContext
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import SearchStrategy
from hypothesis.strategies._internal.lazy import unwrap_strategies

T = TypeVar("T")

_unwrapped: Any = unwrap_strategies

_NAME: Final = "denota-plain"
_EVEN: Final = 1 << 24
"""Of larger ranges the beginnings are preferred, as Hypothesis does."""


class PlainProvider(HypothesisProvider):
    """Hypothesis' own generator, but for integers between bounds."""

    def draw_integer(
        self, min_value: int | None = None, max_value: int | None = None, **more: Any
    ) -> int:
        if min_value is not None and max_value is not None:
            assert self._random is not None
            return _between(min_value, max_value, self._random, more.get("weights"))
        return super().draw_integer(min_value, max_value, **more)


def _between(
    low: int, high: int, random: Random, weights: Mapping[int, float] | None = None
) -> int:
    if weights:  # of the bounds, where there is much between them
        chance = random.random()
        for value, weight in weights.items():
            if chance < weight:
                return value
            chance -= weight
    size = high - low + 1
    if size > _EVEN and random.random() < 0.875:
        size = min(size, 1 << random.choice((8, 16, 32, 64, 128)))
    return low + (int(random.random() * size) if size <= _EVEN else random.randrange(size))


def plain_backend() -> str:
    """The name of the backend to give to `hypothesis.settings(backend=…)`."""
    AVAILABLE_PROVIDERS.setdefault(_NAME, f"{__name__}.{PlainProvider.__name__}")
    return _NAME


def drawn(strategy: SearchStrategy[T], seed: str, count: int) -> Iterator[T]:
    """So many values of a strategy; fewer if it rejects nine of ten."""
    if not _fits():
        yield from _asked_for(strategy, seed, count)
        return
    random = Random(seed)
    made = 0
    for _ in range(10 * count):
        if made == count:
            return
        try:
            value = _one(strategy, random)
        except (StopTest, UnsatisfiedAssumption):
            continue
        made += 1
        yield value


def _one(strategy: SearchStrategy[T], random: Random) -> T:
    data = _Forgetful(random=random, provider=PlainProvider)
    with BuildContext(data, wrapped_test=_one):
        value: T = data.draw(strategy)
        return value


class _Forgetful(ConjectureData):
    """Draws as Hypothesis does, and keeps no account of it."""

    def draw(self, strategy: Any, label: Any = None, observe_as: Any = None) -> Any:
        return _unwrapped(strategy).do_draw(self)

    def draw_integer(
        self, min_value: int | None = None, max_value: int | None = None, **more: Any
    ) -> int:
        forced: int | None = more.get("forced")
        if forced is not None:
            return forced
        if min_value is not None and max_value is not None:
            assert self._random is not None
            return _between(min_value, max_value, self._random, more.get("weights"))
        return super().draw_integer(min_value, max_value, **more)

    def draw_boolean(self, p: float = 0.5, **more: Any) -> bool:
        forced: bool | None = more.get("forced")
        if forced is not None:
            return forced
        assert self._random is not None
        return self._random.random() < p

    def start_span(self, label: int) -> None:
        self.depth += 1

    def stop_span(self, *, discard: bool = False) -> None:
        self.depth -= 1


@cache
def _fits() -> bool:
    """Whether this release of Hypothesis draws through what `_Forgetful` is."""
    every_way = st.tuples(
        st.integers(0, 9), st.lists(st.booleans(), max_size=3), st.sampled_from("ab").map(str)
    )
    try:
        _one(every_way, Random(0))
    except (AttributeError, TypeError):
        return False
    return True


def _asked_for(strategy: SearchStrategy[T], seed: str, count: int) -> list[T]:
    values: list[T] = []

    @seeded(seed)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), backend=plain_backend(),
    )
    @given(strategy)
    def generate(value: T) -> None:
        values.append(value)

    generate()
    return values
