"""From text to tree: names, abbreviations, scoping rules, and errors at their place."""

from __future__ import annotations

import pytest
from rdflib.term import BNode, URIRef, Variable

from denota.semantics.model.errors import Position, QueryError, UnsupportedError
from denota.semantics.model.terms import literal
from denota.semantics.rdf.syntax.parse import RDF_NIL, RDF_TYPE, parse_group, parse_query
from denota.semantics.rdf.syntax.tree import (
    AlternativePath,
    Arithmetic,
    AskQuery,
    Bind,
    Comparison,
    ConstructQuery,
    DescribeQuery,
    Filter,
    GroupGraphPattern,
    InlineData,
    InversePath,
    NegatedPropertySet,
    OneOrMorePath,
    Prologue,
    SelectQuery,
    SequencePath,
    TriplePattern,
    TriplesBlock,
    ZeroOrMorePath,
    ZeroOrOnePath,
)

XSD = "http://www.w3.org/2001/XMLSchema#"
X, Y = Variable("x"), Variable("y")


NO_PROLOGUE = Prologue()


def triples(text: str, prologue: Prologue = NO_PROLOGUE) -> list[tuple[object, object, object]]:
    (block,) = parse_group(f"{{ {text} }}", prologue).elements
    assert isinstance(block, TriplesBlock)
    return [(t.subject, t.predicate, t.object) for t in block.triples]


def path(text: str) -> object:
    return triples(f"?x {text} ?y")[0][1]


# --- names ---------------------------------------------------------------------------------------


def test_prefixes_and_bases_hold_from_where_they_are_declared() -> None:
    query = parse_query(
        "BASE <http://b/a/> PREFIX p: <x#> prefix : <http://e/> base <y/> "
        "select * { p:a :b%20c.d\\~ <../z> }"
    )
    assert isinstance(query, SelectQuery)
    assert query.where == GroupGraphPattern((TriplesBlock((
        TriplePattern(
            URIRef("http://b/a/x#a"), URIRef("http://e/b%20c.d~"), URIRef("http://b/a/z")
        ),
    )),))
    assert query.prologue.base == "http://b/a/y/"
    assert dict(query.prologue.prefixes) == {"p": "http://b/a/x#", "": "http://e/"}


def test_a_group_takes_its_names_from_the_prologue() -> None:
    prologue = Prologue("http://b/", (("e", "http://e/"),))
    assert triples("e:a <p> e:", prologue) == [
        (URIRef("http://e/a"), URIRef("http://b/p"), URIRef("http://e/"))
    ]


def test_an_iri_stays_relative_without_a_base() -> None:
    assert triples("<a> <b> <c>")[0][0] == URIRef("a")


def test_keywords_in_any_case_and_prefixes_that_look_like_them() -> None:
    query = parse_query(
        "PREFIX select: <s#> PREFIX str: <t#> SeLeCt ?select { ?select a str:len "
        "fIlTeR(sTrLeN(?select)>1) . select:a a select:b }"
    )
    assert isinstance(query, SelectQuery)
    assert len(query.where.elements) == 3


def test_escaped_code_points_count_everywhere() -> None:
    assert triples(r"?x <http://e/\u00E9> '\U0001F600'") == [
        (X, URIRef("http://e/é"), literal("😀"))
    ]


# --- terms and abbreviations ---------------------------------------------------------------------


@pytest.mark.parametrize("text, term", [
    ("01", literal("01", XSD + "integer")), ("-1", literal("-1", XSD + "integer")),
    ("+.5", literal("+.5", XSD + "decimal")), ("1.e3", literal("1.e3", XSD + "double")),
    ("TRUE", literal("true", XSD + "boolean")), ("'a\\tb'", literal("a\tb")),
    ('"""a"b\n"""', literal('a"b\n')), ("'''it's'''", literal("it's")), ("''", literal("")),
    ('"a"@en-GB', literal("a", language="en-gb")),
    (f'"a"^^<{XSD}string>', literal("a")), ('"01"^^<u:t>', literal("01", "u:t")), ("()", RDF_NIL),
])
def test_a_term(text: str, term: object) -> None:
    assert triples(f"?x ?y {text}")[0][2] == term


def test_lists_of_predicates_and_objects() -> None:
    p, q = URIRef("p"), URIRef("q")
    assert triples("?x <p> 1, 2 ; a <C> ; ; <q> ?y ; . ?y <p> 1") == [
        (X, p, literal("1", XSD + "integer")), (X, p, literal("2", XSD + "integer")),
        (X, RDF_TYPE, URIRef("C")), (X, q, Y), (Y, p, literal("1", XSD + "integer")),
    ]


