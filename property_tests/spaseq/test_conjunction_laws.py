"""& and | are commutative and associative, and & distributes over |, whatever filters are deferred.

A filter's variable may be bound by one operand or by another, by both, by an OPTIONAL in one of
them, by an event before, or by nothing at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib import URIRef

from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.model.terms import Graph, literal
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

from ..examples import examples

EXAMPLE = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
NAMES = ("A", "B", "C", "D")
VARIABLES = ("?x", "?y", "?z")
PREDICATES = (":p", ":q")
CONDITIONS = (
    "{0} > {1}", "{0} != {1}", "BOUND({0})", "!BOUND({0})", "!BOUND({0}) || {0} > {1}",
    "COALESCE({0}, 2) >= {1}",
)
TWO = st.lists(st.sampled_from(VARIABLES), min_size=2, max_size=2)


@dataclass(frozen=True)
class Tree:
    """(Ψ & Ψ) or (Ψ | Ψ)"""

    operator: str
    left: Operand
    right: Operand

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"


Operand: TypeAlias = Tree | str


@st.composite
def trees(draw: DrawFn) -> Tree:
    """A tree of two to four operands."""
    operands: list[Operand] = list(draw(st.permutations(NAMES)))[: draw(st.integers(2, 4))]
    while len(operands) > 1:
        at = draw(st.integers(0, len(operands) - 2))
        operands[at : at + 2] = [Tree(draw(st.sampled_from("&&|")), *operands[at : at + 2])]
    (tree,) = operands
    assert isinstance(tree, Tree)
    return tree


@st.composite
def rearranged(draw: DrawFn, tree: Operand) -> Operand:
    """The same by commutativity, associativity and distributivity."""
    if isinstance(tree, str):
        return tree
    law = draw(st.sampled_from(("turn", "rotate", "distribute", "none")))
    match law, tree:
        case "turn", Tree(operator, left, right):
            tree = Tree(operator, right, left)
        case "rotate", Tree(outer, Tree(inner, a, b), c) if outer == inner:
            tree = Tree(outer, a, Tree(outer, b, c))
        case "rotate", Tree(outer, a, Tree(inner, b, c)) if outer == inner:
            tree = Tree(outer, Tree(outer, a, b), c)
        case "distribute", Tree("&", Tree("|", a, b), c):
            tree = Tree("|", Tree("&", a, c), Tree("&", b, c))
        case "distribute", Tree("&", a, Tree("|", b, c)):
            tree = Tree("|", Tree("&", a, b), Tree("&", a, c))
    return Tree(tree.operator, draw(rearranged(tree.left)), draw(rearranged(tree.right)))


@st.composite
def bodies(draw: DrawFn) -> str:
    """A GPM: one triple that it needs, perhaps one that it does not, perhaps a filter."""
    body = f"[] {draw(st.sampled_from(PREDICATES))} {draw(st.sampled_from(VARIABLES))} ."
    if draw(st.booleans()):
        optional = draw(st.sampled_from(VARIABLES))
        body += f" OPTIONAL {{ [] {draw(st.sampled_from((':r', ':s')))} {optional} }}"
    if draw(st.integers(0, 2)):
        body += f" FILTER ({draw(st.sampled_from(CONDITIONS)).format(*draw(TWO))})"
    return body


@st.composite
def graphs(draw: DrawFn) -> Graph:
    values = st.sampled_from("123").map(lambda n: literal(n, f"{XSD}integer"))
    resources = st.sampled_from(("e", "f")).map(lambda local: URIRef(EXAMPLE + local))
    predicates = st.sampled_from("pqrspq").map(lambda local: URIRef(EXAMPLE + local))
    triples = st.tuples(resources, predicates, values)
    return frozenset(draw(st.sets(triples, min_size=2, max_size=8)))


@st.composite
def cases(draw: DrawFn) -> tuple[SpaseqCase, SpaseqCase]:
    """A query over a tree of & and |, and the same one over the tree rearranged."""
    tree = draw(trees())
    other = draw(rearranged(tree))
    defined = [
        f"DEFINE GPM {name} ON S{1 + k % 2} {{ {draw(bodies())} }}"
        for k, name in enumerate((*NAMES, "Z"))
    ]
    sequence = draw(
        st.sampled_from(("SEQ({})", "SEQ(Z; {})", "SEQ(Z: {})", "SEQ({}+)", "SEQ(Z, {}+; Z)"))
    )
    head = f"PREFIX : <{EXAMPLE}> SELECT * WITHIN 10 FROM STREAM S1 :u1 FROM STREAM S2 :u2 WHERE"
    queries = [
        parse(f"{head} {{ {sequence.format(each)} {' '.join(defined)} }}")
        for each in (tree, other)
    ]
    streams = {
        URIRef(EXAMPLE + name): tuple(
            TimestampedGraph(time, draw(graphs()), TimeKind.INTEGER) for time in range(1, 4)
        )
        for name in ("u1", "u2")
    }
    readings = Readings.of({"kleene": draw(st.sampled_from(("last", "join", "collect")))})
    case = SpaseqCase(queries[0], streams, readings=readings)
    return case, case.but(query=queries[1])


@examples(200)
@given(cases())
def test_the_laws_hold_by_the_definitions(both: tuple[SpaseqCase, SpaseqCase]) -> None:
    """Def. 8 and Def. 9"""
    one, other = both
    assert one.denotation() == other.denotation()


@examples(200)
@given(cases())
def test_the_engine_knows_them(both: tuple[SpaseqCase, SpaseqCase]) -> None:
    for case in both:
        assert set(case.matches()) == case.denotation()
