"""Trees over one leaf by number: counted without being made, and made one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from ...semantics.model.trees import changed, parts
from .families import Letters

T = TypeVar("T")

_Section: TypeAlias = tuple[int, Callable[[int], T]]
"""So many trees, and the one of each number."""


@dataclass(frozen=True, eq=False)
class Grammar(Generic[T]):
    """Trees over one leaf: what is made of one tree, and of two.

    `hole` is what of a leaf is to be written. `once` are of what is made of one tree those that are
    made of no tree that they made. `more` are further trees of one operator.
    """

    leaf: T
    hole: Any
    unary: Sequence[Callable[[T], T]]
    binary: Sequence[Callable[[T, T], T]]
    more: Sequence[T] = ()
    once: Sequence[Callable[[T], T]] = ()
    _known: dict[tuple[int, int], list[_Section[T]]] = field(default_factory=dict, repr=False)

    def count(self, operators: int, leaves: int) -> int:
        """How many trees have exactly so many operators and leaves."""
        return sum(count for count, _ in self._sections(operators, leaves))

    def tree(self, operators: int, leaves: int, number: int) -> T:
        """The tree of this number among those of so many operators and leaves."""
        for count, made in self._sections(operators, leaves):
            if number < count:
                return made(number)
            number -= count
        raise IndexError(f"no tree of {operators} operators and {leaves} leaves is that far")

    def written(
        self, operators: int, leaves: int, number: int, word: str, letter: Callable[[str], Any]
    ) -> T:
        """This tree, its leaves written with the letters of a word."""
        letters = map(letter, word)

        def change(part: Any) -> Any:
            return next(letters) if part == self.hole else part

        return changed(self.tree(operators, leaves, number), change)

    def lettered(self, operators: int, letter: Callable[[str], Any]) -> Iterator[tuple[T, str]]:
        """Every tree of so many operators, its leaves written in every way, and these letters."""
        for leaves in range(1, operators + 2):
            for number in range(self.count(operators, leaves)):
                for word, letters in Letters(leaves).all():
                    yield self.written(operators, leaves, number, word, letter), letters

    def _sections(self, operators: int, leaves: int) -> list[_Section[T]]:
        """The trees by what their outermost operator is."""
        if (operators, leaves) not in self._known:
            self._known[operators, leaves] = list(self._made(operators, leaves))
        return self._known[operators, leaves]

    def _made(self, operators: int, leaves: int) -> Iterator[_Section[T]]:
        if operators < 0 or leaves < 1:
            return
        if operators == 0:
            yield int(leaves == 1), lambda _: self.leaf
            return
        more = [each for each in self.more if operators == 1 and self._leaves(each) == leaves]
        yield len(more), lambda number: more[number]
        for place, wrap in enumerate(self.unary):
            yield self._wrapped(place, wrap, operators, leaves)
        for on_left in range(operators):
            for join in self.binary:
                for left in range(1, leaves):
                    yield self._joined(
                        join, (on_left, left), (operators - 1 - on_left, leaves - left)
                    )

    def _wrapped(
        self, place: int, wrap: Callable[[T], T], operators: int, leaves: int
    ) -> _Section[T]:
        inner = operators - 1, leaves
        start = skipped = 0
        if wrap in self.once and operators > 1:
            sections = self._sections(*inner)
            start = sum(count for count, _ in sections[: place + 1])  # the first are `more`
            skipped = sections[place + 1][0]

        def made(number: int) -> T:
            return wrap(self.tree(*inner, number if number < start else number + skipped))

        return self.count(*inner) - skipped, made

    def _joined(
        self, join: Callable[[T, T], T], left: tuple[int, int], right: tuple[int, int]
    ) -> _Section[T]:
        width = self.count(*right)

        def made(number: int) -> T:
            first, second = divmod(number, width)
            return join(self.tree(*left, first), self.tree(*right, second))

        return self.count(*left) * width, made

    def _leaves(self, tree: T) -> int:
        return sum(part == self.hole for part in parts(tree))
