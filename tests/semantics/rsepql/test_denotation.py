"""Queries from end to end where a conformance case would say less."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.semantics.model.errors import QueryError, StreamError
from denota.semantics.model.items import TimeKind, TimestampedGraph
from denota.semantics.rsepql.denotation import evaluate
from denota.semantics.rsepql.syntax.evaluation import Evaluation
from denota.semantics.rsepql.syntax.parse import parse
from denota.semantics.streams.rdf.reader import parse_stream

S = URIRef("http://e/s")


def stream(*items):
    text = "".join(
        f":g{k} prov:generatedAtTime {time} . :g{k} {{ {triples} }}\n"
        for k, (time, triples) in enumerate(items)
    )
    return tuple(parse_stream(text, format="trig", prefixes={"": "http://e/"}))


def answers(text, items, evaluation=None, **more):
    query = parse(f"PREFIX : <http://e/> {text}")
    return list(evaluate(query, {S: items, **more}, {}, None, evaluation))


WINDOW = "SELECT * FROM NAMED WINDOW :w ON :s [ALL] WHERE { WINDOW :w { ?x :p ?y } }"


def test_streams_out_of_order_are_refused():
    early = TimestampedGraph(1, frozenset())
    late = TimestampedGraph(2, frozenset())
    with pytest.raises(StreamError, match="comes after"):
        answers(WINDOW, (late, early))


def test_streams_of_two_kinds_of_time_are_refused():
    dated = TimestampedGraph(1, frozenset(), TimeKind.DATETIME)
    with pytest.raises(StreamError, match="cannot be compared"):
        answers(WINDOW, stream((1, ":a :p :b .")), **{str(URIRef("http://e/t")): (dated,)})


def test_a_window_without_on_needs_one_stream():
    text = "SELECT * FROM NAMED WINDOW :w [ALL] WHERE { WINDOW :w { ?x :p ?y } }"
    with pytest.raises(QueryError, match="which of the 2 streams"):
        list(evaluate(parse(f"PREFIX : <http://e/> {text}"), {S: (), URIRef("http://e/t"): ()}))
    with pytest.raises(QueryError, match="there is none"):
        list(evaluate(parse(f"PREFIX : <http://e/> {text}"), {}))


def test_without_items_nothing_is_reported():
    assert answers(WINDOW, ()) == []
    assert answers(WINDOW, (), Evaluation(at=(1, 2))) == []


def test_what_evaluate_says_is_read_and_written():
    for evaluation in (
        Evaluation(at=(1, 2)), Evaluation(), Evaluation(policy="window-close", last=9),
        Evaluation(policy="periodic", period=3, start=1),
    ):
        assert Evaluation.of(evaluation.named()) == evaluation


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"at": [1], "policy": "periodic"}, "by 'at' or by 'policy'"),
        ({"policy": "often"}, "no report policy 'often'"),
        ({"policy": "periodic", "period": 0}, "longer than 0"),
        ({"policy": "window-close", "period": 3}, "for policy: periodic"),
    ],
)
def test_what_evaluate_cannot_say(named, message):
    with pytest.raises(QueryError, match=message):
        Evaluation.of(named)


def test_periodic_needs_a_period():
    items = stream((1, ":a :p :b ."))
    with pytest.raises(QueryError, match="needs a period"):
        answers(WINDOW, items, Evaluation(policy="periodic"))


def test_policies_are_bounded():
    items = stream((1, ":a :p :b ."), (2, ":a :p :c ."), (3, ":a :p :d ."))
    found = answers(WINDOW, items, Evaluation(first=2, last=2))
    assert [answer.time for answer in found] == [2]


def test_a_stream_may_be_dated():
    text = (
        "SELECT * FROM NAMED WINDOW :w ON :s [RANGE PT10M STEP PT5M] OF [FROM 2026-01-01T10:00:00Z]"
        " WHERE { WINDOW :w { ?x :p ?y } }"
    )
    items = stream(
        ('"2026-01-01T09:59:00Z"^^xsd:dateTime', ":a :p :b ."),
        ('"2026-01-01T10:02:00Z"^^xsd:dateTime', ":a :p :c ."),
        ('"2026-01-01T10:06:00Z"^^xsd:dateTime', ":a :p :d ."),
    )
    found = answers(text, items, Evaluation(policy="window-close"))
    assert [(answer.time - items[0].time) // 60_000_000 for answer in found] == [6, 11, 16]
    assert [len(answer.content) for answer in found] == [1, 2, 1]


THREE = (
    "SELECT ?z FROM NAMED WINDOW :w ON :s [ALL] WHERE { MATCH {"
    " EVENT :w { :a :p :b } SEQ EVENT :w { :c :q :d } SEQ EVENT :w { :e :r ?z } } }"
    " CONSUME CHRONOLOGICAL"
)


def test_an_event_that_comes_about_in_two_ways_is_one_answer_and_consumes_both():
    """(8) asks for the (μ, t1, t2), and 4.4 for all that takes part in them."""
    items = stream(
        (1, ":a :p :b ."), (2, ":c :q :d ."), (3, ":c :q :d ."), (4, ":e :r :f ."),
        (5, ":a :p :b ."), (6, ":e :r :g ."),
    )
    found = answers(THREE, items, Evaluation(at=(4, 6)))
    assert [(each.time, len(each.content)) for each in found] == [(4, 1)]
