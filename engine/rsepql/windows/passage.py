"""Items on their way through a window: they wait, are inside, and leave."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Generic, TypeVar

from ...checkpoints.declared import stateful

Each = TypeVar("Each")


@stateful(kept=("inside", "_positions", "_waiting"), compiled=("monotone",))
class Passage(Generic[Each]):
    """What a window holds, by the positions of the items in their stream.

    Each item is touched when it enters and when it leaves. Only where the window is not `monotone`
    may a bound of its range decrease and an item return.
    """

    __slots__ = ("_positions", "_waiting", "inside", "monotone")

    def __init__(self, *, monotone: bool) -> None:
        self.monotone = monotone
        self.inside: deque[Each] = deque()
        self._positions: deque[int] = deque()
        self._waiting: deque[tuple[int, Each]] = deque()
        """Those that may still enter; where items may return, those inside too."""

    def arrive(self, position: int, item: Each) -> None:
        """The item at the latest position so far."""
        self._waiting.append((position, item))

    def forget_before(self, position: int) -> None:
        """No item at an earlier position enters any more."""
        waiting = self._waiting
        while waiting and waiting[0][0] < position:
            waiting.popleft()

    def move(self, low: int, high: int) -> tuple[list[Each], list[Each]]:
        """The window holds the positions low … high−1 from now on: what enters, what leaves."""
        if not self.monotone:
            return self._rewound(low, high)
        left = []
        positions, inside = self._positions, self.inside
        while positions and positions[0] < low:
            positions.popleft()
            left.append(inside.popleft())
        entered = []
        waiting = self._waiting
        while waiting and waiting[0][0] < high:
            position, item = waiting.popleft()
            if position >= low:
                positions.append(position)
                inside.append(item)
                entered.append(item)
        return entered, left

    @property
    def size(self) -> int:
        """How many are inside, or may enter."""
        return len(self.inside) + len(self._waiting)

    def purge(self, spent: Callable[[Each], bool]) -> None:
        """Drop items inside that are of no use any more: they need not leave."""
        if self.monotone:
            places = zip(self._positions, self.inside, strict=True)
            kept = [(position, item) for position, item in places if not spent(item)]
            self._positions = deque(position for position, _ in kept)
            self.inside = deque(item for _, item in kept)

    def held(self) -> Iterator[Each]:
        """Everything that is inside or may enter."""
        return chain(self.inside, (item for _, item in self._waiting))

    def placed(self) -> Iterator[tuple[int, Each]]:
        """As `held`, with positions."""
        return chain(zip(self._positions, self.inside, strict=True), self._waiting)

    def _rewound(self, low: int, high: int) -> tuple[list[Each], list[Each]]:
        now = [each for each in self._waiting if low <= each[0] < high]
        before, after = set(self._positions), {position for position, _ in now}
        left = [
            item
            for position, item in zip(self._positions, self.inside, strict=True)
            if position not in after
        ]
        self._positions = deque(position for position, _ in now)
        self.inside = deque(item for _, item in now)
        return [item for position, item in now if position not in before], left
