"""The runtime: items in, matches out as soon as they are certain, memory bounded by the window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rdflib.term import URIRef, Variable

from ...semantics.model.errors import QueryError, StreamError
from ...semantics.model.items import TimeKind
from ...semantics.model.mappings import SolutionMapping, Solutions, Value
from ...semantics.model.terms import Graph
from ...semantics.spaseq.syntax.readings import Readings
from ...semantics.spaseq.syntax.results import Pair
from ...semantics.spaseq.syntax.tree import Extent, Operator, SpaseqQuery, WithinUnit
from ...semantics.streams.merging import StreamItem
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from .atoms import Instant
from .automaton import Automaton, Edge
from .compile import compile_query
from .joins import Between, EventSolutions, Row, Rows, blocked
from .runs import (
    Enumerator,
    FoundPairs,
    Group,
    Link,
    Matches,
    Node,
    Waiting,
    ids_held,
    prune,
    with_past,
)
from .windows import OneWindow, WindowPolicy, over_time

if TYPE_CHECKING:
    # and with them NumPy
    from ..rdf.columns.batch import GraphBatch
    from .columnar.columnar_runs import ColumnarRuns, SolvedBatch
    from .columnar.conversions import Batches

_SWEEPS_A_WINDOW = 4
_UNSEEN: Graph = frozenset()
"""in place of a graph whose rows are known"""
Emitted: TypeAlias = set[tuple[tuple[int, int] | None, Rows]]
"""The pairs of an instant, each with its window."""
_NOTHING_YET: Rows = frozenset({()})
"""X before a sequence begins"""


@dataclass(frozen=True, slots=True)
class Statistics:
    """The sizes of the engine's state at this moment."""

    groups: int
    nodes: int
    terms: int


