"""What graph patterns mean, operator by operator; bags unless said otherwise."""

from __future__ import annotations

from collections.abc import Callable

from rdflib.term import BNode, URIRef, Variable

from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Dataset, Graph, literal
from denota.semantics.rdf.evaluation import Evaluation, evaluate, filtered, solutions
from denota.semantics.rdf.syntax.parse import parse_group

Rows = Callable[..., list[dict[str, str]]]

DATA = ":a :p 1 ; :q :b . :b :p 2 ; :q :c . :c :r :c ."


def test_a_basic_graph_pattern(rows: Rows) -> None:
    assert rows("{ ?x :p ?v . ?x :q ?y }", DATA) == [
        {"v": "1", "x": ":a", "y": ":b"}, {"v": "2", "x": ":b", "y": ":c"},
    ]
    assert rows("{ ?x ?p ?x }", DATA) == [{"p": ":r", "x": ":c"}]
    assert rows("{ :a :p 1 }", DATA) == [{}]
    assert rows("{ :a :p 01 }", DATA) == []
    assert rows("{}", "") == [{}]


def test_a_repeated_variable_is_one_term_everywhere(rows: Rows) -> None:
    assert rows("{ ?x ?x ?y }", ":p :p :q . :p :q :p .") == [{"x": ":p", "y": ":q"}]
    assert rows("{ ?y ?x ?x }", ":p :q :q .") == [{"x": ":q", "y": ":p"}]
    assert rows("{ ?x ?x ?x }", ":p :p :p . :p :p :q .") == [{"x": ":p"}]


def test_blank_nodes_match_like_variables_and_are_not_bound(rows: Rows) -> None:
    assert rows("{ _:n :q ?x . ?x :q _:m }", DATA) == [{"x": ":b"}]
    # Two assignments of the blank node, two solutions.
    assert rows("{ [] :q ?x }", ":a :q :c . :b :q :c .") == [{"x": ":c"}, {"x": ":c"}]


def test_a_blank_node_of_the_data_is_a_term() -> None:
    node = BNode("n")
    data: Graph = frozenset({(node, URIRef("p"), node), (node, URIRef("p"), BNode("m"))})
    assert evaluate(parse_group("{ ?x <p> ?x }"), Dataset(data)) == [
        SolutionMapping({Variable("x"): node})
    ]


def test_joins_agree_on_what_both_bind(rows: Rows) -> None:
    assert rows("{ { ?x :p ?v } { ?x :q ?y } }", DATA) == rows("{ ?x :p ?v . ?x :q ?y }", DATA)
    # A variable that one side leaves unbound takes the other's value.
    assert rows("{ VALUES (?x ?y) { (UNDEF 1) } VALUES (?x ?y) { (2 UNDEF) } }", "") == [
        {"x": "2", "y": "1"}
    ]


def test_optional(rows: Rows) -> None:
    assert rows("{ ?x :q ?y OPTIONAL { ?y :q ?z } }", DATA) == [
        {"x": ":a", "y": ":b", "z": ":c"}, {"x": ":b", "y": ":c"},
    ]
    assert rows("{ ?x :p ?v OPTIONAL { ?x :q ?y FILTER(?v > 1) } }", DATA) == [
        {"v": "1", "x": ":a"}, {"v": "2", "x": ":b", "y": ":c"},
    ]
    assert rows("{ OPTIONAL { ?x :none ?v } }", DATA) == [{}]


def test_union_keeps_duplicates(rows: Rows) -> None:
    assert rows("{ { ?x :q :b } UNION { ?x :p 1 } UNION { ?y :r ?y } }", DATA) == [
        {"x": ":a"}, {"x": ":a"}, {"y": ":c"},
    ]


def test_minus_needs_a_shared_variable(rows: Rows) -> None:
    assert rows("{ ?x :p ?v MINUS { ?x :q :c } }", DATA) == [{"v": "1", "x": ":a"}]
    assert len(rows("{ ?x :p ?v MINUS { ?other :q :c } }", DATA)) == 2
    assert len(rows("{ ?x :p ?v MINUS {} }", DATA)) == 2
    # Nothing is shared where a side leaves the variable unbound.
    assert rows("{ VALUES ?x { UNDEF } MINUS { VALUES ?x { 1 } } }", "") == [{}]


