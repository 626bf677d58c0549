"""The translation of SPARQL 1.1 Query, 18.2: the worked examples of 18.2.3, and modifiers."""

from __future__ import annotations

from rdflib.term import URIRef, Variable

from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import literal
from denota.semantics.rdf import algebra as a
from denota.semantics.rdf import translation
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.parse import parse_group, parse_query

S, V = Variable("s"), Variable("v")


def algebra(text: str) -> a.Algebra:
    return translation.translate(parse_group(text))


def bgp(*names: str) -> a.BGP:
    """BGP(?s <name> ?v, …)"""
    return a.BGP(tuple(a.TriplePath(S, URIRef(name), V) for name in names))


def condition(text: str) -> s.Expression:
    (element,) = parse_group(f"{{ FILTER({text}) }}").elements
    assert isinstance(element, s.Filter)
    return element.condition


def test_a_group_with_a_basic_graph_pattern() -> None:
    assert algebra("{ ?s <p> ?v }") == bgp("p")
    assert algebra("{ ?s <p> ?v . ?s <q> ?v }") == bgp("p", "q")
    assert algebra("{}") == a.UNIT
    assert algebra("{ {} }") == a.UNIT


def test_unions_are_left_associative() -> None:
    assert algebra("{ {?s <p> ?v} UNION {?s <q> ?v} UNION {?s <r> ?v} }") == (
        a.Union(a.Union(bgp("p"), bgp("q")), bgp("r"))
    )


def test_the_filters_of_an_optional_move_into_the_left_join() -> None:
    assert algebra("{ ?s <p> ?v OPTIONAL { ?s <q> ?v FILTER(?v<1) FILTER(?s) } }") == a.LeftJoin(
        bgp("p"), bgp("q"), s.And((condition("?v<1"), condition("?s")))
    )
    # Simplification comes last: the filter of a group within the group stays where it is.
    assert algebra("{ ?s <p> ?v OPTIONAL { { ?s <q> ?v FILTER(?v<1) } } }") == a.LeftJoin(
        bgp("p"), a.Filter(condition("?v<1"), bgp("q")), None
    )


def test_filters_apply_to_the_whole_group_and_do_not_end_a_basic_graph_pattern() -> None:
    assert algebra("{ ?s <p> ?v FILTER(?v<1) ?s <q> ?v . OPTIONAL { ?s <r> ?v } }") == a.Filter(
        condition("?v<1"), a.LeftJoin(bgp("p", "q"), bgp("r"), None)
    )


def test_the_other_elements() -> None:
    assert algebra("{ ?s <p> ?v MINUS { ?s <q> ?v } }") == a.Minus(bgp("p"), bgp("q"))
    assert algebra("{ GRAPH ?g { ?s <p> ?v } }") == a.Graph(Variable("g"), bgp("p"))
    assert algebra("{ VALUES (?s ?v) { ('a' UNDEF) } }") == (
        a.Table((SolutionMapping({S: literal("a")}),))
    )
    assert algebra("{ ?s <p> ?v BIND(1 AS ?x) BIND(?x AS ?y) ?s <q> ?v }") == a.Join(
        a.Extend(
            bgp("p"), ((Variable("x"), condition("1")), (Variable("y"), Variable("x")))
        ),
        bgp("q"),
    )


def test_blank_nodes_become_variables_that_no_query_can_write() -> None:
    pattern = algebra("{ _:n <p> ?b1 . [] <q> _:n }")
    assert isinstance(pattern, a.BGP)
    first, second = pattern.triples
    assert first.subject == second.object
    assert {first.subject, second.subject} == pattern.blank
    assert not any(str(name).isidentifier() for name in pattern.blank)


def select(text: str) -> a.Algebra:
    query = parse_query(text)
    assert isinstance(query, s.SelectQuery)
    return translation.translate_select(query)


def test_modifiers_stand_in_their_order() -> None:
    pattern = select(
        "SELECT DISTINCT (?v AS ?x) { ?s <p> ?v } ORDER BY ?x LIMIT 2 OFFSET 1 VALUES ?s { <a> }"
    )
    joined = a.Join(bgp("p"), a.Table((SolutionMapping({S: URIRef("a")}),)))
    x = Variable("x")
    ordered = a.OrderBy(a.Extend(joined, ((x, V),)), (s.OrderCondition(x),))
    assert pattern == a.Slice(a.Distinct(a.Project(ordered, frozenset({x}), frozenset({x}))), 1, 2)


def test_aggregates_are_named_once_and_stray_variables_are_sampled() -> None:
    pattern = select(
        "SELECT ?s (SUM(?v) + SUM(?v) AS ?x) { ?s <p> ?v } GROUP BY ?s ORDER BY ?v ?x ?s"
    )
    assert isinstance(pattern, a.Project)
    ordered = pattern.pattern
    assert isinstance(ordered, a.OrderBy)
    extended = ordered.pattern
    assert isinstance(extended, a.Extend)
    grouped = extended.pattern
    assert isinstance(grouped, a.AggregateJoin)
    assert grouped.keys == ((S, S),)
    (total, sample) = (name for name, _ in grouped.aggregates)
    assert [aggregate for _, aggregate in grouped.aggregates] == [
        s.Aggregate("SUM", V), s.Aggregate("SAMPLE", V),
    ]
    assert extended.assignments == ((Variable("x"), s.Arithmetic("+", total, total)),)
    assert [c.expression for c in ordered.conditions] == [sample, Variable("x"), S]
