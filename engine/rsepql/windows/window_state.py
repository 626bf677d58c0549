"""The state of windows: items that wait, are inside and leave, and the deltas of each step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Generic, TypeVar

from ....semantics.model.terms import URIRef
from ....semantics.rsepql.syntax.tree import WindowFunction
from ...checkpoints.state_schema import stateful
from ...rdf.data.graphs import EncodedTriple
from .functions import Content, admits
from .snapshot_patterns import SnapshotPattern
from .snapshots import Snapshot

Each = TypeVar("Each")


@stateful(kept=("inside", "_positions", "_waiting"), compiled=("monotone",))
class WindowBuffer(Generic[Each]):
    """The content of a window, by the positions of the items in their stream.

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
        """Add the item at the latest position so far."""
        self._waiting.append((position, item))

    def evict_before(self, position: int) -> None:
        """Evict state, since no item at an earlier position enters any more."""
        waiting = self._waiting
        while waiting and waiting[0][0] < position:
            waiting.popleft()

    def move(self, low: int, high: int) -> tuple[list[Each], list[Each]]:
        """Move the window to the positions low … high−1; return what enters and leaves."""
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
        """The number of items that are inside, or may enter."""
        return len(self.inside) + len(self._waiting)

    def purge(self, spent: Callable[[Each], bool]) -> None:
        """Drop items inside that are of no use any more: they need not leave."""
        if self.monotone:
            places = zip(self._positions, self.inside, strict=True)
            kept = [(position, item) for position, item in places if not spent(item)]
            self._positions = deque(position for position, _ in kept)
            self.inside = deque(item for _, item in kept)

    def held(self) -> Iterator[Each]:
        """Return every item that is inside or may enter."""
        return chain(self.inside, (item for _, item in self._waiting))

    def placed(self) -> Iterator[tuple[int, Each]]:
        """Return the items of `held`, with positions."""
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


@stateful()
@dataclass(frozen=True, slots=True)
class WindowItem:
    """An item of a window, encoded."""

    position: int
    time: int
    triples: list[EncodedTriple]


@stateful()
@dataclass(slots=True)
class WindowDelta:
    """The delta between two evaluations: the window's range, its insertions and retractions."""

    low: int = 0
    high: int = 0
    entered: list[WindowItem] = field(default_factory=list)
    left: list[WindowItem] = field(default_factory=list)


@stateful(
    kept=("movement",), parts=("snapshots", "patterns", "content", "_passage"),
    compiled=("name", "stream", "function", "holds_items"),
)
class WindowState:
    """W_j(S_ℓ): a window of the query on its stream.

    `snapshots` are kept up to date with its content; items are held only if somebody needs them
    (`holds_items`), their positions always.
    """

    def __init__(
        self,
        name: URIRef | None,
        stream: URIRef,
        function: WindowFunction,
        snapshots: list[Snapshot],
    ) -> None:
        self.name = name
        self.stream = stream
        self.function = function
        self.snapshots = snapshots
        self.patterns: list[SnapshotPattern] = []
        """The patterns that are kept up to date with a snapshot."""
        self.holds_items = bool(snapshots)
        self.content = Content(function)
        self._passage: WindowBuffer[WindowItem] = WindowBuffer(monotone=self.content.monotone)
        self.movement = WindowDelta()

    def admits(self, time: int) -> bool:
        """Return True if an item at this time may ever be in the window, or counts for it."""
        return admits(self.function, time)

    def arrive(self, time: int) -> int:
        """Add an item; return its position."""
        return self.content.timeline.append(time)

    def hold(self, item: WindowItem) -> None:
        """Hold the latest item itself."""
        self._passage.arrive(item.position, item)

    def move(self, t: int) -> WindowDelta:
        """Return the window at t, an evaluation time."""
        low, high = self.content.at(t)
        entered, left = self._passage.move(low, high)
        for snapshot in self.snapshots:
            # Enter before leave: what leaves and enters at one instant stays in the snapshot.
            fresh = [triple for item in entered for triple in snapshot.add(item.triples)]
            lost = [triple for item in left for triple in snapshot.lose(item.triples)]
            if fresh or lost:
                for pattern in self.patterns:
                    if pattern.snapshot is snapshot:
                        pattern.change(fresh, lost)
            snapshot.drop(lost)
        self.movement = WindowDelta(low, high, entered, left)
        return self.movement

    def evict_before(self, t: int) -> int:
        """Evict state for evaluations before `t`; return the first position that is kept."""
        position = self.content.evict_before(t)
        self._passage.evict_before(position)
        return position

    @property
    def size(self) -> int:
        """The number of items in the state: themselves, or at least their times."""
        return max(len(self.content.timeline), self._passage.size)

    @property
    def items(self) -> Iterator[WindowItem]:
        """The items inside."""
        return iter(self._passage.inside)

    def ids(self) -> Iterator[int]:
        """Return the term ids of all items that are held, with repetitions."""
        return (
            number for item in self._passage.held() for triple in item.triples for number in triple
        )