def test_blank_nodes_and_collections() -> None:
    node, cell, rest = BNode("b1"), BNode("b2"), BNode("b3")
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    assert triples("[ <p> [] ] <q> (?x ?y)")[0] == (BNode("b2"), URIRef("p"), node)
    assert triples("[] <q> (?x ?y)") == [
        (BNode("b1"), URIRef("q"), cell),
        (cell, URIRef(rdf + "first"), X), (cell, URIRef(rdf + "rest"), rest),
        (rest, URIRef(rdf + "first"), Y), (rest, URIRef(rdf + "rest"), RDF_NIL),
    ]


def test_a_nameless_node_is_no_named_one() -> None:
    (first, second) = triples("_:b1 <p> [] . [] <p> _:b2")
    assert len({first[0], first[2], second[0], second[2]}) == 4


@pytest.mark.parametrize("text, expected", [
    ("<p>/<q>/<r>", SequencePath((URIRef("p"), URIRef("q"), URIRef("r")))),
    ("<p>/(<q>/<r>)", SequencePath((URIRef("p"), SequencePath((URIRef("q"), URIRef("r")))))),
    ("<p>|^<q>/<r>",
     AlternativePath((URIRef("p"), SequencePath((InversePath(URIRef("q")), URIRef("r")))))),
    ("^<p>*", InversePath(ZeroOrMorePath(URIRef("p")))),
    ("(^<p>)+", OneOrMorePath(InversePath(URIRef("p")))),
    ("a?", ZeroOrOnePath(RDF_TYPE)),
    ("!<p>", NegatedPropertySet((URIRef("p"),), ())),
    ("!(<p>|^a|<q>)", NegatedPropertySet((URIRef("p"), URIRef("q")), (RDF_TYPE,))),
    ("!()", NegatedPropertySet((), ())),
])
def test_a_path(text: str, expected: object) -> None:
    assert path(text) == expected


def test_the_lexer_sees_a_sign_after_a_datatype() -> None:
    # Between a path's `+` and an addition only the rules around them decide.
    (element,) = parse_group("{ BIND('1'^^<t>+1 AS ?x) }").elements
    assert isinstance(element, Bind)
    assert element.expression == Arithmetic("+", literal("1", "t"), literal("1", XSD + "integer"))


def test_a_comparison_without_spaces() -> None:
    (element,) = parse_group("{ FILTER(?x<?y) }").elements
    assert isinstance(element, Filter)
    assert element.condition == Comparison("<", X, Y)


def test_inline_data() -> None:
    (one, full) = parse_group("{ VALUES ?x { 1 UNDEF } VALUES (?x ?y) { (<a> UNDEF) } }").elements
    assert one == InlineData((X,), ((literal("1", XSD + "integer"),), (None,)))
    assert full == InlineData((X, Y), ((URIRef("a"), None),))
    (none,) = parse_group("{ VALUES () { () () } }").elements
    assert none == InlineData((), ((), ()))


def test_positions_are_kept_and_do_not_count() -> None:
    here, there = "{ FILTER(?x) }", "{\n   FILTER(?x) }"
    (element,) = parse_group(there).elements
    assert isinstance(element, Filter)
    assert element.position == Position(2, 4)
    assert parse_group(here) == parse_group(there)


# --- the forms of queries ------------------------------------------------------------------------


