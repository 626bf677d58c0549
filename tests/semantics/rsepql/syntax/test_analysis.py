"""Warnings: what is legal but surely not meant."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef

from denota.semantics.rsepql.syntax.analysis import check_query
from denota.semantics.rsepql.syntax.parse import parse

KNOWN = [URIRef("http://e/s")]


def codes(body, head="SELECT *", tail="", stream=":s"):
    query = parse(
        f"PREFIX : <http://e/> {head} FROM NAMED WINDOW :w ON {stream} [ALL]"
        f" WHERE {{ {body} }} {tail}"
    )
    return [warning.code for warning in check_query(query, KNOWN, [])]


def test_a_graph_of_the_dataset_is_known():
    query = parse(
        "PREFIX : <http://e/> SELECT * FROM :a FROM NAMED :g FROM NAMED WINDOW :w ON :s [ALL]"
        " WHERE { ?x :p ?y GRAPH :g { ?y :q ?z } WINDOW :w { ?z :r ?u } }"
    )
    assert check_query(query, KNOWN, []) == []
    without = parse("SELECT * WHERE { GRAPH <http://e/g> { ?y ?p ?z } }")
    assert check_query(without, KNOWN, [URIRef("http://e/g")]) == []


EVENT = "EVENT :w { ?x :p ?y }"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"body": "WINDOW :w { ?x :p ?y }"}, []),
        ({"body": "WINDOW ?v { ?x :p ?y }"}, []),
        ({"body": "OPTIONAL { WINDOW :w { ?x :p ?y } }"}, []),
        ({"body": "FILTER EXISTS { WINDOW :w { ?x :p ?y } }"}, []),
        ({"body": f"MATCH {{ {EVENT} }}"}, []),
        ({"body": "?x :p ?y"}, ["unused-window", "empty-default"]),
        ({"body": f"MATCH {{ {EVENT} }} OPTIONAL {{ ?x :q ?z }}"}, ["empty-default"]),
        ({"body": "WINDOW :w { ?x :p ?y OPTIONAL { ?x :q ?z } }"}, []),
        ({"body": "GRAPH :w { ?x :p ?y }"}, ["unused-window", "unknown-graph"]),
        ({"body": "WINDOW :w { ?x :p ?y GRAPH :g { ?x :q ?z } }"}, ["unknown-graph"]),
        ({"body": "WINDOW :w { ?x :p ?y GRAPH ?g { ?x :q ?z } }"}, []),
        ({"body": f"MATCH {{ {EVENT} }}", "stream": ":elsewhere"}, ["unknown-stream"]),
        ({"body": f"MATCH {{ {EVENT} }}", "head": "SELECT ?z"}, ["unbound-select"]),
        ({"body": f"MATCH {{ {EVENT} }}", "head": "SELECT (?z AS ?u)"}, []),
        ({"body": "WINDOW :w { ?x :p ?y }", "tail": "CONSUME RECENT"}, ["nothing-to-consume"]),
        ({"body": f"MATCH {{ {EVENT} SEQC {EVENT} }}", "tail": "CONSUME RECENT"},
         ["other-policy"]),
        ({"body": f"MATCH {{ {EVENT} SEQR {EVENT} }}", "tail": "CONSUME RECENT"}, []),
        ({"body": f"MATCH {{ {EVENT} SEQ EVENT :w {{ ?x :q ?n . FILTER (?n > ?y) }} }}"},
         ["unbound-condition"]),
        ({"body": f"MATCH {{ EVENT :w {{ ?x :q ?n . FILTER (?n > ?y) }} SEQ {EVENT} }}"}, []),
        ({"body": f"MATCH {{ EVENT :w {{ ?x :q ?n . FILTER (?n > ?y) }} SEQN {EVENT} }}"},
         ["unbound-condition"]),
        ({"body": "MATCH { EVENT :w { ?x :q ?n . FILTER EXISTS { ?z :p ?u } } }"}, []),
    ],
)
def test_warnings(given, expected):
    assert codes(**given) == expected