def test_filters(rows: Rows) -> None:
    assert rows("{ FILTER(?v = 2) ?x :p ?v }", DATA) == [{"v": "2", "x": ":b"}]
    assert rows("{ ?x :p ?v FILTER(?unbound = 2) }", DATA) == []
    assert rows("{ ?x :p ?v FILTER(!(?unbound = 2)) }", DATA) == []
    # A filter sees its own group only.
    assert rows("{ ?x :p ?v { FILTER(BOUND(?v)) } }", DATA) == []


def test_negated_comparisons_of_incomparable_literals_are_errors(rows: Rows) -> None:
    data = ':a :p 1 . :b :p "x" . :c :p "x"@en . :d :p :a . :e :p "y"^^xsd:integer .'
    different = rows("{ ?x :p ?v FILTER(!(?v = 1)) }", data)
    assert {row["x"] for row in different} == {":c", ":d"}
    assert rows("{ ?x :p ?v FILTER(!(?v < 1)) }", data) == [{"v": "1", "x": ":a"}]


def test_exists(rows: Rows) -> None:
    assert rows("{ ?x :p ?v FILTER EXISTS { ?x :q :c } }", DATA) == [{"v": "2", "x": ":b"}]
    assert rows("{ ?x :p ?v FILTER NOT EXISTS { ?x :q :c } }", DATA) == [{"v": "1", "x": ":a"}]
    # The solution is seen by the filters inside …
    assert rows("{ ?x :p ?v FILTER EXISTS { ?y :p ?w FILTER(?w > ?v) } }", DATA) == [
        {"v": "1", "x": ":a"}
    ]
    # … at any depth …
    assert rows("{ ?x :p ?v FILTER EXISTS { FILTER EXISTS { ?x :q :c } } }", DATA) == [
        {"v": "2", "x": ":b"}
    ]
    # … but not by what a sub-select does not select.
    assert len(rows("{ ?x :p ?v FILTER EXISTS { SELECT ?y { ?x :q :c } } }", DATA)) == 2
    assert len(rows("{ ?x :p ?v FILTER EXISTS { SELECT ?x { ?x :q :c } } }", DATA)) == 1


def test_what_exists_binds_must_agree_with_the_solution(rows: Rows) -> None:
    assert rows("{ ?x :p ?v FILTER EXISTS { VALUES ?v { 2 3 } } }", DATA) == [
        {"v": "2", "x": ":b"}
    ]
    assert rows("{ ?x :p ?v FILTER EXISTS { BIND(1 + 1 AS ?v) } }", DATA) == [
        {"v": "2", "x": ":b"}
    ]
    assert rows("{ ?x :p ?v FILTER EXISTS { ?y :q ?z MINUS { ?x :q :c } } }", DATA) == [
        {"v": "1", "x": ":a"}, {"v": "2", "x": ":b"},
    ]
    assert rows("{ ?x :p ?v FILTER EXISTS { ?x :q ?z MINUS { ?x :q :c } } }", DATA) == [
        {"v": "1", "x": ":a"}
    ]


def test_exists_within_graph_looks_at_the_named_graph(rows: Rows) -> None:
    named = {"g": ":a :p 1 . :a :q :b ."}
    assert rows("{ GRAPH ?g { ?x :p ?v FILTER EXISTS { ?x :q :b } } }", ":a :p 1 .", named) == [
        {"g": ":g", "v": "1", "x": ":a"}
    ]
    assert rows("{ ?x :p ?v FILTER EXISTS { ?x :q :b } }", ":a :p 1 .", named) == []


