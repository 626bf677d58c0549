"""What a language adds to the shrinking of its cases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ....semantics.model.trees import names_in, renamed
from ...cases.case import Case


def _none(case: Case) -> Iterator[Any]:
    return iter(())


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Hook:
    """What the generic shrinker cannot know of a language."""

    operators: Callable[[Any], int]
    """How many operators a query has: what is to become least."""
    proposals: Callable[[Any], Iterator[Any]] = _none
    """Simpler cases that no general rule finds."""
    pruned: Callable[[Any], Any] = _as_it_is
    """A query without the parts that nothing in it names."""
    cost: Callable[[Any], Any] = lambda case: ()
    """What else tells a plain case from another, before its settings."""
    orders: tuple[tuple[Enum, ...], ...] = ()
    """Members of enumerations, the plainest first, where that is not the order they stand in."""
    affordable: Callable[[Any], bool] = lambda case: True
    """Whether the definitions evaluate a case quickly. Of a case that they do, simplifications that
    they do not are skipped."""
    tidy: tuple[Callable[[Any], Any], ...] = ()
    """Changes that make no case simpler and each easier to read."""

    def plainest(self, member: Enum) -> Sequence[Enum]:
        """The members of an enumeration that are plainer than one, the plainest first."""
        order = next((each for each in self.orders if member in each), tuple(type(member)))
        return order[: order.index(member)]


def with_names_in_order(
    places: Collection[tuple[type, str]], names: Sequence[str]
) -> Callable[[Any], Any]:
    """A change that gives what `places` name these names, in the order of the text."""

    def tidied(case: Case) -> Any:
        given = dict(zip(names_in(case.query, places), names, strict=False))
        return case.but(query=renamed(case.query, places, given))

    return tidied
