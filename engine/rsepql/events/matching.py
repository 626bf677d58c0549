"""MATCH E (RSEP-QL (8)) from one evaluation to the next, and consumption (4.4) by marks.

𝒫^c and 𝒫^r leave of a window what is new, and what was available at the last evaluation and took
part in no answer. So each window has a set of marks; a mark goes when what it stands on has left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ....semantics.model.errors import Impossible
from ....semantics.model.terms import Graph, URIRef, Variable
from ....semantics.model.trees import find
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import Event, EventPattern, First, Last, Sequence
from ...checkpoints.state_schema import stateful
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.graphs import EncodedTriple, IndexedGraph, by_predicate
from ...rdf.data.layout import IdRow, Layout
from ..patterns import EventMapping, MatchRows
from ..windows.window_state import WindowState
from .basic_patterns import Graphs, Leaf, LeafCompiler
from .compile import EventNode, FirstNode, LastNode, Match, Node, ScannedItem, ScanNode, sequence
from .deltas import Changes
from .occurrences import Consumable, Occurrence, Order, Placed, Store
from .views import RecomputedView, view_of


@stateful(
    kept=("_counts", "_consumed", "_resting"), compiled=("_by_time", "_keeps_all")
)
class Marks:
    """The part of one window's content that an event pattern has consumed.

    `by_time`: an occurrence is consumed, a triple at its time; else the triple itself, so that one
    that arrives again while it is in the window is not new. `keeps_all`: nothing ever leaves the
    window, and `move` is not told of what enters.
    """

    def __init__(self, *, by_time: bool, keeps_all: bool) -> None:
        self._by_time = by_time
        self._keeps_all = keeps_all
        self._counts: dict[Consumable, int] = {}
        self._consumed: set[Consumable] = set()
        self._resting: dict[Consumable, dict[tuple[Store, Occurrence], None]] = {}

    def consumables(self, time: int, triples: Iterable[EncodedTriple]) -> tuple[Consumable, ...]:
        """Return the units of consumption of an item, or of an occurrence."""
        if self._by_time:
            return tuple((*triple, time) for triple in triples)
        return tuple(triples)

    def move(
        self,
        entered: Iterable[tuple[int, list[EncodedTriple]]],
        left: Iterable[tuple[int, list[EncodedTriple]]],
    ) -> None:
        """Change the window's content: items as (time, triples)."""
        counts = self._counts
        for time, triples in entered:
            for each in self.consumables(time, triples):
                counts[each] = counts.get(each, 0) + 1
        for time, triples in left:
            for each in self.consumables(time, triples):
                counts[each] -= 1
                if not counts[each]:
                    del counts[each]
                    self._consumed.discard(each)

    def available(self, time: int, triples: Iterable[EncodedTriple]) -> list[EncodedTriple]:
        """Return the triples of an item that are not consumed."""
        consumed = self._consumed
        if not consumed:
            return list(triples)
        return [
            triple
            for triple, each in zip(triples, self.consumables(time, triples), strict=True)
            if each not in consumed
        ]

    def enter(self, store: Store, occurrences: Iterable[Occurrence]) -> None:
        """Add occurrences that entered the window; ones with consumed parts are unavailable."""
        for occurrence in occurrences:
            if self._consumed.isdisjoint(occurrence.rests_on):
                for each in occurrence.rests_on:
                    self._resting.setdefault(each, {})[store, occurrence] = None
            else:
                store.remove(occurrence)

    def leave(self, store: Store, occurrences: Iterable[Occurrence]) -> None:
        """Remove occurrences that left the window."""
        for occurrence in occurrences:
            for each in occurrence.rests_on:
                others = self._resting[each]
                others.pop((store, occurrence), None)
                if not others:
                    del self._resting[each]

    def consume(self, used: Collection[Consumable]) -> list[Occurrence]:
        """Consume parts of an answer; return the occurrences that depend on them."""
        if not (self._by_time and self._keeps_all):
            # Else what enters is later than all that has been consumed.
            self._consumed.update(used)
        resting = dict.fromkeys(pair for each in used for pair in self._resting.get(each, ()))
        for store, occurrence in resting:
            store.remove(occurrence)
            self.leave(store, (occurrence,))
        return [occurrence for _, occurrence in resting]

    def ids(self) -> Iterable[int]:
        """Return the term ids that marks hold, with repetitions."""
        held = self._consumed if self._keeps_all else self._counts
        return (number for each in held for number in each[:3])


