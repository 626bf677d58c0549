"""Shrinking RSEP-QL cases: which simplifications there are and in which order they are tried."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any, TypeAlias, cast

from rdflib.term import BNode, Literal, Node, URIRef, Variable

from ...semantics.errors import DenotaError
from ...semantics.rdf.syntax import (
    Element,
    GroupGraphPattern,
    SelectQuery,
    SolutionModifier,
    TriplePattern,
)
from ...semantics.rdf.terms import Triple
from ...semantics.rsepql.evaluation import Evaluation
from ...semantics.rsepql.evaluation_times import evaluation_times
from ...semantics.rsepql.syntax import (
    ConsumptionPolicy,
    CountWindow,
    Event,
    EventPattern,
    First,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    NestedWindow,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
    WindowPattern,
)
from ...semantics.rsepql.syntax import Sequence as EventSequence
from ...semantics.streams.items import TimeKind, TimestampedGraph
from ..readings import departures, nearer_to_default
from ..rsepql_case import RsepqlCase
from .bodies import ONE, simpler_embedded, simpler_groups
from .greedy import Descent
from .streams import moved, subgraphs, with_smaller_graphs, without_blocks
from .trees import exchanged, leaves, nodes, rewrite, term_key, triple_key, weight

Streams: TypeAlias = dict[URIRef, tuple[TimestampedGraph, ...]]


def shrink_rsepql(
    case: RsepqlCase, fails: Callable[[RsepqlCase], bool], *, limit: int = 10_000
) -> RsepqlCase:
    """The simplest case found that `fails` still, after at most `limit` calls of `fails`.

    `fails(case)` must be true of the case itself and depend on nothing but the case.
    """
    descent = Descent(fails, passes=PASSES, measure=measure, identity=identity, limit=limit)
    return descent.from_value(case)


def identity(case: RsepqlCase) -> Hashable:
    """A value that two cases share iff they are the same case."""
    return (
        case.query, tuple(sorted(case.streams.items())), tuple(sorted(case.kb.items())),
        case.readings, case.evaluation,
    )


# --- the query -----------------------------------------------------------------------------------


def smaller_patterns(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """With a simpler WHERE."""
    where = case.query.form.where
    for pattern in simpler_groups(where) if where is not None else ():
        yield _with_form(case, where=pattern)


@simpler_embedded.register
def _(element: WindowPattern) -> Iterator[tuple[Element, ...]]:
    for group in simpler_groups(element.pattern):
        yield (replace(element, pattern=group),)


@simpler_embedded.register
def _(element: MatchPattern) -> Iterator[tuple[Element, ...]]:
    if isinstance(element.event, Event):
        yield (WindowPattern(element.event.window, element.event.pattern),)
    for simpler in simpler_events(element.event):
        yield (MatchPattern(simpler),)


def simpler_events(e: EventPattern) -> Iterator[EventPattern]:
    """Every event pattern that is one step simpler."""
    match e:
        case Event(window, pattern):
            for group in simpler_groups(pattern):
                yield Event(window, group)
        case First(operand) | Last(operand):
            yield operand
            for simpler in simpler_events(operand):
                yield type(e)(simpler)
        case EventSequence(operator, left, right):
            yield left
            yield right
            for simpler in simpler_events(left):
                yield EventSequence(operator, simpler, right)
            for simpler in simpler_events(right):
                yield EventSequence(operator, left, simpler)
            for plainer in _OPERATORS[: _OPERATORS.index(operator)]:
                yield EventSequence(plainer, left, right)


_OPERATORS = tuple(SequenceOperator)


def plainer_forms(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """SELECT * without modifiers, RSTREAM, nothing consumed, no dataset, no name."""
    form, query = case.query.form, case.query
    if form.where is not None and not isinstance(form, SelectQuery):
        yield _with_query(case, form=SelectQuery(None, form.where, dataset=form.dataset))
    if isinstance(form, SelectQuery):
        yield _with_query(case, form=SelectQuery(None, form.where, dataset=form.dataset))
        if form.distinct or form.reduced:
            yield _with_form(case, distinct=False, reduced=False)
        for k in range(len(form.projection or ())):
            left = (*(form.projection or ())[:k], *(form.projection or ())[k + 1 :])
            if left:
                yield _with_form(case, projection=left)
    if form.modifier != SolutionModifier():
        yield _with_form(case, modifier=SolutionModifier())
    if form.dataset is not None:
        yield _with_form(case, dataset=None)
    if query.output is not None:
        yield _with_query(case, output=None)
    if query.operator is not StreamOperator.RSTREAM:
        yield _with_query(case, operator=StreamOperator.RSTREAM)
    for policy in tuple(ConsumptionPolicy)[: tuple(ConsumptionPolicy).index(query.consumption)]:
        yield _with_query(case, consumption=policy)


def fewer_windows(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Without a window that nothing names; with another in place of one; on fewer streams."""
    query = case.query
    used = {leaf for leaf in leaves(query.form.where) if isinstance(leaf, URIRef)}
    for k, clause in enumerate(query.windows):
        others = (*query.windows[:k], *query.windows[k + 1 :])
        if clause.name not in used and not clause.in_default and others:
            yield _with_query(case, windows=others)
        if clause.in_default and clause.name is not None:
            plain = (*query.windows[:k], replace(clause, in_default=False), *query.windows[k + 1 :])
            yield _with_query(case, windows=plain)
        for other in query.windows[:k]:
            if clause.name is not None and other.name is not None and clause.name in used:
                where = rewrite(query.form.where, _exchange(clause.name, other.name))
                yield _with_form(case, where=where)
            if clause.stream is not None and clause.stream != other.stream:
                moved = replace(clause, stream=other.stream)
                on = (*query.windows[:k], moved, *query.windows[k + 1 :])
                merged = _with_query(case, windows=on)
                yield merged
                if other.stream is not None:
                    yield replace(merged, streams=_together(case, clause.stream, other.stream))


