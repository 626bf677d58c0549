"""≺, the order on intervals, as the engine uses it: which of many are first, which are last."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from ....semantics.rsepql.syntax.readings import Order as OrderName

Interval: TypeAlias = tuple[int, int]
Each = TypeVar("Each")

# `before` is no total preorder and has no key.
_KEYS: dict[OrderName, Callable[[Interval], Interval]] = {
    "end-start": lambda interval: (interval[1], interval[0]),
    "start-end": lambda interval: interval,
    "end": lambda interval: (interval[1], 0),
    "start": lambda interval: (interval[0], 0),
}


class Order:
    """≺; of instants, an earlier one is smaller under every order that has a name."""

    def __init__(self, name: OrderName) -> None:
        self.key = _KEYS.get(name)
        """By what it orders intervals, if it is a matter of one key."""

    def first(self, candidates: list[Each], interval: Callable[[Each], Interval]) -> list[Each]:
        """Those candidates than which none is smaller."""
        if len(candidates) < 2:
            return candidates
        if self.key is None:
            # [t1, t2] has something before it iff the one that ends first is.
            bound = min(interval(each)[1] for each in candidates)
            return [each for each in candidates if interval(each)[0] <= bound]
        keys = [self.key(interval(each)) for each in candidates]
        best = min(keys)
        return [each for each, key in zip(candidates, keys, strict=True) if key == best]

    def last(self, candidates: list[Each], interval: Callable[[Each], Interval]) -> list[Each]:
        """Those candidates than which none is greater."""
        if len(candidates) < 2:
            return candidates
        if self.key is None:
            bound = max(interval(each)[0] for each in candidates)
            return [each for each in candidates if interval(each)[1] >= bound]
        keys = [self.key(interval(each)) for each in candidates]
        best = max(keys)
        return [each for each, key in zip(candidates, keys, strict=True) if key == best]


