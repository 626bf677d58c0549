"""RSEP-QL as text: what is read, what is written, what is refused and how."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.semantics.model.errors import DenotaError, Position
from denota.semantics.model.items import TimeKind
from denota.semantics.model.pretty_printing import text_of
from denota.semantics.model.trees import find
from denota.semantics.rdf.syntax.tree import AskQuery, ConstructQuery, DescribeQuery, SelectQuery
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.rsepql.syntax.printing import to_text
from denota.semantics.rsepql.syntax.tree import (
    Bounds,
    ConsumptionPolicy,
    CountWindow,
    Event,
    First,
    IdentityWindow,
    IntervalWindow,
    LandmarkWindow,
    Last,
    MatchPattern,
    Moment,
    NestedWindow,
    Sequence,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowPattern,
)

MINUTE = 60_000_000


def query(
    body="MATCH { EVENT :w { ?x :p ?y } }", window="[ALL]", head="SELECT *", tail="", before="",
    clauses="",
):
    return parse(
        f"PREFIX : <http://e/>\n{before} {head} {clauses}\n"
        f"FROM NAMED WINDOW :w ON :s {window}\nWHERE {{ {body} }} {tail}"
    )


def event(body):
    (element,) = query(f"MATCH {{ {body} }}").form.where.elements
    return element.event


def duration(microseconds):
    return Moment(microseconds, TimeKind.DATETIME)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("[RANGE 5 STEP 1]", TimeBasedWindow(Moment(5), Moment(1))),
        ("[range 5 slide 1]", TimeBasedWindow(Moment(5), Moment(1))),
        ("[RANGE 5]", TimeBasedWindow(Moment(5))),
        ("[RANGE PT10M STEP 1m]", TimeBasedWindow(duration(10 * MINUTE), duration(MINUTE))),
        ("[RANGE 10 MINUTES STEP 1 minute]",
         TimeBasedWindow(duration(10 * MINUTE), duration(MINUTE))),
        ('[RANGE "PT10M"^^<http://www.w3.org/2001/XMLSchema#duration>]',
         TimeBasedWindow(duration(10 * MINUTE))),
        ("[RANGE 5 STEP 2 START -1 BOUNDS CLOSED OPEN]",
         TimeBasedWindow(Moment(5), Moment(2), Moment(-1), Bounds.CLOSED_OPEN)),
        ("[FROM 1]", LandmarkWindow(Moment(1))),
        ("[FROM 1970-01-01T00:01:00Z]", LandmarkWindow(duration(MINUTE))),
        ('[FROM "1970-01-01T00:01:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>]',
         LandmarkWindow(duration(MINUTE))),
        ("[BETWEEN -3 AND 4]", IntervalWindow(Moment(-3), Moment(4))),
        ("[ALL]", IdentityWindow()),
        ("[ELEMENTS 3 STEP 2]", CountWindow(3, 2)),
        ("[ELEMENTS 3]", CountWindow(3, 1)),
        ("[RANGE 5] OF [FROM 1] OF [ALL]",
         NestedWindow(TimeBasedWindow(Moment(5)),
                      NestedWindow(LandmarkWindow(Moment(1)), IdentityWindow()))),
        ("[ALL] OF [ELEMENTS 1 STEP 2] OF [RANGE 1]",
         NestedWindow(NestedWindow(IdentityWindow(), CountWindow(1, 2)),
                      TimeBasedWindow(Moment(1)))),
    ],
)
def test_windows(text, window):
    (clause,) = query(window=text).windows
    assert clause.function == window
    assert query(window=text_of(window)).windows[0].function == window


def test_the_clauses_of_the_dataset():
    text = (
        "PREFIX : <http://e/> SELECT * FROM NAMED WINDOW :w [ALL] FROM :kb FROM WINDOW ON :t [ALL]"
        " FROM NAMED :g FROM WINDOW :v ON STREAM :s [ALL] WHERE { WINDOW :w { ?x ?y ?z } }"
    )
    found = parse(text)
    assert [(c.name, c.stream, c.in_default) for c in found.windows] == [
        (URIRef("http://e/w"), None, False),
        (None, URIRef("http://e/t"), True),
        (URIRef("http://e/v"), URIRef("http://e/s"), True),
    ]
    assert found.form.dataset.default == (URIRef("http://e/kb"),)
    assert found.form.dataset.named == (URIRef("http://e/g"),)
    assert parse(to_text(found)) == found


def test_sequences_associate_to_the_left():
    e = "EVENT :w { ?x :p ?y }"
    found = event(f"{e} SEQ {e} SEQN {e}")
    assert isinstance(found, Sequence)
    assert found.operator is SequenceOperator.NAIVE
    assert isinstance(found.left, Sequence)
    assert isinstance(found.right, Event)
    nested = event(f"{e} SEQ ({e} SEQN {e})")
    assert isinstance(nested.left, Event)
    assert len(list(find(nested, Event))) == 3
    assert event(text_of(nested)) == nested


@pytest.mark.parametrize(
    ("word", "operator"),
    [("SEQ", "SEQ"), ("seqn", "SEQN"), ("SEQ^c", "SEQC"), ("Seq^R", "SEQR"), ("SEQ^N", "SEQN")],
)
def test_sequence_operators(word, operator):
    found = event(f"EVENT :w {{ ?x :p ?y }} {word} EVENT :w {{ ?x :q ?z }}")
    assert found.operator == operator


def test_first_and_last_bind_more_tightly_than_sequences():
    e = "EVENT :w { ?x :p ?y }"
    found = event(f"FIRST {e} SEQ LAST ({e} SEQC {e})")
    assert isinstance(found.left, First)
    assert isinstance(found.right, Last)
    assert isinstance(found.right.operand, Sequence)


def test_match_stands_with_braces_or_without_them():
    text = "MATCH EVENT :w { ?x :p ?y } SEQ EVENT :w { ?y :q ?z } ?x :r ?u ."
    match, triples = query(text).form.where.elements
    assert isinstance(match, MatchPattern)
    assert len(triples.triples) == 1
    assert query("MATCH ( EVENT :w { ?x :p ?y } )").form.where.elements[0].event == event(
        "EVENT :w { ?x :p ?y }"
    )


def test_patterns_nest():
    found = query(
        "OPTIONAL { WINDOW :w { ?x :p ?y . WINDOW ?v { ?y :q ?z } } }"
        " FILTER EXISTS { MATCH { EVENT :w { ?x :p ?y } } }"
        " { SELECT ?x WHERE { WINDOW :w { ?x :p ?y } } }"
    )
    assert parse(to_text(found)) == found
    (inner,) = found.form.where.elements[0].pattern.elements
    assert isinstance(inner, WindowPattern)


def test_forms_operators_and_policies():
    assert isinstance(query().form, SelectQuery)
    assert isinstance(query(head="ASK").form, AskQuery)
    assert isinstance(query(head="CONSTRUCT { ?x :r ?y }").form, ConstructQuery)
    assert isinstance(query(head="DESCRIBE ?x").form, DescribeQuery)
    assert query().operator is StreamOperator.RSTREAM
    assert query(before="REGISTER ISTREAM :out AS").output == URIRef("http://e/out")
    assert query(before="REGISTER DSTREAM AS").operator is StreamOperator.DSTREAM
    assert query(before="REGISTER STREAM :out AS", head="SELECT ISTREAM *").operator is (
        StreamOperator.ISTREAM
    )
    assert query(tail="consume recent").consumption is ConsumptionPolicy.RECENT
    for tail in ("CONSUME CHRONOLOGICAL ORDER BY ?x", "ORDER BY ?x CONSUME CHRONOLOGICAL"):
        found = query(tail=tail)
        assert found.consumption is ConsumptionPolicy.CHRONOLOGICAL
        assert len(found.form.modifier.order_by) == 1
        assert parse(to_text(found)) == found


def test_prefixes_like_keywords_are_prefixes():
    text = (
        "PREFIX seq: <http://e/> PREFIX event: <http://e/> SELECT * FROM NAMED WINDOW seq:w ON"
        " event:s [ALL] WHERE { MATCH EVENT seq:w { ?x event:p ?y } seq:a event:q ?z }"
    )
    assert len(parse(text).form.where.elements) == 2


@pytest.mark.parametrize(
    ("given", "line", "message"),
    [
        ({"body": "WINDOW :v { ?x :p ?y }"}, 4,
         r"no FROM NAMED WINDOW clause defines the window <http://e/v> \(defined: <http://e/w>\)"),
        ({"body": "MATCH { EVENT :v { ?x :p ?y } }"}, 4, "no FROM NAMED WINDOW clause defines"),
        ({"body": "MATCH { EVENT ?v { ?x :p ?y } }"}, 4, r"not a variable \(\?v\)"),
        ({"body": "MATCH { EVENT :w { WINDOW :w { ?x :p ?y } } }"}, 4, "WINDOW cannot stand"),
        ({"body": "MATCH { EVENT :w { FILTER EXISTS { MATCH { EVENT :w { ?x :p ?y } } } } }"}, 4,
         "MATCH cannot stand inside EVENT"),
        ({"body": "MATCH { EVENT :w { ?x :p ?y } FILTER (?y > 1) }"}, 4, "FILTER"),
        ({"body": "MATCH { }"}, 4, "unexpected '}'"),
        ({"body": "MATCH { EVENT :w { ?x :p ?y } SEQ }"}, 4, "unexpected '}'"),
        ({"window": "[RANGE 0]"}, 3, "RANGE must be longer than 0"),
        ({"window": "[RANGE 5 STEP 0]"}, 3, "STEP must be longer than 0"),
        ({"window": "[RANGE 5 STEP 1s]"}, 3, "bare numbers and in durations"),
        ({"window": "[RANGE P1M]"}, 3, "no fixed length"),
        ({"window": "[RANGE 5 PARSECS]"}, 3, "unknown unit 'PARSECS'"),
        ({"window": "[FROM 10m]"}, 3, "'10 m' is no instant"),
        ({"window": "[BETWEEN 5 AND 4]"}, 3, "ends before it begins"),
        ({"window": "[ELEMENTS 0]"}, 3, "1 or more"),
        ({"window": "[RANGE 5 STEP 1 STEP 2]"}, 3, "can stand once"),
        ({"window": "[LAST 5]"}, 3, "unexpected 'LAST', expected ALL, BETWEEN, ELEMENTS"),
        ({"clauses": "FROM NAMED WINDOW :w ON :s [ALL]"}, 3, "defined twice, first in line 2"),
        ({"tail": "CONSUME OFTEN"}, 4, "there is no consumption policy OFTEN"),
        ({"tail": "CONSUME RECENT ORDER BY ?x CONSUME RECENT"}, 4, "one CONSUME clause"),
        ({"before": "REGISTER RSTREAM AS", "head": "SELECT ISTREAM *"}, 2, "at once"),
        ({"body": "MATCH { EVENT :w { ?x :p+ ?y } }", "tail": "CONSUME RECENT"}, 4,
         "a property path cannot stand in an EVENT under CONSUME RECENT"),
        ({"body": "MATCH { EVENT :w { { ?x :p ?y } UNION { ?y :p ?x } } }",
          "tail": "CONSUME RECENT"}, 4, "a nested group or UNION cannot stand"),
        ({"head": "SELECT (COUNT(*) AS ?n) ?x"}, 1, r"\?x is selected but it is no key"),
    ],
)
def test_what_cannot_be_is_a_clear_error(given, line, message):
    with pytest.raises(DenotaError, match=message) as caught:
        query(**given)
    assert caught.value.line == line
    assert caught.value.column > 0
    assert "\n" not in str(caught.value)


def test_positions_of_windows_and_events():
    found = query()
    assert found.windows[0].position == Position(3, 1)
    assert found.form.where.elements[0].event.position == Position(4, 17)
