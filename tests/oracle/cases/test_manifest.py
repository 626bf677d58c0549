import json
from pathlib import Path

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.collection import Collection

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import find_cases, read_case
from denota.oracle.cases.embedded_text import Text
from denota.oracle.cases.w3c_manifest import write_manifest
from denota.oracle.cli import main

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
DN = "urn:denota:manifest:"
CORPUS = Path(__file__).parents[3] / "corpus"


def test_a_manifest_holds_all_that_a_case_says(case_file, tmp_path, capsys):
    folder = tmp_path / "out"
    earl = tmp_path / "r.ttl"
    words = ["--export-manifest", str(folder), "--earl", str(earl)]
    assert main(["check", str(case_file), *words]) == 0
    graph = Graph().parse(folder / "manifest.ttl")
    (head,) = graph.objects(None, URIRef(MF + "entries"))
    (test,) = Collection(graph, head)
    (name,) = graph.objects(test, URIRef(MF + "name"))
    assert str(name) == "each power event with the next weather event"
    (action,) = graph.objects(test, URIRef(MF + "action"))
    (query,) = graph.objects(action, URIRef(QT + "query"))
    streams = {
        iri: Text(Path(str(data).removeprefix("file://")).read_text(encoding="utf-8"))
        for stream in graph.objects(action, URIRef(DN + "stream"))
        for iri in graph.objects(stream, URIRef(DN + "name"))
        for data in graph.objects(stream, URIRef(QT + "data"))
    }
    text = Path(str(query).removeprefix("file://")).read_text(encoding="utf-8")
    task = Case("spaseq", Text(text), streams)
    original = read_case(case_file)
    assert task.tree == original.tree
    assert task.streams == original.streams
    (result,) = graph.objects(test, URIRef(MF + "result"))
    assert graph.value(result, URIRef(DN + "level")) == Literal("pair")
    (data,) = graph.objects(result, URIRef(QT + "data"))
    lines = Path(str(data).removeprefix("file://")).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["time"] for line in lines] == [20, 20]


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_the_corpus_can_be_exported(step, tmp_path):
    cases = [read_case(path) for path in [*find_cases([CORPUS])][::step]]
    assert len(cases) > 30
    graph = Graph().parse(write_manifest(cases, tmp_path / "out"))
    (head,) = graph.objects(None, URIRef(MF + "entries"))
    entries = list(Collection(graph, head))
    assert len(entries) == len(set(entries)) == len(cases)
    for entry in entries:
        assert graph.value(entry, URIRef(MF + "action")) is not None
        assert (
            graph.value(entry, URIRef(MF + "result")) is not None
            or graph.value(entry, URIRef(DN + "error")) is not None
        )
