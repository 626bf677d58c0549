"""Shrinking CQELS-CEP cases: which simplifications there are and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

from rdflib.term import URIRef

from ...semantics.cqels.analysis import windows_in
from ...semantics.cqels.parse import parse
from ...semantics.cqels.printing import to_text
from ...semantics.cqels.readings import Readings
from ...semantics.cqels.syntax import (
    CqelsQuery,
    PatternElement,
    RangeWindow,
    Span,
    TripleSequence,
    WindowElement,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from ...semantics.errors import DenotaError, Position
from ...semantics.rdf.syntax import (
    AxisPath,
    GroupGraphPattern,
    InversePath,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    OptionalPattern,
    Prologue,
    UnionPattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)
from ...semantics.rdf.terms import Graph
from ...semantics.streams.items import (
    IntervalGraph,
    Item,
    TimeKind,
    TimestampedGraph,
    end_of,
    start_of,
)
from ...semantics.streams.temporal_graphs import TemporalGraph
from ..cqels_case import CqelsCase
from .greedy import Descent
from .streams import shorter_streams, with_smaller_graphs, without_a_triple
from .trees import leaves, rewrite, term_key, weight

Measure: TypeAlias = tuple[Any, ...]

_ROOMY = 10

SECOND = 1_000_000


def shrink_cqels(
    case: CqelsCase, fails: Callable[[CqelsCase], bool], *, limit: int = 10_000
) -> CqelsCase:
    """The simplest case found that `fails` still, after at most `limit` calls of `fails`.

    `fails(case)` must be true of the case itself and depend on nothing but the case.
    """
    def fails_and_is_one(proposal: CqelsCase) -> bool:
        try:
            return parse(to_text(proposal.query)) == proposal.query and fails(proposal)
        except DenotaError:
            return False

    return Descent(
        fails_and_is_one, passes=PASSES, measure=measure, identity=identity, limit=limit
    ).from_value(case)


def identity(case: CqelsCase) -> Hashable:
    """A value that two cases share iff they are the same case."""
    return (
        case.query, frozenset(case.streams.items()), frozenset(case.kb.items()), case.readings,
        case.at,
    )


def measure(case: CqelsCase) -> Measure:
    """Compared from the left: the query, items, triples, settings, times, down to single terms."""
    items = [item for stream in case.streams.values() for item in stream]
    spans = [(start_of(item), end_of(item)) for item in items]
    graphs = [item.graph for item in items] + [g for kb in case.kb.values() for g in _graphs(kb)]
    return (
        weight(case.query.where),
        len(items),
        sum(map(len, graphs)),
        len(case.query.windows) + len(case.streams) + len(case.kb)
        + sum(isinstance(kb, TemporalGraph) for kb in case.kb.values()),
        _settings(case),
        sum(start != end for start, end in spans),
        len(set(spans)),
        sum(abs(end) + end - start for start, end in spans) + sum(map(abs, case.at or ())),
        len({*leaves(case.query.where), *(t for graph in graphs for t in leaves(graph))}),
        sorted(map(term_key, (*leaves(case.query.where), *leaves(tuple(graphs))))),
    )


def _settings(case: CqelsCase) -> Measure:
    query = case.query
    functions = [window.function for window in query.windows]
    return (
        case.readings != Readings(),
        len(case.at) + 1 if case.at is not None else 0,
        _kind(case) is TimeKind.DATETIME,
        0 if query.select is None else len(query.select),
        len(query.template or ()) + (query.operator is not None) + (query.output is not None),
        len(query.default) + len(query.named),
        sum(not isinstance(function, RangeWindow) for function in functions),
        sum(isinstance(f, RangeWindow) and f.slide is not None for f in functions),
        sum(
            abs(f.width.value - _ROOMY * _unit(f.width.kind))
            for f in functions if isinstance(f, RangeWindow)
        ),
    )


# --- the query -----------------------------------------------------------------------------------


def smaller_queries(case: CqelsCase) -> Iterator[CqelsCase]:
    """One construct less, anywhere in the WHERE clause; windows that nothing uses go with it."""
    for where in (*_shorter_sequences(case.query.where), *_smaller(case.query.where)):
        yield replace(case, query=_without_unused(replace(case.query, where=where)))


def _shorter_sequences(where: GroupGraphPattern) -> Iterator[GroupGraphPattern]:
    """A sequence over windows without an element, which takes its WINDOW block along."""
    for place, sequence in enumerate(where.elements):
        if not isinstance(sequence, WindowSequence):
            continue
        for element in sequence.elements:
            left = tuple(each for each in sequence.elements if each is not element)
            changed = (
                *where.elements[:place], replace(sequence, elements=left),
                *where.elements[place + 1 :],
            )
            yield GroupGraphPattern(tuple(
                each for each in changed
                if not (isinstance(each, WindowPattern) and each.name == element.name)
            ))


def _without_unused(query: CqelsQuery) -> CqelsQuery:
    used = {each.name for each in windows_in(query.where) if isinstance(each, WindowPattern)}
    return replace(query, windows=tuple(each for each in query.windows if each.name in used))


def _smaller(tree: Any) -> Iterator[Any]:
    """The tree with one part less, or one part simpler."""
    yield from _unwrapped(tree)
    if isinstance(tree, tuple):
        for place, part in enumerate(tree):
            yield tree[:place] + tree[place + 1 :]
            if isinstance(part, OptionalPattern):
                yield tree[:place] + part.pattern.elements + tree[place + 1 :]
            if isinstance(part, UnionPattern):
                for alternative in part.alternatives:
                    yield tree[:place] + alternative.elements + tree[place + 1 :]
            for simpler in _smaller(part):
                yield (*tree[:place], simpler, *tree[place + 1 :])
    elif is_dataclass(tree) and not isinstance(tree, type | Position | Prologue):
        for field in fields(tree):
            for simpler in _smaller(getattr(tree, field.name)):
                yield replace(tree, **{field.name: simpler})


def _unwrapped(tree: Any) -> Iterator[Any]:
    match tree:
        case TripleSequence((PatternElement(pattern, False),), ()):
            yield pattern
        case TripleSequence(elements):
            for element in elements:
                yield element.pattern
        case PatternElement(negated=True) | WindowElement(negated=True):
            yield replace(tree, negated=False)
        case InversePath(inner) | ZeroOrMorePath(inner) | OneOrMorePath(inner):
            yield inner
        case ZeroOrOnePath(inner) | NodeTest(inner):
            yield inner
        case NestedPath(inner, test):
            yield from (inner, test)
        case AxisPath(_, inverse, label, nested):
            if nested is not None:
                yield from (nested, replace(tree, nested=None))
            if isinstance(label, URIRef):
                yield label
            if inverse:
                yield replace(tree, inverse=False)


def plainer_windows(case: CqelsCase) -> Iterator[CqelsCase]:
    """[RANGE 10] for every other window, and no SLIDE."""
    windows = case.query.windows
    for place, window in enumerate(windows):
        for function in _plainer(window.function):
            changed = (*windows[:place], replace(window, function=function), *windows[place + 1 :])
            yield replace(case, query=replace(case.query, windows=changed))


def _plainer(function: WindowFunction) -> Iterator[WindowFunction]:
    kind = function.width.kind if isinstance(function, RangeWindow) else TimeKind.INTEGER
    unit = _unit(kind)
    yield RangeWindow(Span(_ROOMY * unit, kind))
    if isinstance(function, RangeWindow):
        yield RangeWindow(function.width)
        for width in range(_ROOMY):
            yield replace(function, width=Span(width * unit, kind))


def _unit(kind: TimeKind) -> int:
    return SECOND if kind is TimeKind.DATETIME else 1


def plainer_settings(case: CqelsCase) -> Iterator[CqelsCase]:
    """Default readings, SELECT *, no FROM, fewer evaluation times."""
    yield replace(case, readings=Readings())
    yield replace(case, at=None)
    for place in range(len(case.at or ())):
        at = case.at or ()
        yield replace(case, at=at[:place] + at[place + 1 :])
    yield replace(case, query=replace(case.query, operator=None, output=None))
    yield replace(case, query=replace(case.query, output=None))
    plain = replace(case.query, select=None, distinct=False, template=None)
    yield replace(case, query=plain)
    yield replace(case, query=replace(case.query, default=(), named=()))


# --- the data ------------------------------------------------------------------------------------


def fewer_items(case: CqelsCase) -> Iterator[CqelsCase]:
    """Without whole streams, then without ever smaller blocks of items (delta debugging)."""
    for name in case.streams:
        yield replace(case, streams={u: s for u, s in case.streams.items() if u != name})
    for streams in shorter_streams(case.streams):
        yield replace(case, streams=streams)


def fewer_triples(case: CqelsCase) -> Iterator[CqelsCase]:
    """Without some triples of an item or of the background, or without a background graph."""
    for name in case.kb:
        yield replace(case, kb={v: g for v, g in case.kb.items() if v != name})
    for name, graph in case.kb.items():
        for smaller in _smaller_background(graph):
            yield replace(case, kb={**case.kb, name: smaller})
    for streams in with_smaller_graphs(case.streams, without_a_triple):
        yield replace(case, streams=streams)


def _graphs(background: Graph | TemporalGraph) -> list[Graph]:
    if isinstance(background, TemporalGraph):
        return [graph for _, graph in background.changes]
    return [background]


def _smaller_background(background: Graph | TemporalGraph) -> Iterator[Graph | TemporalGraph]:
    if not isinstance(background, TemporalGraph):
        yield from without_a_triple(background)
        return
    changes = background.changes
    for place, (time, graph) in enumerate(changes):
        yield graph
        yield replace(background, changes=changes[:place] + changes[place + 1 :])
        for smaller in _smaller_background(graph):
            assert isinstance(smaller, frozenset)
            changed = (*changes[:place], (time, smaller), *changes[place + 1 :])
            yield replace(background, changes=changed)


def plainer_times(case: CqelsCase) -> Iterator[CqelsCase]:
    """Integers from 0 on, instants for intervals, smaller gaps."""
    times = _times(case)
    if not times:
        return
    unit = _unit(_kind(case))
    if _kind(case) is TimeKind.DATETIME:
        yield _as_integers(case, times[0])
        yield _as_integers(case, times[0] - SECOND)  # 0 is where the background begins
    yield _moved(case, lambda time: time - times[0])
    yield _moved(case, lambda time: time - times[0] + unit)
    yield _moved(case, lambda time: times.index(time) * unit)
    for name, stream in case.streams.items():
        for place, item in enumerate(stream):
            if isinstance(item, IntervalGraph):
                for start in {item.end, (item.start + item.end) // 2, item.start + 1}:
                    changed = _held(item, min(start, item.end), item.end)
                    yield _with_stream(case, name, (*stream[:place], changed, *stream[place + 1 :]))
    for previous, current in pairwise(times):
        for gap in {0, 1, (current - previous) // 2, current - previous - 1}:
            if 0 <= gap < current - previous:
                yield _moved(case, _closer(current, current - previous - gap))


def _closer(begin: int, cut: int) -> Callable[[int], int]:
    return lambda time: time - cut if time >= begin else time


def plainer_terms(case: CqelsCase) -> Iterator[CqelsCase]:
    """One term for another that occurs and is simpler."""
    terms = sorted(
        {
            *leaves(case.query.where),
            *(t for s in case.streams.values() for item in s for t in leaves(item.graph)),
        },
        key=term_key,
    )
    for place, term in enumerate(terms):
        for simpler in terms[:place]:
            if type(simpler) is type(term):
                yield _renamed(case, {term: simpler})


def _renamed(case: CqelsCase, names: Mapping[Any, Any]) -> CqelsCase:
    def change(term: Any) -> Any:
        return names.get(term, term)

    return replace(
        case,
        query=replace(
            case.query, where=rewrite(case.query.where, change),
            select=rewrite(case.query.select, change),
            template=rewrite(case.query.template, change),
        ),
        streams={
            name: tuple(replace(item, graph=rewrite(item.graph, change)) for item in stream)
            for name, stream in case.streams.items()
        },
        kb={
            name: replace(graph, changes=rewrite(graph.changes, change))
            if isinstance(graph, TemporalGraph) else rewrite(graph, change)
            for name, graph in case.kb.items()
        },
    )


PASSES: tuple[Callable[[CqelsCase], Iterator[CqelsCase]], ...] = (
    smaller_queries,
    fewer_items,
    fewer_triples,
    plainer_settings,
    plainer_windows,
    plainer_times,
    plainer_terms,
)


def _held(item: Item, start: int, end: int) -> Item:
    if start == end:
        return TimestampedGraph(end, item.graph, item.kind, item.name)
    return IntervalGraph(start, end, item.graph, item.kind, item.name)


def _kind(case: CqelsCase) -> TimeKind:
    kinds = {item.kind for stream in case.streams.values() for item in stream}
    return TimeKind.DATETIME if TimeKind.DATETIME in kinds else TimeKind.INTEGER


def _times(case: CqelsCase) -> list[int]:
    items = [item for stream in case.streams.values() for item in stream]
    changes = [
        time for kb in case.kb.values() if isinstance(kb, TemporalGraph) for time, _ in kb.changes
    ]
    return sorted(
        {*map(start_of, items), *map(end_of, items), *changes, *(case.at or ())}
    )


def _moved(case: CqelsCase, to: Callable[[int], int]) -> CqelsCase:
    return replace(
        case,
        streams={
            name: tuple(_held(item, to(start_of(item)), to(end_of(item))) for item in stream)
            for name, stream in case.streams.items()
        },
        kb={
            name: replace(
                graph, changes=tuple((to(time), said) for time, said in graph.changes)
            ) if isinstance(graph, TemporalGraph) else graph
            for name, graph in case.kb.items()
        },
        at=None if case.at is None else tuple(map(to, case.at)),
    )


def _as_integers(case: CqelsCase, origin: int) -> CqelsCase:
    moved = _moved(case, lambda time: (time - origin) // SECOND)
    streams = {
        name: tuple(replace(item, kind=TimeKind.INTEGER) for item in stream)
        for name, stream in moved.streams.items()
    }
    kb = {
        name: replace(graph, kind=TimeKind.INTEGER) if isinstance(graph, TemporalGraph) else graph
        for name, graph in moved.kb.items()
    }
    windows = tuple(
        replace(window, function=_bare(window.function)) for window in case.query.windows
    )
    return replace(moved, streams=streams, kb=kb, query=replace(case.query, windows=windows))


def _bare(function: WindowFunction) -> WindowFunction:
    if not isinstance(function, RangeWindow):
        return function
    slide = function.slide
    return RangeWindow(
        Span(function.width.value // SECOND),
        None if slide is None else Span(max(slide.value // SECOND, 1)),
    )


def _with_stream(case: CqelsCase, name: URIRef, stream: tuple[Item, ...]) -> CqelsCase:
    return replace(case, streams={**case.streams, name: stream})


__all__ = ["PASSES", "identity", "measure", "shrink_cqels"]
