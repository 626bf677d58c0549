"""From a query to what runs it: windows, snapshots, event patterns, and the answer made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...semantics.model.terms import Graph, URIRef, Variable
from ...semantics.model.trees import find, has
from ...semantics.rdf.syntax.tree import DescribeQuery, Exists, SelectQuery, SparqlQuery
from ...semantics.rsepql.syntax.readings import Readings
from ...semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    MatchPattern,
    RsepqlQuery,
    StreamOperator,
    WindowPattern,
)
from ..checkpoints.declared import stateful
from ..rdf.data.dictionary import Dictionary
from ..rdf.data.graphs import IndexedGraph
from ..rdf.data.layout import Layout
from ..rdf.selects import compile_select
from ..rdf.variables import is_volatile, reads_active_graph
from .datasets import Described, VaryingGraph, described, stream_of
from .events.leaves import Graphs, Leaf
from .events.matching import Matching
from .patterns import PatternCompiler, replaced
from .reports.answers import Answers, LinearAnswers, RecomputedAnswers, is_linear
from .reports.forms import Forming, selection
from .reports.grouped_answers import GroupedAnswers, grouped_places
from .windows.keeping import kept_in_default, kept_in_window
from .windows.movement import MovingWindow
from .windows.snapshot_patterns import SnapshotPattern
from .windows.snapshots import Snapshot


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

    windows: list[MovingWindow]
    on: dict[URIRef, list[tuple[MovingWindow, list[tuple[Matching, Leaf]]]]]
    varying: list[VaryingGraph]
    snapshots: list[Snapshot]
    matchings: list[Matching]
    kept: SnapshotPattern | None
    answers: Answers
    forming: Forming
    form: SparqlQuery
    select: SelectQuery
    """Whose solutions the query form is applied to"""

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
    windows: list[MovingWindow] = field(default_factory=list)
    named: dict[URIRef, MovingWindow] = field(default_factory=dict)
    snapshots: dict[URIRef, Snapshot] = field(default_factory=dict)


def planned(
    query: RsepqlQuery,
    streams: tuple[URIRef, ...],
    kb: Mapping[URIRef, Graph],
    readings: Readings,
    dictionary: Dictionary,
) -> Plan:
    """The plan of a query on streams of these names.

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
    """Where only what is new is reported, what has been matched need not be kept."""
    if operator is not StreamOperator.RSTREAM:
        for matching in (each for each in matchings if each.may_only_grow):
            matching.only_grow()


def _looks_at_default(select: SelectQuery) -> bool:
    return any(map(reads_active_graph, select.where.elements)) or has(select.projection, Exists)


def _kept(
    select: SelectQuery, dataset: _Dataset, graphs: Described, dictionary: Dictionary
) -> tuple[SelectQuery, SnapshotPattern | None]:
    """The query without the part that is brought up to date as a snapshot changes, and that."""
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
        window = MovingWindow(clause.name, stream, clause.function, shown)
        dataset.windows.append(window)
        if clause.name is not None:
            dataset.named[clause.name] = window
    return dataset


def _listening(
    windows: list[MovingWindow], matchings: list[Matching]
) -> dict[URIRef, list[tuple[MovingWindow, list[tuple[Matching, Leaf]]]]]:
    on: dict[URIRef, list[tuple[MovingWindow, list[tuple[Matching, Leaf]]]]] = {}
    for window in windows:
        listening = [
            (matching, leaf)
            for matching in matchings
            if window.name is not None
            for leaf in matching.leaves_on(window.name)
        ]
        on.setdefault(window.stream, []).append((window, listening))
    return on