def plainer_windows(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """With a plainer function in one window."""
    for k, clause in enumerate(case.query.windows):
        for function in simpler_windows(clause.function):
            windows = list(case.query.windows)
            windows[k] = replace(clause, function=function)
            yield _with_query(case, windows=tuple(windows))


def simpler_windows(function: WindowFunction) -> Iterator[WindowFunction]:
    """Every window function that is one step simpler."""
    if not isinstance(function, IdentityWindow):
        yield IdentityWindow()
    match function:
        case NestedWindow(outer, inner):
            yield outer
            yield inner
            for simpler in simpler_windows(outer):
                yield NestedWindow(simpler, inner)
            for simpler in simpler_windows(inner):
                yield NestedWindow(outer, simpler)
        case TimeBasedWindow(width, step, start, bounds):
            if start is not None:
                yield TimeBasedWindow(width, step, None, bounds)
            if step is not None:
                yield TimeBasedWindow(width, None, start, bounds)
                for smaller in _smaller(step):
                    yield TimeBasedWindow(width, smaller, start, bounds)
            yield TimeBasedWindow(width, step, start)
            for smaller in _smaller(width):
                yield TimeBasedWindow(smaller, step, start, bounds)
        case LandmarkWindow(start):
            if start.value and start.kind is TimeKind.INTEGER:
                yield LandmarkWindow(Moment(0))
        case IntervalWindow(first, last):
            yield LandmarkWindow(first)
            if first.value and first.kind is TimeKind.INTEGER:
                yield IntervalWindow(Moment(0), last)
        case CountWindow(size, step):
            if step > 1:
                yield CountWindow(size, step - 1)
            if size > 1:
                yield CountWindow(size - 1, step)
        case _:
            pass


def _smaller(moment: Moment) -> Iterator[Moment]:
    if moment.kind is TimeKind.INTEGER:
        for value in range(1, moment.value):
            yield Moment(value)


def plainer_settings(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Default readings, listed evaluation times, and fewer of them."""
    for readings in nearer_to_default(case.readings):
        yield replace(case, readings=readings)
    times = case.evaluation.at
    if times is None:
        try:
            from ...semantics.rsepql.dataset import streaming_dataset

            sds = streaming_dataset(case.query, case.streams, case.kb)
            found = tuple(evaluation_times(sds, case.evaluation))
        except DenotaError:
            return
        yield replace(case, evaluation=Evaluation(at=found))
        return
    for k in range(len(times)):
        if len(times) > 1:
            yield replace(case, evaluation=Evaluation(at=(*times[:k], *times[k + 1 :])))
    for k, time in enumerate(times):
        for smaller in range(max(0, time - 10), time) if time < _SMALL else ():
            at = tuple(sorted({*times[:k], smaller, *times[k + 1 :]}))
            yield replace(case, evaluation=Evaluation(at=at))


def _with_form(case: RsepqlCase, **changes: Any) -> RsepqlCase:
    return _with_query(case, form=replace(case.query.form, **changes))


def _with_query(case: RsepqlCase, **changes: Any) -> RsepqlCase:
    return replace(case, query=replace(case.query, **changes))


# --- streams and graphs --------------------------------------------------------------------------


def fewer_items(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Without whole streams, then without ever smaller blocks of items (delta debugging)."""
    for name in case.streams:
        yield replace(case, streams={u: s for u, s in case.streams.items() if u != name})
    for streams in without_blocks(case.streams):
        yield replace(case, streams=streams)


def fewer_triples(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Without some triples of an item or of a background graph, or without such a graph."""
    for name, graph in case.kb.items():
        yield replace(case, kb={v: g for v, g in case.kb.items() if v != name})
        for smaller in subgraphs(graph):
            yield replace(case, kb={**case.kb, name: smaller})
    for streams in with_smaller_graphs(case.streams, subgraphs):
        yield replace(case, streams=streams)


def _with_item(case: RsepqlCase, name: URIRef, k: int, item: TimestampedGraph) -> RsepqlCase:
    stream = case.streams[name]
    return replace(
        case, streams={**case.streams, name: (*stream[:k], item, *stream[k + 1 :])}
    )


def _together(case: RsepqlCase, source: URIRef, target: URIRef) -> Streams:
    both = (*case.streams.get(target, ()), *case.streams.get(source, ()))
    rest = {name: items for name, items in case.streams.items() if name != source}
    return {**rest, target: tuple(sorted(both, key=lambda item: item.time))}


_SMALL = 1_000  # times from there on are no small integers: dateTimes


def integer_times(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Integers for dateTimes."""
    times = _times(case)
    if any(item.kind is TimeKind.DATETIME for s in case.streams.values() for item in s):
        yield _in_integers(case, times[0])


def plainer_times(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """Smaller gaps between items; two items at one time."""
    times = _times(case)
    if times and times[-1] >= _SMALL:
        return
    for earlier, later in pairwise((0, *times)):
        for cut in range(later - earlier, 0, -1):
            closer = _moved(case, _cutting(later, cut))
            yield closer
            yield replace(closer, evaluation=case.evaluation)


def _times(case: RsepqlCase) -> list[int]:
    return sorted({item.time for stream in case.streams.values() for item in stream})


def _cutting(later: int, cut: int) -> Callable[[int], int]:
    return lambda time: time - cut if time >= later else time


def _moved(case: RsepqlCase, to: Callable[[int], int]) -> RsepqlCase:
    at = case.evaluation.at
    times = None if at is None else tuple(sorted({to(time) for time in at}))
    evaluation = replace(case.evaluation, at=times)
    return replace(case, streams=moved(case.streams, to), evaluation=evaluation)


def _in_integers(case: RsepqlCase, origin: int) -> RsepqlCase:
    """Seconds since the first item, for everything that is measured in dateTimes."""

    def seconds(time: int) -> int:
        return (time - origin) // 1_000_000

    def plain(tree: Any, length: bool = False) -> Any:
        if isinstance(tree, Moment):
            value = max(1, tree.value // 1_000_000) if length else seconds(tree.value)
            return Moment(value)
        if isinstance(tree, TimeBasedWindow):
            return replace(
                tree,
                width=plain(tree.width, True),
                step=None if tree.step is None else plain(tree.step, True),
                start=None if tree.start is None else plain(tree.start),
            )
        if isinstance(tree, NestedWindow | LandmarkWindow | IntervalWindow):
            return type(tree)(*(plain(getattr(tree, field.name)) for field in fields(tree)))
        return tree

    small = _moved(case, seconds)
    windows = tuple(replace(c, function=plain(c.function)) for c in case.query.windows)
    streams = {
        name: tuple(replace(item, kind=TimeKind.INTEGER) for item in stream)
        for name, stream in small.streams.items()
    }
    evaluation = small.evaluation
    if evaluation.period is not None:
        evaluation = replace(evaluation, period=max(1, evaluation.period // 1_000_000))
    return replace(
        _with_query(small, windows=windows), streams=streams, evaluation=evaluation
    )


# --- terms ---------------------------------------------------------------------------------------


def plainer_terms(case: RsepqlCase) -> Iterator[RsepqlCase]:
    """With one term or variable for another in the whole case; at one place of the data."""
    windows = {clause.name for clause in case.query.windows}
    kept = {*windows, *(c.stream for c in case.query.windows), *case.streams, *case.kb}
    patterns = [leaf for leaf in leaves(case.query.form) if leaf not in kept]
    graphs = [item.graph for stream in case.streams.values() for item in stream]
    data = [leaf for graph in (*graphs, *case.kb.values()) for leaf in leaves(graph)]
    terms = sorted({*patterns, *data}, key=term_key)
    for term in reversed(terms):
        for plainer in terms:
            if term_key(plainer) < term_key(term) and _alike(term, plainer):
                yield _exchanged(case, term, plainer)
        if isinstance(term, Literal) and term != ONE:
            yield _exchanged(case, term, ONE)
    predicates = [p for p in {t[1] for g in graphs for t in g} if isinstance(p, URIRef)]
    for node in nodes(case.query.form.where):
        if isinstance(node, TriplePattern) and not isinstance(node.predicate, URIRef):
            for predicate in sorted(predicates):
                plain = replace(node, predicate=predicate)
                yield _with_form(case, where=exchanged(case.query.form.where, node, plain))
    for name, stream in case.streams.items():
        for k, item in enumerate(stream):
            for triple in sorted(item.graph, key=triple_key):
                for place, term in enumerate(triple):
                    for plainer in terms:
                        if term_key(plainer) >= term_key(term) or not _alike(term, plainer):
                            continue
                        if place == 1 and not isinstance(plainer, URIRef):
                            continue
                        new = cast(Triple, (*triple[:place], plainer, *triple[place + 1 :]))
                        graph = (item.graph - {triple}) | {new}
                        yield _with_item(case, name, k, replace(item, graph=graph))


def _alike(term: Node, plainer: Node) -> bool:
    if isinstance(term, BNode):
        return isinstance(plainer, URIRef | BNode)
    return type(term) is type(plainer)


def _exchanged(case: RsepqlCase, old: Node, new: Node) -> RsepqlCase:
    change = _exchange(old, new)
    streams = {
        name: tuple(replace(item, graph=rewrite(item.graph, change)) for item in stream)
        for name, stream in case.streams.items()
    }
    kb = {name: rewrite(graph, change) for name, graph in case.kb.items()}
    changed = replace(case, streams=streams, kb=kb)
    return _with_query(changed, form=rewrite(case.query.form, change))


def _exchange(old: Node, new: Node) -> Callable[[Node], Node]:
    return lambda term: new if term == old else term


# --- the order -----------------------------------------------------------------------------------

_WINDOW_KINDS = (
    IdentityWindow, LandmarkWindow, TimeBasedWindow, CountWindow, IntervalWindow, NestedWindow,
)


def measure(case: RsepqlCase) -> tuple[Any, ...]:
    """Compared from the left: patterns, items, triples, windows, settings, terms, times."""
    query, form = case.query, case.query.form
    where = form.where or GroupGraphPattern()
    operators = [node for node in nodes(where) if isinstance(node, EventSequence | First | Last)]
    graphs = [item.graph for stream in case.streams.values() for item in stream]
    at = case.evaluation.at
    times = [item.time for stream in case.streams.values() for item in stream]
    everything = [*leaves(where), *(leaf for g in graphs for leaf in leaves(g))]
    return (
        len(operators),
        len(graphs),
        weight(where),
        sum(map(len, graphs)) + sum(map(len, case.kb.values())) + len(case.kb),
        len(case.streams) + len(query.windows),
        len(departures(case.readings)) + (query.operator is not StreamOperator.RSTREAM)
        + (query.consumption is not ConsumptionPolicy.UNRESTRICTED) + (query.output is not None)
        + (form.dataset is not None) + (at is None) + any(c.in_default for c in query.windows),
        not isinstance(form, SelectQuery),
        weight(replace(form, where=GroupGraphPattern())),
        tuple(_OPERATORS.index(o.operator) for o in operators if isinstance(o, EventSequence)),
        [_weight(clause.function) for clause in query.windows],
        len(at or ()),
        any(item.kind is TimeKind.DATETIME for s in case.streams.values() for item in s),
        tuple(ConsumptionPolicy).index(query.consumption),
        len(set(everything)),
        sum(isinstance(leaf, BNode | Variable) for leaf in set(everything)),
        sorted(term_key(leaf) for leaf in everything),
        sum(map(abs, times)) + sum(map(abs, at or ())),
        [str(clause.name) for clause in query.windows],
    )


def _weight(function: WindowFunction) -> tuple[int, int]:
    extra = sum(
        abs(value.value) if isinstance(value, Moment) else int(value)
        for node in nodes(function) if not isinstance(node, Moment)
        for field in fields(node)
        if isinstance(value := getattr(node, field.name), Moment | int)
    )
    starts = sum(
        (node.start is not None) + (node.step is not None) + (node.bounds != "open closed")
        for node in nodes(function) if isinstance(node, TimeBasedWindow)
    )
    kind = _WINDOW_KINDS.index(type(function)) * 10 + starts
    return kind + 10 * sum(isinstance(n, NestedWindow) for n in nodes(function)), extra


PASSES: tuple[Callable[[RsepqlCase], Iterator[RsepqlCase]], ...] = (
    smaller_patterns,
    integer_times,
    fewer_items,
    plainer_forms,
    plainer_settings,
    fewer_windows,
    plainer_windows,
    fewer_triples,
    plainer_times,
    plainer_terms,
)
