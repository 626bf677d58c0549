"""The definitions one by one, on the smallest values that tell them apart."""

from __future__ import annotations

import math

import pytest
from rdflib.term import URIRef, Variable

from denota.semantics.epsparql.background import conclusions
from denota.semantics.epsparql.intervals import Timed, reading
from denota.semantics.epsparql.operators import (
    after,
    before,
    eq_join,
    eq_left_join,
    join,
    left_join,
    left_join_closed,
    left_join_paper,
    seq_join,
    seq_right_join,
)
from denota.semantics.epsparql.queries import evaluate
from denota.semantics.epsparql.syntax.analysis import check_query, refuse
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.epsparql.syntax.stratification import is_timewise, strata
from denota.semantics.epsparql.syntax.to_rsepql import to_rsepql
from denota.semantics.model.errors import QueryError, ReadingError, StreamError
from denota.semantics.model.items import IntervalGraph, TimeKind, TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import literal
from denota.semantics.rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from denota.semantics.rdf.syntax.tree import BuiltIn
from denota.semantics.rsepql.syntax.printing import to_text as rsepql_text
from denota.semantics.rsepql.syntax.tree import Moment

X, Y = Variable("x"), Variable("y")
A, B, P, Q = (URIRef(f"urn:{local}") for local in "abpq")


def true(psi, other):
    """The condition where there is none."""
    return True


def timed(start, end, **bindings):
    return Timed(
        SolutionMapping({Variable(v): URIRef(f"urn:{t}") for v, t in bindings.items()}), start, end
    )


def spans(omega):
    return sorted((psi.start, psi.end) for psi in omega)


def test_the_combination_spans_both():
    assert spans(join([timed(1, 4, x="a")], [timed(2, 3, y="b"), timed(0, 9, x="b")])) == [(1, 4)]


def test_a_sequence_is_strict():
    omega = [timed(1, 3, x="a")]
    assert seq_join(omega, [timed(3, 5, y="b")]) == []
    assert spans(seq_join(omega, [timed(4, 5, y="b")])) == [(1, 5)]


def test_simultaneity_is_of_both_ends():
    omega = [timed(1, 3, x="a")]
    assert eq_join(omega, [timed(1, 4, y="b"), timed(2, 3, y="b")]) == []
    assert spans(eq_join(omega, [timed(1, 3, y="b")])) == [(1, 3)]
    assert spans(eq_left_join(omega, [timed(1, 4)], true)) == [(1, 3)]


def test_an_optional_sequence_keeps_its_second_side():
    omega = [timed(4, 5, x="a")]
    found = seq_right_join([timed(1, 3, y="b"), timed(1, 4, y="b")], omega, true, after)
    assert spans(found) == [(1, 5)]
    assert seq_right_join([timed(1, 4, y="b")], omega, true, after) == omega
    assert seq_right_join([timed(1, 3, x="b")], omega, true, after) == omega
    assert spans(seq_right_join([timed(6, 7, y="b")], omega, true, before)) == [(4, 7)]


@pytest.mark.parametrize(
    ("joined", "found"),
    [
        (left_join, [(1, 4), (2, 4), (2, 9)]), (left_join_paper, [(1, 4)]),
        (left_join_closed, [(1, 4), (2, 4)]),
    ],
)
def test_left_joins(joined, found):
    others = [timed(1, 3, y="b"), timed(2, 4, y="b"), timed(3, 9, y="b")]
    assert spans(joined([timed(2, 4, x="a")], others, true)) == found


def test_what_has_no_time_is_left_out():
    timeless = Timed(SolutionMapping())
    assert spans(join([timeless], [timed(2, 4)])) == [(2, 4)]
    assert spans(seq_join([timeless], [timed(2, 4)])) == [(2, 4)]
    assert spans(seq_join([timed(2, 4)], [timeless])) == [(2, 4)]
    assert eq_join([timeless], [timed(2, 4)]) == []
    assert seq_right_join([timed(2, 4)], [timeless], true, after) == [timeless]
    assert (timeless.start, timeless.end) == (math.inf, -math.inf)


