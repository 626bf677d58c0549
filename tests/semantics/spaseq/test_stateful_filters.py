"""Conditions that look at earlier events: what is deferred, to where, and what it then means."""

import pytest

from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.terms import URIRef, literal
from denota.semantics.rdf.syntax.parse import parse_group
from denota.semantics.rdf.syntax.printing import to_text
from denota.semantics.rdf.syntax.tree import Filter
from denota.semantics.spaseq.denotation import evaluate
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.scoping import split

NS = "http://example.org/"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


@pytest.mark.parametrize(
    ("body", "local", "deferred"),
    [
        ("?x <p> ?y FILTER (?y > 1)", ["?y > 1"], []),
        ("?x <p> ?y FILTER (?y > ?z)", [], ["?y > ?z"]),
        ("?x <p> ?y FILTER (?y > 1 && ?y > ?z && ?x != <c>)", ["?y > 1", "?x != <c>"], ["?y > ?z"]),
        ("?x <p> ?y FILTER (?y > 1 || ?y > ?z)", [], ["?y > 1 || ?y > ?z"]),
        ("FILTER (?y > ?z) ?x <p> ?y OPTIONAL { ?x <q> ?z }", ["?y > ?z"], []),
        ("?x <p> ?y GRAPH <g> { ?x <q> ?z } FILTER (?y > ?z)", ["?y > ?z"], []),
        ("?x <p> ?y BIND (?y + 1 AS ?z) FILTER (?y < ?z)", ["?y < ?z"], []),
        ("?x <p> ?y FILTER NOT EXISTS { ?x <q> ?z }", ["NOT EXISTS { ?x <q> ?z }"], []),
        ("{ ?x <p> ?y FILTER (?y > ?z) }", [], []),
    ],
)
def test_what_is_deferred(body, local, deferred):
    kept, away = split(parse_group("{ " + body + " }"))
    filters = [each for each in kept.elements if isinstance(each, Filter)]
    assert [to_text(each.condition) for each in filters] == local
    assert [to_text(each.condition) for each in away] == deferred


def run(sequence, values, **conditions):
    """On one stream, at 1, 2, … an event of a kind with a value; GPM A binds ?a to it."""
    gpms = " ".join(
        f"DEFINE GPM {name} ON S {{ ?e{name} :{name} ?{name.lower()} {conditions.get(name, '')} }}"
        for name in "ABCD"
    )
    query = parse(
        f"PREFIX : <{NS}> SELECT ?a ?b ?c WITHIN 100 FROM STREAM S :s "
        f"WHERE {{ SEQ({sequence}) {gpms} }}"
    )
    stream = [
        TimestampedGraph(time, frozenset(
            (URIRef(f"{NS}e{time}"), URIRef(NS + part[0]), literal(part[1:], INTEGER))
            for part in event.split("&")
        ))
        for time, event in enumerate(values.split(), 1)
    ]
    return sorted(
        (pair.time, "".join(f"{v}{t}" for v, t in sorted(mu.items())))
        for pair in evaluate(query, {URIRef(NS + "s"): stream})
        for mu in pair.solutions
    )


def test_the_join_decides():
    assert run("A : B", "A5 B4 B6", B="FILTER (?b > ?a)") == [(3, "a5b6")]


def test_what_fails_is_skipped_and_does_not_block():
    assert run("A; B", "A5 B4 B6 B7", B="FILTER (?b > ?a)") == [(3, "a5b6")]


def test_what_fails_still_breaks_strict_contiguity():
    assert run("A, B", "A5 B4 B6", B="FILTER (?b > ?a)") == []


def test_the_condition_sees_all_of_the_past():
    assert run("A : B : C", "A5 B1 C4 C6", C="FILTER (?c > ?a)") == [(4, "a5b1c6")]


def test_at_the_head_it_is_false():
    assert run("B : A", "B9 A1", B="FILTER (?b > ?a)") == []
    assert run("(A & B)", "A1&B9", B="FILTER (?b > ?a)") == [(1, "a1b9")]
    assert run("(B | C) : A", "B9 C3 A1", B="FILTER (?b > ?a)") == [(3, "a1c3")]


def test_a_conjunction_passes_on_what_it_cannot_decide():
    assert run("A, (B & C)", "A5 B6&C1", C="FILTER (?a > ?c && ?c < ?b)") == [(2, "a5b6c1")]
    assert run("A, (B & C)", "A0 B6&C1", C="FILTER (?a > ?c)") == []


def test_nested_conjunctions_decide_as_soon_as_they_can():
    assert run("(A & (B & C))", "A5&B6&C1", C="FILTER (?c < ?a)") == [(1, "a5b6c1")]


def test_kleene_plus_compares_with_the_past_before_it():
    assert run("A, B+", "A5 B9 B6 B4", B="FILTER (?b > ?a)") == [(2, "a5b9"), (3, "a5b6")]


def test_a_negated_gpm_never_matches_on_a_deferred_condition():
    assert run("A, B!", "A5 B9", B="FILTER (?b > ?a)") == [(2, "a5")]