@stateful(kept=(
    "_automaton", "_policy", "_dictionary", "_waiting", "_waited_for", "_negated", "_instant",
    "_oldest", "_swept_at", "_nodes", "_joined", "_seen", "_emitted",
), anew=("_enumerator",))
class Runs:
    """The automaton's partial matches under one window policy.

    Items come in the order of (time, rank); at one instant each stream has at most one graph.
    """

    def __init__(
        self, automaton: Automaton, policy: WindowPolicy, dictionary: Dictionary,
        emitted: Emitted,
    ) -> None:
        """Begin without partial matches.

        Args:
            automaton: the query's.
            policy: the windows.
            dictionary: the terms.
            emitted: the pairs of the present instant, also of other windows; the caller clears it.
        """
        self._automaton = automaton
        self._policy = policy
        self._dictionary = dictionary
        self._waiting = [Waiting(edge) for edge in automaton.edges]
        self._waited_for = automaton.waited_for()
        self._negated = {
            number: _NegatedMatches() for edge in automaton.edges for number in edge.passed
        }
        self._instant: Instant | None = None
        self._oldest = 0
        self._swept_at: int | None = None
        self._emitted = emitted
        self._begin_instant_state()

    def resumed(self) -> None:
        """Discard the enumerator of the instant, which is rebuilt at its next use."""
        self._forget_enumerator()

    def _begin_instant_state(self) -> None:
        self._nodes: dict[tuple[int, Rows], Node] = {}
        self._joined: list[tuple[Waiting, Group]] = []
        self._seen: dict[int, set[EventSolutions]] = {}
        self._forget_enumerator()

    def _forget_enumerator(self) -> None:
        self._enumerator: Enumerator | None = None

    # --- items -----------------------------------------------------------------------------------

    def feed(
        self,
        stream: URIRef,
        time: int,
        rank: int,
        graph: Graph,
        solved: Mapping[int, Rows] | None = None,
    ) -> list[Pair]:
        """Return the matches that this item makes final.

        `solved` are the rows that each leaf on its stream has on it, if they are known: the graph
        is not looked at then.
        """
        instant = self._instant
        if instant is None or (time, rank) != (instant.time, instant.rank):
            self.end_instant()
            instant = self._instant = Instant(time, rank)
            self._advance(time)
        instant.graphs[stream] = graph
        leaves = self._automaton.leaves
        for number, rows in (solved or {}).items():
            instant.answers[number] = leaves[number].answer(rows)
        for number, negated in self._negated.items():
            leaf = leaves[number]
            if leaf.stream == stream:
                rows = frozenset(leaf.solve(graph)) if solved is None else solved[number]
                negated.record(time, rank, rows)
        answers: list[Pair] = []
        for edge in self._waited_for.get(stream, ()):
            waiting = self._waiting[edge.number]
            if (edge.initial or waiting) and edge.atom.ready(instant):
                seen = self._seen.setdefault(edge.number, set())
                for event in edge.atom.evaluate(instant):
                    if event not in seen:
                        seen.add(event)
                        answers.extend(self._step(edge, waiting, event, instant))
        return answers

    def _step(
        self, edge: Edge, waiting: Waiting, event: EventSolutions, instant: Instant
    ) -> Iterator[Pair]:
        """Yield X ⋈_R Y for one event (τ, Y) at one edge and every X that waits there."""
        links: list[Link] = []
        if edge.initial:
            deferred = self._automaton.deferred
            if not all(deferred[n].variables <= event.bindable for n in event.pending):
                return  # at the head of a sequence a condition that looks elsewhere is false
            rows = edge.joining.rows(((),), event, edge.joining_conditions)
            if rows:
                link = Link(edge, event, _NOTHING_YET, instant.time, [], 0)
                links.append(link)
                self._reach(edge, instant, rows, instant.time, link)
        else:
            for group, rows, between in self._join(edge, waiting, event, instant):
                origins: list[Node] = [] if edge.forgets_how else group.nodes
                link = Link(
                    edge, event, group.rows, group.first, origins, len(origins), between
                )
                links.append(link)
                self._reach(edge, instant, rows, group.first, link)
        if links and edge.target in self._automaton.answers:
            yield from self._answers(edge, links, instant)

    def _join(
        self, edge: Edge, waiting: Waiting, event: EventSolutions, instant: Instant
    ) -> Iterator[tuple[Group, Rows, Between]]:
        join = edge.joining
        conditions = [edge.joining_conditions[number] for number in event.pending]
        found: dict[Group, set[Row]] = {}
        between: dict[Group, Between] = {}
        for right in event.rows:
            for group, left in waiting.candidates(join.right_key(right)):
                if not group.waiting or group.first < self._oldest:
                    continue
                merged = join.combine(left, right, conditions)
                if merged is None:
                    continue
                if not group.joined:
                    # Def. 11 looks at X ⋈_R Y alone: an absence does not undo the blocking.
                    group.joined = True
                    self._joined.append((waiting, group))
                if edge.passed:
                    if group not in between:
                        between[group] = self._between(edge, group, instant)
                    if blocked(merged, edge.joining_absences, between[group]):
                        continue
                found.setdefault(group, set()).add(join.result(left, merged))
        for group, rows in found.items():
            yield group, frozenset(rows), between.get(group, ())

    def _between(self, edge: Edge, group: Group, instant: Instant) -> Between:
        since, until = (group.time, group.rank), (instant.time, instant.rank)
        return tuple(self._negated[number].between(since, until) for number in edge.passed)

    def _reach(self, edge: Edge, instant: Instant, rows: Rows, first: int, link: Link) -> None:
        """Add a partial match to a state; it waits there from the next instant on."""
        if not self._automaton.states[edge.target].outgoing:
            return
        node = self._nodes.get((edge.target, rows))
        if node is None:
            node = Node(edge.target, instant.time, instant.rank, rows, first, [])
            self._nodes[edge.target, rows] = node
        node.links.append(link)
        node.first = max(node.first, first)

    def _answers(self, edge: Edge, links: list[Link], instant: Instant) -> Iterator[Pair]:
        if self._enumerator is None:
            self._enumerator = Enumerator(self._automaton.states, self._oldest)
        answer = self._automaton.answers[edge.target]
        for carried, first in self._enumerator.through(links).items():
            rows = frozenset(map(answer, carried))
            for window in self._policy.windows(first, instant.time):
                if (window, rows) not in self._emitted:
                    self._emitted.add((window, rows))
                    yield Pair(window, instant.time, self._decode(rows), instant.rank)

    def _decode(self, rows: Rows) -> Solutions:
        decode = self._dictionary.decode
        solutions = []
        for row in rows:
            bindings: dict[Variable, Value] = {}
            for variable, entry in zip(self._automaton.select, row, strict=True):
                if isinstance(entry, tuple):
                    bindings[variable] = tuple(decode(number) for number in entry)
                elif entry:
                    bindings[variable] = decode(entry)
            solutions.append(SolutionMapping(bindings))
        return frozenset(solutions)

    # --- time ------------------------------------------------------------------------------------

    def end_instant(self) -> None:
        """End the instant after its last item and apply its decisions."""
        if self._instant is None:
            return
        for waiting, group in self._joined:
            group.joined = False
            if waiting.edge.operator is Operator.NEXT:
                waiting.remove(group)
        for waiting in self._waiting:
            if waiting.edge.operator is Operator.STRICT:
                waiting.clear()
        for node in self._nodes.values():
            for edge in self._automaton.states[node.state].outgoing:
                self._waiting[edge.number].add(node)
        self._instant = None
        self._begin_instant_state()

    def _advance(self, now: int) -> None:
        """Advance the time; evict, in large steps, partial matches that no window can complete."""
        self._oldest = self._policy.oldest(now)
        if self._swept_at is None:
            self._swept_at = self._oldest
        lag = self._oldest - self._swept_at
        if lag and lag * _SWEEPS_A_WINDOW >= now - self._oldest:
            self._swept_at = self._oldest
            for waiting in self._waiting:
                waiting.expire(self._oldest)
            prune(self._live(), self._oldest)
            for negated in self._negated.values():
                negated.evict_before(self._oldest)

    def _live(self) -> Iterator[Node]:
        for waiting in self._waiting:
            for group in waiting:
                yield from group.nodes

    def ids_held(self) -> set[int]:
        """Return the term ids that partial matches still need, between two instants."""
        held = ids_held(self._live())
        for negated in self._negated.values():
            held |= negated.ids()
        return held

    # --- handing over ----------------------------------------------------------------------------

    @property
    def waiting(self) -> list[Waiting]:
        """The waiting partial matches, by edge."""
        return self._waiting

    @property
    def instant(self) -> Instant | None:
        """The present instant; None before the first item."""
        return self._instant

    @property
    def oldest(self) -> int:
        """No match of an earlier first event can end in a window any more."""
        return self._oldest

    def present(self) -> Iterable[Node]:
        """Return the nodes that wait from the next instant on."""
        return self._nodes.values()

    def past(self) -> Iterator[Node]:
        """Return those, the waiting ones, and those from which these came."""
        return with_past([*self._live(), *self.present()])

    def resume(
        self,
        instant: Instant,
        oldest: int,
        present: dict[tuple[int, Rows], Node],
        joined: list[tuple[Waiting, Group]],
    ) -> None:
        """Go on in the midst of an instant; what waits has been added."""
        self._instant, self._nodes, self._joined = instant, present, joined
        self._oldest = self._swept_at = oldest

    def groups_and_nodes(self) -> tuple[int, int]:
        """Return the number of waiting groups, and the number of distinct nodes in them."""
        return sum(map(len, self._waiting)), len({id(node) for node in self._live()})


