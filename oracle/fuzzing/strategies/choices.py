"""Choosing among a few values, without building a strategy anew for each choice."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


def among(values: Iterable[T]) -> SearchStrategy[T]:
    """One of these values, which must be hashable; shrinks towards the first."""
    return _among(tuple(values))


@lru_cache(maxsize=1 << 14)
def _among(values: tuple[T, ...]) -> SearchStrategy[T]:
    return st.sampled_from(values)
