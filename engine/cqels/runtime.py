"""The runtime: items in, solutions out at each evaluation time, memory bounded by the windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.cqels.syntax.analysis import check_background, check_kind
from ...semantics.cqels.syntax.readings import Readings
from ...semantics.cqels.syntax.tree import CqelsQuery
from ...semantics.model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ...semantics.model.items import IntervalGraph, TimeKind
from ...semantics.model.mappings import SolutionMapping
from ...semantics.model.stream_operator import StreamOperator
from ...semantics.model.temporal_graphs import TemporalGraph
from ...semantics.model.terms import EMPTY_GRAPH, Graph, Triple
from ...semantics.rdf.syntax.tree import TriplePattern
from ...semantics.streams.live.ordered_input import Watermark
from ...semantics.streams.merging import StreamItem
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.layout import IdRow
from .arrangement import FOR_EVER, SINCE_EVER
from .compile import Plan, Planner
from .windows import Item, Window, window_of

if TYPE_CHECKING:
    from ..rdf.columns.batch import GraphBatch  # and with it NumPy
    from .columnar.columnar_plan import ColumnarPlan

Solution = tuple[IdRow, int, int]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The sizes of the engine's state at this moment."""

    items: int
    rows: int
    reported: int
    terms: int


@stateful(
    kept=(
        "_number", "_reported", "_constructed", "_changes", "_lasting", "_before", "_holding",
        "_due", "_evaluated",
    ),
    parts=("_windows", "_plan", "_dictionary", "_background"), same=("_columns",),
    compiled=("_query", "_readings", "_kb", "_kind", "_planned_at", "_streams"),
    anew=("_columnar", "_arriving"),
)
class CqelsEngine:
    """One query, evaluated at times that grow."""

    def __init__(
        self,
        query: CqelsQuery,
        kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
        readings: Readings | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        self._query = query
        self._readings = readings or Readings()
        self._kb = kb or {}
        self._background = _Background(query, self._kb)
        self._dictionary = Dictionary(query.prologue.base) if dictionary is None else dictionary
        self._windows: dict[URIRef, Window] = {
            clause.name: window_of(clause.function) for clause in query.windows
        }
        self._kind: TimeKind | None = None
        self._number = 0
        self._reported: _Reported[IdRow] = _Reported(self._horizon())
        self._constructed: _Reported[Graph] = _Reported(self._horizon())
        self._changes: dict[Solution, int] = {}
        self._lasting: dict[Solution, int] = {}
        self._before: dict[Solution, None] = {}
        self._holding: Counter[Solution] = Counter()
        self._plan: Plan | None = None
        self._columns: tuple[Variable, ...] = ()
        self._streams = frozenset(clause.stream for clause in query.windows)
        self._due: int | None = None  # when items have arrived that no evaluation has seen
        self._evaluated: int | None = None
        self._columnar: ColumnarPlan | None = None
        self._arriving: GraphBatch | None = None
        self._planned_at: int | None = None  # for the background at that time; None: before any

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary by which batches need not be encoded again."""
        return self._dictionary

    def _horizon(self) -> int | None:
        horizons = [window.horizon for window in self._windows.values()]
        return None if None in horizons else max((h for h in horizons if h is not None), default=0)

    # --- items ------------------------------------------------------------------------------

    def feed(self, item: StreamItem) -> None:
        """Add an item. Its graph is matched, and not kept."""
        plan = self._begun(item.kind)
        self.leave_columns()
        if not self._streams or item.iri in self._streams:
            self._due = item.end
        self._number += 1
        for clause in self._query.windows:
            if clause.stream != item.iri:
                continue
            found = []
            for source in plan.windows:
                if source.window == clause.name:
                    rows = source.matcher.match(item.graph)
                    if rows:
                        found.append((source.source, tuple(set(rows))))
            window = self._windows[clause.name]
            if found or window.counts_empty():
                window.add(
                    Item(item.start, item.end, self._number, len(item.graph), found)
                )

    def arrive(self, arrival: StreamItem | Watermark) -> list[IntervalResult]:
        """Return the results of a time that this element shows to be over; then feed an item."""
        over = self._due is not None and arrival.time > self._due
        out = self.settle() if over else []
        if isinstance(arrival, StreamItem):
            self.feed(arrival)
        return out

    def _begun(self, kind: TimeKind) -> Plan:
        if kind is not self._kind:
            check_kind(self._query, kind)
            check_background(self._kb, kind)
            self._kind = kind
        if self._plan is None:
            self._rebuild(None)
        assert self._plan is not None
        return self._plan

    # --- batches of items -------------------------------------------------------------------

    def feed_batch(self, batch: GraphBatch) -> list[IntervalResult]:
        """Return the results that these items complete: of each time, once a later item comes.

        That is `feed` and `evaluate` as `CqelsStreamingQuery` calls them; `settle` evaluates at
        the last time. A batch over the engine's own dictionary is not encoded again. What of other
        batches is to come has to be retained in the dictionary: it may be swept.
        """
        if not len(batch):
            return []
        if batch.dictionary is not self._dictionary:
            from ..rdf.columns.batch import batch_of

            batch = batch_of(list(batch.items()), self._dictionary)
        self._arriving = batch
        try:
            return self._arrived(batch)
        finally:
            self._arriving = None

    def settle(self) -> list[IntervalResult]:
        """Return the results at the last time at which items have arrived, which is over."""
        return [] if self._due is None else self.evaluate(self._due)

    def _arrived(self, batch: GraphBatch) -> list[IntervalResult]:
        plan = self._begun(batch.kind)
        if self._columnar is None and not self._background.changing:
            from .columnar.columnar_plan import ColumnarPlan

            self._columnar = ColumnarPlan(self._query, plan, self._windows, self._dictionary)
        columnar = self._columnar
        if columnar is None or not columnar.possible:
            return self._one_by_one(batch)
        # An evaluation is about all items of a time: those of one that has begun go as it has.
        begun = [self._evaluated, None if columnar.active else self._due]
        times = [t for t in begun if t is not None]
        first = int(batch.time.searchsorted(max(times), "right")) if times else 0
        out = self._one_by_one(batch.cut(0, first)) if first else []
        batch = batch.cut(first, len(batch))
        if not len(batch):
            return out
        if not columnar.active and self._due is not None:
            out += self.evaluate(self._due)
        if not self._in_columns(columnar, batch):
            return out + self._one_by_one(batch)
        if self._dictionary.due:
            self._sweep()
        out += self._found(columnar.push(batch))
        self._due = self._due_after(batch)
        self._forget(int(batch.time[-1]))
        return out

    def _in_columns(self, columnar: ColumnarPlan, batch: GraphBatch) -> bool:
        """Return True if the batch goes through the plan as columns."""
        before = columnar.active
        takes = columnar.takes(batch)
        if columnar.active and not before:  # what the windows have held has left the operators
            self._changes.clear()
            self._holding.clear()
            self._before.clear()
        return takes

    def _due_after(self, batch: GraphBatch) -> int | None:
        """Return the time of the last items, if an evaluation is due then."""
        last = int(batch.time[-1])
        if self._due == last or not self._streams:
            return last
        for number in range(len(batch) - 1, -1, -1):
            if batch.time[number] < last:
                break
            if batch.streams[batch.stream[number]] in self._streams:
                return last
        return None

    def _one_by_one(self, batch: GraphBatch) -> list[IntervalResult]:
        out: list[IntervalResult] = []
        for item in list(batch.items()):  # decoded before anything is swept
            out += self.arrive(item)
        return out

    def _found(self, rows: Iterable[Solution]) -> list[IntervalResult]:
        """Return the results of the rows that a last item has made complete, at its time."""
        out: dict[IntervalResult, None] = {}
        for solution in rows:
            if not self._reported.is_new(solution):
                continue
            element = self._element(*solution, solution[2])
            if element is None:
                continue
            if self._query.operator is not None:
                out[Reported(solution[2], element)] = None
            elif self._is_new(element):
                out[element] = None
        return list(out)

    def _forget(self, t: int) -> None:
        self._reported.evict_before(t)
        self._constructed.evict_before(t)

    def leave_columns(self) -> None:
        """Move the state from columns to the windows."""
        if self._columnar is None or not self._columnar.active:
            return
        over, waiting = self._columnar.export_state(self._number + 1)
        self._number += len(over) + len(waiting)
        for window, item in over:
            window.add(item)
        if over:
            latest = max(item.end for _, item in over)
            for window in self._windows.values():
                window.leave(latest)
            for window in self._windows.values():
                window.enter(latest)
            if self._query.operator is not None:
                self._streamed(self._query.operator, latest)
            self._changes.clear()  # it has been reported
        for window, item in waiting:
            window.add(item)

    # --- evaluation -------------------------------------------------------------------------

    def evaluate(self, t: int) -> list[IntervalResult]:
        """Return the results of ⟦Q; t⟧ that are new, or those of the stream operator."""
        due, self._due, self._evaluated = self._due, None, t
        if self._columnar is not None and self._columnar.active:
            if due == t:
                out = self._found(self._columnar.settle(t))
                self._forget(t)
                return out
            self.leave_columns()
        solutions = self._solutions(t)
        made = [self._element(*solution, t) for solution in solutions]
        elements = [element for element in made if element is not None]
        if self._dictionary.due:
            self._sweep()
        if self._query.operator is None:
            return [element for element in elements if self._is_new(element)]
        return [Reported(t, element) for element in dict.fromkeys(elements)]

    def _is_new(self, element: IntervalSolution | IntervalGraph) -> bool:
        """Return True if the result is new: several solutions may make the same graph."""
        if isinstance(element, IntervalSolution):
            return True
        return self._constructed.is_new((element.graph, element.start, element.end))

    def _solutions(self, t: int) -> list[Solution]:
        for window in self._windows.values():
            window.leave(t)
        for window in self._windows.values():
            window.enter(t)
        if self._background.changed(t) or self._plan is None:
            self._rebuild(t)
        if self._query.operator is not None:
            return self._streamed(self._query.operator, t)
        gained = [solution for solution, change in self._changes.items() if change > 0]
        self._changes.clear()
        self._forget(t)
        lasting = [
            (row, _reported(start, t), t) for (row, start, _), n in self._lasting.items() if n > 0
        ]
        return [
            solution for solution in (*gained, *lasting)
            if solution[2] < FOR_EVER and self._reported.is_new(solution)
        ]

    def _streamed(self, operator: StreamOperator, t: int) -> list[Solution]:
        """Return the solutions of the stream operator at t, given the answer before."""
        for solution, change in self._changes.items():
            self._holding[solution] += change
            if not self._holding[solution]:
                del self._holding[solution]
        self._changes.clear()
        now = dict.fromkeys(self._holding)
        now |= dict.fromkeys(
            (row, _reported(start, t), t) for row, start, _ in self._lasting
        )
        before, self._before = self._before, now
        match operator:
            case StreamOperator.RSTREAM:
                return list(now)
            case StreamOperator.ISTREAM:
                return [solution for solution in now if solution not in before]
            case StreamOperator.DSTREAM:
                return [solution for solution in before if solution not in now]

    def _gain(self, row: IdRow, start: int, end: int, sign: int) -> None:
        solution = row, start, end
        changes = self._lasting if end == FOR_EVER else self._changes
        changes[solution] = changes.get(solution, 0) + sign
        if end == FOR_EVER and not changes[solution]:
            del changes[solution]

    def _element(
        self, row: IdRow, start: int, end: int, t: int
    ) -> IntervalSolution | IntervalGraph | None:
        """Return a solution, or the item that CONSTRUCT makes of it, if any."""
        solution = self._decoded(row, start, end, t)
        if self._query.template is None:
            return solution
        graph = _instance(self._query.template, solution.mapping)
        if not graph:
            return None
        kind = self._kind or TimeKind.INTEGER
        return IntervalGraph(solution.start, solution.end, graph, kind)

    def _decoded(self, row: IdRow, start: int, end: int, t: int) -> IntervalSolution:
        decode = self._dictionary.decode_value
        mu = SolutionMapping({
            variable: decode(number)
            for variable, number in zip(self._columns, row, strict=True)
            if number != UNBOUND
        })
        return IntervalSolution(_reported(start, t), end, mu)

    # --- the background ---------------------------------------------------------------------

    def _rebuild(self, t: int | None) -> None:
        """Make new operators for the background at t; push the windows' content through."""
        since, default, named = self._background.at(t)
        index = self._dictionary.background
        planner = Planner(
            self._query, self._readings, self._dictionary, index(default),
            {name: index(graph) for name, graph in named.items()},
        )
        before, plan = self._plan, planner.plan()
        plan.top.sink = self._gain
        self._columns = plan.top.layout.columns
        self._changes.clear()
        self._lasting.clear()
        self._holding.clear()
        self._plan = plan
        self._planned_at = t
        plan.begin(SINCE_EVER if since is None else since)
        if before is not None:
            pairs = zip(before.windows, plan.windows, strict=True)
            sources = {old.source: new.source for old, new in pairs}
            for window in self._windows.values():
                for item in window.items():
                    item.move(sources)

    # --- left and taken up ------------------------------------------------------------------

    def compile_parameters(self) -> dict[str, Any]:
        """Return the compile-time parameters inferred from the input, such as the time kind."""
        parameters: dict[str, Any] = {} if self._kind is None else {"kind": self._kind.name}
        return parameters if self._plan is None else {**parameters, "planned": self._planned_at}

    def compile(self, parameters: Mapping[str, Any]) -> None:
        """Compile for the parameters of another run."""
        if "kind" in parameters:
            self._kind = TimeKind[parameters["kind"]]
        if "planned" in parameters:
            self._rebuild(parameters["planned"])

    # --- memory -----------------------------------------------------------------------------

    def _sweep(self) -> None:
        for row in self._rows():
            self._dictionary.retain(row)
        if self._columnar is not None:
            self._dictionary.retain(self._columnar.held())
        if self._arriving is not None:
            batch = self._arriving
            for column in (batch.subject, batch.predicate, batch.object):
                self._dictionary.retain(column.tolist())
        self._dictionary.sweep()

    def _rows(self) -> Iterator[IdRow]:
        assert self._plan is not None
        for window in self._windows.values():
            for item in window.items():
                for _, rows in item.found:
                    yield from rows
        for arrangement in self._plan.arrangements():
            yield from arrangement.rows()
        for row, _, _ in (*self._reported, *self._lasting, *self._holding, *self._before):
            yield row

    def statistics(self) -> Statistics:
        """Return the numbers of stored items, rows of operators, reported solutions and terms."""
        return Statistics(
            items=sum(1 for window in self._windows.values() for _ in window.items())
            + (0 if self._columnar is None else self._columnar.items()),
            rows=(0 if self._plan is None else sum(map(len, self._plan.arrangements())))
            + (0 if self._columnar is None else len(self._columnar)),
            reported=len(self._reported) + len(self._constructed) + len(self._before),
            terms=len(self._dictionary),
        )


def _reported(start: int, t: int) -> int:
    """Return the reported start of an interval: 0 if it has held since ever."""
    return min(0, t) if start == SINCE_EVER else start


def _instance(template: Sequence[TriplePattern], mu: SolutionMapping) -> Graph:
    """Return the triples that a solution makes of a template, its blank nodes being new ones."""
    fresh: dict[BNode, BNode] = {}

    def value(part: object) -> object:
        if isinstance(part, BNode):
            return fresh.setdefault(part, BNode())
        return mu.get(part) if isinstance(part, Variable) else part

    found: set[Triple] = set()
    for pattern in template:
        s, p, o = map(value, (pattern.subject, pattern.predicate, pattern.object))
        if (
            isinstance(s, URIRef | BNode) and isinstance(p, URIRef)
            and isinstance(o, URIRef | BNode | Literal)
        ):
            found.add((s, p, o))
    return frozenset(found)


@stateful(
    kept=("_passed",), compiled=("_default", "_named", "_graphs", "_changes")
)
class _Background:
    """The graphs of FROM and FROM NAMED, and when they change."""

    def __init__(
        self, query: CqelsQuery, kb: Mapping[URIRef, Graph | TemporalGraph]
    ) -> None:
        self._default = query.default or (() if query.named else tuple(kb))
        self._named = query.named or tuple(kb)
        used = dict.fromkeys((*self._default, *self._named))
        self._graphs = {name: kb[name] for name in used if name in kb}
        self._changes = sorted({
            time
            for graph in self._graphs.values() if isinstance(graph, TemporalGraph)
            for time, _ in graph.changes
        })
        self._passed = 0

    @property
    def changing(self) -> bool:
        """True if the background depends on the time."""
        return bool(self._changes)

    def changed(self, t: int) -> bool:
        """Return True if there has been a change since the last call, up to t."""
        before = self._passed
        while self._passed < len(self._changes) and self._changes[self._passed] <= t:
            self._passed += 1
        return self._passed > before

    def at(self, t: int | None) -> tuple[int | None, Graph, dict[URIRef, Graph]]:
        """Return the time of D(t)'s last change, its default graph and its named graphs."""
        since: int | None = None
        now: dict[URIRef, Graph] = {}
        for name, graph in self._graphs.items():
            if isinstance(graph, TemporalGraph):
                changed, now[name] = graph.at(t) if t is not None else (None, EMPTY_GRAPH)
                if changed is not None:
                    since = changed if since is None else max(since, changed)
            else:
                now[name] = graph
        graphs = [now[name] for name in self._default if name in now]
        default = graphs[0] if len(graphs) == 1 else EMPTY_GRAPH.union(*graphs)
        return since, default, {name: now[name] for name in self._named if name in now}


ContentT = TypeVar("ContentT", IdRow, Graph)


@stateful(kept=("_horizon", "_solutions", "_by_end"))
class _Reported(Generic[ContentT]):
    """The solutions, or constructed graphs, that have been reported and might be found again."""

    def __init__(self, horizon: int | None) -> None:
        self._horizon = horizon
        self._solutions: set[tuple[ContentT, int, int]] = set()
        self._by_end: list[tuple[int, int, ContentT]] = []

    def __len__(self) -> int:
        return len(self._solutions)

    def __iter__(self) -> Iterator[tuple[ContentT, int, int]]:
        return iter(self._solutions)

    def is_new(self, solution: tuple[ContentT, int, int]) -> bool:
        """Return True if the solution is new; from now on it is not."""
        if solution in self._solutions:
            return False
        self._solutions.add(solution)
        if self._horizon is not None:
            row, start, end = solution
            heappush(self._by_end, (end, start, row))
        return True

    def evict_before(self, t: int) -> None:
        """Evict solutions before t: each ends with one of its items, which has left its window."""
        if self._horizon is None:
            return
        while self._by_end and self._by_end[0][0] < t - self._horizon:
            end, start, row = heappop(self._by_end)
            self._solutions.discard((row, start, end))