def test_the_functions_of_the_interval():
    call = BuiltIn("GETDURATION", ())
    assert reading(call, timed(2, 7), TimeKind.INTEGER) == literal(
        "5", "http://www.w3.org/2001/XMLSchema#integer"
    )
    assert reading(call, timed(0, 90_000_000), TimeKind.DATETIME) == literal(
        "PT1M30S", "http://www.w3.org/2001/XMLSchema#duration"
    )
    assert isinstance(reading(call, Timed(SolutionMapping()), TimeKind.INTEGER), Variable)


def test_what_a_schema_concludes_from_a_triple():
    schema = frozenset({
        (P, SUB_PROPERTY_OF, Q), (Q, DOMAIN, A), (Q, RANGE, B), (A, SUB_CLASS_OF, B),
    })
    one = literal("1")
    assert conclusions((X_TERM, P, X_TERM), schema) == {
        (X_TERM, Q, X_TERM), (X_TERM, TYPE, A), (X_TERM, TYPE, B),
    }
    assert conclusions((X_TERM, P, one), schema) == {
        (X_TERM, Q, one), (X_TERM, TYPE, A), (X_TERM, TYPE, B),
    }
    assert conclusions((P, SUB_PROPERTY_OF, Q), schema) == frozenset()


X_TERM = URIRef("urn:x")


def items(*pairs):
    return tuple(
        TimestampedGraph(t, frozenset({triple})) for t, triple in pairs
    )


STREAM = URIRef("urn:s")


def solutions(text, stream, **readings):
    found = evaluate(parse(text), {STREAM: stream}, readings=Readings.of(readings))
    return [(each.interval, dict(each.mapping)) for each in found]


def test_a_query_chooses_its_streams():
    text = "SELECT * FROM STREAM <urn:s> FROM STREAM <urn:none> WHERE { ?x <urn:p> ?y }"
    streams = {STREAM: items((1, (A, P, B))), URIRef("urn:t"): items((2, (A, P, B)))}
    assert [each.interval for each in evaluate(parse(text), streams)] == [(1, 1)]
    with pytest.raises(QueryError, match="say which by FROM STREAM"):
        evaluate(parse("SELECT * WHERE { ?x <urn:p> ?y }"), streams)
    assert evaluate(parse("SELECT * WHERE { ?x <urn:p> ?y }"), {}) == []


def test_streams_are_in_the_order_of_their_ends():
    late = (IntervalGraph(1, 5, frozenset()), IntervalGraph(2, 4, frozenset()))
    with pytest.raises(StreamError):
        evaluate(parse("SELECT * WHERE { ?x ?y ?z }"), {STREAM: late})


def test_readings_that_do_not_exist():
    with pytest.raises(ReadingError, match="no reading 'join'"):
        Readings.of({"join": "paper"})
    with pytest.raises(ReadingError, match="has no value 'some'"):
        Readings.of({"leftjoin": "some"})


RULE = "CONSTRUCT {{ ?x <urn:q> 1 }} WHERE {where}"


@pytest.mark.parametrize(
    ("where", "leftjoin", "timewise"),
    [
        ("{ ?x <urn:p> ?y } SEQ { ?x <urn:p> ?z }", "default", True),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x <urn:r> ?z } }", "default", False),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x <urn:r> ?z } }", "paper", True),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x <urn:r> ?z } }", "closed", True),
        ("{ ?x <urn:p> ?y MINUS { ?x <urn:r> ?z } }", "paper", False),
        ("{ ?x <urn:p> ?y FILTER EXISTS { ?x <urn:r> ?z } }", "paper", False),
        ("{ { SELECT ?x WHERE { ?x <urn:p> ?y } LIMIT 1 } }", "paper", False),
        ("{ GRAPH <urn:g> { ?x <urn:p> ?y MINUS { ?x <urn:r> ?z } } }", "paper", True),
    ],
)
def test_which_patterns_are_timewise_monotone(where, leftjoin, timewise):
    (rule,) = parse(RULE.format(where=where)).rules
    assert is_timewise(rule.where, leftjoin) is timewise


