"""What may happen in a graph pattern that SPARQL's definitions have a word to say about.

For every language that embeds graph patterns: its situations may take these in, and ask `met_in`
of a pattern, the graphs that it looks at, and the solutions of an answer. Patterns alone, in all
their constructs, have `MORE_SITUATIONS` besides. Numbers are sections of SPARQL 1.1 Query.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from rdflib.term import Literal, URIRef, Variable

from ...semantics.model.items import Item
from ...semantics.model.terms import Dataset, Graph, Term
from ...semantics.model.trees import find, has, outermost
from ...semantics.rdf.syntax import tree as s
from ...semantics.rdf.syntax.variables import (
    element_variables,
    mentioned_variables,
    possible_variables,
)

GRAPH_SITUATIONS: Mapping[str, str] = {
    "absent end": "a path may have no length, and one of its ends is nowhere in the data (18.4)",
    "round": "a path of any length goes through data that lead back to where they began (18.4)",
    "unbound": "an answer leaves a variable of its pattern unbound (18.5, LeftJoin and Union)",
    "taken away": "what MINUS takes away is there, and there is an answer (18.5, Minus)",
    "nothing shared": "MINUS has a solution and shares no variable with what is before it (18.5)",
    "exists of what is bound": "EXISTS asks about a variable that is bound outside (18.6)",
    "graph already named": "GRAPH ?g stands beside or around what may bind ?g, too (18.6, Graph)",
    "sorts mixed": "a FILTER compares what numbers and other terms are bound to (17.2, 17.3)",
    "undefined": "VALUES leaves a variable open, and there is an answer (18.5, Join)",
}

MORE_SITUATIONS: Mapping[str, str] = {
    "absent value": "an answer binds an end of a path to what is nowhere in the data (18.4)",
    "condition sees outside": "OPTIONAL's FILTER asks about what is bound before it (18.2.2.6)",
    "condition is blind": "a nested group's FILTER asks about what is bound around it (18.2.1)",
    "bound late": "what comes later may bind what OPTIONAL or UNION left unbound (18.5, Join)",
    "assigned in exists": "EXISTS assigns to a variable that is bound outside (18.6)",
    "hidden": "a sub-select has a variable of its own that is called as one outside (18.2.1)",
    "hidden in exists": "within EXISTS, one that is called as a variable bound outside (18.6)",
    "exists in exists": "what is bound outside goes on into an EXISTS within EXISTS (18.6)",
    "aggregate": "an answer has an aggregate (18.5.1)",
    "least of several sorts": "MIN or MAX chooses among terms of several sorts (18.5.1)",
    "ordered and cut": "LIMIT or OFFSET cuts off what ORDER BY has put in order (15.1, 15.5)",
    "absent graph": "GRAPH names a graph that the dataset lacks, and there is an answer (18.6)",
}


def graph_situations(*names: str) -> Mapping[str, str]:
    """Those of `GRAPH_SITUATIONS` that a language's cases meet often enough, with what they are."""
    return {name: GRAPH_SITUATIONS[name] for name in names}


def met_in_query(query: Any, items: Iterable[Item], known: Container[str]) -> Iterator[str]:
    """The `known` situations that the graph patterns of a query meet over these items."""
    graphs = [item.graph for item in items]
    for pattern in outermost(query, s.GroupGraphPattern):
        yield from (name for name in met_in(pattern, graphs, ()) if name in known)


def met_in(
    pattern: s.GroupGraphPattern,
    graphs: Iterable[Graph],
    solutions: Iterable[Mapping[Variable, Any]],
) -> Iterator[str]:
    """The situations that a pattern over these graphs meets, its solutions being among these."""
    triples = frozenset[Any]().union(*graphs)
    if has(pattern, s.ZeroOrMorePath, s.OneOrMorePath, s.ZeroOrOnePath):
        yield from _of_paths(pattern, triples)
    possible = possible_variables(pattern)
    if any(possible - mu.keys() for mu in solutions):
        yield "unbound"
    for denied in find(pattern, s.MinusPattern):
        if _is_matched(denied.pattern, triples):
            shared = possible_variables(denied.pattern) & possible
            yield "taken away" if shared else "nothing shared"
    if any(possible_variables(each.pattern) & possible for each in find(pattern, s.Exists)):
        yield "exists of what is bound"
    for named in find(pattern, s.NamedGraphPattern):
        if isinstance(named.name, Variable) and (
            sum(part == named.name for part in find(pattern, Variable)) > 1
        ):
            yield "graph already named"
    if has(pattern, s.Comparison) and _sorts(_terms(triples)) > 1:
        yield "sorts mixed"
    if any(None in row for data in find(pattern, s.InlineData) for row in data.rows):
        yield "undefined"


def _of_paths(pattern: s.GroupGraphPattern, triples: Graph) -> Iterator[str]:
    nodes = {term for subject, _, object_ in triples for term in (subject, object_)}
    for triple in find(pattern, s.TriplePattern):
        if isinstance(triple.predicate, URIRef | Variable):
            continue
        ends = (triple.subject, triple.object)
        if has(triple.predicate, s.ZeroOrMorePath, s.ZeroOrOnePath) and any(
            isinstance(end, URIRef | Literal) and end not in nodes for end in ends
        ):
            yield "absent end"
        if has(triple.predicate, s.ZeroOrMorePath, s.OneOrMorePath) and _is_cyclic(triples):
            yield "round"


