"""What a graph pattern means (SPARQL 1.1 Query, 18.5 and 18.6; SPAseq Def. 6, after Pérez et al.).

eval(D(G), P) is a bag of solution mappings, here a list; its order means nothing unless ORDER BY
says so. Naming: μ is `mu`, Ω is `omega`; D is `dataset`, the active graph G is `graph`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from rdflib.term import BNode, URIRef, Variable

from ..model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions
from ..model.mappings import Value as BoundValue
from ..model.terms import Dataset, Graph, Term
from . import algebra as a
from .aggregates import aggregate_join
from .algebra import Algebra, translate
from .expressions.context import Context, Execution
from .expressions.evaluation import ExpressionError, is_true
from .expressions.evaluation import evaluate as evaluate_expression_in
from .expressions.ordering import sort
from .navigation import navigates
from .paths import nested_pairs, pairs_for_variables
from .syntax import tree as s

__all__ = ["Evaluation", "evaluate", "evaluate_algebra", "solutions"]


def evaluate(group: s.GroupGraphPattern, dataset: Dataset) -> list[SolutionMapping]:
    """⟦P⟧_D: the bag of solutions of a group graph pattern over a dataset.

    The default graph is the active one at first.
    """
    return evaluate_algebra(_translated(group), Evaluation(dataset, dataset.default))


def solutions(
    group: s.GroupGraphPattern,
    graph: Graph,
    named: Mapping[URIRef, Graph] | Mapping[URIRef | BNode, Graph] | None = None,
) -> Solutions:
    """⟦P⟧_G as a set of mappings (Def. 6), over the default graph G and named graphs."""
    dataset = Dataset(graph)
    if named is not None:
        # A mapping's keys are invariant for the type checker, though it is only read.
        dataset = Dataset(graph, cast("Mapping[URIRef | BNode, Graph]", named))
    return frozenset(evaluate(group, dataset))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """D(G): the dataset with its active graph, in one execution of a query.

    `outer` is empty, except within EXISTS: there it is the solution that EXISTS is asked about.
    """

    dataset: Dataset
    graph: Graph
    execution: Execution = field(default_factory=Execution)
    outer: SolutionMapping = EMPTY_MAPPING

    def context(self) -> Context:
        """What the expressions of a pattern see, for one solution."""
        return Context(self.execution, self.exists)

    def exists(self, pattern: s.GroupGraphPattern, mu: SolutionMapping) -> bool:
        """18.6, exists(P): has P, with μ substituted, a solution over the active graph?

        The recommendation replaces variables by their values, which is not defined where a
        variable is bound (AS, VALUES, SELECT), and would make BOUND and MINUS blind. Here a value
        restricts what basic graph patterns match, is seen by the expressions inside, and agrees
        with the solutions found.
        """
        within = replace(self, outer=self.seen(mu))
        found = evaluate_algebra(_translated(pattern), within)
        return any(within.outer.compatible(inner) for inner in found)

    def seen(self, mu: SolutionMapping) -> SolutionMapping:
        """μ, completed by what it does not bind of the outer solution."""
        if not self.outer:
            return mu
        return SolutionMapping({**self.outer, **mu})


_TRANSLATED: dict[int, tuple[s.GroupGraphPattern, Algebra]] = {}
_MOST_TRANSLATED = 10_000


def _translated(group: s.GroupGraphPattern) -> Algebra:
    """The algebra of a tree, made once: hashing a tree costs more than evaluating a small one.

    The tree is kept with its algebra, so that its id stays its own.
    """
    known = _TRANSLATED.get(id(group))
    if known is None:
        if len(_TRANSLATED) >= _MOST_TRANSLATED:
            _TRANSLATED.clear()
        known = _TRANSLATED[id(group)] = (group, translate(group))
    return known[1]


def evaluate_algebra(pattern: Algebra, active: Evaluation) -> list[SolutionMapping]:
    """18.6: eval(D(G), P), definition by definition."""
    match pattern:
        case a.BGP():
            return basic_graph_pattern(pattern, active)
        case a.Filter(condition, inner):
            return filtered(condition, evaluate_algebra(inner, active), active)
        case a.Join(left, right):
            return join(evaluate_algebra(left, active), evaluate_algebra(right, active))
        case a.LeftJoin(left, right, condition):
            return left_join(
                evaluate_algebra(left, active), evaluate_algebra(right, active), condition, active
            )
        case a.Union(left, right):
            return evaluate_algebra(left, active) + evaluate_algebra(right, active)
        case a.Minus(left, right):
            return minus(evaluate_algebra(left, active), evaluate_algebra(right, active))
        case a.Graph(name, inner):
            return named_graph(name, inner, active)
        case a.Extend(inner, assignments):
            return extend(evaluate_algebra(inner, active), assignments, active)
        case a.Table(rows):
            return [mu for mu in rows if mu.compatible(active.outer)]
        case a.AggregateJoin(keys, aggregates, inner):
            return aggregate_join(
                keys, aggregates, evaluate_algebra(inner, active), active.context
            )
        case a.OrderBy(inner, conditions):
            return sort(evaluate_algebra(inner, active), conditions, active.context)
        case a.Project(inner, variables, visible):
            return project(inner, variables, visible, active)
        case a.Distinct(inner):
            return list(dict.fromkeys(evaluate_algebra(inner, active)))
        case a.Slice(inner, start, length):
            stop = None if length is None else start + length
            return evaluate_algebra(inner, active)[start:stop]
    raise AssertionError(f"no such operator: {pattern!r}")


# --- 18.3 basic graph patterns -------------------------------------------------------------------


def basic_graph_pattern(bgp: a.BGP, active: Evaluation) -> list[SolutionMapping]:
    """18.3.1: the mappings μ such that μ(σ(BGP)) ⊆ G for an assignment σ of its blank nodes."""
    bindings: list[dict[Variable, BoundValue]] = [{}]
    if active.outer:
        bindings = [{v: t for v, t in active.outer.items() if v in _variables(bgp)}]
    given = active.outer.keys() if active.execution.substitutes else frozenset()
    for triple in bgp.triples:
        bindings = [
            extended
            for binding in bindings
            for extended in _matches(triple, binding, active.graph, given)
        ]
        if not bindings:
            return []
    if bgp.blank:
        bindings = [
            {v: t for v, t in binding.items() if v not in bgp.blank} for binding in bindings
        ]
    return [SolutionMapping(binding) for binding in bindings]


def _variables(bgp: a.BGP) -> set[Variable]:
    return {
        part
        for triple in bgp.triples
        for part in (triple.subject, triple.path, triple.object)
        if isinstance(part, Variable)
    }


def _matches(
    triple: a.TriplePath,
    binding: dict[Variable, BoundValue],
    graph: Graph,
    given: Collection[Variable],
) -> Iterator[dict[Variable, BoundValue]]:
    """The ways to extend the binding so that the triple pattern, or path, holds in the graph."""
    subject, path, object_ = triple.subject, triple.path, triple.object
    # What each position must be; None where it is still open.
    s_value = binding.get(subject) if isinstance(subject, Variable) else subject
    o_value = binding.get(object_) if isinstance(object_, Variable) else object_
    if isinstance(path, Variable):
        p_value = binding.get(path)
    elif isinstance(path, URIRef):
        p_value = path
    else:
        yield from _path_matches(triple, binding, graph, given)
        return
    for s_term, p_term, o_term in graph:
        if p_value is not None and p_value is not p_term and p_value != p_term:
            continue
        if s_value is not None and s_value is not s_term and s_value != s_term:
            continue
        if o_value is not None and o_value is not o_term and o_value != o_term:
            continue
        extended = dict(binding)
        if s_value is None:
            extended[subject] = s_term  # type: ignore[index]
        if p_value is None and extended.setdefault(path, p_term) != p_term:  # type: ignore[arg-type]
            continue
        if o_value is None and extended.setdefault(object_, o_term) != o_term:  # type: ignore[arg-type]
            continue
        yield extended


def _path_matches(
    triple: a.TriplePath,
    binding: dict[Variable, BoundValue],
    graph: Graph,
    given: Collection[Variable],
) -> Iterator[dict[Variable, BoundValue]]:
    """18.4: Path(X, path, Y), joined with what is bound so far; a given variable is a term."""
    subject, path, object_ = triple.subject, triple.path, triple.object
    assert not isinstance(path, Variable)
    x = binding.get(subject) if isinstance(subject, Variable) else subject
    y = binding.get(object_) if isinstance(object_, Variable) else object_
    if isinstance(x, tuple) or isinstance(y, tuple):
        return
    ends = nested_pairs(graph, path, x, y) if navigates(path) else pairs_for_variables(
        graph, path, x, y,
        x_given=not isinstance(subject, Variable) or subject in given,
        y_given=not isinstance(object_, Variable) or object_ in given,
    )
    for start, end in ends:
        extended = dict(binding)
        if isinstance(subject, Variable):
            extended[subject] = start
        if isinstance(object_, Variable) and extended.setdefault(object_, end) != end:
            continue
        yield extended


# --- 18.5 the algebra ----------------------------------------------------------------------------


def filtered(
    condition: s.Expression, omega: list[SolutionMapping], active: Evaluation
) -> list[SolutionMapping]:
    """Filter(R, Ω) = {μ ∈ Ω | the effective boolean value of R(μ) is true}"""
    return [mu for mu in omega if is_true(condition, active.seen(mu), active.context())]


def join(omega1: list[SolutionMapping], omega2: list[SolutionMapping]) -> list[SolutionMapping]:
    """Join(Ω1, Ω2) = {μ1 ∪ μ2 | μ1 ∈ Ω1, μ2 ∈ Ω2, μ1 ~ μ2}"""
    return [mu1.merge(mu2) for mu1 in omega1 for mu2 in omega2 if mu1.compatible(mu2)]


def left_join(
    omega1: list[SolutionMapping],
    omega2: list[SolutionMapping],
    condition: s.Expression | None,
    active: Evaluation,
) -> list[SolutionMapping]:
    """LeftJoin(Ω1, Ω2, R) = Filter(R, Join(Ω1, Ω2)) ∪ {μ1 ∈ Ω1 | no μ2 ∈ Ω2 is compatible with
    μ1 such that R(μ1 ∪ μ2) is true}"""
    result = []
    for mu1 in omega1:
        joined = join([mu1], omega2)
        if condition is not None:
            joined = filtered(condition, joined, active)
        result += joined or [mu1]
    return result


def minus(omega1: list[SolutionMapping], omega2: list[SolutionMapping]) -> list[SolutionMapping]:
    """Minus(Ω1, Ω2) = {μ ∈ Ω1 | for all μ' ∈ Ω2, μ and μ' are not compatible, or share nothing}"""
    return [
        mu1
        for mu1 in omega1
        if not any(mu1.compatible(mu2) and not mu1.keys().isdisjoint(mu2) for mu2 in omega2)
    ]


def extend(
    omega: list[SolutionMapping],
    assignments: tuple[tuple[Variable, s.Expression], ...],
    active: Evaluation,
) -> list[SolutionMapping]:
    """Extend(Ω, var, expr): μ with var bound to the value of expr, or μ where that is an error."""
    result = []
    for original in omega:
        context = active.context()
        mu = original
        for variable, expression in assignments:
            try:
                value: Term = evaluate_expression_in(expression, active.seen(mu), context)
            except ExpressionError:
                continue
            mu = SolutionMapping({**mu, variable: value})
        result.append(mu)
    return result


def named_graph(
    name: URIRef | Variable, pattern: Algebra, active: Evaluation
) -> list[SolutionMapping]:
    """18.6: Graph(iri, P) over D[iri], nothing if there is no such graph; Graph(var, P) over each
    named graph, joined with the graph's name. Within EXISTS, var may have a value already: then
    over the graph of that name."""
    named = active.dataset.named
    if not isinstance(name, Variable):
        if name not in named:
            return []
        return evaluate_algebra(pattern, replace(active, graph=named[name]))
    result: list[SolutionMapping] = []
    for iri, graph in named.items():
        if active.outer.get(name, iri) != iri:
            continue
        omega = evaluate_algebra(pattern, replace(active, graph=graph))
        result += join(omega, [SolutionMapping({name: iri})])
    return result


def project(
    pattern: Algebra,
    variables: frozenset[Variable],
    visible: frozenset[Variable],
    active: Evaluation,
) -> list[SolutionMapping]:
    """Project(Ω, V). What is not visible is another variable than the one outside."""
    outer = active.outer.project(visible) if active.outer else active.outer
    omega = evaluate_algebra(pattern, replace(active, outer=outer))
    return [mu.project(variables) for mu in omega]
