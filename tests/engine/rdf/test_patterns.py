"""Paths, EXISTS, sub-selects and their joins: the corners that a fast plan could get wrong."""

from __future__ import annotations

from collections import Counter

import pytest
from rdflib.term import URIRef

from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.rdf.matcher import Matcher, compile_pattern
from denota.semantics.model.terms import Graph
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.tree import Prologue
from denota.semantics.streams.rdf.graphs import parse_graph

EXAMPLE = "http://example.org/"
PROLOGUE = Prologue(prefixes=(("", EXAMPLE),))
CYCLE = ":a :p :b . :b :p :c . :c :p :b . :a :q 1 . :b :q 2 . :c :q 3 ."
NAMED = {":g": ":x :in :y . :y :in :z . :y :name 'why' .", ":h": ":x :in :w ."}


def graph(turtle: str) -> Graph:
    return parse_graph(turtle, prefixes={"": EXAMPLE})


def compiled(pattern: str) -> Matcher:
    named = {URIRef(EXAMPLE + name[1:]): graph(text) for name, text in NAMED.items()}
    return compile_pattern(
        parse_group(pattern, prologue=PROLOGUE), Dictionary(), named, defer=False
    )


def solutions(pattern: str, data: str = CYCLE) -> Counter[str]:
    matcher = compiled(pattern)
    bag: Counter[str] = Counter()
    for row in matcher.match(graph(data)):
        written = {
            str(variable): str(matcher.dictionary.decode(number)).removeprefix(EXAMPLE)
            for variable, number in zip(matcher.columns, row, strict=True)
            if number
        }
        bag[" ".join(f"{name}={value}" for name, value in sorted(written.items()))] += 1
    return bag


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{ :a :p+ ?x }", ["x=b", "x=c"]),
        ("{ :a :p* ?x }", ["x=a", "x=b", "x=c"]),
        ("{ :a :p? ?x }", ["x=a", "x=b"]),
        ("{ ?x ^:p :b }", ["x=c"]),
        ("{ :b ^:p ?x }", ["x=a", "x=c"]),
        ("{ :a :p/:p ?x }", ["x=c"]),
        ("{ :b (:p/:p)+ ?x }", ["x=b"]),
        # alternatives and sequences count every way, closures do not
        ("{ :c (:p|:p) ?x }", ["x=b", "x=b"]),
        ("{ :b (^:p/:p) ?x }", ["x=b", "x=b"]),
        ("{ :b (^:p/:p)+ ?x }", ["x=b"]),
        ("{ :a !:p ?x }", ["x=1"]),
        ("{ :b !^:q ?x }", ["x=a", "x=c"]),
        ("{ :b !(:q|^:p) ?x }", ["x=c"]),
        ("{ :a !(:p|:q) ?x }", []),
        ("{ ?x :p+ ?x }", ["x=b", "x=c"]),
        # a zero-length path reaches a constant that is not in the graph, and no variable there
        ("{ :nowhere :p* ?x }", ["x=nowhere"]),
        ("{ :nowhere :p* :nowhere }", [""]),
        ("{ ?x :p* :nowhere }", ["x=nowhere"]),
        ("{ VALUES ?x { :nowhere :c } ?x :p* ?y }", ["x=c y=c", "x=c y=b"]),
        ("{ :nowhere :p*/:q* ?x }", []),
        ("{ ?x :p?/:q 2 }", ["x=a", "x=b", "x=c"]),
        ("{ _:n :p/:q ?x }", ["x=2", "x=3", "x=2"]),
    ],
)
def test_paths(pattern: str, expected: list[str]) -> None:
    assert solutions(pattern) == Counter(expected)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{ ?x :q ?n FILTER EXISTS { ?x :p :c } }", ["n=2 x=b"]),
        ("{ ?x :q ?n FILTER NOT EXISTS { ?x :p :c } }", ["n=1 x=a", "n=3 x=c"]),
        # the values of the solution are seen wherever the pattern inside may use them
        ("{ ?x :q ?n FILTER EXISTS { ?y :q ?m FILTER(?m > ?n + 1) } }", ["n=1 x=a"]),
        ("{ ?x :q ?n FILTER EXISTS { { ?y :q ?m FILTER(?m > ?n + 1) } } }", ["n=1 x=a"]),
        ("{ ?x :q ?n FILTER EXISTS { ?y :p ?z MINUS { ?x :q ?n . ?y :p ?z } } }",
         []),
        ("{ ?x :q ?n FILTER EXISTS { SELECT ?x { ?x :p :c } } }", ["n=2 x=b"]),
        # what a sub-select does not project is another variable
        ("{ ?x :q ?n FILTER EXISTS { SELECT ?y { ?x :p ?y FILTER(?x = :b) } } }",
         ["n=1 x=a", "n=2 x=b", "n=3 x=c"]),
        ("{ ?x :q ?n OPTIONAL { ?x :r ?o } FILTER EXISTS { ?o :p :c } }",
         ["n=1 x=a", "n=2 x=b", "n=3 x=c"]),
        ("{ ?x :q ?n FILTER EXISTS { FILTER EXISTS { ?x :p :c } } }", ["n=2 x=b"]),
        ("{ ?x :q ?n FILTER EXISTS { VALUES ?x { :a UNDEF } FILTER(?n < 2) } }", ["n=1 x=a"]),
        ("{ ?x :q 1 BIND(EXISTS { ?x :p :b } AS ?e) }", ["e=true x=a"]),
    ],
)
def test_exists(pattern: str, expected: list[str]) -> None:
    assert solutions(pattern) == Counter(expected)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{ SELECT (COUNT(*) AS ?c) { ?x :p ?y } }", ["c=3"]),
        ("{ SELECT (COUNT(*) AS ?c) { ?x :r ?y } }", ["c=0"]),
        ("{ SELECT ?x (COUNT(*) AS ?c) { ?x :r ?y } GROUP BY ?x }", []),
        ("{ SELECT (COUNT(DISTINCT ?y) AS ?c) { ?x :p ?y } }", ["c=2"]),
        ("{ SELECT (SUM(?n) AS ?s) (AVG(?n) AS ?a) { ?x :q ?n } }", ["a=2 s=6"]),
        ("{ SELECT (SUM(?y) AS ?s) (COUNT(?y) AS ?c) { ?x :p ?y } }", ["c=3"]),
        ("{ SELECT (MIN(?n) AS ?s) (MAX(?n) AS ?t) { ?x :q ?n } }", ["s=1 t=3"]),
        ("{ SELECT (MIN(?n) AS ?s) { ?x :r ?n } }", [""]),
        ("{ SELECT (SUM(?n) AS ?s) { ?x :r ?n } }", ["s=0"]),
        ("{ SELECT ?y (COUNT(?x) AS ?c) { ?x :p ?y } GROUP BY ?y HAVING(COUNT(?x) > 1) }",
         ["c=2 y=b"]),
        ("{ SELECT (GROUP_CONCAT(?n; SEPARATOR='-') AS ?s) "
         "{ SELECT ?n { ?x :q ?n } ORDER BY DESC(?n) } }",
         ["s=3-2-1"]),
        ("{ SELECT ?k (COUNT(*) AS ?c) { ?x :q ?n } GROUP BY (?n > 1 AS ?k) }",
         ["c=1 k=false", "c=2 k=true"]),
        ("{ SELECT ?x { ?x :q ?n } ORDER BY DESC(?n) LIMIT 1 }", ["x=c"]),
        ("{ SELECT ?x { ?x :q ?n } ORDER BY ?n OFFSET 1 LIMIT 1 }", ["x=b"]),
        ("{ SELECT DISTINCT ?y { ?x :p ?y } }", ["y=b", "y=c"]),
        ("{ SELECT ?x (?n * 2 AS ?d) (?d + 1 AS ?e) { ?x :q ?n FILTER(?n > 2) } }",
         ["d=6 e=7 x=c"]),
        ("{ SELECT * { ?x :q ?n } VALUES ?n { 2 } }", ["n=2 x=b"]),
        ("{ ?x :p ?y { SELECT ?y (COUNT(*) AS ?c) { ?z :p ?y } GROUP BY ?y } }",
         ["c=2 x=a y=b", "c=1 x=b y=c", "c=2 x=c y=b"]),
    ],
)
def test_sub_selects(pattern: str, expected: list[str]) -> None:
    assert solutions(pattern) == Counter(expected)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        # OPTIONAL inside GRAPH goes on from the rows at hand …
        ("{ ?s :at ?x GRAPH :g { ?x :in ?r OPTIONAL { ?r :name ?n } } }", ["n=why r=y s=o x=x"]),
        ("{ ?s :at ?x GRAPH ?g { ?x :in ?r OPTIONAL { ?r :name ?n } } }",
         ["g=g n=why r=y s=o x=x", "g=h r=w s=o x=x"]),
        # … but not where it would see what it must not
        ("{ ?s :at ?x GRAPH :g { ?y :in ?z OPTIONAL { ?x :in ?z } } }",
         ["s=o x=x y=x z=y"]),
        ("{ ?s :at ?x { ?y :at ?z OPTIONAL { ?q :at ?x FILTER(?x != ?z) } } }",
         ["s=o x=x y=o z=x"]),
        ("{ ?s :at ?x { BIND(1 AS ?y) FILTER(BOUND(?x)) } }", []),
        ("{ ?s :at ?x { OPTIONAL { ?u :none ?x } FILTER(!BOUND(?x)) } }", ["s=o x=x"]),
        ("{ ?s :at ?x GRAPH :g { ?y :in ?z MINUS { ?x :in ?z } } }", []),
        ("{ ?s :at ?x GRAPH :g { SELECT (COUNT(*) AS ?c) { ?y :in ?z } } }", ["c=2 s=o x=x"]),
    ],
)
def test_extension_of_rows_is_the_join(pattern: str, expected: list[str]) -> None:
    assert solutions(pattern, ":o :at :x .") == Counter(expected)


def test_what_no_event_can_change_survives_a_sweep() -> None:
    pattern = "{ ?s :at ?c GRAPH :g { SELECT (COUNT(*) + 40 AS ?c) { ?y :in ?z } } }"
    matcher = compiled(pattern)
    data = graph(":o :at 42 .")
    assert len(matcher.match(data)) == 1
    matcher.dictionary.sweep()
    matcher.dictionary.encode(URIRef("urn:another"))
    assert len(matcher.match(graph(":p :at 42 . :p :at 43 ."))) == 1
