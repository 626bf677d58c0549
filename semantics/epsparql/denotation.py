"""What a pattern means over a stream: the algebra of section 4.2, and the rest of SPARQL 1.1's.

A bag of solutions Ψ is a list. Where SPARQL 1.1 has an operator that the paper does not speak of,
it works on the mappings as SPARQL says, and a solution keeps its interval; an aggregate spans all
solutions of its group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rdflib.term import URIRef, Variable

from ..model.items import TimeKind
from ..model.mappings import EMPTY_MAPPING, SolutionMapping
from ..rdf import algebra as a
from ..rdf.expressions.context import Context, Execution
from ..rdf.expressions.evaluation import is_true
from ..rdf.syntax import tree as s
from .algebra import (
    Algebra,
    EqJoin,
    EqLeftJoin,
    Given,
    SeqJoin,
    SeqLeftJoin,
    SeqRightJoin,
    translate,
)
from .basic_graph_patterns import basic_graph_pattern
from .intervals import EMPTY, Timed, reading
from .modifiers import aggregate_join, extended, in_sequence, order_by
from .occurrences import RdfStream
from .operators import (
    Bag,
    Condition,
    after,
    before,
    eq_join,
    eq_left_join,
    join,
    left_join,
    left_join_closed,
    left_join_paper,
    minus,
    selected,
    seq_join,
    seq_right_join,
    seq_right_join_paper,
    union,
)
from .syntax.readings import Readings


@dataclass(frozen=True, slots=True)
class Active:
    """S and what else a pattern is evaluated over, in one execution of a query.

    `named` are the background graphs that GRAPH names, without time. `outer` is the solution that
    EXISTS is asked about, else empty.
    """

    stream: RdfStream
    named: Mapping[URIRef, RdfStream]
    kind: TimeKind
    readings: Readings
    execution: Execution = field(default_factory=Execution)
    outer: SolutionMapping = EMPTY_MAPPING

    def context(self) -> Context:
        """What expressions see, for one solution."""
        return Context(self.execution, self.exists)

    def exists(self, pattern: s.GroupGraphPattern, mu: SolutionMapping) -> bool:
        """18.6, exists(P): has P, with μ substituted, a solution, over whichever interval?"""
        within = replace(self, outer=self.seen(mu))
        found = evaluate(translate(pattern), within)
        return any(within.outer.compatible(inner.mapping) for inner in found)

    def seen(self, mu: SolutionMapping) -> SolutionMapping:
        """μ, completed by what it does not bind of the outer solution"""
        return SolutionMapping({**self.outer, **mu}) if self.outer else mu

    def condition(self, F: s.Expression | None) -> Condition:
        """(μ ⋈ μ')(σ(F)) = true; σ reads the interval of ψ', or as printed (`optionalfilter=paper`)
        that of ψ. No F is true."""
        if F is None:
            return lambda psi, other: True
        printed = self.readings.optionalfilter == "paper"

        def true(psi: Timed, other: Timed) -> bool:
            mu = psi.mapping if other is psi else psi.mapping.merge(other.mapping)
            sigma = reading(F, psi if printed else other, self.kind)
            return is_true(sigma, self.seen(mu), self.context())

        return true


LEFT_JOINS = {"default": left_join, "paper": left_join_paper, "closed": left_join_closed}
"""LeftJoin, by the reading `leftjoin`"""

SEQ_RIGHT_JOINS = {"group": seq_right_join, "paper": seq_right_join_paper}
"""SeqRightJoin, by the reading `optionalfilter`"""


# One judgement: an arm an operator.
def evaluate(pattern: Algebra, active: Active) -> Bag:
    """Ψ of a pattern, operator by operator"""

    def value(inner: Algebra) -> Bag:
        return evaluate(inner, active)

    readings = active.readings

    def given(omega: Bag) -> Bag:
        """Ψ as section 4.2 has it, a set of solutions (`solutions=sets`), or as SPARQL's bag

        The operators of a pattern keep apart what is apart: multiplicities show in modifiers alone.
        """
        return omega if readings.solutions == "bags" else list(dict.fromkeys(omega))

    match pattern:
        case a.BGP():
            return basic_graph_pattern(pattern, active.stream, active.outer, readings.occurrences)
        case a.Filter(F, inner):
            return selected(active.condition(F), value(inner))
        case a.Join(left, right):
            return join(value(left), value(right))
        case a.Union(left, right):
            return union(value(left), value(right))
        case a.LeftJoin(left, right, F):
            return LEFT_JOINS[readings.leftjoin](value(left), value(right), active.condition(F))
        case a.Minus(left, right):
            return minus(value(left), value(right))
        case SeqJoin(left, right):
            return seq_join(value(left), value(right))
        case SeqRightJoin(optional, mandatory, F):
            return SEQ_RIGHT_JOINS[readings.optionalfilter](
                value(optional), value(mandatory), active.condition(F), after
            )
        case SeqLeftJoin(mandatory, optional, F):  # SEQOPTIONAL of query (7), hypothetical
            return SEQ_RIGHT_JOINS[readings.optionalfilter](
                value(optional), value(mandatory), active.condition(F), before
            )
        case EqJoin(left, right):
            return eq_join(value(left), value(right))
        case EqLeftJoin(mandatory, optional, F):
            return eq_left_join(value(mandatory), value(optional), active.condition(F))
        case Given(solutions):
            return list(solutions)
        case a.Graph(name, inner):
            return named_graph(name, inner, active)
        case a.Extend(inner, assignments):
            return [extended(psi, assignments, active) for psi in value(inner)]
        case a.Table(rows):
            return [Timed(mu) for mu in rows if mu.compatible(active.outer)]
        case a.AggregateJoin(keys, aggregates, inner):
            return aggregate_join(keys, aggregates, given(value(inner)), active)
        case a.OrderBy(inner, conditions):
            return order_by(in_sequence(given(value(inner))), conditions, active)
        case a.Project(inner, variables, visible):
            # What is not visible is another variable than the one outside.
            projected = replace(active, outer=active.outer.project(visible))
            return [
                psi.with_mapping(psi.mapping.project(variables))
                for psi in given(evaluate(inner, projected))
            ]
        case a.Distinct(inner):
            return list(dict.fromkeys(value(inner)))
        case a.Slice(inner, start, length):
            omega = value(inner) if _is_ordered(inner) else in_sequence(value(inner))
            return omega[start : None if length is None else start + length]
    raise AssertionError(f"no such operator: {pattern!r}")


# --- SPARQL 1.1's other operators ----------------------------------------------------------------


def named_graph(name: URIRef | Variable, pattern: Algebra, active: Active) -> Bag:
    """GRAPH name P: over a background graph, which has no time

    Within EXISTS, a variable may have a value already: then over the graph of that name.
    """
    if not isinstance(name, Variable):
        graph = active.named.get(name)
        return [] if graph is None else evaluate(pattern, replace(active, stream=graph))
    found: Bag = []
    for iri, graph in active.named.items():
        if active.outer.get(name, iri) != iri:
            continue
        omega = evaluate(pattern, replace(active, stream=graph))
        found += join(omega, [EMPTY.with_mapping(SolutionMapping({name: iri}))])
    return found


def _is_ordered(pattern: Algebra) -> bool:
    match pattern:
        case a.OrderBy():
            return True
        case a.Project(inner) | a.Distinct(inner):
            return _is_ordered(inner)
    return False
