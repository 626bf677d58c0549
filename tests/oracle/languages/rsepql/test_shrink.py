"""Shrinking RSEP-QL cases: what is not needed for a failure goes."""

from __future__ import annotations

import re

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.fuzzing.shrinking import shrink

CASE = """
language: rsepql
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  REGISTER ISTREAM :out AS
  SELECT ?x ?z
  FROM :kb
  FROM NAMED WINDOW :w1 ON :s [RANGE PT10S STEP PT2S] OF [FROM 2026-01-01T00:00:00Z]
  FROM NAMED WINDOW :w2 ON :t [RANGE PT5S STEP PT1S BOUNDS CLOSED CLOSED]
  WHERE {
    MATCH { EVENT :w1 { ?x :p ?y . FILTER ISIRI(?y) } SEQR LAST (EVENT :w2 { ?y :q ?z }) }
    OPTIONAL { ?x :at ?place }
  }
  CONSUME RECENT
  ORDER BY ?x
streams:
  http://example.org/s: |
    :g1 prov:generatedAtTime "2026-01-01T00:00:02Z"^^xsd:dateTime .  :g1 { :a :p :b ; :r :c . }
  http://example.org/t: |
    :g2 prov:generatedAtTime "2026-01-01T00:00:01Z"^^xsd:dateTime .  :g2 { :e :f :g . }
    :g3 prov:generatedAtTime "2026-01-01T00:00:04Z"^^xsd:dateTime .  :g3 { :b :q 1 , 2 . }
kb:
  http://example.org/kb: ":a :at :h ."
readings: {rivals: any, order: start}
evaluate: {policy: content-change}
expect: {results: []}
"""


def answered(case: Case) -> bool:
    return any(answer.content for answer in case.parsed().denotation())


def test_a_sequence_that_has_an_answer():
    def fails(case: Case) -> bool:
        return "SEQ" in case.text and answered(case)

    shrunk = shrink(parse_case(CASE), fails)
    small = shrunk.parsed()
    _, *clauses, where = shrunk.text.splitlines()
    assert clauses == ["SELECT *", "FROM NAMED WINDOW :w1 ON :s [ALL]"]
    event = r"EVENT :w1 \{ \?\w :\w \?\w \}"
    assert re.fullmatch(rf"WHERE \{{ MATCH \{{ {event} SEQ {event} \}} \}}", where)
    (items,) = small.streams.values()
    assert [item.time for item in items] == [0, 1]
    assert [len(item.graph) for item in items] == [1, 1]
    assert small.evaluation == {"at": [1]}
    assert small.kb == {}


def test_what_is_needed_stays():
    def fails(case: Case) -> bool:
        text = case.text
        return "CONSUME" in text and "RANGE" in text and "ISTREAM" in text and answered(case)

    text = shrink(parse_case(CASE), fails).text
    assert "REGISTER ISTREAM AS" in text
    assert "[RANGE 1]" in text
    assert "CONSUME CHRONOLOGICAL" in text
