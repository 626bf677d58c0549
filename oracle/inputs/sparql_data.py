"""Terms, graphs and datasets for SPARQL 1.1 graph patterns, and instances of patterns.

A case has few terms of few sorts, or many of all: where numbers are rare, nothing is computed, and
where they are everywhere, nothing joins.

A pattern's triple patterns are instantiated with terms of the small alphabets. Each variable is
drawn once a graph, so a graph matches on purpose. Across the graphs of a case a variable mostly
keeps its *usual* term, so that shared variables join.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, product
from random import Random
from typing import TypeAlias

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, URIRef, Variable

from ...semantics.model.terms import Dataset, Graph, Term, Triple, literal
from ...semantics.model.trees import find
from ...semantics.rdf.syntax.tree import (
    AlternativePath,
    AxisPath,
    Exists,
    Expression,
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
from .choices import COIN, Choices, Decided, several
from .graphs import (
    AMOUNTS,
    BACKGROUNDS,
    NUMBERS,
    ODD_LITERALS,
    PREDICATES,
    QUANTITY,
    RESOURCES,
    THINGS,
    blank_node,
    number,
)
from .graphs import name as iri

VARIABLES = tuple(map(Variable, "xyzw"))
NODES = (iri("a"), iri("b"), iri("c"))
ELSEWHERE = iri("z")
"""A node that no data have."""
LINKS = (iri("p"), iri("q"))
DATA_NODES: tuple[URIRef | BNode, ...] = (*NODES, BNode("d1"), BNode("d2"))
LITERALS: tuple[Literal, ...] = (
    number("1"), number("2"), number("10"), number("01"), number("-1"), number("0"),
    number("1.0", XSD.decimal), number("2.50", XSD.decimal), number("1.0E0", XSD.double),
    number("2.5", XSD.float), number("0.1", XSD.float), number("NaN", XSD.double),
    number("-INF", XSD.double), number("-0.0", XSD.double), number("9007199254740993"),
    number("INF", XSD.float), number("-0", XSD.float), number("9223372036854775807"),
    number("9007199254740992", XSD.double), number("1" + "0" * 30), number("7", XSD.byte),
    number("300", XSD.byte), number("x"),
    literal("true", str(XSD.boolean)), literal("0", str(XSD.boolean)),
    literal("maybe", str(XSD.boolean)),
    literal(""), literal("abc"), literal("b"), literal("1"), literal(" 2 "),
    literal("abc", language="en"), literal("b", language="en-us"), literal("b", language="fr"),
    literal("2020-02-29T12:00:00Z", str(XSD.dateTime)),
    literal("2020-02-29T12:00:00", str(XSD.dateTime)),
    literal("2020-02-29T14:00:00+02:00", str(XSD.dateTime)),
    literal("2020-02-30T12:00:00Z", str(XSD.dateTime)),
    literal("2020-02-29", str(XSD.date)),
    literal("x", "http://example.org/unknown"), literal("y", "http://example.org/unknown"),
)
COMMON_LITERALS = (number("2"), number("10"))
"""As texts they stand in the other order."""
TIDY_LITERALS: tuple[Literal, ...] = (
    number("1"), number("2"), number("10"), number("-1"), number("2.50", XSD.decimal),
    number("0.5E0", XSD.double), literal("true", str(XSD.boolean)), literal(""), literal("abc"),
    literal("b"), literal("10"), literal("abc", language="en"), literal("b", language="fr"),
    literal("2020-02-29T12:00:00Z", str(XSD.dateTime)),
)
"""Of which no two stand together in the order of ORDER BY."""

_LIKE_EACH_OTHER: dict[str, tuple[Literal, ...]] = {
    "numbers": (
        number("2"), number("10"), number("0"), number("-3"), number("20"), number("7"),
        number("10.0", XSD.decimal), number("0.5", XSD.decimal), number("-2.50", XSD.decimal),
        number("1.0E1", XSD.double), number("2.5E0", XSD.double), number("0.5", XSD.float),
        number("10", XSD.float),
    ),
    "moments": (
        *(
            literal(text, str(XSD.dateTime)) for text in (
                "2020-02-29T12:00:00Z", "2020-03-01T00:00:00Z", "2020-12-31T23:59:59.5Z",
                "2021-01-01T00:30:00+01:00", "2020-02-29T24:00:00Z", "2020-11-02T00:00:00",
                "2020-03-01T09:00:00-05:00", "1999-07-04T01:02:03Z",
            )
        ),
        *(
            literal(text, str(XSD.date))
            for text in ("2020-02-29", "2020-03-01", "2019-12-31", "2020-10-01Z")
        ),
    ),
    "texts": (
        literal("abc"), literal("b"), literal(""), literal("bc"), literal("ABC"), literal("a.c"),
        literal("10"), literal("abc", language="en"), literal("ABC", language="en-gb"),
        literal("b", language="fr"), literal("äbc"), literal("true"),
    ),
    "truths": (
        literal("true", str(XSD.boolean)), literal("false", str(XSD.boolean)),
        literal("1", str(XSD.boolean)), literal("maybe", str(XSD.boolean)), literal(""),
        literal("false"), number("0"), number("1"), number("NaN", XSD.double),
    ),
}
"""Literals of one sort, with which expressions have values."""


@dataclass
class Terms:
    """The available terms and variables; `tidy`: ORDER BY distinguishes all terms."""

    literals: tuple[Literal, ...] = LITERALS
    common: tuple[Literal, ...] = COMMON_LITERALS
    """those that an expression compares and computes with most"""
    nodes: tuple[URIRef | BNode, ...] = DATA_NODES
    tidy: bool = False
    ruled: bool = False
    """whether a pattern may ask what the recommendation does not define and a ruling decides: which
    values an assignment within EXISTS takes for a variable of the solution outside, and which of
    several terms that stand together in the order is the least"""
    variables: tuple[Variable, ...] = VARIABLES
    """of patterns and conditions; what is computed is bound to any of `VARIABLES`"""
    most_solutions: int = 1_000_000
    """a bound on the solutions that a group joins"""
    nested_paths: bool = False
    """whether paths have nested tests and axes (nSPARQL's), as in CQELS-CEP"""
    leaves: tuple[Expression, ...] = ()
    """further operands of expressions"""
    labels: Iterator[str] = field(default_factory=lambda: map(str, count()))
    """of the basic graph patterns: no two may share a blank node (19.6)"""

    @classmethod
    def called(cls, name: str) -> Terms:
        """Return few terms, tidy ones, all, or mostly literals of one sort."""
        match name:
            case "few":
                return cls(COMMON_LITERALS)
            case "few and tidy":
                return cls(COMMON_LITERALS, nodes=DATA_NODES[:4], tidy=True)
            case "tidy":
                return cls(TIDY_LITERALS, nodes=DATA_NODES[:4], tidy=True)
            case "all":
                return cls()
        alike = _LIKE_EACH_OTHER[name]
        return cls(alike, alike)

    def sort_of_object(self, choices: Choices) -> tuple[Term, ...]:
        """Draw whether an object is a node, a common literal or any literal."""
        return (self.nodes, self.nodes, self.common, self.literals)[choices.among("", range(4))]

    @property
    def alike(self) -> bool:
        """True if all literals are of one sort."""
        return self.common is self.literals


ALL = Terms()


def rdf_graph(choices: Choices, *, max_size: int = 6) -> Graph:
    """Draw a graph with cycles, blank nodes and literals of all types."""
    return some_triples(choices, ALL, max_size)


def some_triples(choices: Choices, terms: Terms, most: int) -> Graph:
    """Draw a graph of at most `most` triples of these terms; half of the objects are nodes."""
    return frozenset([
        (
            choices.among("", terms.nodes), choices.among("", LINKS),
            choices.among("", terms.sort_of_object(choices)),
        )
        for _ in range(choices.among("", range(most + 1)))
    ])


def dataset(choices: Choices) -> Dataset:
    """Draw a default graph and up to two named ones."""
    default = rdf_graph(choices)
    named = several(choices, BACKGROUNDS, 2, least=0)
    return Dataset(default, {name: rdf_graph(choices, max_size=3) for name in named})


def _large() -> tuple[Graph, ...]:
    """Return graphs that are large enough for an engine to index them."""
    many = (*NODES, *(iri(f"e{n}") for n in range(3)))
    links: list[Triple] = list(product(many, LINKS[:1], many))
    others: list[Triple] = list(product(many, LINKS[1:], (*many[:2], *TIDY_LITERALS)))
    made = Random(0)
    return tuple(
        frozenset(made.sample(links, 9 + n) + made.sample(others, 4 + n)) for n in range(6)
    )


LARGE = _large()


def tidied(graph: Graph, terms: Terms) -> Graph:
    """Return the graph, without what would stand together with another term in an order."""
    if not terms.tidy:
        return graph
    allowed = {*terms.literals, *terms.nodes}
    return frozenset(
        triple for triple in graph
        if all(isinstance(term, URIRef) or term in allowed for term in triple)
    )


_AS_USUAL: tuple[Term | None, ...] = (None,) * 16
_AMOUNT: Decided[Term | None] = (
    "graphs/amount", (*_AS_USUAL * 5, *NUMBERS * 5, *ODD_LITERALS)
)
_PREDICATE = ("", PREDICATES)
_DENIED = ("graphs/denied", ("left to chance", "left to chance", "made"))
"""The contents of a graph for MINUS and EXISTS: left to chance, or with a match of them."""


Usual: TypeAlias = dict[Variable, Term]
"""The usual values of variables in a case; filled in as they are met."""


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
    """Return a graph that the parts of `pattern` inside GRAPH are likely to match."""
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
        """Return a new blank node."""
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
        if drawn is None and usual is not None:
            # A blank node belongs to one document, but others may have one of the same label.
            return self.node if isinstance(usual, BNode) else usual
        value = drawn or _at_first(place, amount)
        self.usual.setdefault(place, value)
        return value


def _at_first(variable: Variable, amount: bool) -> Term:
    """Return the default value of a variable: not the same for all of them."""
    sort, terms = (AMOUNTS, NUMBERS) if amount else (THINGS, RESOURCES)
    place = sort.index(variable) if variable in sort else 0
    return terms[place % len(terms)]
