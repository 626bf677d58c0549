"""Graphs that a given graph pattern is likely to match, drawn by choices.

A pattern's triple patterns are instantiated with terms of the small alphabets. Each variable is
drawn once a graph, so a graph matches on purpose. Across the graphs of a case a variable mostly
keeps its *usual* term, so that shared variables join.
"""

from __future__ import annotations

from typing import TypeAlias

from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.terms import Graph, Term, Triple
from ...semantics.model.trees import find
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    AxisPath,
    Exists,
    Filter,
    GroupGraphPattern,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
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
from .choices import COIN, Choices, Decided
from .vocabulary import (
    AMOUNTS,
    NUMBERS,
    ODD_LITERALS,
    PREDICATES,
    QUANTITY,
    RESOURCES,
    THINGS,
    blank_node,
)

_AS_USUAL: tuple[Term | None, ...] = (None,) * 16
_AMOUNT: Decided[Term | None] = (
    "graphs/amount", (*_AS_USUAL * 5, *NUMBERS * 5, *ODD_LITERALS)
)
_PREDICATE = ("", PREDICATES)
_DENIED = ("graphs/denied", ("left to chance", "left to chance", "made"))
"""Whether a graph holds what MINUS takes away and what EXISTS asks for."""


Usual: TypeAlias = dict[Variable, Term]
"""What variables mostly stand for in a case; filled in as they are met."""


def instance(
    choices: Choices, pattern: GroupGraphPattern, document: URIRef, usual: Usual | None = None
) -> Graph:
    """Draw a graph of `document` that `pattern` matches, unless its filters and the like forbid it.

    `usual` keeps the terms of variables for further graphs.
    """
    usual = {} if usual is None else usual
    return frozenset(_Instance(choices, document, usual).of_group(pattern))


def background_instance(
    choices: Choices, pattern: GroupGraphPattern, name: URIRef, usual: Usual
) -> Graph:
    """A graph that the parts of `pattern` inside GRAPH are likely to match."""
    made = _Instance(choices, name, usual)
    return frozenset(
        triple
        for named in find(pattern, NamedGraphPattern, but=(MinusPattern, Exists))
        for triple in made.of_group(named.pattern)
    )


class _Instance:
    """One substitution, filled in as variables are met."""

    def __init__(self, choices: Choices, document: URIRef, usual: Usual) -> None:
        self.choices = choices
        self.usual = usual
        self.terms: dict[Variable | BNode, Term] = {}
        self.node = blank_node(document)
        self.resource: Decided[Term | None] = (
            "graphs/resource", (*_AS_USUAL, *RESOURCES, self.node)
        )

    def of_group(self, pattern: GroupGraphPattern) -> list[Triple]:
        triples: list[Triple] = []
        for element in pattern.elements:
            match element:
                case TriplesBlock(patterns):
                    for triple_pattern in patterns:
                        triples += self.of_triple_pattern(triple_pattern)
                case OptionalPattern(inner):
                    if self.choices.among("", COIN):
                        triples += self.of_group(inner)
                case UnionPattern(alternatives):
                    triples += self.of_group(self.choices.among("", alternatives))
                case SubSelect(query):
                    triples += self.of_group(query.where)
                case MinusPattern(inner) | Filter(Exists(inner)):
                    if self.choices.among(*_DENIED) == "made":
                        triples += self.of_group(inner)
                case _:
                    pass  # GRAPH looks elsewhere
        return triples

    def of_triple_pattern(self, pattern: TriplePattern) -> list[Triple]:
        return self.along(pattern.subject, pattern.predicate, pattern.object)

    def along(
        self, start: TermOrVariable, path: TermOrVariable | Path, end: TermOrVariable
    ) -> list[Triple]:
        match path:
            case InversePath(inner):
                return self.along(end, inner, start)
            case SequencePath(steps):
                between = BNode()
                self.terms[between] = self.value(between, False)
                rest = steps[1] if len(steps) == 2 else SequencePath(steps[1:])
                return self.along(start, steps[0], between) + self.along(between, rest, end)
            case AlternativePath(alternatives):
                return self.along(start, self.choices.among("", alternatives), end)
            case ZeroOrMorePath(inner) | OneOrMorePath(inner) | ZeroOrOnePath(inner):
                return self.along(start, inner, end)
            case NegatedPropertySet():
                return self.along(start, PREDICATES[0], end)
            case NestedPath(inner, test):
                return self.along(start, inner, end) + self.along(end, test, self.fresh())
            case NodeTest(inner, target):
                return self.along(start, inner, target or self.fresh())
            case AxisPath():
                link = path.label if isinstance(path.label, URIRef) else PREDICATES[0]
                ends = (end, start) if path.inverse else (start, end)
                return self.along(ends[0], link, ends[1])
        predicate = self.choices.among(*_PREDICATE) if isinstance(path, Variable) else path
        assert isinstance(predicate, URIRef)
        amount = predicate == QUANTITY
        subject, target = self.term(start, False), self.term(end, amount)
        # A variable that stands for a number elsewhere cannot be a subject (RDF 1.1, 3.1).
        return [] if isinstance(subject, Literal) else [(subject, predicate, target)]

    def fresh(self) -> BNode:
        """A place that nothing else speaks of."""
        place = BNode()
        self.terms[place] = self.value(place, False)
        return place

    def term(self, place: TermOrVariable, amount: bool) -> Term:
        if not isinstance(place, Variable | BNode):
            return place
        if place not in self.terms:
            self.terms[place] = self.value(place, amount or place in AMOUNTS)
        return self.terms[place]

    def value(self, place: Variable | BNode, amount: bool) -> Term:
        drawn = self.choices.among(*(_AMOUNT if amount else self.resource))
        if isinstance(place, BNode):
            return drawn or (NUMBERS if amount else RESOURCES)[0]
        usual = self.usual.get(place)
        if drawn is None and usual is not None and self.is_at_home(usual):
            return usual
        value = drawn or _at_first(place, amount)
        self.usual.setdefault(place, value)
        return value

    def is_at_home(self, term: Term) -> bool:
        """A blank node belongs to one document."""
        return not isinstance(term, BNode) or term == self.node


def _at_first(variable: Variable, amount: bool) -> Term:
    """What a variable stands for if nothing else is chosen: not the same for all of them."""
    sort, terms = (AMOUNTS, NUMBERS) if amount else (THINGS, RESOURCES)
    place = sort.index(variable) if variable in sort else 0
    return terms[place % len(terms)]
