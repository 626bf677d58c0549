"""The windows of a query as they move: what enters and what leaves, item by item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ....semantics.model.terms import URIRef
from ....semantics.rsepql.syntax.tree import WindowFunction
from ...checkpoints.declared import stateful
from ...rdf.data.graphs import EncodedTriple
from .functions import Content, admits
from .passage import Passage
from .snapshot_patterns import SnapshotPattern
from .snapshots import Snapshot


@stateful()
@dataclass(frozen=True, slots=True)
class Arrived:
    """An item of a window, encoded."""

    position: int
    time: int
    triples: list[EncodedTriple]


@stateful()
@dataclass(slots=True)
class Movement:
    """From one evaluation to the next: the window's range, and what entered and left."""

    low: int = 0
    high: int = 0
    entered: list[Arrived] = field(default_factory=list)
    left: list[Arrived] = field(default_factory=list)


@stateful(
    kept=("movement",), parts=("snapshots", "patterns", "content", "_passage"),
    compiled=("name", "stream", "function", "holds_items"),
)
class MovingWindow:
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
        """What is kept up to date with a snapshot"""
        self.holds_items = bool(snapshots)
        self.content = Content(function)
        self._passage: Passage[Arrived] = Passage(monotone=self.content.monotone)
        self.movement = Movement()

    def admits(self, time: int) -> bool:
        """Whether an item at this time may ever be in the window, or counts for it."""
        return admits(self.function, time)

    def arrive(self, time: int) -> int:
        """An item arrives; returns its position."""
        return self.content.timeline.append(time)

    def hold(self, item: Arrived) -> None:
        """The item that has just arrived will be needed itself."""
        self._passage.arrive(item.position, item)

    def move(self, t: int) -> Movement:
        """The window at t, an evaluation time."""
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
        self.movement = Movement(low, high, entered, left)
        return self.movement

    def forget_before(self, t: int) -> int:
        """No evaluation is earlier than `t`; returns the first position that is kept."""
        position = self.content.forget_before(t)
        self._passage.forget_before(position)
        return position

    @property
    def size(self) -> int:
        """How many items are remembered: themselves, or at least their times."""
        return max(len(self.content.timeline), self._passage.size)

    @property
    def items(self) -> Iterator[Arrived]:
        """The items inside."""
        return iter(self._passage.inside)

    def ids(self) -> Iterator[int]:
        """The term ids of all items that are held, with repetitions."""
        return (
            number for item in self._passage.held() for triple in item.triples for number in triple
        )
