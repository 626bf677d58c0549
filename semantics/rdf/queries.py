"""The semantics of a query (SPARQL 1.1 Query, 13, 16 and 18.6): its dataset, and its form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rdflib.term import BNode, Literal, URIRef, Variable

from ..model.errors import QueryError
from ..model.mappings import SolutionMapping
from ..model.terms import EMPTY_GRAPH, Dataset, Graph, Term, Triple
from . import translation
from .algebra import Algebra
from .evaluation import Evaluation, evaluate_algebra
from .expressions.context import Execution
from .syntax import tree as s
from .syntax.variables import in_scope, selected_variables


@dataclass(frozen=True, slots=True)
class SelectResult:
    """The solutions of a SELECT query: a bag, or a sequence if the query orders them."""

    variables: tuple[Variable, ...]
    solutions: tuple[SolutionMapping, ...]


QueryResult = SelectResult | bool | Graph
"""Of SELECT; of ASK; of CONSTRUCT and DESCRIBE."""


def evaluate_query(
    query: s.SparqlQuery,
    dataset: Dataset,
    graphs: Mapping[URIRef, Graph] | None = None,
) -> QueryResult:
    """Return the result of a query over a dataset.

    FROM and FROM NAMED, where the query has them, choose among `graphs` (default: the named graphs
    of `dataset`). Raises QueryError for a graph that is not there.
    """
    if query.dataset is not None:
        dataset = described_dataset(query.dataset, dataset.named if graphs is None else graphs)
    active = Evaluation(dataset, dataset.default, Execution(query.prologue.base))
    omega = solutions(query, active)
    match query:
        case s.SelectQuery():
            return SelectResult(selected_variables(query), tuple(omega))
        case s.AskQuery():
            return bool(omega)
        case s.ConstructQuery(template):
            return construct(template, omega)
        case s.DescribeQuery():
            return description(resources(query, omega), active.graph)


def solutions(query: s.SparqlQuery, active: Evaluation) -> list[SolutionMapping]:
    """Return the bag of solutions that a query form is applied to; in order, if it has ORDER BY."""
    return evaluate_algebra(algebra(query), active)


def algebra(query: s.SparqlQuery) -> Algebra:
    """Return the query as SPARQL's algebra, before its form is applied."""
    if isinstance(query, s.SelectQuery):
        return translation.translate_select(query)
    pattern = translation.translate_modified(query, (), None)
    return translation.sliced(pattern, query.modifier)


def described_dataset(
    clause: s.DatasetClause,
    graphs: Mapping[URIRef, Graph] | Mapping[URIRef | BNode, Graph],
) -> Dataset:
    """13.2: the default graph is the merge of the FROM graphs, the named ones are FROM NAMED's."""

    def graph(name: URIRef) -> Graph:
        if name not in graphs:
            raise QueryError(f"the query asks for the graph <{name}>, which is not there")
        return graphs[name]

    return Dataset(
        EMPTY_GRAPH.union(*map(graph, clause.default)), {name: graph(name) for name in clause.named}
    )


def construct(template: Iterable[s.TriplePattern], omega: Iterable[SolutionMapping]) -> Graph:
    """16.2: the template once a solution; what is unbound or no RDF triple is left out."""
    triples: set[Triple] = set()
    patterns = tuple(template)
    for mu in omega:
        fresh: dict[BNode, BNode] = {}
        for pattern in patterns:
            parts = (pattern.subject, pattern.predicate, pattern.object)
            subject, predicate, object_ = (_instance(part, mu, fresh) for part in parts)
            if (
                isinstance(subject, URIRef | BNode)
                and isinstance(predicate, URIRef)
                and object_ is not None
            ):
                triples.add((subject, predicate, object_))
    return frozenset(triples)


def _instance(
    part: s.TermOrVariable | s.Path, mu: SolutionMapping, fresh: dict[BNode, BNode]
) -> Term | None:
    if isinstance(part, BNode):
        return fresh.setdefault(part, BNode())
    value = mu.get(part) if isinstance(part, Variable) else part
    return value if isinstance(value, URIRef | BNode | Literal) else None


def resources(query: s.DescribeQuery, omega: Iterable[SolutionMapping]) -> set[Term]:
    """16.4: the resources that the query names or its solutions bind."""
    targets = query.targets
    if targets is None:
        targets = in_scope(query.where) if query.where is not None else ()
    named: set[Term] = {target for target in targets if not isinstance(target, Variable)}
    bound = {mu.get(target) for mu in omega for target in targets if isinstance(target, Variable)}
    return named | {term for term in bound if isinstance(term, URIRef | BNode)}


def description(resources: Iterable[Term], graph: Graph) -> Graph:
    """16.4 leaves open what a description is; here it is the concise bounded description: the
    triples that the resource is the subject of, and so on for blank nodes that are objects."""
    waiting = set(resources)
    triples: set[Triple] = set()
    described: set[Term] = set()
    while waiting:
        resource = waiting.pop()
        described.add(resource)
        for triple in graph:
            if triple[0] == resource:
                triples.add(triple)
                if isinstance(triple[2], BNode) and triple[2] not in described:
                    waiting.add(triple[2])
    return frozenset(triples)