def _is_cyclic(triples: Graph) -> bool:
    """Whether some node leads back to itself."""
    after: dict[Term, set[Term]] = {}
    for subject, _, object_ in triples:
        after.setdefault(subject, set()).add(object_)
    for origin in after:
        reached, waiting = set[Term](), [origin]
        while waiting:
            fresh = after.get(waiting.pop(), set()) - reached
            reached |= fresh
            waiting += fresh
        if origin in reached:
            return True
    return False


def is_instance(pattern: s.TriplePattern, triple: tuple[Term, Term, Term]) -> bool:
    """Whether a triple pattern may stand for a triple, as far as its terms go."""
    places = (pattern.subject, pattern.predicate, pattern.object)
    return all(
        place == term
        for place, term in zip(places, triple, strict=True) if isinstance(place, URIRef | Literal)
    )


def _is_matched(pattern: s.GroupGraphPattern, triples: Graph) -> bool:
    """Whether each of a pattern's triple patterns has an instance."""
    return all(
        any(is_instance(asked, triple) for triple in triples)
        for asked in find(pattern, s.TriplePattern)
    )


def _terms(triples: Graph) -> set[Term]:
    return {term for triple in triples for term in triple}


def _sorts(terms: Iterable[Term]) -> int:
    """How many types the literals have."""
    return len({term.datatype or term.language for term in terms if isinstance(term, Literal)})


# --- patterns alone -------------------------------------------------------------------------------


def more_met_in(
    pattern: s.GroupGraphPattern,
    dataset: Dataset,
    solutions: Iterable[Mapping[Variable, Any]],
) -> Iterator[str]:
    """Which of `MORE_SITUATIONS` a pattern with these solutions meets."""
    terms = _terms(dataset.default.union(*dataset.named.values()))
    ends = {
        end for triple in find(pattern, s.TriplePattern)
        if not isinstance(triple.predicate, URIRef | Variable)
        for end in (triple.subject, triple.object) if isinstance(end, Variable)
    }
    if any(mu[end] not in terms for mu in solutions for end in ends & mu.keys()):
        yield "absent value"
    if any(
        isinstance(named.name, URIRef) and named.name not in dataset.named
        for named in find(pattern, s.NamedGraphPattern)
    ):
        yield "absent graph"
    for query in find(pattern, s.SelectQuery):
        cut = query.modifier.limit is not None or query.modifier.offset
        if query.modifier.order_by and cut:
            yield "ordered and cut"
        aggregates = list(find(query.projection, s.Aggregate))
        if aggregates:
            yield "aggregate"
        if _sorts(terms) > 1 and any(
            each.name in ("MIN", "MAX") for each in aggregates
        ):
            yield "least of several sorts"
    yield from _of_group(pattern, frozenset(), frozenset())


def _of_group(
    group: s.GroupGraphPattern, around: frozenset[Variable], given: frozenset[Variable]
) -> Iterator[str]:
    """What happens between a group and what may be bound `around` it, or `given` to an EXISTS."""
    bound, unsure = frozenset[Variable](), frozenset[Variable]()
    for element in group.elements:
        own = frozenset(element_variables(element))
        if own & unsure:
            yield "bound late"
        inner, optional = _groups_of(element)
        asked = {
            variable for each in inner for part in each.elements if isinstance(part, s.Filter)
            for variable in mentioned_variables(part.condition) - possible_variables(each)
        }
        if asked & bound:
            yield "condition sees outside" if optional else "condition is blind"
        if isinstance(element, s.SubSelect):
            hidden = possible_variables(element.query.where) - own
            if hidden & (bound | around):
                yield "hidden"
            if hidden & given:
                yield "hidden in exists"
        if _computed(element) & given:
            yield "assigned in exists"
        for each in inner:
            yield from _of_group(each, around | bound, given)
        if optional:
            unsure |= own - bound
        elif len(inner) > 1:
            unsure |= own - frozenset.intersection(*map(possible_variables, inner))
        bound |= own
    for asking in group.elements:
        if isinstance(asking, s.Filter):
            for exists in outermost(asking.condition, s.Exists):
                if mentioned_variables(exists.pattern) & (given - bound):
                    yield "exists in exists"
                yield from _of_group(exists.pattern, around | bound, given | bound)


def _groups_of(element: s.Element) -> tuple[tuple[s.GroupGraphPattern, ...], bool]:
    """The groups that an element is made of, and whether it is OPTIONAL."""
    match element:
        case s.UnionPattern(alternatives):
            return alternatives, False
        case s.OptionalPattern(inner):
            return (inner,), True
        case s.MinusPattern(inner) | s.NamedGraphPattern(_, inner):
            return (inner,), False
        case s.SubSelect(query):
            return (query.where,), False
    return (), False


def _computed(element: s.Element) -> frozenset[Variable]:
    """What an element assigns values to."""
    match element:
        case s.Bind(_, variable):
            return frozenset({variable})
        case s.SubSelect(query):
            items = query.projection or ()
            return frozenset(item.variable for item in items if item.expression is not None)
    return frozenset()
