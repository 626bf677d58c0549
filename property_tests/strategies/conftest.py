"""What the tests of strategies share: how small Hypothesis makes what it has found."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.strategies import SearchStrategy

DESCENTS = 8
EXAMPLES = 200  # in each: several short descents come further than a long one, which takes a minute

_QUIET = settings(
    max_examples=2_000, database=None, deadline=None, suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


class Ended(BaseException):
    """The end of a descent: no failure of a condition, which Hypothesis would make small."""

    def __init__(self, *, is_small: bool) -> None:
        self.is_small = is_small


@pytest.fixture(scope="session")
def comes_to() -> Callable[..., bool]:
    """Whether Hypothesis alone, without denota's own shrinker, gets down to something small."""

    def comes_to(
        strategy: SearchStrategy[Any], condition: Callable[[Any], bool],
        is_small: Callable[[Any], bool],
    ) -> bool:
        return any(_descends(strategy, condition, is_small, seed) for seed in range(DESCENTS))

    return comes_to


def _descends(
    strategy: SearchStrategy[Any], condition: Callable[[Any], bool],
    is_small: Callable[[Any], bool], seed: int,
) -> bool:
    tried = 0

    def holds(found: Any) -> bool:
        nonlocal tried
        tried += 1
        if tried > EXAMPLES:
            raise Ended(is_small=False)
        if not condition(found):
            return False
        if is_small(found):
            raise Ended(is_small=True)
        return True

    try:
        find(strategy, holds, settings=_QUIET, random=Random(seed))
    except Ended as end:
        return end.is_small
    return False