@pytest.mark.parametrize(
    ("where", "stratified"),
    [
        ("{ ?x <urn:q> ?y } SEQ { ?x <urn:p> ?z }", True),
        ("{ ?x <urn:q> ?y } OPTIONALSEQ { ?x <urn:p> ?z }", True),
        ("{ ?x <urn:p> ?y } EQUALSOPTIONAL { ?x <urn:q> ?z }", False),
        ("{ ?x <urn:p> ?y } EQUALSOPTIONAL { { ?x <urn:q> 2 } SEQ { ?x <urn:p> ?z } }", True),
        ("{ ?x <urn:p> ?y } EQUALSOPTIONAL { { ?x <urn:p> ?z } SEQ { ?x <urn:q> ?w } }", False),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x <urn:q> ?z } }", False),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x <urn:q> 2 } }", True),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x !<urn:q> ?z } }", False),
        ("{ ?x <urn:p> ?y FILTER EXISTS { ?x <urn:q> ?z } }", True),
        ("{ ?x <urn:p> ?y FILTER (?y > 1 || EXISTS { ?x <urn:q> ?z }) }", True),
        ("{ ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:q> ?z } }", False),
        ("{ ?x <urn:p> ?y FILTER (!EXISTS { ?x <urn:q> ?z }) }", False),
        ("{ ?x <urn:p> ?y FILTER (!(!EXISTS { ?x <urn:q> ?z })) }", True),
        ("{ ?x <urn:p> ?y FILTER (!(?y > 1 && NOT EXISTS { ?x <urn:q> ?z })) }", True),
        ("{ ?x <urn:p> ?y FILTER (EXISTS { ?x <urn:q> ?z } = false) }", False),
        ("{ ?x <urn:p> ?y FILTER IF(EXISTS { ?x <urn:q> ?z }, ?y, ?x) }", False),
        ("{ ?x <urn:p> ?y BIND (EXISTS { ?x <urn:q> ?z } AS ?w) }", False),
        ("{ ?x <urn:p> ?y MINUS { ?x <urn:r> ?z FILTER EXISTS { ?x <urn:q> ?w } } }", False),
        ("{ ?x <urn:p> ?y MINUS { ?x <urn:r> ?z FILTER NOT EXISTS { ?x <urn:q> ?w } } }", True),
        ("{ ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:r> ?z MINUS { ?x <urn:q> ?w } } }", True),
        ("{ ?x <urn:p> ?y FILTER EXISTS { ?x <urn:r> ?z MINUS { ?x <urn:q> ?w } } }", False),
        ("{ ?x <urn:p> ?y OPTIONAL { ?x <urn:r> ?z FILTER EXISTS { ?x <urn:q> ?w } } }", False),
        ("{ ?x <urn:p> ?y FILTER EXISTS { ?x <urn:r> ?z OPTIONAL { ?x <urn:q> ?w } } }", False),
        ("{ ?x <urn:q> ?y MINUS { ?x <urn:r> ?z } }", True),
        ("{ ?x <urn:q> ?y OPTIONAL { ?x <urn:r> ?z } }", True),
        ("{ { SELECT ?x WHERE { ?x <urn:q> ?y } } }", True),
        ("{ { SELECT ?x WHERE { ?x <urn:q> ?y } LIMIT 1 } }", False),
        ("{ { SELECT ?x (COUNT(*) AS ?n) WHERE { ?x <urn:q> ?y } GROUP BY ?x } }", False),
    ],
)
def test_rules_must_not_ask_for_the_absence_of_what_they_construct(where, stratified):
    rules = parse(RULE.format(where=where)).rules
    if stratified:
        assert len(strata(rules, "default")) == 1
    else:
        with pytest.raises(QueryError, match="no smallest closure"):
            strata(rules, "default")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "CONSTRUCT { ?x <urn:q> 1 }\nWHERE { ?x <urn:p> 1 FILTER NOT EXISTS { ?x <urn:q> 1 } }",
            "2:29: .*: NOT EXISTS looks for { [?]x <urn:q> 1 }, which rule 1 .line 1 of the query.",
        ),
        (
            "CONSTRUCT { ?x <urn:q> 1 } WHERE { ?x <urn:p> 1 MINUS { ?x <urn:r> 1 } }\n"
            "CONSTRUCT { ?x <urn:s> 1 } WHERE { ?x <urn:s> 2 }\n"
            "CONSTRUCT { ?x <urn:r> 1 } WHERE { ?x <urn:q> 1 }",
            "1:49: .*: MINUS looks for .*which rule 3 .line 3.*; the cycle of rules is 1 → 3 → 1;",
        ),
        (
            "CONSTRUCT { ?x <urn:q> 1 } WHERE { ?x <urn:r> 1 } OPTIONALSEQ { ?x <urn:p> 1 }\n"
            "CONSTRUCT { ?x <urn:r> 1 } WHERE { ?x <urn:p> 1 FILTER EXISTS { ?x <urn:q> 1 } }",
            "1:51: .*: OPTIONALSEQ looks for .*; rule 2 .* looks at the whole stream by EXISTS",
        ),
    ],
)
def test_the_error_names_the_construct_and_the_cycle(text, message):
    with pytest.raises(QueryError, match=message):
        strata(parse(text).rules, "default")


