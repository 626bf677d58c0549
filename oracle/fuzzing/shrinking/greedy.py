"""Greedy descent: take the first simpler value that still fails, until there is none."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")


class Descent(Generic[T]):
    """One descent from a failing value.

    `passes` propose values. `simpler(value, proposal)` returns the proposal in the form in which it
    is tried, or None if it is not simpler than `value`. `identity` recognises a value that has been
    tried. `attempts` counts the calls of `fails`; the descent ends at `limit` of them. `ahead`
    takes the next values, `width` at a time, that `fails` tests until one fails.
    """

    def __init__(
        self,
        fails: Callable[[T], bool],
        *,
        passes: Sequence[Callable[[T], Iterator[T]]],
        simpler: Callable[[T, T], T | None],
        identity: Callable[[T], Hashable],
        limit: int,
        ahead: Callable[[Sequence[T]], object] | None = None,
        width: int = 1,
    ) -> None:
        self.fails = fails
        self.passes = passes
        self.simpler = simpler
        self.identity = identity
        self.limit = limit
        self.ahead = ahead
        self.width = width
        self.attempts = 0
        self.tried: set[Hashable] = set()

    def from_value(self, value: T) -> T:
        """The value that no pass can make simpler and failing still."""
        self.tried.add(self.identity(value))
        descending = True
        while descending:
            descending = False
            for proposals in self.passes:
                value, found = self._through(proposals, value)
                descending = descending or found
        return value

    def _through(self, proposals: Callable[[T], Iterator[T]], value: T) -> tuple[T, bool]:
        """One pass; after a success it goes on where it was: what is before has just been tried."""
        found, place = False, 0
        while (step := self._first_failing(islice(proposals(value), place, None), value)):
            value, ahead = step
            found, place = True, place + ahead
        return value, found

    def _first_failing(self, proposals: Iterable[T], value: T) -> tuple[T, int] | None:
        """The first proposal that is simpler and fails, and how many were tried before it."""
        untried = (
            (place, simpler) for place, proposal in enumerate(proposals)
            if (simpler := self.simpler(value, proposal)) is not None
            and self.identity(simpler) not in self.tried
        )
        while self.attempts < self.limit and (several := list(islice(untried, self.width))):
            if self.ahead is not None:
                self.ahead([proposal for _, proposal in several])
            for place, proposal in several:
                identity = self.identity(proposal)
                if identity in self.tried or self.attempts >= self.limit:
                    continue
                self.tried.add(identity)
                self.attempts += 1
                if self.fails(proposal):
                    return proposal, place
        return None
