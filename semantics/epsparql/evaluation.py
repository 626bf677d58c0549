"""What a pattern means over a stream: the algebra of section 4.2, and the rest of SPARQL 1.1's.

A bag of solutions Ψ is a list. Where SPARQL 1.1 has an operator that the paper does not speak of,
it works on the mappings as SPARQL says, and a solution keeps its interval; an aggregate spans all
solutions of its group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.items import TimeKind
from ..model.mappings import EMPTY_MAPPING, SolutionMapping, Value
from ..model.terms import Term, literal
from ..rdf import algebra as a
from ..rdf.aggregates import aggregation, solution_of_group
from ..rdf.expressions.context import Context, Execution
from ..rdf.expressions.evaluation import ExpressionError, is_true
from ..rdf.expressions.evaluation import evaluate as evaluate_expression
from ..rdf.expressions.ordering import sort
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
from .intervals import EMPTY, NEVER, Timed, interval_term, ordered, reading
from .occurrences import RdfStream
from .operators import (
    Bag,
    Condition,
    eq_join,
    eq_left_join,
    join,
    left_join,
    minus,
    selected,
    seq_join,
    seq_left_join,
    seq_right_join,
    union,
)
from .syntax.readings import Readings
from .syntax.tree import DURATION, END_TIME, INTERVAL_FUNCTIONS, START_TIME


@dataclass(frozen=True, slots=True)
class Active:
    """S and what else a pattern is evaluated over, in one execution of a query.

    `named` are the background graphs that GRAPH names, without time. `outer` is the solution that
    EXISTS is asked about, else empty. `ending`: only solutions that end at this instant (or have no
    time) are asked for, so that others may be left out.
    """

    stream: RdfStream
    named: Mapping[URIRef, RdfStream]
    kind: TimeKind
    readings: Readings
    execution: Execution = field(default_factory=Execution)
    outer: SolutionMapping = EMPTY_MAPPING
    ending: float | None = None

    def context(self) -> Context:
        """What expressions see, for one solution."""
        return Context(self.execution, self.exists)

    def exists(self, pattern: s.GroupGraphPattern, mu: SolutionMapping) -> bool:
        """18.6, exists(P): has P, with μ substituted, a solution, over whichever interval?"""
        within = replace(self, outer=self.seen(mu), ending=None)
        found = evaluate(translate(pattern), within)
        return any(within.outer.compatible(inner.mapping) for inner in found)

    def seen(self, mu: SolutionMapping) -> SolutionMapping:
        """μ, completed by what it does not bind of the outer solution"""
        return SolutionMapping({**self.outer, **mu}) if self.outer else mu

    def condition(self, expression: s.Expression | None) -> Condition | None:
        """F, as a function of a solution and of the one whose interval it reads"""
        if expression is None:
            return None
        return lambda psi, interval: is_true(
            reading(expression, interval, self.kind), self.seen(psi.mapping), self.context()
        )


def evaluate(pattern: Algebra, active: Active) -> Bag:
    """Ψ of a pattern, or those of it that end when they should"""
    omega = evaluate_operator(pattern, active)
    if active.ending is None:
        return omega
    return [psi for psi in omega if psi.end in (active.ending, NEVER)]


def evaluate_operator(pattern: Algebra, active: Active) -> Bag:
    """Ψ of a pattern, operator by operator"""
    whenever = active if active.ending is None else replace(active, ending=None)

    def value(inner: Algebra) -> Bag:
        return evaluate(inner, whenever)

    def last(inner: Algebra) -> Bag:
        """Of an operand whose solutions end when the pattern's do"""
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
        case a.Filter(expression, inner):
            condition = active.condition(expression)
            assert condition is not None
            return selected(condition, last(inner))
        case a.Join(left, right):
            return join(value(left), value(right))
        case a.Union(left, right):
            return union(last(left), last(right))
        case a.LeftJoin(left, right, expression):
            return left_join(
                value(left), value(right), active.condition(expression), readings.leftjoin,
                readings.optionalfilter,
            )
        case a.Minus(left, right):
            return minus(last(left), value(right))
        case SeqJoin(left, right):
            return seq_join(value(left), last(right))
        case SeqRightJoin(optional, mandatory, expression):
            return seq_right_join(
                value(optional), last(mandatory), active.condition(expression),
                readings.optionalfilter,
            )
        case SeqLeftJoin(mandatory, optional, expression):
            return seq_left_join(
                value(mandatory), value(optional), active.condition(expression),
                readings.optionalfilter,
            )
        case EqJoin(left, right):
            return eq_join(last(left), last(right))
        case EqLeftJoin(mandatory, optional, expression):
            return eq_left_join(last(mandatory), last(optional), active.condition(expression))
        case Given(solutions):
            return list(solutions)
        case a.Graph(name, inner):
            return named_graph(name, inner, whenever)
        case a.Extend(inner, assignments):
            return [extended(psi, assignments, active) for psi in last(inner)]
        case a.Table(rows):
            return [Timed(mu) for mu in rows if mu.compatible(active.outer)]
        case a.AggregateJoin(keys, aggregates, inner):
            return aggregate_join(keys, aggregates, given(value(inner)), active)
        case a.OrderBy(inner, conditions):
            return order_by(in_sequence(given(last(inner))), conditions, active)
        case a.Project(inner, variables, visible):
            # What is not visible is another variable than the one outside.
            projected = replace(active, outer=active.outer.project(visible))
            return [
                psi.with_mapping(psi.mapping.project(variables))
                for psi in given(evaluate(inner, projected))
            ]
        case a.Distinct(inner):
            return list(dict.fromkeys(last(inner)))
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