def test_rules_are_applied_after_those_that_they_need():
    query = parse(
        "CONSTRUCT { ?x <urn:c> 1 } WHERE { ?x <urn:b> ?y }"
        "CONSTRUCT { ?x <urn:b> 1 } WHERE { ?x <urn:a> ?y MINUS { ?x <urn:z> ?y } }"
        "CONSTRUCT { ?x <urn:a> 1 } WHERE { ?x <urn:a> ?y } SEQ { ?x <urn:p> ?y }"
    )
    assert [(each.rules, each.timewise) for each in strata(query.rules, "default")] == [
        ((2,), True), ((1,), False), ((0,), True),
    ]


def test_warnings():
    query = parse(
        "CONSTRUCT { ?x <urn:q> ?nothing } WHERE { ?x <urn:p> ?y }"
        "SELECT ?z FROM STREAM <urn:t> WHERE { GRAPH <urn:g> { ?x <urn:p> ?y } }"
    )
    codes = [each.code for each in check_query(query, [STREAM], [])]
    assert codes == [
        "unknown-stream", "unknown-graph", "unbound-select", "unbound-template", "timeless"
    ]


def test_the_translation_to_rsepql():
    query = parse(
        "SELECT ?x WHERE { { ?x <urn:p> ?y } SEQ { ?y <urn:q> ?z } FILTER (?x != ?z) }"
    )
    text = rsepql_text(to_rsepql(query, "chronological", STREAM, Moment(3)))
    assert "[FROM 3]" in text
    assert "SEQC" in text
    assert "CONSUME CHRONOLOGICAL" in text
    assert "FILTER" in text.split("MATCH")[1]


