"""The semantics of a CQELS-CEP query: the cases (1) to (17) of section 4.3, in the paper's order.

Which function is which definition, also in the files beside, is listed in semantics/README.md.
t and what holds at t is the `EvaluationContext`. Where the paper is silent or contradicts itself,
docs/semantics/cqels.md says what we rule, and which case proves it.

Window functions are those of section 4.1: w(S, t, …) is a part of S with the intervals clipped to
what the window covers. Naming: S is `stream`, in the order of arrival; ω is `window`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from rdflib.term import URIRef, Variable

from ..model.errors import Impossible
from ..model.interval_solutions import IntervalSolution
from ..model.mappings import EMPTY_MAPPING
from ..model.terms import Graph
from ..rdf import algebra as a
from ..rdf.evaluation import Evaluation, evaluate_algebra, extend
from ..rdf.expressions.evaluation import holds, is_true
from ..rdf.pattern_cache import GraphPatterns
from ..rdf.syntax import tree as s
from .event_clauses import (
    TSP,
    BackgroundPattern,
    EventClause,
    Seq,
    Where,
    WindowSpecification,
    printed,
    translated,
)
from .operators import (
    Condition,
    Omega,
    filtered,
    join,
    left_join,
    minus,
    no_head,
    no_tail,
    or_,
    seq,
    seq_wo,
)
from .syntax.readings import Readings
from .syntax.tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    RangeWindow,
    TriplesWindow,
    WindowFunction,
)


class Element(NamedTuple):
    """⟨g : [t1, t2]⟩"""

    graph: Graph
    start: int
    end: int


def window_content(window: WindowFunction, stream: Sequence[Element], t: int) -> Iterator[Element]:
    """w_{wtype(ω)}(S, t, wparams(ω))"""
    match window:
        case RangeWindow(width, None):
            return w_range(stream, t, width.value)
        case RangeWindow(width, slide) if slide is not None:
            return w_range(stream, moved(t, slide.value), width.value)
        case NowWindow():
            return w_range(stream, t, 0)
        case AllWindow():
            return w_all(stream, t)
        case TriplesWindow(size):
            return w_triples(stream, t, size)
    raise Impossible(f"no such window: {window!r}")


def w_range(stream: Sequence[Element], t: int, width: int) -> Iterator[Element]:
    """w_RANGE(S, t, T) = {⟨g : [t1', t2']⟩ | ⟨g : [t1, t2]⟩ ∈ S, t1' = max(t1, t − T),
    t2' = min(t2, t), t1' ≤ t2'}"""
    for graph, t1, t2 in stream:
        start, end = max(t1, t - width), min(t2, t)
        if start <= end:
            yield Element(graph, start, end)


def moved(t: int, slide: int) -> int:
    """⌊t/β⌋·β, where a window that slides every β stands at t."""
    return t // slide * slide


def w_all(stream: Sequence[Element], t: int) -> Iterator[Element]:
    """w_ALL(S, t) = {⟨g : [t1, t2']⟩ | ⟨g : [t1, t2]⟩ ∈ S, t2' = min(t2, t), t1 ≤ t2'}"""
    for graph, t1, t2 in stream:
        if t1 <= t:
            yield Element(graph, t1, min(t2, t))


def w_triples(stream: Sequence[Element], t: int, size: int) -> Iterator[Element]:
    """w_TRIPLES(S, t, n): of w_ALL(S, t) the latest to arrive, as many as hold n triples or less"""
    left = size
    for element in reversed(list(w_all(stream, t))):
        left -= len(element.graph)
        if left < 0:
            return
        yield element


X = TypeVar("X")

SINCE_EVER = -(1 << 100)
"""t1 of background graphs that have never changed: before any time."""


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """The input of an evaluation at t.

    The streams S_s as far as they are known, in the order of arrival; D, the background, which has
    not changed since `since`; and ⟦P⟧_g.
    """

    t: int
    streams: Mapping[URIRef, Sequence[Element]]
    background: Evaluation
    since: int
    readings: Readings
    graph_pattern: GraphPatterns


# --- (1) and (2): queries ------------------------------------------------------------------------


def query_at(query: CqelsQuery, context: EvaluationContext) -> Omega:
    """(1): ⟦Q; t⟧ = {⟨μ|V, [t1, t2]⟩ | ⟨μ, [t1, t2]⟩ ∈ JOIN(⟦EC; t⟧, ⟦P; t⟧_D)}

    What holds since ever is reported since 0, the first instant of the paper's time (2.2).
    """
    return frozenset(
        IntervalSolution(
            min(0, context.t) if each.start == SINCE_EVER else each.start, each.end, each.mapping
        )
        for each in projected(
            clauses_and_pattern(translated(query), context), query.select, context
        )
    )


def clauses_and_pattern(pattern: Where, context: EvaluationContext) -> Omega:
    """JOIN(⟦EC; t⟧, ⟦P; t⟧_D) of (1); ⟦EC; t⟧ without a P, and `where` for clauses of our own."""
    match printed(pattern):
        case ec, BackgroundPattern(P):
            return join(event_clauses(ec, context), background_pattern(P, context))
        case ec, None:
            return event_clauses(ec, context)
        case _:
            return where(pattern, context)


def event_clauses(ec: Sequence[EventClause], context: EvaluationContext) -> Omega:
    """(2): ⟦{EC1, EC2, …, ECm}; t⟧ = JOIN(⟦EC1; t⟧, ⟦{EC2, …, ECm}; t⟧)

    Without an event clause nothing is bound, since ever.
    """
    match ec:
        case ():
            return frozenset({IntervalSolution(SINCE_EVER, context.t, EMPTY_MAPPING)})
        case (ec1,):
            return event_clause(ec1, context)
        case (ec1, *others):
            return join(event_clause(ec1, context), event_clauses(tuple(others), context))
    raise Impossible(f"not a sequence: {ec!r}")


def projected(
    omega: Omega, select: Sequence[s.Projection] | None, context: EvaluationContext
) -> Iterator[IntervalSolution]:
    """⟨μ|V, [t1, t2]⟩, V extended by the expressions of the SELECT clause."""
    if select is None:
        yield from omega
        return
    assignments = tuple(
        (item.variable, item.expression) for item in select if item.expression is not None
    )
    V = frozenset(item.variable for item in select)
    for each in extended(omega, assignments, context):
        yield IntervalSolution(each.start, each.end, each.mapping.project(V))


def where(pattern: Where, context: EvaluationContext) -> Omega:
    """Any group of SPARQL with event clauses: its operators are lifted to intervals as the paper
    lifts AND to JOIN.

    It extends the JOINs of (1) and (2), a law (property_tests/cqels/test_laws.py).
    """
    match pattern:
        case a.Join(left, right):
            return join(where(left, context), where(right, context))
        case WindowSpecification() | Seq():
            return event_clause(pattern, context)
        case a.BGP(()):
            return event_clauses((), context)
        case BackgroundPattern(P) | (a.BGP() as P):
            return background_pattern(P, context)
        case a.Union(left, right):
            return or_(where(left, context), where(right, context))
        case a.LeftJoin(left, right, F):
            return left_join(where(left, context), where(right, context), condition(F, context))
        case a.Minus(left, right):
            return minus(where(left, context), where(right, context))
        case a.Filter(F, inner):
            return filtered(where(inner, context), condition(F, context))
        case a.Extend(inner, assignments):
            return frozenset(extended(where(inner, context), assignments, context))
    raise Impossible(f"no such pattern: {pattern!r}")


# --- (3) to (9): event clauses -------------------------------------------------------------------


def event_clause(ec: EventClause, context: EvaluationContext) -> Omega:
    """⟦EC; t⟧"""
    match ec:
        case WindowSpecification():
            return window(ec, context)
        case Seq():
            return sequence(ec, lambda W: window(W, context), context)


def sequence(sequence_: Seq[X], value: Callable[[X], Omega], context: EvaluationContext) -> Omega:
    """⟦SEQ(X1, …, !Xi, …, Xn); t⟧: Xj is Wj in (3) to (8), and Pj on ω of S in (10) to (15).

    `value` is ⟦Xj; t⟧.
    """
    def SEQ(*elements: X) -> Omega:
        return sequence(Seq(elements), value, context)

    match sequence_:
        # SEQ(X1) is X1, a ruling.
        case Seq((X1,), None):
            return value(X1)
        # (3), (10): ⟦SEQ(X1, X2, …, Xn); t⟧ = ⟦SEQ(X1, SEQ(X2, …, Xn)); t⟧
        case Seq((X1, X2, X3, *following), None):
            return seq(value(X1), SEQ(X2, X3, *following))
        # (4), (11): ⟦SEQ(X1, X2); t⟧ = SEQ(⟦X1; t⟧, ⟦X2; t⟧)
        case Seq((X1, X2), None):
            return seq(value(X1), value(X2))
        # (5), (12): ⟦SEQ(X1, …, Xi−1, !Xi, Xi+1, …, Xn); t⟧
        #          = ⟦SEQ_WO(SEQ(X1, …, Xi−1), Xi, SEQ(Xi+1, …, Xn)); t⟧
        # (8), (15): ⟦SEQ_WO(X1, X2, X3); t⟧ = SEQ_WO(⟦X1; t⟧, ⟦X2; t⟧, ⟦X3; t⟧)
        case Seq((_, *_) as before, Xi, (_, *_) as after) if Xi is not None:
            return seq_wo(SEQ(*before), value(Xi), SEQ(*after), context.readings.inside)
        # (6), (13): ⟦SEQ(!X1, X2, …, Xn); t⟧ = NO_HEAD(⟦X1; t⟧, ⟦SEQ(X2, …, Xn); t⟧)
        case Seq((), X1, after) if X1 is not None:
            return no_head(value(X1), SEQ(*after))
        # (7), (14): ⟦SEQ(X1, …, Xn−1, !Xn); t⟧ = NO_TAIL(⟦SEQ(X1, …, Xn−1); t⟧, ⟦Xn; t⟧)
        case Seq(before, Xn, ()) if Xn is not None:
            return no_tail(SEQ(*before), value(Xn), context.t)
    raise Impossible(f"a sequence of nothing: {sequence_!r}")


def window(W: WindowSpecification, context: EvaluationContext) -> Omega:
    """(9): ⟦W; t⟧ = ⟦(s, ω, TSP); t⟧ = ⟦TSP; t⟧ on ω of S_s; a stream that is not there is empty"""
    return triple_sequence(W.tsp, context.streams.get(W.stream, ()), W.omega, context)


# --- (10) to (17): triple sequence patterns ------------------------------------------------------


def triple_sequence(
    tsp: TSP, S: Sequence[Element], omega: WindowFunction, context: EvaluationContext
) -> Omega:
    """⟦TSP; t⟧ on ω of S; a filter behind a sequence sees what the sequence binds"""
    match tsp.pattern:
        case Seq() as elements:
            found = sequence(elements, lambda P: stream_pattern(P, S, omega, context), context)
        case P:
            found = stream_pattern(P, S, omega, context)
    return filtered(found, lambda mu: all(holds(F.condition, mu) for F in tsp.filters))


def stream_pattern(
    P: s.GroupGraphPattern, S: Sequence[Element], omega: WindowFunction, context: EvaluationContext
) -> Omega:
    """(16): ⟦P; t⟧ on ω of S = {⟨μ, [t1, t2]⟩ | dom(μ) = var(P), μ(P) ⊆ g,
    ⟨g : [t1, t2]⟩ ∈ w_wtype(ω)(S, t, wparams(ω))}

    P is a group of SPARQL, so that the mappings μ are those of ⟦P⟧_g.
    """
    return frozenset(
        IntervalSolution(t1, t2, mu)
        for g, t1, t2 in window_content(omega, S, context.t)
        for mu in context.graph_pattern(P, g)
    )


def background_pattern(P: a.Algebra, context: EvaluationContext) -> Omega:
    """(17): ⟦P; t⟧_D = {⟨μ, [t1, t]⟩ | μ ∈ ⟦P⟧_D(t), D has not changed since t1}"""
    t1 = min(context.since, context.t)
    return frozenset(
        IntervalSolution(t1, context.t, mu) for mu in evaluate_algebra(P, context.background)
    )


# --- SPARQL's expressions over intervals ---------------------------------------------------------


def condition(F: s.Expression | None, context: EvaluationContext) -> Condition:
    """Return the condition that F is true of μ; an error is false (SPARQL 1.1, 17.2).

    EXISTS looks at D.
    """
    if F is None:
        return lambda mu: True
    return lambda mu: is_true(F, mu, context.background.context())


def extended(
    omega: Omega, assignments: Sequence[tuple[Variable, s.Expression]], context: EvaluationContext
) -> Iterator[IntervalSolution]:
    """Extend (18.5): μ with the values of the expressions, over the same interval."""
    for each in omega:
        for mu in extend([each.mapping], tuple(assignments), context.background):
            yield IntervalSolution(each.start, each.end, mu)
