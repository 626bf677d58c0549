"""How many altered recordings are accepted: what is altered, and what is counted."""

from __future__ import annotations

import pytest
from rdflib.term import Literal, URIRef

from denota.oracle.recorded_output.check_recorded import RecordedQuestion
from denota.oracle.recorded_output.recordings import Recording, Relation
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import Variable
from denota.semantics.streams.rdf.graphs import parse_graph
from denota.studies.answers_power import ALTERATIONS, Accepted, lines, measured

V = Variable("v")
QUERY = """
PREFIX : <http://example.org/>
SELECT ?v
FROM NAMED WINDOW :w ON :s [RANGE 2 STEP 2]
WHERE { WINDOW :w { ?x :v ?v } }
"""
STREAM = {URIRef("http://example.org/s"): [
    TimestampedGraph(t, parse_graph(f":x{t} :v {10 * t} .", {"": "http://example.org/"}))
    for t in range(1, 7)
]}


def relation(time: int, *values: int) -> Relation:
    return Relation(time, tuple(SolutionMapping({V: Literal(value)}) for value in values))


RIGHT = Recording(
    (relation(2, 10, 20), relation(4, 30, 40), relation(6, 50, 60)), "sparqlstream-1.json"
)


def alterations(name: str, recording: Recording = RIGHT) -> list[list[tuple[int, list[int]]]]:
    return [
        [(r.time, [int(row[V]) for row in r.rows]) for r in altered.relations]  # type: ignore[arg-type]
        for altered in ALTERATIONS[name](recording, 2)
    ]


def test_every_place_is_altered() -> None:
    small = Recording((relation(2, 10), relation(4, 30, 40)))
    assert alterations("a row is missing", small) == [
        [(2, []), (4, [30, 40])], [(2, [10]), (4, [40])], [(2, [10]), (4, [30])],
    ]
    assert alterations("a row is there twice", small)[0] == [(2, [10, 10]), (4, [30, 40])]
    assert alterations("a value is another", small)[2] == [(2, [10]), (4, [30, 41])]
    assert alterations("a row is in the next answer", small) == [[(2, []), (4, [30, 40, 10])]]
    assert alterations("an answer is missing", small) == [[(4, [30, 40])], [(2, [10])]]
    assert alterations("an answer is a slide late", small)[0] == [(4, [10]), (4, [30, 40])]
    assert alterations("an answer is a slide early", small)[1] == [(2, [10]), (2, [30, 40])]
    assert alterations("everything is a slide late", small) == [[(4, [10]), (6, [30, 40])]]


def test_what_is_accepted_is_counted() -> None:
    found = measured(RecordedQuestion.of(QUERY, STREAM), RIGHT)
    assert found["a row is missing"].made == 6
    assert found["a value is another"] == Accepted(6, 0, 0, 0)
    assert found["a row is there twice"] == Accepted(6, 0, 0, 0)
    assert all(each.same <= each.own <= each.anyhow <= each.made for each in found.values())
    table = lines({"sparqlstream-1": found})
    assert table[2].startswith("| a row is missing | 6 |")
    assert table[-1].startswith("| sparqlstream-1 |")


def test_a_recording_that_is_wrong_itself_is_not_measured() -> None:
    wrong = Recording((relation(2, 99),), "sparqlstream-1.json")
    with pytest.raises(DenotaError, match="not right under a setting of its engine"):
        measured(RecordedQuestion.of(QUERY, STREAM), wrong)