def test_graph(rows: Rows) -> None:
    named = {"g": ":a :p 1 .", "h": ":a :p :h ."}
    assert rows("{ GRAPH :g { ?x :p ?v } }", DATA, named) == [{"v": "1", "x": ":a"}]
    assert rows("{ GRAPH ?g { ?x :p ?v } }", DATA, named) == [
        {"g": ":g", "v": "1", "x": ":a"}, {"g": ":h", "v": ":h", "x": ":a"},
    ]
    assert rows("{ GRAPH ?g { ?x :p ?g } }", DATA, named) == [{"g": ":h", "x": ":a"}]
    assert rows("{ GRAPH ?g {} }", DATA, named) == [{"g": ":g"}, {"g": ":h"}]
    assert rows("{ GRAPH :unknown {} }", DATA, named) == []
    assert rows("{ GRAPH ?g { VALUES ?g { :h :i } } }", DATA, named) == [{"g": ":h"}]
    # The name is joined after the pattern: inside it is a variable like any other.
    assert rows("{ GRAPH ?g { OPTIONAL { ?x :p ?g } } }", DATA, named) == [{"g": ":h", "x": ":a"}]


def test_bind(rows: Rows) -> None:
    assert rows("{ ?x :p ?v BIND(?v + 1 AS ?w) BIND(?w * 2 AS ?u) }", DATA) == [
        {"u": "4", "v": "1", "w": "2", "x": ":a"}, {"u": "6", "v": "2", "w": "3", "x": ":b"},
    ]
    assert rows("{ BIND(1/0 AS ?x) }", "") == [{}]
    # What is bound before is joined with what comes after.
    assert rows("{ BIND(2 AS ?v) ?x :p ?v }", DATA) == [{"v": "2", "x": ":b"}]


def test_values(rows: Rows) -> None:
    assert rows("{ VALUES (?x ?v) { (:a UNDEF) (UNDEF 2) (:a 3) } ?x :p ?v }", DATA) == [
        {"v": "1", "x": ":a"}, {"v": "2", "x": ":b"},
    ]
    assert rows("{ VALUES ?x { 1 1 } }", "") == [{"x": "1"}, {"x": "1"}]
    assert rows("{ VALUES ?x {} }", "") == []


def test_sub_selects(rows: Rows) -> None:
    assert rows("{ { SELECT ?x { ?x :p ?v } } ?x :q ?v }", DATA) == [
        {"v": ":b", "x": ":a"}, {"v": ":c", "x": ":b"},
    ]
    assert rows("{ { SELECT (MAX(?v) AS ?m) { ?x :p ?v } } ?x :p ?m }", DATA) == [
        {"m": "2", "x": ":b"}
    ]
    assert rows("{ SELECT DISTINCT ?t { ?x ?p ?y BIND(1 AS ?t) } }", DATA) == [{"t": "1"}]
    assert rows("{ SELECT ?v { ?x :p ?v } ORDER BY DESC(?v) LIMIT 1 }", DATA) == [{"v": "2"}]
    assert rows("{ SELECT ?v { ?x :p ?v } ORDER BY ?v OFFSET 1 }", DATA) == [{"v": "2"}]


def test_the_set_view(graph: Callable[[str], Graph]) -> None:
    pattern = parse_group("{ { ?x <http://e/p> 1 } UNION { ?x <http://e/p> 1 } }")
    assert solutions(pattern, graph(DATA)) == {
        SolutionMapping({Variable("x"): URIRef("http://e/a")})
    }
    named = {URIRef("http://e/g"): graph(DATA)}
    inside = parse_group("{ GRAPH <http://e/g> { ?x <http://e/p> 1 } }")
    assert solutions(inside, frozenset(), named) == solutions(pattern, graph(DATA))


def test_a_collected_value_matches_no_term(graph: Callable[[str], Graph]) -> None:
    from denota.semantics.rdf.syntax.tree import Filter

    (element,) = parse_group("{ FILTER EXISTS { ?x <http://e/p>? ?v } }").elements
    assert isinstance(element, Filter)
    collected = SolutionMapping({Variable("x"): (literal("a"), literal("b"))})
    data = graph(DATA)
    assert not filtered(element.condition, [collected], Evaluation(Dataset(data), data))
