"""Warnings: codes, places, and silence where nothing is wrong."""

import pytest

from denota.semantics.model.errors import Position
from denota.semantics.model.terms import URIRef
from denota.semantics.spaseq.syntax.analysis import check_query
from denota.semantics.spaseq.syntax.parse import parse
from denota.semantics.spaseq.syntax.readings import Readings

BODIES = {
    "A": "?a :p ?x",
    "B": "?b :p ?y . FILTER (?y > ?x)",
    "C": "?c :p ?z . FILTER (?z > 1 && ?z < ?w)",
    "D": "?d :p ?y",
    "E": "?e :p ?v . FILTER (?v < ?y)",
    "G": "?g :p ?u GRAPH :kb { ?g :q ?r } OPTIONAL { GRAPH :other { ?g :r ?s } }",
}


def query(sequence, names, select="*", streams="FROM STREAM S :s"):
    gpms = "\n".join(f"DEFINE GPM {name} ON S {{ {BODIES[name]} }}" for name in names)
    return parse(
        f"PREFIX : <http://example.org/>\nSELECT {select} WITHIN 10 {streams}\n"
        f"WHERE {{ SEQ({sequence})\n{gpms} }}"
    )


def codes(text, names, select="*", **readings):
    return [
        warning.code for warning in check_query(query(text, names, select), None, None,
                                                Readings(**readings))
    ]


@pytest.mark.parametrize(
    ("sequence", "names"),
    [
        ("A", "A"), ("A; B", "AB"), ("A & B", "AB"), ("B & A", "AB"), ("(A & B) , D", "ABD"),
        ("A, B+", "AB"), ("A, (B | D)", "ABD"), ("A; (D & E)", "ADE"), ("A, B, E+", "ABE"),
        ("(A | D), B", "ABD"),
    ],
)
def test_nothing_to_say(sequence, names):
    assert codes(sequence, names) == []


@pytest.mark.parametrize(
    ("sequence", "names", "variable", "place"),
    [
        ("B", "B", "?x", "at the head of SEQ"),
        ("B, A", "AB", "?x", "at the head of SEQ"),
        ("B+, A", "AB", "?x", "at the head of SEQ"),
        ("(B | A)", "AB", "?x", "at the head of SEQ"),
        ("(D & C), A", "ACD", "?w", "at the head of SEQ"),
        ("A, C", "AC", "?w", "nothing before it does"),
        ("A, (C & D)", "ACD", "?w", "nothing before it does"),
        ("D, (B | E)", "BDE", "?x", "nothing before it does"),
        ("A, B!", "AB", "?x", "a negation sees no other event"),
        ("A, B?", "AB", "?x", "a negation sees no other event"),
        ("A, (D & B!)", "ABD", "?x", "a negation sees no other event"),
    ],
)
def test_conditions_that_are_never_true(sequence, names, variable, place):
    (warning,) = check_query(query(sequence, names))
    assert warning.code == "unbound-condition"
    assert f"does not bind {variable}, " in warning.message
    assert place in warning.message


def test_an_absence_sees_its_neighbours():
    assert codes("A; B!; D", "ABD", negation="absence") == []
    assert codes("A; C!; D", "ACD", negation="absence") == ["unbound-condition"]
    assert codes("A; E!; D", "ADE", negation="absence") == []


def test_the_place_of_a_condition():
    (warning,) = check_query(query("A, C", "AC"))
    assert warning.position == Position(5, 32)


def test_selected_variables():
    (warning,) = check_query(query("A", "A", select="?x ?nope"))
    assert warning.code == "unbound-select"
    assert warning.message == "SELECT ?nope, which no GPM of the sequence binds"
    assert warning.position == Position(2, 11)
    assert codes("A, D!", "AD", "?x ?y") == ["unbound-select"]  # a negation binds nothing
    assert codes("A, D?", "AD", "?x ?y") == []


def test_unused_names():
    two = "FROM STREAM S :s FROM STREAM T :t"
    found = check_query(query("A", "AD", streams=two))
    assert [(warning.code, warning.position) for warning in found] == [
        ("unused-stream", Position(2, 49)), ("unused-gpm", Position(5, 12)),
    ]


def test_unknown_streams_and_graphs():
    known = [URIRef("http://example.org/kb")]
    asked = query("G", "G")
    assert check_query(asked) == []
    found = check_query(asked, [], known)
    assert [warning.code for warning in found] == ["unknown-stream", "unknown-graph"]
    assert "<http://example.org/other>" in found[1].message
    assert check_query(asked, [URIRef("http://example.org/s")], [*known, URIRef(
        "http://example.org/other")]) == []


def test_collected_variables():
    assert codes("A, D+, D", "AD") == []
    assert codes("A, D+, D", "AD", kleene="collect") == ["collected-join"]
    assert codes("A, D+, E", "ADE", kleene="collect") == ["collected-condition"]
    assert codes("A, A+, A", "A", kleene="collect") == []  # ?a is A's, not the iterations'
