"""Texts of CQELS-CEP and their trees; what is wrong is said, with its place."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef, Variable

from denota.oracle.languages.registry import detect_language
from denota.semantics.cqels.syntax.analysis import check_query, visible_variables
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.printing import to_text
from denota.semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    NowWindow,
    RangeWindow,
    Span,
    TripleSequence,
    TriplesWindow,
    WindowFunction,
    WindowPattern,
    WindowSequence,
)
from denota.semantics.model.errors import QueryError
from denota.semantics.model.items import TimeKind
from denota.semantics.model.terms import literal
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.parse import parse_group

EX = "http://example.org/"
HEAD = "PREFIX : <http://example.org/>\nSELECT * FROM NAMED WINDOW :W ON :s [RANGE 5]\n"
MINUTE = 60_000_000


def name(local: str) -> URIRef:
    return URIRef(EX + local)


def query(where: str) -> CqelsQuery:
    return parse(f"{HEAD}WHERE {{ {where} }}")


def path_of(text: str) -> object:
    block = query(f"?x {text} ?y").where.elements[0]
    assert isinstance(block, s.TriplesBlock)
    return block.triples[0].predicate


def test_example_6() -> None:
    tree = parse("""
    PREFIX ex: <http://example.org/>
    PREFIX : <http://example.org/>
    PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
    SELECT ?s
    FROM ex:transportationMap
    FROM NAMED WINDOW :W ON ex:publicTransport [RANGE 10m]
    WHERE {
      WINDOW :W {
        SEQ ({?v :delayAt ?s}, {?v :delayAt ?s}, !{?v :arriveAt ?s})
      }
      ?v rdf:type :subway .
      ?s (^:beg/[:means :subway]/:end)+ :c.
    }""")
    assert tree.select == (s.Projection(Variable("s")),)
    assert tree.default == (name("transportationMap"),)
    window = tree.window(name("W"))
    assert window.stream == name("publicTransport")
    assert window.function == RangeWindow(Span(10 * MINUTE, TimeKind.DATETIME))
    block = tree.where.elements[0]
    assert isinstance(block, WindowPattern)
    assert isinstance(block.body, TripleSequence)
    assert [element.negated for element in block.body.elements] == [False, False, True]
    assert parse(to_text(tree)) == tree


@pytest.mark.parametrize(("text", "function"), [
    ("RANGE 5", RangeWindow(Span(5))),
    ("range 5 slide 2", RangeWindow(Span(5), Span(2))),
    ("RANGE 5 STEP 2", RangeWindow(Span(5), Span(2))),
    ("RANGE 5 TUMBLING", RangeWindow(Span(5), Span(5))),
    ("RANGE PT1M SLIDE 30 SECONDS", RangeWindow(
        Span(MINUTE, TimeKind.DATETIME), Span(MINUTE // 2, TimeKind.DATETIME)
    )),
    ("NOW", NowWindow()),
    ("All", AllWindow()),
    ("TRIPLES 7", TriplesWindow(7)),
])
def test_windows(text: str, function: WindowFunction) -> None:
    tree = parse(
        f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :W ON :s [{text}] WHERE {{ WINDOW :W {{}} }}"
    )
    assert tree.windows[0].function == function
    assert parse(to_text(tree)) == tree


def test_windows_that_are_declared_where_they_stand() -> None:
    inline = parse(f"PREFIX : <{EX}> SELECT * {{ WINDOW :W ON :s [RANGE 5] {{ ?a :p ?b }} }}")
    assert inline == query("WINDOW :W { ?a :p ?b }")


def test_sequences_over_windows() -> None:
    tree = parse(
        f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :A ON :s [NOW]"
        " FROM NAMED WINDOW :B ON :t [ALL] WHERE { WINDOW :A { ?a :p ?b } WINDOW :B { ?c :p ?d }"
        " SEQ(:A, !:B) }"
    )
    sequence = tree.where.elements[2]
    assert isinstance(sequence, WindowSequence)
    assert [(e.name, e.negated) for e in sequence.elements] == [
        (name("A"), False), (name("B"), True)
    ]
    assert visible_variables(tree.where) == (Variable("a"), Variable("b"))


P, Q = name("p"), name("q")


@pytest.mark.parametrize(("text", "path"), [
    (":p[:q]", s.NestedPath(P, Q)),
    (":p [:q]", s.NestedPath(P, Q)),
    ("^:p[:q]", s.NestedPath(s.InversePath(P), Q)),
    ("^(:p[:q])", s.InversePath(s.NestedPath(P, Q))),
    (":p+[:q]", s.NestedPath(s.OneOrMorePath(P), Q)),
    (":p[:q]+", s.OneOrMorePath(s.NestedPath(P, Q))),
    (":p[:q][^:q]*", s.ZeroOrMorePath(s.NestedPath(s.NestedPath(P, Q), s.InversePath(Q)))),
    ("[:q]", s.NodeTest(Q)),
    ("^:p[:q :p]/:q", s.SequencePath((s.NestedPath(s.InversePath(P), s.NodeTest(Q, P)), Q))),
    ("[:q :p]/:p", s.SequencePath((s.NodeTest(Q, P), P))),
    (':p/[:q "a"]', s.SequencePath((P, s.NodeTest(Q, literal("a"))))),
    ("([:q]|:p)", s.AlternativePath((s.NodeTest(Q), P))),
    (":p[:q[:p]]", s.NestedPath(P, s.NestedPath(Q, P))),
    (":p[[:q]/:p]", s.NestedPath(P, s.SequencePath((s.NodeTest(Q), P)))),
    ("next", s.AxisPath(s.Axis.NEXT)),
    ("self::[:q]", s.AxisPath(s.Axis.SELF, nested=Q)),
    ("edge^-1", s.AxisPath(s.Axis.EDGE, inverse=True)),
    ("node-1:::p", s.AxisPath(s.Axis.NODE, inverse=True, label=P)),
    ("next⁻¹::p", s.AxisPath(s.Axis.NEXT, inverse=True, label=P)),
    ("next::<http://example.org/p>", s.AxisPath(s.Axis.NEXT, label=P)),
    ("next::p[next::q/self::p]", s.NestedPath(
        s.AxisPath(s.Axis.NEXT, label=P),
        s.SequencePath((s.AxisPath(s.Axis.NEXT, label=Q), s.AxisPath(s.Axis.SELF, label=P))),
    )),
    ("next::[self::[next]]*", s.ZeroOrMorePath(s.AxisPath(
        s.Axis.NEXT, nested=s.AxisPath(s.Axis.SELF, nested=s.AxisPath(s.Axis.NEXT))
    ))),
])
def test_paths(text: str, path: object) -> None:
    assert path_of(text) == path
    again = query(f"?x {text} ?y")
    assert parse(to_text(again)) == again


@pytest.mark.parametrize("text", [
    "?s :p [ :q ?o ] .", "?s :p [ :q ?o ]", "[ :q ?o ] :p ?s .", "?s :p [ :q ?o ] ; :q ?x .",
    "?s :p [ :q ?o ], [ :q ?x ] .", "?s :p ( [ :q ?o ] 1 ) .", "?s :p [] .", "[] :p [] .",
    "?s :p [ :q [ :p ?o ] ] .", "?s :p [ :q ?o ] FILTER (?o > 1)", "{ ?s :p [ :q ?o ] } UNION { }",
])
def test_blank_nodes_stay_blank_nodes(text: str) -> None:
    prologue = s.Prologue(prefixes=(("", EX),))
    assert query(text).where == parse_group(f"{{ {text} }}", prologue)


def test_brackets_in_strings_comments_and_iris() -> None:
    text = '?s :p "[:q] :x" . # a [:q] b\n ?s <http://example.org/p> \'[\' . ?s :p[:q] ?o'
    block = query(text).where.elements[0]
    assert isinstance(block, s.TriplesBlock)
    assert [isinstance(t.predicate, s.NestedPath) for t in block.triples] == [False, False, True]


@pytest.mark.parametrize(("where", "message"), [
    ("WINDOW :W { SEQ({?a :p ?b},) }", r"3:\d+: unexpected '\)', expected"),
    ("WINDOW :W { SEQ({?a :p ?b}", r"expected '\)' or ','"),
    ("WINDOW :W { SEQ({?a :p ?b}, !{?a :q ?b}, !{?a :q ?c}) }",
     "3:50: a sequence has at most one negated"),
    ("WINDOW :W { WINDOW :W { ?a :p ?b } }", "a WINDOW cannot stand inside a WINDOW"),
    ("WINDOW :W { ?a :p ?b . SEQ(:W, :W) }", "SEQ over windows cannot stand inside a WINDOW"),
    ("WINDOW :W { FILTER EXISTS { GRAPH :g { ?a :p ?b } } }", "GRAPH cannot stand inside"),
    ("GRAPH :g { WINDOW :W { ?a :p ?b } }", "a WINDOW cannot stand inside GRAPH"),
    ("{ SELECT ?a { WINDOW :W { ?a :p ?b } } }", "a WINDOW cannot stand inside a sub-select"),
    ("BIND (EXISTS { WINDOW :W { ?a :p ?b } } AS ?c)", "a WINDOW cannot stand inside EXISTS"),
    ("?a :p[:q ?b", "unexpected"),
    ("?a next::[ ?b", "expected"),
    ("?a :p _:x . WINDOW :W { ?a :p _:x }", "the blank node _:x stands in two"),
    ("WINDOW :W { ?a :p ?b } BIND (1 AS ?b)", "BIND cannot bind [?]b"),
])
def test_errors(where: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as raised:
        query(where)
    assert "\n" not in str(raised.value)
    assert "\x01" not in str(raised.value)


@pytest.mark.parametrize(("window", "message"), [
    ("", r"expected ALL, NOW, RANGE or TRIPLES"),
    ("RANGE", "expected a number"),
    ("RANGE 5 SLIDE 0", "must slide by more than 0"),
    ("RANGE 5 SLIDE 5m", "need the same unit"),
    ("RANGE 5 years", "no fixed length"),
    ("TRIPLES 0", "more than 0 triples"),
])
def test_errors_in_windows(window: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        parse(f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :W ON :s [{window}] WHERE {{}}")


def test_warnings() -> None:
    tree = parse(
        f"PREFIX : <{EX}> SELECT ?z ?y FROM :map FROM NAMED WINDOW :W ON :s [NOW]"
        " FROM NAMED WINDOW :V ON :s [NOW] WHERE { WINDOW :W { SEQ({?x :p ?x}, !{?x :p ?y}) } }"
    )
    codes = [(warning.code, warning.message) for warning in check_query(tree, [], [])]
    assert [code for code, _ in codes] == [
        "unused-window", "unknown-stream", "unknown-stream", "unknown-graph", "unbound-variable",
        "unbound-variable",
    ]
    assert any(text == "?y is selected, but nothing positive binds it" for _, text in codes)
    assert check_query(query("WINDOW :W { ?a :p ?b }"), [name("s")], []) == []


def test_a_filter_that_looks_at_another_element_is_warned_of() -> None:
    inside = query("WINDOW :W { SEQ({?a :p ?b}, {?a :p ?c FILTER (?c > ?b)}) }")
    (warning,) = check_query(inside, [name("s")], [])
    assert warning.code == "foreign-filter"
    assert "?b is not bound" in warning.message
    assert warning.position.line == 3
    behind = query("WINDOW :W { SEQ({?a :p ?b}, {?a :p ?c}) FILTER (?c > ?b) }")
    assert check_query(behind, [name("s")], []) == []


@pytest.mark.parametrize(
    ("bare", "braced"),
    [
        ("?v :d ?s, ?v :d ?s, !?v :a ?s", "{?v :d ?s}, {?v :d ?s}, !{?v :a ?s}"),
        ("!?v :d ?s . ?s :x 1, ?v :a ?s ; :b 2 .", "!{?v :d ?s . ?s :x 1}, {?v :a ?s ; :b 2}"),
        ("{?v :d ?s}, !?v :d ?t", "{?v :d ?s}, !{?v :d ?t}"),
        ("?s (^:b/[:m :c]/:e)+ :c , ?s :p 1", "{?s (^:b/[:m :c]/:e)+ :c}, {?s :p 1}"),
        ("!?v !:p ?s, ?v :p ?s", "!{?v !:p ?s}, {?v :p ?s}"),
        ("![ :p 1, 2 ] :q ?x, [ :p ?x ]", "!{[ :p 1, 2 ] :q ?x}, {[ :p ?x ]}"),
    ],
)
def test_patterns_of_a_sequence_need_no_braces(bare, braced):
    """Section 3.1 has TrTemp; Example 6 has groups."""
    text = (
        "PREFIX : <urn:> SELECT * FROM NAMED WINDOW :W ON :s [RANGE 10]"
        " WHERE {{ WINDOW :W {{ SEQ({}) }} }}"
    )
    assert parse(text.format(bare)) == parse(text.format(braced))
    assert detect_language(text.format(bare)).name == "cqels"


def test_without_braces_a_comma_ends_the_pattern():
    text = "SELECT * WHERE { WINDOW <urn:w> ON <urn:s> [RANGE 1] { SEQ(?v <urn:d> ?s, ?t) } }"
    with pytest.raises(QueryError, match="unexpected"):
        parse(text)