A_, B_, C_ = "{ ?x <urn:p> ?y }", "{ ?x <urn:q> ?z }", "{ ?x <urn:r> ?w }"


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (f"{A_} §EQUALS {B_}", "EQUALS is no operator of it"),
        (f"{A_} §OPTIONALSEQ {B_}", "OPTIONALSEQ is no operator of it"),
        (f"{{ {A_} SEQ {B_} }} §EQUALSOPTIONAL {C_}", "EQUALSOPTIONAL is no operator of it"),
        (f"{A_} SEQ {{ {B_} §EQUALS {C_} }}", "EQUALS is no operator of it"),
        (f"{{ {{ {A_} §SEQ {B_} }} UNION {C_} }}", "SEQ stands inside UNION"),
        (f"{{ {{ {{ {A_[:2]}§{A_[2:]} UNION {B_} }} }} SEQ {C_} }}", "UNION in one of them"),
        (f"{{ {A_} SEQ {B_} §?x <urn:r> ?w }}", "a triple pattern stands beside SEQ"),
        (f"{{ {A_} SEQ {B_} §OPTIONAL {C_} }}", "OPTIONAL stands beside SEQ"),
        (f"{{ {A_} SEQ {B_} {A_} §SEQ {B_} }}", "a second sequence stands beside SEQ"),
        (f"{{ {A_} SEQ {B_} §FILTER (?x > 1) }} SEQ {C_}", "FILTER stands beside SEQ: only"),
        (f"{A_} SEQ {{ ?x <urn:q> ?z §OPTIONAL {C_} }}", "OPTIONAL in one of them"),
        (f"{A_} SEQ {{ ?x <urn:q> ?z §MINUS {C_} }}", "MINUS in one of them"),
        (f"{A_} SEQ {{ {A_[2:-2]} OPTIONAL {{ {B_} §SEQ {C_} }} }}", "SEQ stands inside OPTIONAL"),
        (f"{A_} SEQ {{ GRAPH ?g {{ {A_} §SEQ {B_} }} {B_[2:]}", "SEQ stands inside GRAPH"),
        (f"{A_} SEQ {{ FILTER EXISTS {{ {A_} §SEQ {B_} }} {B_[2:]}", "SEQ stands inside EXISTS"),
        (
            f"{A_} SEQ {{ GRAPH ?g {{ {B_} §FILTER (getENDTIME() > 1) }} }}",
            "GETENDTIME.. reads",
        ),
        (f"{A_} SEQ {{ §SELECT ?x {B_} }}", "a sub-select in one of them"),
        (f"{A_} SEQ {{ §?x <urn:q>+ ?z }}", "a property path does not say"),
        (f"{A_} SEQ {{ ?x <urn:q> ?z §FILTER (getDURATION() > 1) }}", "GETDURATION.. reads"),
    ],
)
def test_what_no_policy_is_about(where, message):
    text = f"SELECT * WHERE {where}"
    query = parse(text.replace("§", ""))
    for policy in ("chronological", "recent"):
        with pytest.raises(ReadingError, match=message) as raised:
            refuse(query, Readings(policy=policy))
        assert "a policy is about one sequence of patterns" in str(raised.value)
        assert (raised.value.line, raised.value.column) == (1, text.index("§") + 1)
    refuse(query, Readings())


def test_no_policy_is_about_rules():
    query = parse("CONSTRUCT { ?x <urn:q> 1 } WHERE { ?x <urn:p> ?y } SELECT * WHERE { ?x ?p 1 }")
    with pytest.raises(ReadingError, match=r"1:1: .*a CONSTRUCT rule has no place in it"):
        evaluate(query, {STREAM: []}, {}, Readings(policy="recent"))


@pytest.mark.parametrize(
    "where",
    [
        f"{A_} SEQ {B_} SEQ {C_}", f"{A_} SEQ {{ {B_} SEQ {C_} }}", A_,
        f"{{ {{ {A_} }} SEQ {{ {{ {B_} }} }} }} FILTER (getDURATION() < 3)",
        f"{A_} SEQ {{ GRAPH <urn:g> {B_} VALUES ?x {{ 1 }} }}",
    ],
)
def test_what_policies_are_about(where):
    refuse(parse(f"SELECT * WHERE {where}"), Readings(policy="recent"))


def test_a_policy_is_about_instants():
    text = "SELECT * WHERE { ?x <urn:p> ?y } SEQ { ?x <urn:q> ?z }"
    with pytest.raises(StreamError, match="instants"):
        solutions(text, (IntervalGraph(1, 2, frozenset({(A, P, B)})),), policy="recent")
