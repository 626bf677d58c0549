"""Whole queries that are seldom generated: engine and definitions agree, both find something."""

from __future__ import annotations

from collections import Counter

import pytest
from rdflib.term import URIRef

from denota.engine.epsparql import run
from denota.semantics.epsparql.queries import evaluate
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.readings import Readings
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.streams.rdf.graphs import parse_graph

PREFIXES = {"": "http://example.org/"}
STREAM = [
    TimestampedGraph(time, parse_graph(text, PREFIXES))
    for time, text in (
        (1, ":a :price 10 . :b :price 7 ."), (3, ":a :price 5 ."),
        (6, ":a :price 11 . :b :price 3 ."), (7, ":a :sold :b ."),
    )
]
KB = {URIRef("http://example.org/kb"): parse_graph(":a :in :r1 . :b :in :r2 .", PREFIXES)}
QUERIES = [
    "SELECT ?k (COUNT(*) AS ?n) WHERE { ?c :price ?p } SEQ { ?c :price ?q } GROUP BY "
    "(getDURATION() AS ?k)",
    "SELECT ?c (SUM(?p) AS ?n) WHERE { ?c :price ?p } GROUP BY ?c HAVING (getDURATION() > 3 && "
    "COUNT(*) > 1)",
    "SELECT REDUCED ?c WHERE { ?c :price ?p } ORDER BY DESC(getENDTIME()) LIMIT 2",
    "SELECT ?c ?p WHERE { ?c :price ?p } VALUES ?c { :a UNDEF }",
    "SELECT (COUNT(DISTINCT *) AS ?n) WHERE { ?c :price ?p }",
    "SELECT (GROUP_CONCAT(?p; SEPARATOR=',') AS ?n) WHERE { { SELECT ?p WHERE { ?c :price ?p } "
    "ORDER BY ?p LIMIT 9} }",
    "SELECT ?c (IF(getDURATION() > 2, 'long', 'short') AS ?l) WHERE { ?c :price ?p } SEQ { ?c "
    ":price ?q }",
    "SELECT ?c WHERE { ?c :price ?p FILTER (?p > 4) } SEQ { ?c :sold ?d . ?d :price ?r }",
    "SELECT ?c WHERE { ?c :price ?p . FILTER EXISTS { { ?c :price ?p } SEQ { ?c :price ?q "
    "FILTER(?q > ?p) } } }",
    "SELECT ?c WHERE { ?c :price ?p . OPTIONAL { ?c :sold ?d FILTER EXISTS { ?d :price ?p2 "
    "FILTER(?p2 < ?p) } } }",
    "SELECT * WHERE { { ?c :price ?p } EQUALSOPTIONAL { ?d :price ?q FILTER(?q < ?p) } }",
    "SELECT * WHERE { { ?c :price ?p FILTER(getDURATION() < 1 && ?p < ?q) } OPTIONALSEQ { ?c "
    ":price ?q } }",
    "SELECT * WHERE { ?c :price ?p . BIND(getSTARTTIME() AS ?t) FILTER(?t IN (getENDTIME(), 3)) }",
    "SELECT * WHERE { GRAPH ?g { ?x :in ?r } ?x :price ?p }",
    "SELECT * WHERE { ?c (:price|:sold) ?p } SEQ { ?c !(:sold) ?q }",
    "SELECT * WHERE { ?c :price ?p } SEQ { { ?c :price ?q } UNION { ?c :sold ?q } }",
    "CONSTRUCT { ?c :up ?q } WHERE { ?c :price ?p } SEQ { ?c :price ?q } FILTER(?q > ?p) "
    "CONSTRUCT { ?c :up2 ?d } WHERE { ?c :up ?q } SEQ { ?c :sold ?d } SELECT * WHERE { ?c :up2 "
    "?d } EQUALS { ?c :up2 ?e }",
    "CONSTRUCT { ?c :n ?n } WHERE { SELECT ?c (COUNT(*) AS ?n) WHERE { ?c :price ?p } GROUP BY "
    "?c } SELECT * WHERE { ?c :n ?n } OPTIONALSEQ { ?c :sold ?d }",
    "CONSTRUCT { ?x :known true } WHERE { GRAPH :kb { ?x :in ?r } } SELECT * WHERE { ?x :known "
    "true ; :price ?p }",
]


@pytest.mark.parametrize("text", QUERIES)
def test_engine_and_definitions_agree(text):
    query = parse("PREFIX : <http://example.org/>\n" + text)
    streams = {URIRef("http://example.org/s"): STREAM}
    expected = Counter(evaluate(query, streams, KB))
    assert expected
    assert Counter(run(query, streams, KB)) == expected


@pytest.mark.parametrize("optionalfilter", ["paper", "group"])
def test_a_filter_of_what_may_follow_reads_the_interval_of_both(optionalfilter):
    query = parse(
        "PREFIX : <http://example.org/> SELECT * WHERE { { ?c :price ?p }"
        " SEQOPTIONAL { ?c :price ?q FILTER (getDURATION() < 4) } }"
    )
    readings = Readings.of({"seqoptional": "hypothetical", "optionalfilter": optionalfilter})
    streams = {URIRef("http://example.org/s"): STREAM}
    expected = Counter(evaluate(query, streams, readings=readings))
    assert Counter(run(query, streams, readings=readings)) == expected
    lengths = {found.interval[1] - found.interval[0] for found in expected}
    assert lengths == {"paper": {0, 2, 3}, "group": {0, 2, 3, 5}}[optionalfilter]