def test_the_four_forms() -> None:
    select = parse_query("SELECT DISTINCT ?x (?x+1 AS ?y) FROM <d> FROM NAMED <n> WHERE {} LIMIT 1")
    assert isinstance(select, SelectQuery)
    assert select.distinct
    assert select.dataset is not None
    assert select.dataset.named == (URIRef("n"),)
    assert select.modifier.limit == 1
    assert isinstance(parse_query("ASK {}"), AskQuery)
    short = parse_query("CONSTRUCT WHERE { ?x <p> ?y }")
    assert isinstance(short, ConstructQuery)
    assert short.template == short.where.elements[0].triples  # type: ignore[union-attr]
    describe = parse_query("DESCRIBE ?x <a> WHERE {} OFFSET 2")
    assert isinstance(describe, DescribeQuery)
    assert describe.targets == (X, URIRef("a"))
    assert describe.modifier.offset == 2
    everything = parse_query("DESCRIBE * {}")
    assert isinstance(everything, DescribeQuery)
    assert everything.targets is None


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, place, message", [
    ("SELECT ?x {\n ?x <p> }", (2, 9), "unexpected '}', expected"),
    ("SELECT ?x", (1, 10), "unexpected end of the query, expected"),
    ("SELECT ?x { ?x e:p 1 }", (1, 16), "the prefix 'e:' is not declared"),
    ("SELECT ?x { FILTER STRLEN(1, 2) }", (1, 20), "STRLEN takes 1 argument, not 2"),
    ("SELECT ?x { FILTER BOUND(1) }", (1, 20), "BOUND takes a variable"),
    ("SELECT ?x { FILTER(REPLACE(1, 2)) }", (1, 20), "REPLACE takes 3 to 4 arguments, not 2"),
    ("SELECT ?x { ?x <p> 'a }", (1, 20), "unexpected '''"),
    ("SELECT ?→ {}", (1, 8), "has a character that no name may have"),
    ("SELECT ?x { ?x <p> '\\uD800' }", (1, 21), "is not a Unicode character"),
    ("SELECT ?x {\n ?x <p> 1 BIND(1 AS ?x) }", (2, 11), "BIND cannot bind ?x"),
    ("SELECT ?x { FILTER(COUNT(?x) > 1) }", (1, 13), "the aggregate COUNT cannot stand in FILTER"),
    ("SELECT (1 AS ?x) { ?x <p> 1 }", (1, 1), "AS cannot name ?x"),
    ("SELECT (1 AS ?x) (2 AS ?x) {}", (1, 1), "AS cannot name ?x"),
    ("SELECT * { } GROUP BY ?x", (1, 1), r"SELECT * cannot stand with GROUP BY"),
    ("SELECT ?x (COUNT(*) AS ?n) {}", (1, 1), "?x is selected but it is no key of GROUP BY"),
    ("SELECT (?x + SUM(?y) AS ?n) {}", (1, 1), "?x is used beside aggregates"),
    ("SELECT (SUM(COUNT(?x)) AS ?n) {}", (1, 1), "the aggregate COUNT cannot stand in SUM"),
    ("SELECT (SUM(*) AS ?n) {}", (1, 9), "only COUNT(*) is"),
    ("SELECT (SUM(?x; SEPARATOR='') AS ?n) {}", (1, 9), "SUM takes no SEPARATOR"),
    ("ASK { VALUES (?x ?y) { (1) } }", (1, 14), "2 variables but a row of 1 terms"),
    ("ASK { VALUES (?x ?x) { (1 1) } }", (1, 14), "names a variable twice"),
    ("ASK { _:a <p> 1 OPTIONAL { _:a <p> 2 } }", (1, 28), "_:a stands in two basic graph patterns"),
    ("ASK { _:a <p> 1 FILTER EXISTS { _:a <p> 2 } }", (1, 33), "_:a stands in two"),
    ("CONSTRUCT { ?x <p>+ 1 } {}", (1, 13), "a property path cannot stand in a CONSTRUCT template"),
    ("CONSTRUCT WHERE { FILTER(1) }", (1, 1), "nothing but triple patterns"),
])
def test_an_error_has_a_place_and_says_what_is_wrong(
    text: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text, source="q.rq")
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).startswith(f"q.rq:{place[0]}:{place[1]}: ")


def test_what_was_expected_is_said_in_plain_words() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query("ASK { } LIMIT ?x")
    assert caught.value.message == "unexpected '?x', expected a number"
    with pytest.raises(QueryError) as caught:
        parse_query("SELECT {}")
    assert caught.value.message == (
        "unexpected '{', expected a variable, DISTINCT, REDUCED, '(' or '*'"
    )


def test_a_blank_node_may_stand_on_both_sides_of_a_filter() -> None:
    assert len(parse_group("{ _:a <p> ?x FILTER(?x) _:a <q> ?y }").elements) == 3


def test_what_is_legal_but_not_supported() -> None:
    with pytest.raises(UnsupportedError, match=r"^q:2:1: SERVICE"):
        parse_query("ASK {\nSERVICE <s> { ?x <p> 1 } }", source="q")
    with pytest.raises(UnsupportedError, match=r"^q:2: SPARQL Update \(INSERT\)"):
        parse_query("PREFIX a: <b>\ninsert data { }", source="q")


def test_deep_nesting_is_an_error_of_the_query() -> None:
    deep = "{" * 5000 + "}" * 5000
    with pytest.raises(QueryError, match=r"^1:\d+: the query is nested too deeply"):
        parse_group(deep)
