"""What may happen in a graph pattern that SPARQL's definitions have a word to say about.

For every language that embeds graph patterns: its situations may take these in, and ask `met` of
a pattern, the graphs that it looks at, and the solutions of an answer. Numbers are sections of
SPARQL 1.1 Query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rdflib.term import Literal, URIRef, Variable

from ...semantics.model.terms import Graph, Term
from ...semantics.model.trees import find, has
from ...semantics.rdf.syntax import tree as s
from ...semantics.rdf.syntax.variables import possible_variables

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
    if has(pattern, s.Comparison) and _sorts(triples) > 1:
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


def _sorts(triples: Graph) -> int:
    """How many types the literals have."""
    return len({
        term.datatype or term.language
        for triple in triples for term in triple if isinstance(term, Literal)
    })
