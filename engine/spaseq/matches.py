"""Matches of a batch: pairs that are made when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...semantics.spaseq.syntax.results import Pair


class Matches(Protocol):
    """The pairs that the items of a batch make certain, in the order of the items.

    Those that are not looked at before the dictionary is swept are lost.
    """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Pair]: ...

    def by_item(self) -> Iterator[tuple[int, Pair]]:
        """Each with the number of the item, in the batch, that made it certain."""
        ...


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """Pairs that have been made already."""

    pairs: Sequence[tuple[int, Pair]]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return (pair for _, pair in self.pairs)

    def by_item(self) -> Iterator[tuple[int, Pair]]:
        return iter(self.pairs)
