"""The semantics of graph patterns (SPARQL 1.1, 18.5 and 18.6; SPAseq Def. 6, after Pérez et al.).

Which function is which definition, also in the files beside, is listed in semantics/README.md.

eval(D(G), P) is a bag of solution mappings, here a list; its order means nothing unless ORDER BY
says so. Naming: μ is `mu`, Ω is `omega`; D is `dataset`, the active graph G is `graph`.

A property path (18.4) is ⟦Path(X, path, Y)⟧ as a bag of pairs (x, y). An end that is a term is
given, an end that is a variable is None; a zero-length path joins a given term to itself, and a
variable to itself on the nodes of the graph only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from rdflib.term import BNode, URIRef, Variable

from ..model.mappings import EMPTY_MAPPING, SolutionMapping, Solutions, Value
from ..model.terms import Dataset, Graph, Term
from . import algebra as a
from .aggregates import aggregate_join
from .algebra import Algebra
from .expressions.context import Context, Execution
from .expressions.evaluation import ExpressionError, is_true
from .expressions.evaluation import evaluate as evaluate_expression
from .expressions.ordering import sort
from .nested_regex import navigates, relation
from .syntax import tree as s
from .translation import translated

Pair: TypeAlias = tuple[Term, Term]


def nodes(graph: Graph) -> set[Term]:
    """18.4, nodes(G): the subjects and objects of the graph."""
    return {term for subject, _, object_ in graph for term in (subject, object_)}


def pairs(graph: Graph, path: s.Path, x: Term | None, y: Term | None) -> Iterator[Pair]:
    """Return the pairs that the path joins, each as often as the definitions say."""
    match path:
        case URIRef():
            return _link(graph, path, x, y)
        case s.InversePath(inner):
            return ((b, a) for a, b in pairs(graph, inner, y, x))
        case s.SequencePath(steps):
            return _sequence(graph, steps, x, y)
        case s.AlternativePath(alternatives):
            return (pair for inner in alternatives for pair in pairs(graph, inner, x, y))
        case s.NegatedPropertySet(forward, inverse):
            return _negated_property_set(graph, forward, inverse, x, y)
        case s.ZeroOrOnePath(inner):
            return iter(_zero_length(graph, x, y) | set(pairs(graph, inner, x, y)))
        # A closure of a closure is one: ALP visits a term once, however it has come to it.
        case s.ZeroOrMorePath(
            s.ZeroOrMorePath(inner) | s.OneOrMorePath(inner) | s.ZeroOrOnePath(inner)
        ) | s.OneOrMorePath(s.ZeroOrMorePath(inner) | s.ZeroOrOnePath(inner)):
            return pairs(graph, s.ZeroOrMorePath(inner), x, y)
        case s.OneOrMorePath(s.OneOrMorePath(inner)):
            return pairs(graph, s.OneOrMorePath(inner), x, y)
        case s.ZeroOrMorePath(inner):
            return iter(_zero_length(graph, x, y) | _one_or_more(graph, inner, x, y))
        case s.OneOrMorePath(inner):
            return iter(_one_or_more(graph, inner, x, y))
        case s.NestedPath(inner, test):
            return ((a, b) for a, b in pairs(graph, inner, x, y) if _begins(graph, test, b))
        case s.NodeTest(inner, object_):
            return (
                (node, node)
                for node in nodes(graph)
                if x in (None, node) and y in (None, node) and _begins(graph, inner, node, object_)
            )
    raise AssertionError(f"no such path: {path!r}")


def nested_pairs(
    graph: Graph, path: s.Path, x: Term | None, y: Term | None
) -> Iterator[Pair]:
    """Return the pairs of a nested regular expression (nSPARQL), between the given ends.

    A variable or a term, an end is one of a pair of the relation.
    """
    return (
        (start, end)
        for start, end in relation(graph, path)
        if x in (None, start) and y in (None, end)
    )


def _begins(graph: Graph, path: s.Path, x: Term, y: Term | None = None) -> bool:
    """elt[elt] (CQELS-CEP 3.1): whether a path begins at x (and leads to y, if it is given)."""
    return next(pairs(graph, path, x, y), None) is not None


def _link(graph: Graph, link: URIRef, x: Term | None, y: Term | None) -> Iterator[Pair]:
    """X iri Y."""
    for subject, predicate, object_ in graph:
        if predicate == link and x in (None, subject) and y in (None, object_):
            yield subject, object_


def _sequence(
    graph: Graph, steps: tuple[s.Path, ...], x: Term | None, y: Term | None
) -> Iterator[Pair]:
    """X P / Q Y: Join(X P ?v, ?v Q Y) with a fresh variable v; from the last step to the first."""
    starts = (x, *(None for _ in steps[1:]))
    ends = (*(None for _ in steps[1:]), y)
    found: list[Pair] | None = None
    for start, step, end in reversed(list(zip(starts, steps, ends, strict=True))):
        one = pairs(graph, step, start, end)
        found = list(one) if found is None else [
            (first, last) for first, via in one for here, last in found if here == via
        ]
    yield from found or ()


def _negated_property_set(
    graph: Graph,
    forward: tuple[URIRef, ...],
    inverse: tuple[URIRef, ...],
    x: Term | None,
    y: Term | None,
) -> Iterator[Pair]:
    """X !(iri1|…|^iri2|…) Y: the union of the forward and the inverse set, where there is one."""
    for subject, predicate, object_ in graph:
        along = (forward or not inverse) and predicate not in forward
        if along and x in (None, subject) and y in (None, object_):
            yield subject, object_
        against = inverse and predicate not in inverse
        if against and x in (None, object_) and y in (None, subject):
            yield object_, subject


def _zero_length(graph: Graph, x: Term | None, y: Term | None) -> set[Pair]:
    """X path{0} Y."""
    if x is not None and y is not None:
        return {(x, x)} if x == y else set()
    if x is not None:
        return {(x, x)}
    if y is not None:
        return {(y, y)}
    return {(node, node) for node in nodes(graph)}


def _one_or_more(graph: Graph, path: s.Path, x: Term | None, y: Term | None) -> set[Pair]:
    """X path+ Y."""
    if x is not None:
        reached = _reachable(graph, path, x)
        return {(x, end) for end in reached if y in (None, end)}
    if y is not None:
        return {(start, y) for start in _reachable(graph, s.InversePath(path), y)}
    return {(start, end) for start in nodes(graph) for end in _reachable(graph, path, start)}


def _reachable(graph: Graph, path: s.Path, start: Term) -> set[Term]:
    """ALP: the terms that one or more steps along the path lead to, each visited once."""
    reached: set[Term] = set()
    frontier = [start]
    while frontier:
        for _, end in pairs(graph, path, frontier.pop(), None):
            if end not in reached:
                reached.add(end)
                frontier.append(end)
    return reached


def evaluate(group: s.GroupGraphPattern, dataset: Dataset) -> list[SolutionMapping]:
    """⟦P⟧_D: the bag of solutions of a group graph pattern over a dataset.

    The default graph is the active one at first.
    """
    return evaluate_algebra(translated(group), Evaluation(dataset, dataset.default))


def solutions(
    group: s.GroupGraphPattern,
    graph: Graph,
    named: Mapping[URIRef, Graph] | Mapping[URIRef | BNode, Graph] | None = None,
    mu: SolutionMapping = EMPTY_MAPPING,
    *,
    substitutes: bool = False,
) -> Solutions:
    """⟦μ(P)⟧_G as a set of mappings (Def. 6), over the default graph G and named graphs.

    The variables of μ are replaced as EXISTS replaces them (18.6); without μ it is ⟦P⟧_G.
    """
    # A mapping's keys are invariant for the type checker, though it is only read.
    dataset = Dataset(graph, cast("Mapping[URIRef | BNode, Graph]", named or {}))
    active = Evaluation(dataset, graph, Execution(substitutes=substitutes), mu)
    found = evaluate_algebra(translated(group), active)
    return frozenset(nu for nu in found if nu.compatible(mu))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """D(G): the dataset with its active graph, in one execution of a query.

    `outer` is empty, except within EXISTS: there it is the solution that EXISTS is asked about.
    `embedded` evaluates the patterns of another language.
    """

    dataset: Dataset
    graph: Graph
    execution: Execution = field(default_factory=Execution)
    outer: SolutionMapping = EMPTY_MAPPING
    embedded: Callable[[s.EmbeddedPattern, Evaluation], list[SolutionMapping]] | None = None

    def context(self) -> Context:
        """Return the context of a pattern's expressions, for one solution."""
        return Context(self.execution, self.exists)

    def exists(self, pattern: s.GroupGraphPattern, mu: SolutionMapping) -> bool:
        """18.6, exists(P): has P, with μ substituted, a solution over the active graph?

        The recommendation replaces variables by their values, which is not defined where a
        variable is bound (AS, VALUES, SELECT), and would make BOUND and MINUS blind. Here a value
        restricts what basic graph patterns match, is seen by the expressions inside, and agrees
        with the solutions found.
        """
        within = replace(self, outer=self.seen(mu))
        found = evaluate_algebra(translated(pattern), within)
        return any(within.outer.compatible(inner) for inner in found)

    def seen(self, mu: SolutionMapping) -> SolutionMapping:
        """μ, completed by what it does not bind of the outer solution."""
        if not self.outer:
            return mu
        return SolutionMapping({**self.outer, **mu})


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
        case a.Embedded(other) if active.embedded is not None:
            return active.embedded(other, active)
    raise AssertionError(f"no such operator: {pattern!r}")


