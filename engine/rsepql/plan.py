"""The plan of a query: dataset (RSEP-QL Def. 4), windows, snapshots, event patterns and answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...semantics.model.errors import QueryError
from ...semantics.model.items import TimeKind
from ...semantics.model.terms import EMPTY_GRAPH, Graph, URIRef, Variable
from ...semantics.model.trees import find, has, remembering
from ...semantics.rdf.syntax.tree import (
    DescribeQuery,
    Exists,
    GroupGraphPattern,
    SelectQuery,
    SparqlQuery,
    TriplesBlock,
)
from ...semantics.rsepql.syntax.readings import Readings
from ...semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    MatchPattern,
    Moment,
    RsepqlQuery,
    StreamOperator,
    WindowClause,
    WindowPattern,
)
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from ..rdf.data.graphs import EncodedTriple, IndexedGraph
from ..rdf.data.layout import Layout
from ..rdf.joins import split
from ..rdf.selects import compile_select
from ..rdf.variables import is_volatile, reads_active_graph
from .events.basic_patterns import Graphs, Leaf
from .events.matching import Matching
from .patterns import InWindow, Matched, PatternCompiler, matched, replaced
from .reports.answers import (
    Answers,
    GroupedAnswers,
    LinearAnswers,
    RecomputedAnswers,
    grouped_places,
    is_linear,
)
from .reports.query_forms import Forming, selection
from .windows.snapshot_patterns import SnapshotPattern, can_be_kept
from .windows.snapshots import Snapshot
from .windows.window_state import WindowState


@stateful(
    kept=("_time", "_latest", "_shown"), parts=("_snapshots",), compiled=("stream",)
)
class VaryingGraph:
    """A time-varying graph (Def. 2) that a stream replaces: the union of its latest graphs."""

    def __init__(self, stream: URIRef, snapshots: list[Snapshot]) -> None:
        self.stream = stream
        self._snapshots = snapshots
        self._time: int | None = None
        self._latest: list[list[EncodedTriple]] = []
        self._shown: list[list[EncodedTriple]] = []

    def arrive(self, time: int, triples: list[EncodedTriple]) -> None:
        """Add an item of the stream."""
        if time != self._time:
            self._time = time
            self._latest = []
        self._latest.append(triples)

    def move(self) -> None:
        """Move the graph to an evaluation time."""
        if self._shown == self._latest:
            return
        for snapshot in self._snapshots:
            for triples in self._latest:
                snapshot.add(triples)
            for triples in self._shown:
                snapshot.discard(triples)
        self._shown = list(self._latest)

    def ids(self) -> Iterable[int]:
        """Yield the term ids that are held, with repetitions."""
        for graphs in (self._latest, self._shown):
            for graph in graphs:
                for triple in graph:
                    yield from triple


@dataclass(frozen=True, slots=True)
class Described:
    """The dataset of FROM and FROM NAMED, windows apart.

    `default` are the background graphs in the default graph, `named` those with a name; streams
    whose latest graphs stand for a graph are named in `default_streams` and `named_streams`.
    """

    default: Graph
    named: Mapping[URIRef, Graph]
    default_streams: tuple[URIRef, ...]
    named_streams: tuple[URIRef, ...]


def described(
    query: RsepqlQuery, streams: Iterable[URIRef], kb: Mapping[URIRef, Graph]
) -> Described:
    """Return the graphs of a query; raises QueryError for one that is not there."""
    clause = query.form.dataset
    if clause is None:
        return Described(EMPTY_GRAPH, kb, (), ())
    there = frozenset(streams)
    for name in (*clause.default, *clause.named):
        if name not in kb and name not in there:
            raise QueryError(f"the query asks for the graph <{name}>, which is not there")
    return Described(
        EMPTY_GRAPH.union(*(kb[name] for name in clause.default if name in kb)),
        {name: kb[name] for name in clause.named if name in kb},
        tuple(dict.fromkeys(name for name in clause.default if name not in kb)),
        tuple(dict.fromkeys(name for name in clause.named if name not in kb)),
    )


def stream_of(clause: WindowClause, query: RsepqlQuery, streams: Iterable[URIRef]) -> URIRef:
    """Return the stream that a window is on; without ON there must be just one.

    A stream that stands for a graph does not count, unless a window is on it.
    """
    if clause.stream is not None:
        return clause.stream
    dataset = query.form.dataset
    graphs = () if dataset is None else (*dataset.default, *dataset.named)
    used = {each.stream for each in query.windows}
    candidates = [name for name in streams if name in used or name not in graphs]
    if len(candidates) != 1:
        raise QueryError(
            f"ON must say which of the {len(candidates)} streams the window is on"
            if candidates
            else "the window is on no stream: there is none",
            line=clause.position.line,
            column=clause.position.column,
        )
    return candidates[0]


def check_measure(query: RsepqlQuery, kind: TimeKind) -> None:
    """Raise QueryError for a window that does not measure as the streams count."""
    for moment in _moments(query):
        if moment.kind is not kind:
            measure = (
                "bare numbers" if moment.kind is TimeKind.INTEGER else "durations or dateTimes"
            )
            raise QueryError(
                f"the window is measured in {measure}, but the streams have {kind} times",
                line=moment.position.line,
                column=moment.position.column,
            )


@remembering
def _moments(query: RsepqlQuery) -> tuple[Moment, ...]:
    """Return the moments that measure the windows."""
    return tuple(find(tuple(clause.function for clause in query.windows), Moment))


def kept_in_window(
    select: SelectQuery,
    windows: Mapping[URIRef, WindowState],
    snapshots: Mapping[URIRef, Snapshot],
    dictionary: Dictionary,
) -> tuple[SelectQuery, SnapshotPattern | None]:
    """Return the query with the solutions of its window, kept up to date, if it has one window."""
    if len(list(find(select, InWindow))) != 1:
        return select, None
    for at, element in enumerate(select.where.elements):
        match element:
            case InWindow(URIRef() as name, pattern) if can_be_kept(pattern):
                kept = SnapshotPattern(pattern, snapshots[name], dictionary)
                windows[name].patterns.append(kept)
                elements = list(select.where.elements)
                elements[at] = matched(kept.variables, kept.variables, 0)
                return replace(select, where=GroupGraphPattern(tuple(elements))), kept
    return select, None


def kept_in_default(
    select: SelectQuery, windows: list[WindowState], default: Snapshot, dictionary: Dictionary
) -> tuple[SelectQuery, SnapshotPattern | None]:
    """Return the query with the solutions of its default graph, kept up to date, likewise."""
    blocks = [each for each in split(select.where)[0] if isinstance(each, TriplesBlock)]
    others = [each for each in select.where.elements if not isinstance(each, TriplesBlock)]
    pattern = GroupGraphPattern(tuple(blocks))
    if (
        len(blocks) != 1
        or not can_be_kept(pattern)
        or any(map(reads_active_graph, others))
        or has(select, InWindow, Matched)
    ):
        return select, None
    kept = SnapshotPattern(pattern, default, dictionary)
    for window in windows:
        if default in window.snapshots:
            window.patterns.append(kept)
    first = next(
        at for at, each in enumerate(select.where.elements) if isinstance(each, TriplesBlock)
    )
    elements = [
        matched(kept.variables, kept.variables, 0) if at == first else each
        for at, each in enumerate(select.where.elements)
        if at == first or not isinstance(each, TriplesBlock)
    ]
    return replace(select, where=GroupGraphPattern(tuple(elements))), kept


@stateful(
    parts=("windows", "varying", "snapshots", "matchings", "kept", "answers", "forming"),
    compiled=("on", "form", "select"),
)
@dataclass(slots=True)
class Plan:
    """A query, compiled.

    `on` are the windows by their streams, each with the events that look at it; `kept` is a
    pattern that is brought up to date as its snapshot changes.
    """

    windows: list[WindowState]
    on: dict[URIRef, list[tuple[WindowState, list[tuple[Matching, Leaf]]]]]
    varying: list[VaryingGraph]
    snapshots: list[Snapshot]
    matchings: list[Matching]
    kept: SnapshotPattern | None
    answers: Answers
    forming: Forming
    form: SparqlQuery
    select: SelectQuery
    """The SELECT to whose solutions the query form is applied."""

    @property
    def streams(self) -> frozenset[URIRef]:
        """The streams that the query is about."""
        return frozenset((*self.on, *(each.stream for each in self.varying)))


@dataclass(slots=True)
class _Dataset:
    """The streaming dataset of a query as it moves.

    `varies` says whether the default graph does.
    """

    default: IndexedGraph
    changing_default: Snapshot
    varies: bool
    windows: list[WindowState] = field(default_factory=list)
    named: dict[URIRef, WindowState] = field(default_factory=dict)
    snapshots: dict[URIRef, Snapshot] = field(default_factory=dict)


def planned(
    query: RsepqlQuery,
    streams: tuple[URIRef, ...],
    kb: Mapping[URIRef, Graph],
    readings: Readings,
    dictionary: Dictionary,
) -> Plan:
    """Return the plan of a query on streams of these names.

    Raises QueryError for a graph or a stream that is not there.
    """
    graphs = described(query, streams, kb)
    dataset = _dataset(query, streams, graphs, dictionary)
    varying = {name: Snapshot() for name in graphs.named_streams}
    noted: list[tuple[MatchPattern, tuple[Variable, ...]]] = []
    form = replaced(query.form, noted)
    seen = Graphs(graphs.named, varying)
    consuming = query.consumption is not ConsumptionPolicy.UNRESTRICTED
    matchings = [
        Matching(each.event, names, dataset.named, dictionary, seen, readings, consuming=consuming)
        for each, names in noted
    ]
    rows = [each.rows for each in matchings]

    select = selection(form)
    kept: SnapshotPattern | None = None
    if not rows:
        select, kept = _kept(select, dataset, graphs, dictionary)
        if kept is not None:
            rows.append(kept.rows)

    lasting = {name: dictionary.background(graph) for name, graph in graphs.named.items()}
    compiler = PatternCompiler(
        dictionary, {**lasting, **varying}, dataset.snapshots, rows, varying=bool(varying)
    )
    step, layout = compile_select(compiler, select, Layout())
    snapshots = [dataset.changing_default, *dataset.snapshots.values(), *varying.values()]
    stays = not varying and not (dataset.varies and _looks_at_default(select))
    places = grouped_places(select, matchings[0].variables) if stays and matchings else None
    answers: Answers
    if stays and is_linear(select):
        _let_grow(matchings, query.operator)
        answers = LinearAnswers(step, dataset.default, rows[0], query.operator)
    elif places is not None:
        answers = GroupedAnswers(step, dataset.default, rows[0], places)
    else:
        always = is_volatile(select.where)
        answers = RecomputedAnswers(step, dataset.default, snapshots, rows, always=always)
    named = *lasting.values(), *varying.values(), *dataset.snapshots.values()
    in_default = ((name, dataset.changing_default) for name in graphs.default_streams)
    return Plan(
        dataset.windows,
        _listening(dataset.windows, matchings),
        [VaryingGraph(name, [shown]) for name, shown in (*varying.items(), *in_default)],
        snapshots,
        matchings,
        kept,
        answers,
        Forming(form, layout.columns, dictionary, lambda: [dataset.default, *named]), form, select,
    )


def _let_grow(matchings: list[Matching], operator: StreamOperator) -> None:
    """Drop the stored matches where only new ones are reported."""
    if operator is not StreamOperator.RSTREAM:
        for matching in (each for each in matchings if each.may_only_grow):
            matching.only_grow()


def _looks_at_default(select: SelectQuery) -> bool:
    return any(map(reads_active_graph, select.where.elements)) or has(select.projection, Exists)


def _kept(
    select: SelectQuery, dataset: _Dataset, graphs: Described, dictionary: Dictionary
) -> tuple[SelectQuery, SnapshotPattern | None]:
    """Return the query without the incrementally maintained part, and that part."""
    select, kept = kept_in_window(select, dataset.named, dataset.snapshots, dictionary)
    if kept is None and dataset.varies and not graphs.default_streams:
        return kept_in_default(select, dataset.windows, dataset.changing_default, dictionary)
    return select, kept


def _dataset(
    query: RsepqlQuery, streams: tuple[URIRef, ...], graphs: Described, dictionary: Dictionary
) -> _Dataset:
    asked_for = {each.name for each in find(query.form, WindowPattern)}
    asks_for_any = isinstance(query.form, DescribeQuery) or any(
        isinstance(each, Variable) for each in asked_for
    )
    default = dictionary.background(graphs.default)
    changing = Snapshot()
    dataset = _Dataset(
        default, changing,
        any(clause.in_default for clause in query.windows) or bool(graphs.default_streams),
    )
    if dataset.varies:
        changing.add(default.triples)
        dataset.default = changing
    for clause in query.windows:
        shown: list[Snapshot] = []
        if clause.name is not None and (asks_for_any or clause.name in asked_for):
            dataset.snapshots[clause.name] = Snapshot()
            shown.append(dataset.snapshots[clause.name])
        if clause.in_default:
            shown.append(changing)
        stream = stream_of(clause, query, streams)
        window = WindowState(clause.name, stream, clause.function, shown)
        dataset.windows.append(window)
        if clause.name is not None:
            dataset.named[clause.name] = window
    return dataset


def _listening(
    windows: list[WindowState], matchings: list[Matching]
) -> dict[URIRef, list[tuple[WindowState, list[tuple[Matching, Leaf]]]]]:
    on: dict[URIRef, list[tuple[WindowState, list[tuple[Matching, Leaf]]]]] = {}
    for window in windows:
        listening = [
            (matching, leaf)
            for matching in matchings
            if window.name is not None
            for leaf in matching.leaves_on(window.name)
        ]
        on.setdefault(window.stream, []).append((window, listening))
    return on
