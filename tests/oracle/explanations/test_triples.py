"""Which triples a solution of a graph pattern rests on."""

import pytest
from rdflib import Graph as RdflibGraph
from rdflib import URIRef, Variable

from denota.oracle.explanations.triples import rests_on
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import (
    Axis,
    AxisPath,
    GroupGraphPattern,
    NestedPath,
    NodeTest,
    Prologue,
    SequencePath,
    TriplePattern,
    TriplesBlock,
)

EX = "http://example.org/"
DATA = """
:a :p :b . :b :p :c . :c :p :d . :a :q 1 . :q :r :t . :x :p :x .
"""
PROLOGUE = Prologue(prefixes=(("", EX),))


def triples(text):
    return frozenset(RdflibGraph().parse(data="@prefix : <http://example.org/> ." + text))


def term(name):
    return URIRef(EX + name)


def found(pattern, **bound):
    mu = SolutionMapping({Variable(v): term(name) for v, name in bound.items()})
    rests = rests_on(
        parse_group(f"{{ {pattern} }}", PROLOGUE), mu, triples(DATA),
        {term("kb"): triples(":b a :Known .")},
    )
    return [
        (" ".join(str(t).removeprefix(EX) for t in triple), each.graph)
        for each in rests for triple in each.triples
    ]


@pytest.mark.parametrize(("pattern", "bound", "rests"), [
    ("?x :p ?y", {"x": "b", "y": "c"}, ["b p c"]),
    ("?x :p ?y . ?x :q ?z", {"x": "a", "y": "b"}, ["a p b", "a q 1"]),
    ("?x :p [ :p ?y ]", {"x": "a", "y": "c"}, ["a p b", "b p c"]),
    ("?x :p/:p ?y", {"x": "a", "y": "c"}, ["a p b", "b p c"]),
    ("?x ^(:p/:p) ?y", {"x": "c", "y": "a"}, ["b p c", "a p b"]),
    ("?x :p+ ?y", {"x": "a", "y": "d"}, ["a p b", "b p c", "c p d"]),
    ("?x :p* ?y", {"x": "a", "y": "a"}, []),
    ("?x :no|:q ?y", {"x": "a"}, ["a q 1"]),
    ("?x !(:p|:q) ?y", {"x": "q"}, ["q r t"]),
    ("?x :p? ?y", {"x": "a", "y": "b"}, ["a p b"]),
    ("?x :p ?x", {"x": "x"}, ["x p x"]),
    ("{ ?x :no ?y } UNION { ?x :p ?y }", {"x": "a", "y": "b"}, ["a p b"]),
    ("?x :p ?y OPTIONAL { ?y :no ?z } OPTIONAL { ?x :q ?w }", {"x": "a", "y": "b"},
     ["a p b", "a q 1"]),
    ("?x :p ?y MINUS { ?x :r ?z } FILTER NOT EXISTS { ?x :r ?y }", {"x": "a", "y": "b"},
     ["a p b"]),
    ("{ SELECT ?x WHERE { ?x :p ?y } }", {"x": "c", "y": "a"}, ["c p d"]),
    ("?x :p ?y", {"x": "a", "y": "d"}, []),
])
def test_what_matches_each_triple_pattern(pattern, bound, rests):
    assert found(pattern, **bound) == [(each, None) for each in rests]


def test_triples_of_a_graph_are_told_with_its_name():
    assert found("?x :p ?y GRAPH ?g { ?y a :Known }", x="a", y="b", g="kb") == [
        ("a p b", None),
        ("b http://www.w3.org/1999/02/22-rdf-syntax-ns#type Known", term("kb")),
    ]


@pytest.mark.parametrize(("path", "start", "end", "rests"), [
    (AxisPath(Axis.NEXT, label=term("p")), "a", "b", ["a p b"]),
    (AxisPath(Axis.NEXT, inverse=True, label=term("p")), "b", "a", ["a p b"]),
    (AxisPath(Axis.EDGE), "a", "q", ["a q 1"]),
    (AxisPath(Axis.NODE, label=term("a")), "p", "b", ["a p b"]),
    (AxisPath(Axis.NEXT, nested=AxisPath(Axis.NEXT, label=term("r"))), "a", None,
     ["a q 1", "q r t"]),
    (NestedPath(term("p"), term("q")), "a", "b", []),
    (SequencePath((NodeTest(term("q")), term("p"))), "a", "b", ["a q 1", "a p b"]),
])
def test_nested_regular_expressions_rest_on_triples_too(path, start, end, rests):
    last = Variable("end") if end is None else term(end)
    group = GroupGraphPattern((TriplesBlock((TriplePattern(term(start), path, last),)),))
    on = rests_on(group, SolutionMapping(), triples(DATA), {})
    assert [
        " ".join(str(t).removeprefix(EX) for t in triple) for each in on for triple in each.triples
    ] == rests
