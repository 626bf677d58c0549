"""JSON Lines of RDF: a JSON-LD object a line is an item."""

from __future__ import annotations

import io
import json

import pytest
from rdflib.term import BNode, URIRef

from denota.oracle import api
from denota.oracle.languages.registry import language
from denota.semantics.model.errors import StreamError
from denota.semantics.model.items import IntervalGraph, TimestampedGraph
from denota.semantics.streams.rdf import quads
from denota.semantics.streams.rdf.reader import parse_items

PROV = "http://www.w3.org/ns/prov#"
CONTEXT = {"prov": PROV, "@vocab": "http://e/"}


def line(time, value=1, **more):
    fact = {"@id": f"http://e/x{time}", "p": value}
    return json.dumps(
        {"@context": CONTEXT, "prov:generatedAtTime": time, "@graph": [fact], **more}
    ) + "\n"


def read(text):
    return list(parse_items(text, format="jsonl", source="s.jsonl"))


def test_an_item_needs_no_name_and_a_blank_line_is_none():
    found = read(line(1) + "\n \r\n" + line(2).rstrip())
    assert [each.time for each in found] == [1, 2]
    assert all(isinstance(each.name, BNode) for each in found)
    assert found[0].name != found[1].name


def test_a_context_is_that_of_its_line():
    bare = {f"{PROV}generatedAtTime": 2, "@graph": [{"@id": "http://e/y", "p": 1, "x:q": 2}]}
    first, second = read(line(1) + json.dumps(bare))
    assert [p for _, p, _ in first.graph] == [URIRef("http://e/p")]
    assert [p for _, p, _ in second.graph] == [URIRef("x:q")]


def test_a_blank_node_is_that_of_the_whole_document():
    first, second = read(line(1, {"@id": "_:b"}) + line(2, {"@id": "_:b"}))
    assert {o for _, _, o in first.graph} == {o for _, _, o in second.graph}


@pytest.mark.parametrize("cached", range(1, 9))
def test_a_node_without_a_label_is_one_also_if_terms_are_forgotten(cached, monkeypatch):
    monkeypatch.setattr(quads, "_CACHED_TERMS", cached)
    node = {"p": 1, "q": {"p": 2}}
    found = read("".join(
        json.dumps({"@context": CONTEXT, "prov:generatedAtTime": time, "@graph": [node]}) + "\n"
        for time in range(9)
    ))
    assert [(each.time, len(each.graph)) for each in found] == [(time, 3) for time in range(9)]
    nodes = [{s for s, _, _ in each.graph} for each in found]
    assert [len(each) for each in nodes] == [2] * 9
    assert len(set().union(*nodes)) == 18


def test_intervals_empty_graphs_and_what_is_no_item():
    empty = json.dumps({f"{PROV}generatedAtTime": 5, "@graph": []}) + "\n"
    other = '{"@id": "x:y", "x:p": 1}\n{}\n{"urn:denota:heartbeat": 4}\n'
    held = json.dumps({
        "@context": CONTEXT, "prov:startedAtTime": 5, "@graph": [{"p": 1}], "prov:endedAtTime": 6
    })
    point, interval = read(other + empty + held)
    assert isinstance(point, TimestampedGraph)
    assert point.graph == frozenset()
    assert isinstance(interval, IntervalGraph)
    assert len(interval.graph) == 1


@pytest.mark.parametrize("text, message", [
    ('{"@graph": [}\n', r"s\.jsonl:2:13: not JSON: "),
    ('{"a": \n', r"s\.jsonl:2:7: not JSON: "),
    ("[{}]\n", r"s\.jsonl:2: expected a JSON-LD object"),
    ("{},{}\n", r"s\.jsonl:2:3: not JSON: extra data"),
    ('{"@id": 3}\n', r"s\.jsonl:2: @id value must be a string"),
    ('{"@context": "http://e/c"}\n', r"s\.jsonl:2: a remote JSON-LD @context is not fetched"),
    (line(1).replace(PROV, "x:"), r"s\.jsonl:2: graph _:.* has no time"),
    (line(0), r"s\.jsonl:2: graph .* must be in time order"),
    (line([1, 2]), r"s\.jsonl:2: graph .* has two times"),
    (line(2, **{"@id": "x:g"}) + line(2, **{"@id": "x:g"}), r"s\.jsonl:3: graph .* comes back"),
])
def test_errors_say_where(text, message):
    with pytest.raises(StreamError, match=f"^{message}"):
        read(line(1) + text + line(9))


def test_oracle_and_engine_read_it(tmp_path):
    path = tmp_path / "s.ndjson"
    path.write_text(line(1, 1) + line(2, 2), encoding="utf-8")
    query = """PREFIX : <http://e/> SELECT ?x ?y WITHIN 9 FROM STREAM S :s WHERE { SEQ(A; B)
        DEFINE GPM A ON S { ?x :p 1 } DEFINE GPM B ON S { ?y :p 2 } }"""
    streams = {"http://e/s": path}
    found = api.evaluate(query, streams)
    assert [pair.time for pair in found] == [2]
    assert set(api.run(query, streams)) == found
    assert language("spaseq").columns(api.parse(query))


def test_python_reads_it_where_the_format_says_so():
    items = list(api.read_stream(io.BytesIO(line(1).encode()), format="ndjson-ld"))
    assert [item.time for item in items] == [1]
