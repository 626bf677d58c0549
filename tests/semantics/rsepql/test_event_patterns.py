"""⟨⟨E⟩⟩ with its intervals, on the running example of the paper (Examples 7, 8 and 10)."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.semantics.model.terms import Variable
from denota.semantics.rsepql.context import EvaluationContext
from denota.semantics.rsepql.event_patterns import event_pattern
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.readings import Readings
from denota.semantics.rsepql.window_functions import Identity, Landmark, TimeBased
from denota.semantics.streams.rdf.reader import parse_stream

STREAM = tuple(parse_stream(
    """
    @prefix : <http://e/> .
    :g1 prov:generatedAtTime 2 .   :g1 { :a1 :p :b1 . }
    :g2 prov:generatedAtTime 4 .   :g2 { :a2 :p :b2 . }
    :g3 prov:generatedAtTime 6 .   :g3 { :b1 :q :c1 . :b2 :q :c2 . }
    :g4 prov:generatedAtTime 8 .   :g4 { :b2 :q :c2 . }
    :g5 prov:generatedAtTime 10 .  :g5 { :a3 :p :b3 . :b1 :q :c1 . }
    """,
    format="trig",
))
W1, W2 = Landmark(1), TimeBased(5, 1)
E1, E2 = "EVENT :w1 { ?x :p ?y }", "EVENT :w2 { ?y :q ?z }"


def found(text, t=8, readings=None):
    """(number of ?x or ?y, t1, t2) of each event."""
    query = parse(
        "PREFIX : <http://e/> SELECT * FROM NAMED WINDOW :w1 ON :s [FROM 1]"
        f" FROM NAMED WINDOW :w2 ON :s [RANGE 5] WHERE {{ MATCH {{ {text} }} }}"
    )
    past = [item for item in STREAM if item.time <= t]
    contents = {URIRef("http://e/w1"): W1(past, t), URIRef("http://e/w2"): W2(past, t)}
    context = EvaluationContext(t, contents, {}, readings or Readings())
    (match,) = query.form.where.elements
    return sorted(
        (str(each.mu.get(Variable("x"), each.mu.get(Variable("y"))))[-2:], each.start, each.end)
        for each in event_pattern(match.event, Identity(), context)
    )


def test_example_7():
    assert found(E2) == [("b1", 6, 6), ("b2", 6, 6), ("b2", 8, 8)]


def test_example_8():
    assert found(f"{E1} SEQ {E2}") == [("a1", 2, 6), ("a2", 4, 6), ("a2", 4, 8)]


def test_example_10():
    assert found(f"{E1} SEQC {E2}") == [("a1", 2, 6), ("a2", 4, 6)]
    assert found(f"{E1} SEQR {E2}") == [("a1", 2, 6), ("a2", 4, 8)]


def test_rivals_of_any_mapping():
    readings = Readings(rivals="any")
    assert found(f"{E1} SEQC {E2}", readings=readings) == [("a1", 2, 6), ("a2", 4, 6)]
    assert found(f"{E1} SEQR {E2}", readings=readings) == [("a2", 4, 8)]


def test_the_naive_sequence_pairs_the_last_events():
    assert found(f"{E1} SEQN {E2}") == [("a2", 4, 8)]
    assert found(f"{E1} SEQN {E2}", t=10) == []


@pytest.mark.parametrize(
    ("order", "first", "last"),
    [
        ("end-start", [("a1", 2, 6)], [("a2", 4, 8)]),
        ("start-end", [("a1", 2, 6)], [("a2", 4, 8)]),
        ("end", [("a1", 2, 6), ("a2", 4, 6)], [("a2", 4, 8)]),
        ("start", [("a1", 2, 6)], [("a2", 4, 6), ("a2", 4, 8)]),
        ("before", [("a1", 2, 6), ("a2", 4, 6), ("a2", 4, 8)],
         [("a1", 2, 6), ("a2", 4, 6), ("a2", 4, 8)]),
    ],
)
def test_first_and_last(order, first, last):
    readings = Readings(order=order)
    assert found(f"FIRST ({E1} SEQ {E2})", readings=readings) == first
    assert found(f"LAST ({E1} SEQ {E2})", readings=readings) == last


def test_a_sequence_of_three_spans_all_of_it():
    three = f"{E1} SEQ {E2} SEQ EVENT :w2 {{ ?u :p ?v }}"
    assert found(three, t=10) == [("a1", 2, 10), ("a2", 4, 10)]