@stateful(
    kept=("_used",), parts=("root", "_view", "_marks", "rows"), same=("variables",),
    compiled=(
        "leaves", "consumes", "_windows", "_by_time", "_readings", "_order", "_compiler",
        "_scanned", "_told", "_columns",
    ),
)
class Matching:
    """One event pattern, compiled, with what of its windows it has matched and consumed.

    `rows` has its solutions as of the latest evaluation.
    """

    def __init__(
        self,
        event: EventPattern,
        variables: tuple[Variable, ...],
        windows: Mapping[URIRef, WindowState],
        dictionary: Dictionary,
        graphs: Graphs,
        readings: Readings,
        *,
        consuming: bool,
    ) -> None:
        self.variables = variables
        self._windows = {each.window: windows[each.window] for each in find(event, Event)}
        self.consumes = consuming
        self._by_time = readings.consumption == "occurrence"
        self._readings = readings
        self._order = Order(readings.order)
        self._compiler = LeafCompiler(dictionary, graphs, self._order, consuming=consuming)
        self.root = self._node(event, Layout())
        self.leaves = self._compiler.leaves
        self._scanned = [leaf for leaf in self.leaves if isinstance(leaf.node, ScanNode)]
        # What is scanned is found anew each time.
        self._view = RecomputedView(self.root) if self._scanned else view_of(self.root)
        self._marks: dict[URIRef, Marks] = {}
        self._told: list[URIRef] = []
        """The windows whose marks must know what enters and leaves"""
        for name, window in self._windows.items():
            scanned = any(leaf.window == name for leaf in self._scanned)
            keeps_all = window.content.keeps_all and not scanned
            self._marks[name] = Marks(by_time=self._by_time, keeps_all=keeps_all)
            if scanned or (consuming and not keeps_all):
                window.holds_items = True
            if consuming and not keeps_all:
                self._told.append(name)
        places = self.root.layout.positions
        columns = [places[variable] for variable in variables]
        whole = columns == list(range(len(places)))
        self._columns = None if whole else columns
        self.rows = MatchRows()
        self._used: list[Occurrence] = []
        """The occurrences consumed since the latest evaluation."""
        for leaf in self.leaves:
            if not isinstance(leaf.node, ScanNode):
                leaf.node.store.clear(monotone=self._windows[leaf.window].content.monotone)

    @property
    def may_only_grow(self) -> bool:
        """True if no event mapping is ever retracted, and each is found once, at its end."""
        return (
            self.root.monotone
            and not self.consumes
            and all(window.content.keeps_all for window in self._windows.values())
        )

    def only_grow(self) -> None:
        """Report only what is new from now on, and hold nothing else."""
        self.rows.only_grows = True
        self._view = view_of(self.root, only_grows=True)

    # --- items ------------------------------------------------------------------------------------

    def arrive(self, leaf: Leaf, position: int, time: int, graph: Graph) -> None:
        """Add an item to a leaf's window."""
        if leaf.matcher is None or isinstance(leaf.node, ScanNode):
            return
        rows = leaf.matcher.match(graph)
        if rows:
            leaf.node.store.arrive(
                position, [self._occurrence(leaf, time, row) for row in dict.fromkeys(rows)]
            )

    def leaves_on(self, window: URIRef) -> list[Leaf]:
        """Return the EVENTs that look at a window."""
        return [leaf for leaf in self.leaves if leaf.window == window]

    def evict_before(self, window: URIRef | None, position: int) -> None:
        """Evict state, since no earlier item enters the window any more."""
        for leaf in self.leaves:
            if leaf.window == window and not isinstance(leaf.node, ScanNode):
                leaf.node.store.evict_before(position)

    # --- evaluations ------------------------------------------------------------------------------

    def evaluate(self) -> None:
        """Evaluate ⟦MATCH E⟧ at an evaluation time; the windows have moved to it."""
        for name in self._told:
            movement = self._windows[name].movement
            self._marks[name].move(
                ((item.time, item.triples) for item in movement.entered),
                ((item.time, item.triples) for item in movement.left),
            )
        entered: dict[int, list[Occurrence]] = {}
        left, self._used = self._used, []
        for leaf in self.leaves:
            gained, lost = self._move(leaf)
            if gained:
                entered[leaf.number] = gained
            left += lost
        if entered or left or self._scanned:
            added, removed = self._view.update(Changes(entered, left))
            self.rows.change(self._events(added), self._events(removed))
            if self.consumes:
                # What was there before was consumed at that time.
                self._consume(added)
        else:
            self.rows.change((), ())

    def _move(self, leaf: Leaf) -> tuple[list[Occurrence], list[Occurrence]]:
        """Return the insertions into the occurrences of a leaf, and the retractions."""
        window, marks = self._windows[leaf.window], self._marks[leaf.window]
        movement = window.movement
        if isinstance(leaf.node, ScanNode):
            leaf.node.items = [
                ScannedItem(
                    item.time,
                    IndexedGraph(by_predicate(marks.available(item.time, item.triples))),
                )
                for item in window.items
            ]
            return [], []
        store = leaf.node.store
        entered, left = store.move(movement.low, movement.high)
        if self.consumes:
            marks.leave(store, left)
            marks.enter(store, entered)
            entered = [each for each in entered if not each.unavailable]
        return entered, left

    def _events(self, matches: list[Match]) -> list[EventMapping]:
        """Return (μ, t1, t2), without the data internal to matching."""
        columns = self._columns
        if columns is None:
            return [match[:3] for match in matches]
        return [
            (tuple([row[column] for column in columns]), start, end)
            for row, start, end, _ in matches
        ]

    # --- consumption ------------------------------------------------------------------------------

    def _occurrence(self, leaf: Leaf, time: int, row: IdRow) -> Occurrence:
        occurrence = Occurrence(leaf.number, time, row)
        if leaf.instances is not None:
            occurrence.rests_on = self._resting(leaf, occurrence)
        return occurrence

    def _resting(self, leaf: Leaf, occurrence: Occurrence) -> tuple[Consumable, ...]:
        """Return the units of consumption that an occurrence takes of its item."""
        if leaf.instances is None:
            raise Impossible("no consumption policy asks for what an event takes")
        triples = dict.fromkeys(leaf.instances(occurrence.row))
        return self._marks[leaf.window].consumables(occurrence.time, triples)

    def _consume(self, matches: list[Match]) -> None:
        """Consume the triples that take part in the matches."""
        used: dict[URIRef, dict[Consumable, None]] = {}
        for match in matches:
            for occurrence in match[3]:
                leaf = self.leaves[occurrence.leaf]
                rests_on = occurrence.rests_on or self._resting(leaf, occurrence)
                used.setdefault(leaf.window, {}).update(dict.fromkeys(rests_on))
        for window, each in used.items():
            self._used += self._marks[window].consume(each)

    # --- batches of columns -----------------------------------------------------------------------

    def release(self, *, rows: bool) -> None:
        """Release the occurrences, which are held elsewhere; with `rows` their solutions, too."""
        for leaf in self.leaves:
            if isinstance(leaf.node, EventNode):
                leaf.node.store.clear(monotone=True)
        self._view = view_of(self.root, only_grows=self.rows.only_grows)
        if rows:
            self.rows.begin_anew(())

    def take_back(self, occurred: Mapping[int, Iterable[Placed]], *, rows: bool) -> None:
        """Restore the released occurrences as they are now, by the number of their EVENT."""
        entered = {}
        for number, occurrences in occurred.items():
            leaf = self.leaves[number]
            if isinstance(leaf.node, EventNode):
                store, movement = leaf.node.store, self._windows[leaf.window].movement
                for position, time, row in occurrences:
                    store.arrive(position, (Occurrence(number, time, row),))
                entered[number], _ = store.move(movement.low, movement.high)
        if not self.rows.only_grows:
            added, _ = self._view.update(Changes(entered, []))
            if rows:
                self.rows.begin_anew(self._events(added))

    @property
    def size(self) -> int:
        """The number of occurrences that may take part in answers."""
        return sum(
            leaf.node.store.size for leaf in self.leaves if not isinstance(leaf.node, ScanNode)
        )

    def ids(self) -> Iterator[int]:
        """Yield the term ids that are held, with repetitions."""
        for leaf in self.leaves:
            if not isinstance(leaf.node, ScanNode):
                yield from leaf.node.store.ids()
        for marks in self._marks.values():
            yield from marks.ids()
        yield from self.rows.ids()

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
