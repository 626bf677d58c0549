"""The runtime: items in, the answers of each evaluation time out as soon as it is certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...semantics.errors import QueryError, StreamError
from ...semantics.rdf.syntax import (
    DescribeQuery,
    GroupGraphPattern,
    SelectQuery,
    TriplesBlock,
)
from ...semantics.rdf.terms import Graph, URIRef, Variable
from ...semantics.rsepql.evaluation import Evaluation
from ...semantics.rsepql.readings import Readings
from ...semantics.rsepql.results import TimedAnswer
from ...semantics.rsepql.syntax import (
    ConsumptionPolicy,
    MatchPattern,
    RsepqlQuery,
    WindowPattern,
)
from ...semantics.streams.items import TimestampedGraph
from ...semantics.streams.merging import StreamItem, merge
from ..rdf.dictionary import Dictionary
from ..rdf.extension import split
from ..rdf.graphs import IndexedGraph
from ..rdf.layout import Layout
from ..rdf.selects import compile_select
from ..rdf.variables import is_volatile, reads_active_graph
from .answers import Answers, LinearAnswers, RecomputedAnswers, is_linear
from .datasets import VaryingGraph, check_measure, described, stream_of
from .leaves import Graphs
from .matching import Matching
from .movement import Arrived, MovingWindow
from .patterns import (
    InWindow,
    Matched,
    MatchRows,
    PatternCompiler,
    has_exists,
    matched,
    parts,
    replaced,
)
from .reporting import Forming, selection
from .reports import MOST_TICKS, Listed, Reporter, clocks, reporter, too_many
from .snapshot_patterns import SnapshotPattern, can_be_kept
from .snapshots import Snapshot

_FORGETS_EVERY = 16


def run(
    query: RsepqlQuery,
    streams: Mapping[URIRef, Iterable[TimestampedGraph]],
    kb: Mapping[URIRef, Graph] | None = None,
    readings: Readings | None = None,
    evaluation: Evaluation | None = None,
) -> Iterator[TimedAnswer]:
    """The answers of a query, one evaluation time after the other, each as soon as it is certain.

    That is when an item of a later time has come, or none comes any more. `streams` may be
    unbounded iterators; with several, each is read one item ahead. Where the evaluation times are
    listed, nothing is read behind the last.
    """
    engine = RsepqlEngine(query, tuple(streams), kb, readings, evaluation)
    asked_for = {name: stream for name, stream in streams.items() if name in engine.streams}
    for item in merge(asked_for, ties="sequence"):
        engine.check(item)
        yield from engine.evaluated(item.time - 1)
        if engine.is_done:
            return
        engine.feed(item)
    engine.end()
    yield from engine.evaluated(None)


@dataclass(frozen=True, slots=True)
class Statistics:
    """How much the engine remembers at this moment."""

    items: int
    occurrences: int
    terms: int


class RsepqlEngine:
    """One query over unbounded input, item by item, in time order.

    `feed` returns the answers that an item makes certain: those of evaluation times before it.
    `advance` says that nothing earlier than an instant comes any more, `close` that nothing comes.
    """

    def __init__(
        self,
        query: RsepqlQuery,
        streams: Iterable[URIRef],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        evaluation: Evaluation | None = None,
    ) -> None:
        evaluation = evaluation or Evaluation()
        query = evaluation.applied_to(query)
        self.query = query
        self.dictionary = Dictionary(query.form.prologue.base)
        self._readings = readings or Readings()
        self._evaluation = evaluation
        self._latest: int | None = None
        self._arrivals = 0
        names = tuple(streams)
        self._compile(names, kb or {})
        self.streams = frozenset((*self._on, *(each.stream for each in self._varying)))
        """The streams that the query is about; it looks at no others."""
        self._reporters = list(self._planned())
        self._told: dict[URIRef, list[Reporter]] = {}
        for stream, each in self._reporters:
            if stream is not None:
                self._told.setdefault(stream, []).append(each)

    # --- compiling --------------------------------------------------------------------------------

    def _compile(self, streams: tuple[URIRef, ...], kb: Mapping[URIRef, Graph]) -> None:
        query, dictionary = self.query, self.dictionary
        graphs = described(query, streams, kb)
        asked = [part for part in parts(query.form) if isinstance(part, WindowPattern)]
        asks_for_any = isinstance(query.form, DescribeQuery) or any(
            isinstance(each.name, Variable) for each in asked
        )
        asked_for = {each.name for each in asked}

        varies = any(clause.in_default for clause in query.windows) or graphs.default_streams
        default = Snapshot()
        if varies:
            default.add(dictionary.background(graphs.default).triples)
            self._default: IndexedGraph = default
        else:
            self._default = dictionary.background(graphs.default)

        self._windows: list[MovingWindow] = []
        self._on: dict[URIRef, list[MovingWindow]] = {}
        named: dict[URIRef, MovingWindow] = {}
        snapshots: dict[URIRef, Snapshot] = {}
        for clause in query.windows:
            shown: list[Snapshot] = []
            if clause.name is not None and (asks_for_any or clause.name in asked_for):
                snapshots[clause.name] = Snapshot()
                shown.append(snapshots[clause.name])
            if clause.in_default:
                shown.append(default)
            stream = stream_of(clause, query, streams)
            window = MovingWindow(clause.name, stream, clause.function, shown)
            self._windows.append(window)
            self._on.setdefault(stream, []).append(window)
            if clause.name is not None:
                named[clause.name] = window

        varying = {name: Snapshot() for name in graphs.named_streams}
        self._varying = [VaryingGraph(name, [shown]) for name, shown in varying.items()]
        self._varying += [VaryingGraph(name, [default]) for name in graphs.default_streams]
        self._snapshots = [default, *snapshots.values(), *varying.values()]

        noted: list[tuple[MatchPattern, tuple[Variable, ...]]] = []
        form = replaced(query.form, noted)
        self._matchings = [
            Matching(
                pattern.event,
                variables,
                named,
                dictionary,
                Graphs(graphs.named, varying),
                self._readings,
                consuming=query.consumption is not ConsumptionPolicy.UNRESTRICTED,
            )
            for pattern, variables in noted
        ]
        self._listening = {
            id(window): [
                (matching, leaf)
                for matching in self._matchings
                if window.name is not None
                for leaf in matching.leaves_on(window.name)
            ]
            for window in self._windows
        }
        rows = [each.rows for each in self._matchings]
        select = selection(form)
        self._kept: SnapshotPattern | None = None
        if not noted:
            select = self._keeping(select, named, snapshots, rows)
        if not noted and self._kept is None and varies and not graphs.default_streams:
            select = self._keeping_default(select, default, rows)
        lasting = {name: dictionary.background(graph) for name, graph in graphs.named.items()}
        compiler = PatternCompiler(
            dictionary, {**lasting, **varying}, snapshots, rows, varying=bool(varying)
        )
        step, layout = compile_select(compiler, select, Layout())
        self._answers: Answers
        reads = any(map(reads_active_graph, select.where.elements)) or has_exists(select.projection)
        changes = varying or (varies and reads)
        if is_linear(select) and not changes:
            self._answers = LinearAnswers(step, self._default, rows[0])
        else:
            self._answers = RecomputedAnswers(
                step, self._default, self._snapshots, rows, always=is_volatile(select.where)
            )
        self._forming = Forming(
            form,
            layout.columns,
            dictionary,
            lambda: [self._default, *lasting.values(), *varying.values(), *snapshots.values()],
        )

    def _keeping(
        self,
        select: SelectQuery,
        windows: Mapping[URIRef, MovingWindow],
        snapshots: Mapping[URIRef, Snapshot],
        rows: list[MatchRows],
    ) -> SelectQuery:
        """Where the query looks into one window once, what it finds there is kept as it moves."""
        if sum(isinstance(part, InWindow) for part in parts(select)) != 1:
            return select
        elements = list(select.where.elements)
        for at, element in enumerate(elements):
            match element:
                case InWindow(URIRef() as name, pattern) if can_be_kept(pattern):
                    self._kept = kept = SnapshotPattern(pattern, snapshots[name], self.dictionary)
                    windows[name].patterns.append(kept)
                    elements[at] = matched(kept.variables, kept.variables, len(rows))
                    rows.append(kept.rows)
        return replace(select, where=GroupGraphPattern(tuple(elements)))

    def _keeping_default(
        self, select: SelectQuery, default: Snapshot, rows: list[MatchRows]
    ) -> SelectQuery:
        """As `_keeping`, for triple patterns on a default graph that windows are a part of."""
        elements, _ = split(select.where)
        blocks = [each for each in elements if isinstance(each, TriplesBlock)]
        others = [each for each in select.where.elements if not isinstance(each, TriplesBlock)]
        pattern = GroupGraphPattern(tuple(blocks))
        if (
            len(blocks) != 1
            or not can_be_kept(pattern)
            or any(map(reads_active_graph, others))
            or any(isinstance(part, (InWindow, Matched)) for part in parts(select))
        ):
            return select
        self._kept = kept = SnapshotPattern(pattern, default, self.dictionary)
        for window in self._windows:
            if default in window.snapshots:
                window.patterns.append(kept)
        rows.append(kept.rows)
        stand_in = matched(kept.variables, kept.variables, len(rows) - 1)
        first = next(
            at for at, each in enumerate(select.where.elements) if isinstance(each, TriplesBlock)
        )
        written = list(select.where.elements)
        written[first] = stand_in
        return replace(
            select,
            where=GroupGraphPattern(
                tuple(each for each in written if not isinstance(each, TriplesBlock))
            ),
        )

    def _planned(self) -> Iterator[tuple[URIRef | None, Reporter]]:
        """When to evaluate: for each reporter the stream whose items it must be told of."""
        evaluation = self._evaluation
        if evaluation.at is not None:
            yield None, Listed(evaluation.at)
            return
        ticking = [clock for each in self._windows for clock in clocks(each.function)]
        period = evaluation.period
        if evaluation.policy == "periodic" and period is None:
            if not ticking:
                raise QueryError(
                    "policy periodic needs a period: no window of the query has a step"
                )
            period = min(1 if each.step is None else each.step.value for each in ticking)
        found = False
        for window in self._windows:
            each = reporter(evaluation, window.content, period)
            if each is not None:
                found = True
                yield window.stream, each
        if evaluation.policy == "window-close" and not found:
            raise QueryError("policy window-close: no window of the query ever closes")

    # --- items ------------------------------------------------------------------------------------

    def feed(self, item: StreamItem) -> list[TimedAnswer]:
        """The answers of the evaluation times before this item's, as far as they are not given."""
        time, latest = item.time, self._latest
        if item.iri not in self.streams:
            return []
        self.check(item)
        answers = [] if time == latest else self.advance(time)
        self._latest = time
        self._arrive(item)
        return answers

    def check(self, item: StreamItem) -> None:
        """Raises QueryError or StreamError if this item cannot be the next."""
        if self._latest is None:
            check_measure(self.query, item.kind)
        elif item.time < self._latest:
            raise StreamError(
                f"an item of <{item.iri}> at {item.time} comes after one at {self._latest}"
            )

    def advance(self, time: int) -> list[TimedAnswer]:
        """No item earlier than `time` comes any more: the answers that this makes certain."""
        answers = list(self.evaluated(time - 1))
        if self.dictionary.due:
            self._forget_terms()
        return answers

    def close(self) -> list[TimedAnswer]:
        """No item comes any more: the remaining answers."""
        self.end()
        return list(self.evaluated(None))

    def end(self) -> None:
        """No item comes any more: what `evaluated` may rely on."""
        if self._latest is not None:
            for _, each in self._reporters:
                each.end(self._latest)

    @property
    def is_done(self) -> bool:
        """Whether there is no further evaluation time, whatever may come."""
        evaluation = self._evaluation
        if evaluation.at is not None:
            return self._next_report() is None
        return (
            evaluation.last is not None
            and self._latest is not None
            and self._latest > evaluation.last
        )

    def statistics(self) -> Statistics:
        """How much is remembered now: bounded by the windows, whatever has gone by."""
        return Statistics(
            sum(each.size for each in self._windows),
            sum(each.size for each in self._matchings),
            len(self.dictionary),
        )

    def _arrive(self, item: StreamItem) -> None:
        time, iri = item.time, item.iri
        for varying in self._varying:
            if varying.stream == iri:
                varying.arrive(time, self.dictionary.index(item.graph).triples)
        for window in self._on.get(iri, ()):
            if window.admits(time):
                position = window.arrive(time)
                if window.holds_items:
                    triples = self.dictionary.index(item.graph).triples
                    window.hold(Arrived(position, time, triples))
                for matching, leaf in self._listening[id(window)]:
                    matching.arrive(leaf, position, time, item.graph)
        for each in self._told.get(iri, ()):
            each.arrive(time)
        self._arrivals += 1
        if self._arrivals % _FORGETS_EVERY == 0:
            self._forget_items()

    # --- evaluations ------------------------------------------------------------------------------

    def _next_report(self) -> int | None:
        if len(self._reporters) == 1:
            return self._reporters[0][1].next()
        return min((t for _, each in self._reporters if (t := each.next()) is not None),
                   default=None)

    def evaluated(self, until: int | None) -> Iterator[TimedAnswer]:
        """The answers of the evaluation times up to `until`; nothing comes that is not later."""
        first, last = self._evaluation.first, self._evaluation.last
        if until is None or (self._latest is not None and until > self._latest + MOST_TICKS):
            ticks = max((each.ticks(until) for _, each in self._reporters), default=0)
            if ticks > MOST_TICKS:
                raise too_many(ticks)
        while (t := self._next_report()) is not None and (until is None or t <= until):
            reports = [each.reports(t) for _, each in self._reporters if each.next() == t]
            if any(reports) and (first is None or first <= t) and (last is None or t <= last):
                answer = self._evaluate(t)
                if answer is not None:
                    yield answer
                if self.dictionary.due:
                    self._forget_terms()

    def _evaluate(self, t: int) -> TimedAnswer | None:
        for varying in self._varying:
            varying.move()
        for window in self._windows:
            window.move(t)
        if self._kept is not None:
            self._kept.update()
        for matching in self._matchings:
            matching.evaluate()
        self._answers.update()
        content = self._forming.content(self._answers.reported(self.query.operator))
        if content is None and self._evaluation.empty:
            content = () if isinstance(self.query.form, SelectQuery) else frozenset()
        return None if content is None else TimedAnswer(t, content)

    # --- forgetting -------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forgets at once what is forgotten in good time anyway."""
        self._forget_items()
        self._forget_terms()

    def _forget_items(self) -> None:
        """What no later evaluation can see is forgotten also where none takes place."""
        if self._latest is None:
            return
        t = self._latest
        if self._evaluation.at is not None:
            t = max(t, self._next_report() or t)
        for window in self._windows:
            position = window.forget_before(t)
            for matching in self._matchings:
                matching.forget_before(window.name, position)

    def _forget_terms(self) -> None:
        """Terms that nobody holds leave the dictionary."""
        held: set[int] = set()
        for window in self._windows:
            held.update(window.ids())
        for varying in self._varying:
            held.update(varying.ids())
        for snapshot in self._snapshots:
            held.update(snapshot.ids())
        for matching in self._matchings:
            held.update(matching.ids())
        held.update(self._answers.ids())
        self.dictionary.retain(held)
        self.dictionary.sweep()
        self._forming.forget()