# --- 18.3 and 18.4, basic graph patterns and property paths --------------------------------------


def basic_graph_pattern(bgp: a.BGP, active: Evaluation) -> list[SolutionMapping]:
    """18.3.1: the mappings μ such that μ(σ(BGP)) ⊆ G for an assignment σ of its blank nodes.

    Each μ is there once for each σ. So blank nodes are variables that are forgotten in the end.
    """
    omega = [EMPTY_MAPPING]
    for pattern in bgp.triples:
        omega = join(omega, triple_path(pattern, active))
    return [mu.without(bgp.blank) for mu in omega if mu.compatible(active.outer)]


def triple_path(pattern: a.TriplePath, active: Evaluation) -> list[SolutionMapping]:
    """{μ | dom(μ) = var(t), μ(t) ∈ G} of a triple pattern t; Path(X, path, Y) of 18.4."""
    x, path, y = pattern.subject, pattern.path, pattern.object
    if isinstance(path, URIRef | Variable):
        return matches((x, path, y), active.graph)
    start, end = given(x, active), given(y, active)
    if navigates(path):
        return matches((x, y), nested_pairs(active.graph, path, start, end))
    return matches((x, y), pairs(active.graph, path, start, end))


def given(end: a.TermOrVariable, active: Evaluation) -> Term | None:
    """Return an end of a path that is a term, or that EXISTS binds under `exists=substituted`."""
    if not isinstance(end, Variable):
        return end
    value = active.outer.get(end) if active.execution.substitutes else None
    return None if isinstance(value, tuple) else value


def matches(
    pattern: tuple[a.TermOrVariable, ...], rows: Iterable[tuple[Term, ...]]
) -> list[SolutionMapping]:
    """Return the mappings μ of the pattern's variables such that μ(pattern) is one of the rows."""
    return [mu for row in rows if (mu := matched(pattern, row)) is not None]


def matched(
    pattern: tuple[a.TermOrVariable, ...], row: tuple[Term, ...]
) -> SolutionMapping | None:
    """Return the μ with dom(μ) = var(pattern) and μ(pattern) = row, if there is one."""
    mu: dict[Variable, Value] = {}
    for part, term in zip(pattern, row, strict=True):
        # A term is what it is exactly: `isinstance` is slow where it says no.
        expected = mu.setdefault(part, term) if type(part) is Variable else part
        if expected is not term and expected != term:
            return None
    return SolutionMapping(mu)


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
    μ1 such that R(μ1 ∪ μ2) is true}

    One μ1 at a time, so that R is asked once of each μ1 ∪ μ2 (it may contain RAND()).
    """
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
                value: Term = evaluate_expression(expression, active.seen(mu), context)
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
