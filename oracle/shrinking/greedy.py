"""Greedy descent: take the first simpler value that still fails, until there is none."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Descent(Generic[T]):
    """One descent from a failing value.

    `passes` propose simpler values, `measure` says whether they are, `identity` tells a value that
    has been tried already. `attempts` counts the calls of `fails`; at `limit` of them it ends.
    """

    def __init__(
        self,
        fails: Callable[[T], bool],
        *,
        passes: Sequence[Callable[[T], Iterator[T]]],
        measure: Callable[[T], Any],
        identity: Callable[[T], Hashable],
        limit: int,
    ) -> None:
        self.fails = fails
        self.passes = passes
        self.measure = measure
        self.identity = identity
        self.limit = limit
        self.attempts = 0
        self.tried: set[Hashable] = set()

    def from_value(self, value: T) -> T:
        """The value that no pass can make simpler and failing still."""
        self.tried.add(self.identity(value))
        descending = True
        while descending:
            descending = False
            for proposals in self.passes:
                while (simpler := self._first_failing(proposals(value), value)) is not None:
                    value, descending = simpler, True
        return value

    def _first_failing(self, proposals: Iterable[T], value: T) -> T | None:
        bound = self.measure(value)
        for proposal in proposals:
            if self.attempts >= self.limit:
                return None
            if self.measure(proposal) >= bound:
                continue
            identity = self.identity(proposal)
            if identity in self.tried:
                continue
            self.tried.add(identity)
            self.attempts += 1
            if self.fails(proposal):
                return proposal
        return None