@stateful(kept=("_log",))
class _NegatedMatches:
    """The recent matches of a negated P, in time order (negation=absence)."""

    def __init__(self) -> None:
        self._log: list[tuple[tuple[int, int], Rows]] = []

    def record(self, time: int, rank: int, rows: Rows) -> None:
        if rows:
            self._log.append(((time, rank), rows))

    def between(self, since: tuple[int, int], until: tuple[int, int]) -> tuple[Row, ...]:
        """Return the rows strictly between two instants, the latest first."""
        found: list[Row] = []
        for at, rows in reversed(self._log):
            if at <= since:
                break
            if at < until:
                found.extend(rows)
        return tuple(dict.fromkeys(found))

    def evict_before(self, time: int) -> None:
        self._log = [entry for entry in self._log if entry[0][0] >= time]

    def ids(self) -> set[int]:
        return {
            number
            for _, rows in self._log
            for row in rows
            for number in row
            if number and isinstance(number, int)
        }


@stateful(
    kept=("_start", "_latest", "_position", "_open", "_emitted"), parts=("dictionary", "automaton"),
    compiled=("readings", "query", "_streams"), anew=("_batches",),
)
class SpaseqEngine:
    """One query over unbounded input, item by item or in batches.

    Items must come in the order of `semantics.streams.merging.merge`: time, rank, stream.
    """

    def __init__(
        self,
        query: SpaseqQuery,
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        start: int | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        self.readings = (readings or Readings()).applied_to(query)
        self.query = query
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.automaton = compile_query(
            self.readings.rewritten(query), self.readings, kb or {}, self.dictionary
        )
        self._batches: Batches | None = None
        self._begin(start)
        # Looked up by value once an item; everything behind it compares by identity.
        self._streams: dict[URIRef, URIRef] = {}
        for leaf in self.automaton.leaves:
            leaf.stream = self._streams.setdefault(leaf.stream, leaf.stream)

    def restart(self, start: int | None = None) -> None:
        """Discard all items: the same query over another streamset."""
        self._begin(start)
        if self.dictionary.due:
            self.dictionary.sweep()

    def _begin(self, start: int | None) -> None:
        self._start = start
        self._latest: tuple[int, int] | None = None
        self._position = 0
        self._emitted: Emitted = set()
        self._open: dict[int, Runs] = {}
        """The windows that are open, by what they begin at; over time, one `Runs` serves all."""
        if self._batches is not None:
            self._batches.runs = None

    def feed(self, item: StreamItem) -> list[Pair]:
        """Return the matches that this item makes final, in no particular order."""
        if self._batches is not None:
            self.as_objects()
        at = (item.time, item.rank)
        if self._latest is not None and at != self._latest:
            if at < self._latest:
                raise StreamError(
                    f"an item of <{item.iri}> at {item.time} comes after one at {self._latest[0]}"
                )
            self._end_instant()
        self._latest = at
        if self._start is None:
            self._start = item.time
        if item.time < self._start:
            return []
        stream = self._streams.get(item.iri, item.iri)
        holding = self._holding(item.time, item.kind)
        if len(holding) == 1:
            return holding[0].feed(stream, item.time, item.rank, item.graph)
        answers: list[Pair] = []
        for runs in holding:
            answers.extend(runs.feed(stream, item.time, item.rank, item.graph))
        return answers

    def _holding(self, time: int, kind: TimeKind) -> Sequence[Runs]:
        """Return the runs that the next item, at this time, is fed to; call it once per item."""
        if self.query.within.unit is WithinUnit.EVENTS:
            return self._holding_by_position(time)
        if not self._open:
            _check_measure(self.query.within, kind)
            policy = over_time(self.readings, self.query.within, self.query.slide, self._start or 0)
            self._open[0] = Runs(self.automaton, policy, self.dictionary, self._emitted)
        return (self._open[0],)

    def feed_batch(self, batch: GraphBatch) -> Matches:
        """Return the matches that these items make final: as of `feed`, item by item.

        Items may be fed one by one before and after. A batch over the engine's own dictionary is
        not decoded first. No term is forgotten meanwhile, but by `feed` and `sweep`.
        """
        matches = self._fed_together(batch) if len(batch) else None
        if matches is not None:
            return matches
        found = []
        for number, item in enumerate(list(batch.items())):  # `feed` may forget terms
            found += [(number, pair) for pair in self.feed(item)]
        return FoundPairs(found)

    def _fed_together(self, batch: GraphBatch) -> Matches | None:
        """Return the matches; None where the items must be fed one by one."""
        at = int(batch.time[0]), int(batch.rank[0])
        if self._latest is not None and at < self._latest:
            return None
        if self._batches is None:
            from .columnar.conversions import Batches

            self._batches = Batches(self.automaton, self.dictionary)
        solved = self._batches.solved(batch)
        if solved is None:
            return None
        matches = self._fed_by_columns(solved)
        return self._fed_solved(solved) if matches is None else matches

    def _fed_by_columns(self, solved: SolvedBatch) -> Matches | None:
        """Return the matches; None for input that kernels do not support."""
        batch, batches = solved.batch, self._batches
        if batches is None or self.query.within.unit is WithinUnit.EVENTS:
            return None
        start = int(batch.time[0]) if self._start is None else self._start
        tables = batches.tables(solved, start)
        if tables is None:
            return None
        _check_measure(self.query.within, batch.kind)
        policy = over_time(self.readings, self.query.within, self.query.slide, start)
        if not batches.import_state(policy, self._open.get(0)):
            return None
        self._open.clear()
        self._start = start
        self._latest = int(batch.time[-1]), int(batch.rank[-1])
        return batches.feed(batch, tables)

    def _fed_solved(self, solved: SolvedBatch) -> Matches:
        """Return the matches; partial matches are objects, but patterns are matched in a batch."""
        self.as_objects()
        batch = solved.batch
        streams = [self._streams.get(iri, iri) for iri in batch.streams]
        heads = zip(
            batch.stream.tolist(), batch.time.tolist(), batch.rank.tolist(), solved.items(),
            strict=True,
        )
        found = []
        for stream, time, rank, (number, rows) in heads:
            if self._latest != (time, rank):
                self._emitted.clear()
                self._latest = time, rank
            if self._start is None:
                self._start = time
            if time >= self._start:
                for runs in self._holding(time, batch.kind):
                    if rows is not None:
                        pairs = runs.feed(streams[stream], time, rank, _UNSEEN, rows)
                        found += [(number, pair) for pair in pairs]
        return FoundPairs(found)

    @property
    def by_columns(self) -> bool:
        """True if the partial matches are in arrays."""
        return self._batches is not None and self._batches.runs is not None

    def as_objects(self) -> None:
        """Have partial matches as objects, which single items are joined with."""
        if self._batches is not None and self._batches.runs is not None:
            policy = over_time(
                self.readings, self.query.within, self.query.slide, self._start or 0
            )
            self._emitted.clear()
            runs = Runs(self.automaton, policy, self.dictionary, self._emitted)
            self._open[0] = runs
            self._batches.export_state(runs)

    def _holding_by_position(self, time: int) -> list[Runs]:
        """Return one `Runs` per window over positions in the merged streamset (WITHIN n EVENTS)."""
        width = self.query.within.value
        slide = width if self.query.slide is None else self.query.slide.value
        position = self._position
        self._position += 1
        if position % slide == 0:
            apart = self.readings.answers == "windows"
            window = OneWindow((position, position + width - 1) if apart else None, time)
            self._open[position] = Runs(self.automaton, window, self.dictionary, self._emitted)
        holding = list(self._open.values())
        for begin in list(self._open):
            if position == begin + width - 1:
                del self._open[begin]
        return holding

    def _end_instant(self) -> None:
        self._emitted.clear()
        for runs in self._open.values():
            runs.end_instant()
        self.sweep()

    def sweep(self) -> None:
        """Evict the terms that no partial match needs, if there are many.

        No batch that was made before can be fed then, and no match be looked at.
        """
        if self.dictionary.due:
            self.dictionary.retain(set().union(*(r.ids_held() for r in self._remembering())))
            self.dictionary.sweep()

    def _remembering(self) -> list[Runs | ColumnarRuns]:
        arrays = self._batches.runs if self._batches is not None else None
        return [*self._open.values()] if arrays is None else [arrays]

    def statistics(self) -> Statistics:
        """Return the sizes of the state: bounded by the window, however much was read."""
        counts = [runs.groups_and_nodes() for runs in self._remembering()]
        groups, nodes = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
        return Statistics(groups, nodes, len(self.dictionary))


def _check_measure(within: Extent, kind: TimeKind) -> None:
    wanted = {TimeKind.INTEGER: WithinUnit.INTEGER, TimeKind.DATETIME: WithinUnit.MICROSECONDS}
    if within.unit is not wanted[kind]:
        needs = {
            TimeKind.INTEGER: "a bare number (WITHIN 30)",
            TimeKind.DATETIME: "a duration (WITHIN 30 MINUTES)",
        }
        raise QueryError(
            f"the window is measured in {within.unit}, but the streams have {kind} times, "
            f"which need {needs[kind]}",
            line=within.position.line,
            column=within.position.column,
        )
