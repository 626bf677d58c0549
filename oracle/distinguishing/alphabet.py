"""Graphs that two queries can tell apart: instances of their graph patterns over few terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from itertools import islice, product
from math import prod
from random import Random
from typing import Any, TypeAlias

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.terms import Graph, Term, literal
from ...semantics.model.trees import find
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    Arithmetic,
    AxisPath,
    Comparison,
    Element,
    GroupGraphPattern,
    In,
    InversePath,
    MinusPattern,
    NegatedPropertySet,
    NestedPath,
    NodeTest,
    OneOrMorePath,
    OptionalPattern,
    Path,
    SequencePath,
    SubSelect,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
    ZeroOrMorePath,
    ZeroOrOnePath,
)

NAMES = "http://example.org/"
_MOST_INSTANCES = 8  # of one pattern
_MOST_ASSIGNMENTS = 10_000
UNRELATED: Graph = frozenset(
    {(URIRef(NAMES + "x"), URIRef(NAMES + "unrelated"), URIRef(NAMES + "x"))}
)
"""What no pattern asks for."""

Triples: TypeAlias = tuple[TriplePattern, ...]
Assignment: TypeAlias = Mapping["Variable | BNode", Term]
Values: TypeAlias = Mapping[Variable, list[Term]]
"""The values of a variable on which some condition turns."""

_RESOURCES: list[Term] = [URIRef(NAMES + "a"), URIRef(NAMES + "b")]


def instances(pattern: GroupGraphPattern, values: Values) -> Iterator[Graph]:
    """Graphs that a pattern may match, the plainest first, and not too many."""
    graphs: dict[Graph, None] = {}
    for triples in dict.fromkeys(_alternatives(pattern)):
        for assignment in islice(_assignments(triples, values), _MOST_INSTANCES):
            graphs[_graph(triples, assignment)] = None
    yield from (graph for graph in graphs if graph)


class Choices:
    """Random instances of patterns that have much in common: a variable's value is mostly kept."""

    def __init__(self, random: Random, values: Values) -> None:
        self.random = random
        self.values = values
        self.usual: dict[Variable | BNode, Term] = {}
        self.rising = random.random() < 0.5
        self.resources = _RESOURCES if random.random() < 0.4 else _RESOURCES[:1]

    def instance(self, pattern: GroupGraphPattern, *, again: bool) -> Graph:
        """A graph that a pattern may match; `again` if it had one already."""
        triples = self.random.choice(list(dict.fromkeys(_alternatives(pattern))))
        subjects = {triple.subject for triple in triples}
        assignment = {
            v: self.value(v, resource=v in subjects, again=again) for v in _variables(triples)
        }
        return _graph(triples, assignment)

    def value(self, v: Variable | BNode, *, resource: bool, again: bool) -> Term:
        """The value that a variable has had, or now and then another."""
        known = self.usual.get(v)
        domain = [] if resource or isinstance(v, BNode) else self.values.get(v, [])
        if known is not None and self.random.random() < (0.4 if domain and again else 0.9):
            return known
        if known is None and self.rising and domain:
            # Conditions like to compare what comes later with what came before.
            used = [domain.index(x) for x in self.usual.values() if x in domain]
            domain = domain[max(used, default=-1) + 1 :] or domain
            domain = domain[: max(2, len(domain) // 2)]
        chosen = self.random.choice(domain or self.resources)
        if known is None:
            self.usual[v] = chosen
        return chosen


# --- which triples a pattern may ask for ---------------------------------------------------------


def _alternatives(pattern: GroupGraphPattern) -> Iterator[Triples]:
    parts = [list(_of_element(each)) for each in pattern.elements]
    for chosen in islice(product(*parts), _MOST_INSTANCES):
        yield tuple(triple for triples in chosen for triple in triples)


def _of_element(element: Element) -> Iterator[Triples]:
    match element:
        case TriplesBlock(triples):
            yield triples
        case OptionalPattern(inner) | MinusPattern(inner):
            yield from _alternatives(inner)
            yield ()
        case UnionPattern(alternatives):
            for alternative in alternatives:
                yield from _alternatives(alternative)
        case SubSelect(query):
            yield from _alternatives(query.where)
        case _:  # filters ask for no triples; GRAPH and windows ask for them elsewhere
            yield ()


# --- which terms its variables may take ----------------------------------------------------------


def critical_values(queries: Iterable[Any], *, beyond: int = 0) -> dict[Variable, list[Term]]:
    """Values of variables about the constants they are compared with, also by way of others.

    `beyond` more numbers come after the greatest one.
    """
    groups: list[tuple[set[Variable], set[Term]]] = []
    for query in queries:
        for part in find(query, Comparison, Arithmetic, In):
            variables = set(find(part, Variable))
            constants: set[Term] = set(find(part, Literal, URIRef))
            for group in [each for each in groups if each[0] & variables]:
                groups.remove(group)
                variables, constants = variables | group[0], constants | group[1]
            groups.append((variables, constants))
    found: dict[Variable, list[Term]] = {}
    for variables, constants in groups:
        found.update(dict.fromkeys(variables, _about(constants, beyond)))
    return found


def _about(constants: Iterable[Term], beyond: int) -> list[Term]:
    """The constants and what is next to them, numbers in their order."""
    numbers: set[Decimal] = set()
    others: dict[Term, None] = {}
    for constant in sorted(constants):
        number = _number(constant)
        if number is not None:
            numbers |= {number - 1, number, number + 1}
            continue
        others[constant] = None
        if isinstance(constant, Literal) and constant.datatype in (None, XSD.string):
            others[literal(f"{constant}z", constant.datatype, constant.language)] = None
    if not numbers and not others:
        numbers = {Decimal(1), Decimal(2)}
    top = max(numbers, default=Decimal(0))
    numbers |= {top + k for k in range(1, beyond + 1)} if numbers else set()
    return [*map(_numeral, sorted(numbers)), *others]


def _number(term: Term) -> Decimal | None:
    if not isinstance(term, Literal) or term.datatype in (None, XSD.string):
        return None
    try:
        number = Decimal(str(term))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _numeral(number: Decimal) -> Literal:
    whole = number == number.to_integral_value()
    text = f"{number.quantize(Decimal(1)):f}" if whole else f"{number:f}"
    return literal(text, str(XSD.integer if whole else XSD.decimal))


def _variables(triples: Triples) -> list[Variable | BNode]:
    return list(dict.fromkeys(
        term for triple in triples for term in (triple.subject, triple.predicate, triple.object)
        if isinstance(term, Variable | BNode)
    ))


def _assignments(triples: Triples, values: Values) -> Iterator[Assignment]:
    """The plainest first: those with the fewest different terms."""
    subjects = {triple.subject for triple in triples}
    variables = _variables(triples)
    domains = [
        values[v] if isinstance(v, Variable) and v in values and v not in subjects else _RESOURCES
        for v in variables
    ]
    while prod(map(len, domains)) > _MOST_ASSIGNMENTS:
        longest = max(range(len(domains)), key=lambda place: len(domains[place]))
        domains[longest] = domains[longest][: len(domains[longest]) // 2]
    every = sorted(
        product(*(enumerate(domain) for domain in domains)),
        key=lambda chosen: (len({term for _, term in chosen}), sum(place for place, _ in chosen)),
    )
    for chosen in every:
        yield dict(zip(variables, (term for _, term in chosen), strict=True))


def _graph(triples: Triples, assignment: Assignment) -> Graph:
    found: set[tuple[Term, Term, Term]] = set()
    for triple in triples:
        subject = _term(triple.subject, assignment)
        predicate = triple.predicate
        if isinstance(predicate, Variable):
            predicate = URIRef(str(_term(predicate, assignment)))
        found.update(_path(subject, predicate, _term(triple.object, assignment)))
    return frozenset(
        (s, p, o) for s, p, o in found if not isinstance(s, Literal)
    )


def _path(s: Term, path: Path | Term, o: Term) -> Iterator[tuple[Term, Term, Term]]:
    """Triples over which a path leads from s to o."""
    match path:
        case InversePath(inner):
            yield from _path(o, inner, s)
        case SequencePath(steps):
            stops: list[Term] = [
                s, *(URIRef(f"{NAMES}m{n}") for n in range(1, len(steps))), o
            ]
            for begin, step, end in zip(stops, steps, stops[1:], strict=False):
                yield from _path(begin, step, end)
        case AlternativePath(alternatives):
            yield from _path(s, alternatives[0], o)
        case ZeroOrMorePath(inner) | OneOrMorePath(inner) | ZeroOrOnePath(inner):
            yield from _path(s, inner, o)
        case NegatedPropertySet():
            yield s, URIRef(NAMES + "unrelated"), o
        case NestedPath(inner, test):
            yield from _path(s, inner, o)
            yield from _path(o, test, URIRef(NAMES + "m0"))
        case NodeTest(inner, target):
            yield from _path(s, inner, o if target is None else target)
        case AxisPath(label=label, inverse=inverse):
            link = label if isinstance(label, URIRef) else URIRef(NAMES + "unrelated")
            yield (o, link, s) if inverse else (s, link, o)
        case _:
            yield s, path, o


def _term(term: TermOrVariable, assignment: Assignment) -> Term:
    if isinstance(term, (Variable, BNode)):
        return assignment[term]
    return term
