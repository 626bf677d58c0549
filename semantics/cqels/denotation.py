"""What a CQELS-CEP query means: cases (1) and (2), and the WHERE clause as a SPARQL group.

The paper's query is JOIN(⟦EC; t⟧, ⟦P; t⟧_D), projected. Here the WHERE clause is a group as in
SPARQL 1.1 (18.2.2), whose operators are those of section 4.2: what follows OPTIONAL, UNION, MINUS
or FILTER sees event clauses and background alike. Where there is none of them it is the paper's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from rdflib.term import URIRef

from ..model.interval_solutions import IntervalResult, IntervalSolution, Reported
from ..model.items import IntervalGraph, Item, TimeKind
from ..model.mappings import EMPTY_MAPPING
from ..model.stream_operator import StreamOperator
from ..model.temporal_graphs import TemporalGraph
from ..model.terms import Dataset, Graph
from ..rdf.evaluation import Evaluation, extend
from ..rdf.queries import construct
from ..rdf.syntax.tree import (
    Bind,
    Element,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    Projection,
    UnionPattern,
)
from ..streams.interval_merging import merge_intervals
from . import windows
from .context import SINCE_EVER, Background, Context
from .operators import Omega, filtered, join, left_join, minus, or_
from .patterns import background_pattern, window
from .scope import holds_for, split
from .sequences import Operand, sequence
from .syntax.analysis import blocks, check_background, check_kind, holds_windows
from .syntax.readings import Readings
from .syntax.tree import CqelsQuery, WindowPattern, WindowSequence


def evaluate(
    query: CqelsQuery,
    streams: Mapping[URIRef, Sequence[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
    readings: Readings | None = None,
    at: Sequence[int] | None = None,
) -> frozenset[IntervalResult]:
    """⋃ ⟦Q; t⟧ over the evaluation times t; with RSTREAM, ISTREAM or DSTREAM what that reports of
    ⟦Q; t⟧ at each t, given the answer at the time before. Of CONSTRUCT an item for each solution.

    `streams` hold their items in the order of their ends, `kb` the background graphs by name. With
    `at`, these are the times, and each looks at the streams as they are given, as the definition
    does: an item that is open at t is known as far as [t1, t]. Without, the query is evaluated when
    an item of a stream that it names arrives, at the item's end, on what has arrived by then.
    Raises `StreamError` for items out of order, `QueryError` if a window and the streams are of
    different kinds.
    """
    kind = next((item.kind for items in streams.values() for item in items), TimeKind.INTEGER)
    answers = [(c.t, at_time(query, c)) for c in contexts(query, streams, kb, readings, at)]
    if query.operator is None:
        return frozenset(elements(query, frozenset().union(*(omega for _, omega in answers)), kind))
    found: set[IntervalResult] = set()
    before: Omega = frozenset()
    for t, now in answers:
        for element in elements(query, reported(query.operator, now, before), kind):
            found.add(Reported(t, element))
        before = now
    return frozenset(found)


def reported(operator: StreamOperator, now: Omega, before: Omega) -> Omega:
    r"""Relation to stream: RSTREAM ⟦Q; t⟧, ISTREAM ⟦Q; t⟧ \ ⟦Q; t'⟧, DSTREAM ⟦Q; t'⟧ \ ⟦Q; t⟧, t'
    being the evaluation time before t"""
    match operator:
        case StreamOperator.RSTREAM:
            return now
        case StreamOperator.ISTREAM:
            return now - before
        case StreamOperator.DSTREAM:
            return before - now


def elements(
    query: CqelsQuery, omega: Omega, kind: TimeKind
) -> Iterator[IntervalSolution | IntervalGraph]:
    """SELECT: the solutions. CONSTRUCT: the items ⟨μ(template) : [t1, t2]⟩ of an RDF stream, for
    another query to read (footnote 3); a blank node is a new one for each, and a graph without a
    triple is no item"""
    for each in omega:
        if query.template is None:
            yield each
        elif graph := construct(query.template, [each.mapping]):
            yield IntervalGraph(each.start, each.end, graph, kind)


def contexts(
    query: CqelsQuery,
    streams: Mapping[URIRef, Sequence[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
    readings: Readings | None = None,
    at: Sequence[int] | None = None,
) -> Iterator[Context]:
    """What the query is evaluated over, at each of its times."""
    elements = _elements(query, streams, kb or {})
    matches: dict[object, object] = {}
    for t in sorted(set(at)) if at is not None else arrivals(query, elements):
        known = elements if at is not None else arrived(elements, t)
        yield Context(
            query, t, known, background(query, kb or {}, t), readings or Readings(),
            matches,  # type: ignore[arg-type]
        )


def arrivals(
    query: CqelsQuery, streams: Mapping[URIRef, Sequence[windows.Element]]
) -> list[int]:
    """The times at which an item of one of the query's streams ends; of any, if it names none."""
    named = {clause.stream for clause in query.windows} or set(streams)
    return sorted({each.end for name in named for each in streams.get(name, ())})


def arrived(
    streams: Mapping[URIRef, Sequence[windows.Element]], t: int
) -> dict[URIRef, list[windows.Element]]:
    """The streams as far as their items have ended by t."""
    return {name: [e for e in stream if e.end <= t] for name, stream in streams.items()}


