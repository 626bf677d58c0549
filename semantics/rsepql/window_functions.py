"""Window functions W[p](S, t): finite parts of a stream, seen at an instant (RSEP-QL Def. 3).

A stream S is a sequence in non-decreasing time order of whatever has a `time`; a window keeps that
order. The functions are the definitions: that an evaluation at t knows nothing of what comes after
t is for whoever asks (`arrived`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar


class Timed(Protocol):
    """An element of a stream."""

    @property
    def time(self) -> int:
        """The instant t_i."""


T = TypeVar("T", bound=Timed)


def arrived(stream: Sequence[T], t: int) -> Sequence[T]:
    """Return the elements of S that have arrived at t."""
    return [item for item in stream if item.time <= t]


@dataclass(frozen=True, slots=True)
class TimeBased:
    """W^τ[(α, β)](S, t): with t' = ⌊(t − t0) / β⌋ · β + t0, the items with t' − α < t_i ≤ t'.

    `start` is t0: the paper's is 0, real engines begin to count where they please. Which ends
    belong to the window is a matter of convention; the paper's is (t' − α, t'].
    """

    width: int
    step: int = 1
    start: int = 0
    from_included: bool = False
    to_included: bool = True

    def __call__(self, stream: Sequence[T], t: int) -> Sequence[T]:
        end = self.last_step(t)
        return [item for item in stream if self.holds(item.time, end)]

    def last_step(self, t: int) -> int:
        """t' = ⌊(t − t0) / β⌋ · β + t0, the last step at or before t."""
        return (t - self.start) // self.step * self.step + self.start

    def next_step(self, t: int) -> int:
        """Return the first step at or after t."""
        return -((self.start - t) // self.step) * self.step + self.start

    def holds(self, time: int, end: int) -> bool:
        """Return True if the window that ends at the step `end` covers this time."""
        begin = end - self.width
        after = begin <= time if self.from_included else begin < time
        before = time <= end if self.to_included else time < end
        return after and before


@dataclass(frozen=True, slots=True)
class Landmark:
    """W^λ[(t0)](S, t): the items with t0 ≤ t_i ≤ t."""

    start: int

    def __call__(self, stream: Sequence[T], t: int) -> Sequence[T]:
        return [item for item in stream if self.start <= item.time <= t]


@dataclass(frozen=True, slots=True)
class Identity:
    """W^id(S, t) = S."""

    def __call__(self, stream: Sequence[T], t: int) -> Sequence[T]:
        return stream


@dataclass(frozen=True, slots=True)
class Interval:
    """W^⊔[(t', t'')](S, t): the items with t_i ∈ [t', t'']; a bound that is None is no bound."""

    first: int | None
    last: int | None

    def __call__(self, stream: Sequence[T], t: int) -> Sequence[T]:
        return [item for item in stream if self.holds(item.time)]

    def holds(self, time: int) -> bool:
        """t_i ∈ [t', t'']"""
        after = self.first is None or self.first <= time
        return after and (self.last is None or time <= self.last)


@dataclass(frozen=True, slots=True)
class Nested:
    """W1 • W2 (S, t) = W1(W2(S, t), t)."""

    outer: Window
    inner: Window

    def __call__(self, stream: Sequence[T], t: int) -> Sequence[T]:
        return self.outer(self.inner(stream, t), t)


@dataclass(frozen=True, slots=True)
class Counted:
    """The last n items, every m, as engines have them, not the paper: of N items up to t, those
    numbered N' − n + 1 … N' (from 1) with N' = ⌊N / m⌋ · m"""

    size: int
    step: int = 1

    def __call__(self, stream: Sequence[T], t: int) -> Sequence[T]:
        past = arrived(stream, t)
        end = len(past) // self.step * self.step
        return past[max(0, end - self.size) : end]


Window: TypeAlias = TimeBased | Landmark | Identity | Interval | Nested | Counted
