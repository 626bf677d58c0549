"""MATCH E (RSEP-QL (8)), from one evaluation to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...semantics.errors import Impossible
from ...semantics.rdf.terms import Graph, URIRef, Variable
from ...semantics.rsepql.readings import Readings
from ...semantics.rsepql.syntax import Event, EventPattern, First, Last, Sequence, events
from ..rdf.dictionary import Dictionary
from ..rdf.graphs import IndexedGraph, by_predicate
from ..rdf.layout import IdRow, Layout
from .consumption import Marks
from .events import (
    NO_LIMIT,
    FirstNode,
    LastNode,
    Match,
    Node,
    ScannedItem,
    ScanNode,
    sequence,
)
from .leaves import Graphs, Leaf, LeafCompiler
from .movement import MovingWindow
from .occurrences import Consumable, Occurrence
from .orders import Order
from .patterns import MatchRows


class Matching:
    """One event pattern, compiled, with what of its windows it has matched and consumed.

    `rows` has its solutions as of the latest evaluation.
    """

    def __init__(
        self,
        event: EventPattern,
        variables: tuple[Variable, ...],
        windows: Mapping[URIRef, MovingWindow],
        dictionary: Dictionary,
        graphs: Graphs,
        readings: Readings,
        *,
        consuming: bool,
    ) -> None:
        self._windows = {each.window: windows[each.window] for each in events(event)}
        self._consuming = consuming
        self._by_time = readings.consumption == "occurrence"
        self._readings = readings
        self._order = Order(readings.order)
        self._compiler = LeafCompiler(dictionary, graphs, self._order, consuming=consuming)
        self._root = self._node(event, Layout())
        self.leaves = self._compiler.leaves
        self._scanned = [leaf for leaf in self.leaves if isinstance(leaf.node, ScanNode)]
        for name, window in self._windows.items():
            if consuming or any(leaf.window == name for leaf in self._scanned):
                window.holds_items = True
        places = self._root.layout.positions
        self._columns = [places[variable] for variable in variables]
        self.rows = MatchRows()
        self._marks = {name: Marks(by_time=self._by_time) for name in self._windows}
        self._stale = True
        for leaf in self.leaves:
            if not isinstance(leaf.node, ScanNode):
                leaf.node.store.clear(monotone=self._windows[leaf.window].content.monotone)

    # --- items ------------------------------------------------------------------------------------

    def arrive(self, window: URIRef | None, position: int, time: int, graph: Graph) -> None:
        """An item of a window has come."""
        for leaf in self.leaves:
            if leaf.window != window or leaf.matcher is None or isinstance(leaf.node, ScanNode):
                continue
            rows = leaf.matcher.match(graph)
            if rows:
                leaf.node.store.arrive(
                    position, [self._occurrence(leaf, time, row) for row in dict.fromkeys(rows)]
                )

    def forget_before(self, window: URIRef | None, position: int) -> None:
        """No earlier item enters the window any more."""
        for leaf in self.leaves:
            if leaf.window == window and not isinstance(leaf.node, ScanNode):
                leaf.node.store.forget_before(position)

    # --- evaluations ------------------------------------------------------------------------------

    def evaluate(self) -> None:
        """⟦MATCH E⟧ at an evaluation time; the windows have moved to it."""
        for name, marks in self._marks.items():
            movement = self._windows[name].movement
            if self._consuming:
                marks.move(
                    ((item.time, item.triples) for item in movement.entered),
                    ((item.time, item.triples) for item in movement.left),
                )
        for leaf in self.leaves:
            self._move(leaf)
        if not self._stale:
            return
        matches = self._root.matches((), NO_LIMIT)
        self._stale = self._consume(matches) if self._consuming else False
        self.rows.become(self._answers(matches))

    def _move(self, leaf: Leaf) -> None:
        window, marks = self._windows[leaf.window], self._marks[leaf.window]
        movement = window.movement
        if isinstance(leaf.node, ScanNode):
            self._stale = True
            leaf.node.items = [
                ScannedItem(
                    item.time,
                    IndexedGraph(by_predicate(marks.available(item.time, item.triples))),
                )
                for item in window.items
            ]
            return
        store = leaf.node.store
        entered, left = store.move(movement.low, movement.high)
        if entered or left:
            self._stale = True
        if self._consuming:
            marks.leave(store, left)
            marks.enter(store, entered)

    def _answers(self, matches: list[Match]) -> list[IdRow]:
        """A set of event mappings, as a bag of solutions: their intervals are left out."""
        columns = self._columns
        distinct = dict.fromkeys(
            (tuple([row[column] for column in columns]), start, end)
            for row, start, end, _ in matches
        )
        return [row for row, _, _ in distinct]

    # --- consumption ------------------------------------------------------------------------------

    def _occurrence(self, leaf: Leaf, time: int, row: IdRow) -> Occurrence:
        occurrence = Occurrence(leaf.number, time, row)
        if leaf.instances is not None:
            occurrence.rests_on = self._resting(leaf, occurrence)
        return occurrence

    def _resting(self, leaf: Leaf, occurrence: Occurrence) -> tuple[Consumable, ...]:
        """What an occurrence takes of its item."""
        if leaf.instances is None:
            raise Impossible("no consumption policy asks for what an event takes")
        triples = dict.fromkeys(leaf.instances(occurrence.row))
        return self._marks[leaf.window].consumables(occurrence.time, triples)

    def _consume(self, matches: list[Match]) -> bool:
        """What takes part in the matches is consumed; returns whether anything is."""
        used: dict[URIRef, dict[Consumable, None]] = {}
        for match in matches:
            for occurrence in match[3]:
                leaf = self.leaves[occurrence.leaf]
                rests_on = occurrence.rests_on or self._resting(leaf, occurrence)
                used.setdefault(leaf.window, {}).update(dict.fromkeys(rests_on))
        for window, each in used.items():
            self._marks[window].consume(each)
        return bool(used)

    @property
    def size(self) -> int:
        """How many occurrences may take part in answers."""
        return sum(
            leaf.node.store.size for leaf in self.leaves if not isinstance(leaf.node, ScanNode)
        )

    def ids(self) -> Iterator[int]:
        """The term ids that are held, with repetitions."""
        for leaf in self.leaves:
            if not isinstance(leaf.node, ScanNode):
                yield from leaf.node.store.ids()
        for marks in self._marks.values():
            yield from marks.ids()
        for row in self.rows.rows:
            yield from row

    # --- compiling --------------------------------------------------------------------------------

    def _node(self, event: EventPattern, given: Layout) -> Node:
        match event:
            case Event():
                return self._compiler.node(event, given)
            case First(operand):
                return FirstNode(self._node(operand, given), self._order)
            case Last(operand):
                return LastNode(self._node(operand, given), self._order)
            case Sequence(operator, left, right):
                return sequence(
                    operator,
                    lambda layout: self._node(left, layout),
                    lambda layout: self._node(right, layout),
                    given,
                    self._readings,
                )
        raise Impossible(f"not an event pattern: {event!r}")
