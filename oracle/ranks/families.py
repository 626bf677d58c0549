"""Queries by number, each as often as it weighs.

Queries differ in how many streams there are for each. So a number finds a query by weights: the
weight of a query is the number of its cases, which its `about` says, and a rank among the cases of
several queries is one of them and what is left, the rank of its streams.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeAlias, TypeVar

AboutT = TypeVar("AboutT", bound=Hashable)
QueryT = TypeVar("QueryT")
QueryT_co = TypeVar("QueryT_co", covariant=True)
KnownT_co = TypeVar("KnownT_co", bound=Hashable, covariant=True)

Weight: TypeAlias = Callable[[AboutT], int]
"""How many cases a query has about which this is known."""


class Weighed(Protocol[QueryT_co, KnownT_co]):
    """Queries in an order, each as often as it weighs."""

    def total(self, weight: Weight[KnownT_co]) -> int:
        """Return the weight of all."""

    def at(self, rank: int, weight: Weight[KnownT_co]) -> tuple[QueryT_co, KnownT_co, int]:
        """Return the query that holds this rank, its `about`, and the rank in it."""
