"""Graph patterns with intervals: on a window, case (16), and on the background, case (17)."""

from __future__ import annotations

from ..model.interval_solutions import IntervalSolution
from ..model.mappings import Solutions
from ..model.terms import Graph
from ..rdf.evaluation import evaluate, solutions
from ..rdf.syntax.tree import GroupGraphPattern
from .context import Context
from .operators import Omega, filtered
from .scope import holds_for
from .sequences import Operand, sequence
from .syntax.tree import TripleSequence, WindowClause, WindowPattern
from .windows import Element, window_content


def window(pattern: WindowPattern, context: Context) -> Omega:
    """Case (9): ⟦W; t⟧ = ⟦(s, ω, TSP); t⟧ = ⟦TSP; t⟧ on ω of the stream s"""
    clause = context.query.window(pattern.name)
    body = pattern.body
    if isinstance(body, GroupGraphPattern):
        return stream_pattern(body, clause, context)
    return triple_sequence(body, clause, context)


def triple_sequence(body: TripleSequence, clause: WindowClause, context: Context) -> Omega:
    """Cases (10)–(15), and the filters that stand behind the sequence."""
    operands = [
        Operand(stream_pattern(element.pattern, clause, context), element.negated)
        for element in body.elements
    ]
    omega = sequence(operands, context.t, context.readings.inside)
    return filtered(omega, holds_for([each.condition for each in body.filters]))


def stream_pattern(
    pattern: GroupGraphPattern, clause: WindowClause, context: Context
) -> Omega:
    """Case (16): ⟦P; t⟧ on ω of S = {⟨μ, [t1, t2]⟩ | μ ∈ ⟦P⟧_g, ⟨g : [t1, t2]⟩ ∈ w(S, t, …)}

    Of a basic graph pattern ⟦P⟧_g = {μ | dom(μ) = var(P), μ(P) ⊆ g}.
    """
    return frozenset(
        IntervalSolution(element.start, element.end, mu)
        for element in content(clause, context)
        for mu in graph_pattern(pattern, element.graph, context)
    )


def content(clause: WindowClause, context: Context) -> list[Element]:
    """w(S_s, t, wparams(ω)); a stream that nobody has given is empty."""
    stream = context.streams.get(clause.stream, ())
    return list(window_content(clause.function, stream, context.t))


def graph_pattern(pattern: GroupGraphPattern, graph: Graph, context: Context) -> Solutions:
    """⟦P⟧_g, a set of mappings."""
    key = id(pattern), graph
    if key not in context.matches:
        # The pattern is kept, so that its id stays its own.
        context.matches[key] = pattern, solutions(pattern, graph)
    return context.matches[key][1]


def background_pattern(pattern: GroupGraphPattern, context: Context) -> Omega:
    """Case (17): ⟦P; t⟧_D = {⟨μ, [t1, t]⟩ | μ ∈ ⟦P⟧_D(t), D has not changed since t1}"""
    background = context.background
    return frozenset(
        IntervalSolution(min(background.since, context.t), context.t, mu)
        for mu in evaluate(pattern, background.dataset)
    )
