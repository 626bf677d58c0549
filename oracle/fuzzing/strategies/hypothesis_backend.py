"""Generating each example afresh, and cheaply.

Hypothesis makes most examples by mutating the one before, which suits small spaces of plain data.
Queries over streams are anything but that: afresh, as many examples are two and a half times as
many different queries. Alternative backends are not mutated, so `plain_backend` is one, for
properties. It draws small numbers evenly, and no constants from the source of the modules that
happen to be loaded: what is generated depends on the seed alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

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
    """Return the name of the backend to give to `hypothesis.settings(backend=…)`."""
    AVAILABLE_PROVIDERS.setdefault(_NAME, f"{__name__}.{PlainProvider.__name__}")
    return _NAME