def background(
    query: CqelsQuery, kb: Mapping[URIRef, Graph | TemporalGraph], t: int
) -> Background:
    """D(t): the graphs of FROM together, those of FROM NAMED by name; all there are, by default."""
    default = query.default or (() if query.named else tuple(kb))
    named = query.named or tuple(kb)
    since = SINCE_EVER
    now: dict[URIRef, Graph] = {}
    for name in dict.fromkeys((*default, *named)):
        changed, graph = _at(kb[name], t) if name in kb else (None, None)
        if graph is not None:
            now[name] = graph
        if changed is not None:
            since = max(since, changed)
    dataset = Dataset(
        frozenset().union(*(now[name] for name in default if name in now)),
        {name: now[name] for name in named if name in now},
    )
    return Background(dataset, since)


def _at(graph: Graph | TemporalGraph, t: int) -> tuple[int | None, Graph]:
    return graph.at(t) if isinstance(graph, TemporalGraph) else (None, graph)


# --- case (1) ------------------------------------------------------------------------------------


def at_time(query: CqelsQuery, context: Context) -> Omega:
    """Case (1): ⟦Q; t⟧ = {⟨μ|V, [t1, t2]⟩ | ⟨μ, [t1, t2]⟩ ∈ JOIN(⟦EC; t⟧, ⟦P; t⟧_D)}

    What holds since ever is reported since 0, the first instant of the paper's time (2.2).
    """
    return frozenset(
        IntervalSolution(_reported(each.start, context.t), each.end, each.mapping)
        for each in projected(group(query.where, context), query.select, context)
    )


def _reported(start: int, t: int) -> int:
    return min(0, t) if start == SINCE_EVER else start


def projected(
    omega: Omega, select: Sequence[Projection] | None, context: Context
) -> Iterable[IntervalSolution]:
    """⟨μ|V, [t1, t2]⟩, V extended by the expressions of the SELECT clause."""
    if select is None:
        return omega
    assigned = tuple(
        (item.variable, item.expression) for item in select if item.expression is not None
    )
    variables = frozenset(item.variable for item in select)
    active = Evaluation(context.background.dataset, context.background.dataset.default)
    return (
        IntervalSolution(each.start, each.end, mu.project(variables))
        for each in omega
        for mu in extend([each.mapping], assigned, active)
    )


# --- the WHERE clause ----------------------------------------------------------------------------


def group(pattern: GroupGraphPattern, context: Context) -> Omega:
    """A group of SPARQL (18.2.2.6), its elements joined from left to right, then filtered."""
    if not holds_windows(pattern):
        return background_pattern(pattern, context)
    elements, conditions = split(pattern)
    omega = _joined(elements, pattern, context)
    return filtered(omega, holds_for(conditions, context.background.dataset))


def _joined(
    elements: Sequence[Element], pattern: GroupGraphPattern, context: Context
) -> Omega:
    in_sequences = blocks(pattern)
    omega: Omega = frozenset({IntervalSolution(SINCE_EVER, context.t, EMPTY_MAPPING)})
    for element in together(elements):
        match element:
            case WindowPattern(name) if name in in_sequences:
                continue
            case WindowSequence():
                omega = join(omega, event_sequence(element, in_sequences, context))
            case WindowPattern():
                omega = join(omega, window(element, context))
            case OptionalPattern(inner):
                omega = _optional(omega, inner, context)
            case MinusPattern(inner):
                omega = minus(omega, group(inner, context))
            case list():
                active = Evaluation(context.background.dataset, context.background.dataset.default)
                assignments = tuple((each.variable, each.expression) for each in element)
                omega = frozenset(
                    IntervalSolution(each.start, each.end, mu)
                    for each in omega
                    for mu in extend([each.mapping], assignments, active)
                )
            case UnionPattern(alternatives):
                union: Omega = frozenset()
                for alternative in alternatives:
                    union = or_(union, group(alternative, context))
                omega = join(omega, union)
            case _:
                static = GroupGraphPattern((element,))
                omega = join(omega, background_pattern(static, context))
    return omega


def together(elements: Sequence[Element]) -> Iterator[Element | list[Bind]]:
    """Every BIND with those that follow it: they extend one solution."""
    for is_bind, run in groupby(elements, key=lambda each: isinstance(each, Bind)):
        if is_bind:
            yield [each for each in run if isinstance(each, Bind)]
        else:
            yield from run


def _optional(omega: Omega, inner: GroupGraphPattern, context: Context) -> Omega:
    """LeftJoin (18.2.2.6): the filters of the optional group see what stands before it too."""
    elements, conditions = split(inner)
    body = GroupGraphPattern(tuple(elements))
    return left_join(
        omega, group(body, context), holds_for(conditions, context.background.dataset)
    )


def event_sequence(
    clause: WindowSequence, named: Mapping[URIRef, WindowPattern], context: Context
) -> Omega:
    """Cases (3)–(8): ⟦SEQ(W1, …, !Wi, …, Wn); t⟧"""
    operands = [
        Operand(window(named[element.name], context), element.negated)
        for element in clause.elements
    ]
    return sequence(operands, context.t, context.readings.inside)


# --- streams -------------------------------------------------------------------------------------


def _elements(
    query: CqelsQuery,
    streams: Mapping[URIRef, Sequence[Item]],
    kb: Mapping[URIRef, Graph | TemporalGraph],
) -> dict[URIRef, list[windows.Element]]:
    """S, with what is wrong with a stream said."""
    found: dict[URIRef, list[windows.Element]] = {name: [] for name in streams}
    for item in merge_intervals(streams):
        check_kind(query, item.kind)
        check_background(kb, item.kind)
        found[item.iri].append(windows.Element(item.graph, item.start, item.end))
    return found