def extended(
    psi: Timed, assignments: tuple[tuple[Variable, s.Expression], ...], active: Active
) -> Timed:
    """Extend: BIND, and SELECT (expression AS ?v); an error leaves the variable unbound"""
    context = active.context()
    for variable, expression in assignments:
        try:
            term = evaluate_expression(
                reading(expression, psi, active.kind), active.seen(psi.mapping), context
            )
        except ExpressionError:
            continue
        psi = psi.with_mapping(SolutionMapping({**psi.mapping, variable: term}))
    return psi


def aggregate_join(
    keys: tuple[tuple[Variable | None, s.Expression], ...],
    aggregates: tuple[tuple[Variable, s.Aggregate], ...],
    omega: Bag,
    active: Active,
) -> Bag:
    """18.5.1: one solution a group; it spans all solutions of the group"""
    groups: dict[tuple[Term | None, ...], Bag] = {} if keys else {(): []}
    for psi in omega:
        context = active.context()
        key = tuple(_value(expression, psi, active, context) for _, expression in keys)
        groups.setdefault(key, []).append(psi)
    return [
        Timed(
            solution_of_group(
                keys, key, aggregates, partial(aggregated, group=group, active=active)
            ),
            min((psi.start for psi in group), default=EMPTY.start),
            max((psi.end for psi in group), default=EMPTY.end),
        )
        for key, group in groups.items()
    ]


_INTERVAL_VARIABLES = {name: Variable(f"the value of {name}") for name in INTERVAL_FUNCTIONS}


def aggregated(aggregate: s.Aggregate, group: Bag, active: Active) -> Term:
    """The value of an aggregate over a group; each solution is read over its own interval"""
    if aggregate.operand is None:
        return aggregation(aggregate, [psi.mapping for psi in group], active.context)

    def named(expression: s.Expression) -> s.Expression:
        if isinstance(expression, s.BuiltIn) and expression.name in _INTERVAL_VARIABLES:
            return _INTERVAL_VARIABLES[expression.name]
        return a.map_operands(expression, named)

    whole = named(aggregate.operand)
    over = replace(aggregate, operand=whole)
    # A duration that is aggregated is one that has an order.
    direct = whole == _INTERVAL_VARIABLES[DURATION]
    return aggregation(
        over, [_with_interval(psi, active, direct) for psi in group], active.context
    )


def _with_interval(psi: Timed, active: Active, has_order: bool) -> SolutionMapping:
    """μ, with what the functions of the interval yield as the values of variables"""
    values = dict(active.seen(psi.mapping))
    if psi.end != NEVER:
        for name in (DURATION, START_TIME, END_TIME):
            term = interval_term(name, psi, active.kind)
            known = ordered(term) if has_order else term
            assert isinstance(known, URIRef | BNode | Literal)
            values[_INTERVAL_VARIABLES[name]] = known
    return SolutionMapping(values)


def _value(
    expression: s.Expression, psi: Timed, active: Active, context: Context
) -> Term | None:
    try:
        return evaluate_expression(
            reading(expression, psi, active.kind), active.seen(psi.mapping), context
        )
    except ExpressionError:
        return None


# --- order ---------------------------------------------------------------------------------------


def in_sequence(omega: Bag) -> Bag:
    """The order of solutions where the query demands none: by end, by start, then by value."""
    return sorted(omega, key=lambda psi: (psi.end, psi.start, _written(psi.mapping)))


def _written(mu: SolutionMapping) -> list[tuple[str, str]]:
    return sorted((str(v), term_key(t)) for v, t in mu.items())


def term_key(term: Value) -> str:
    """A term as text: of one kind after the other, a literal by its parts"""
    if isinstance(term, URIRef):
        return f"1 {term}"
    if isinstance(term, BNode):
        return f"0 {term}"
    assert not isinstance(term, tuple)
    return f"2 {term} {term.datatype or ''} {term.language or ''}"


_INDEX = Variable("the index of a solution")


def order_by(omega: Bag, conditions: tuple[s.OrderCondition, ...], active: Active) -> Bag:
    """OrderBy: where the conditions say nothing, the order stays"""
    result = list(omega)
    # The sorts are stable: by the last condition first.
    for condition in reversed(conditions):
        keyed = [
            SolutionMapping({_INDEX: literal(str(i)), **_key(psi, condition.expression, active)})
            for i, psi in enumerate(result)
        ]
        by_key = (s.OrderCondition(_KEY, condition.descending),)
        result = [
            result[int(str(mu[_INDEX]))] for mu in sort(keyed, by_key, active.context)
        ]
    return result


_KEY = Variable("the key of a solution")


def _key(psi: Timed, expression: s.Expression, active: Active) -> dict[Variable, Value]:
    term = _value(expression, psi, active, active.context())
    if isinstance(expression, s.BuiltIn) and expression.name == DURATION and term is not None:
        known = ordered(term)
        assert isinstance(known, Literal)
        return {_KEY: known}
    return {} if term is None else {_KEY: term}


def _is_ordered(pattern: Algebra) -> bool:
    match pattern:
        case a.OrderBy():
            return True
        case a.Project(inner) | a.Distinct(inner):
            return _is_ordered(inner)
    return False


