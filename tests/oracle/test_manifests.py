"""Manifests: read, run, reported; a small one of each kind of test."""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph
import pytest

from denota.oracle.checking.verdicts import Outcome
from denota.oracle.cli import main as denota
from denota.oracle.manifests.reading import exclusions, read_manifest
from denota.oracle.manifests.running import ManifestVerdict, Subject, run_manifest, subject
from denota.oracle.manifests.tables import summary
from denota.semantics.model.errors import CaseError, StreamError
from denota.semantics.model.terms import Dataset
from denota.semantics.rdf.queries import SelectResult
from denota.semantics.rdf.results import read_results
from denota.semantics.rdf.syntax.tree import SparqlQuery
from denota.studies.w3c import main, write_earl

PREFIXES = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix : <http://tests/manifest#> .
@prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .
@prefix qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#> .
@prefix dawgt: <http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#> .
@prefix ent: <http://www.w3.org/ns/entailment/> .
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
"""

FILES = {
    "data.ttl": "<s> <p> 1 , 2 .",
    "named.ttl": "<s> <p> 3 .",
    "select.rq": "SELECT ?v { <s> <p> ?v }",
    "named.rq": "SELECT ?v { GRAPH <named.ttl> { <s> <p> ?v } }",
    "from.rq": "SELECT ?v FROM <named.ttl> { ?s <p> ?v }",
    "ask.rq": "ASK { <s> <p> 3 }",
    "construct.rq": "CONSTRUCT { <s> <q> [ <r> ?v ] } { <s> <p> ?v }",
    "ordered.rq": "SELECT ?v { <s> <p> ?v } ORDER BY DESC(?v)",
    "bad.rq": "SELECT { }",
    "service.rq": "ASK { SERVICE <x> {} }",
    "select.csv": "v\r\n2\r\n1\r\n",
    "select.tsv": "?v\n1\n2\n",
    "named.srj": '{"head": {"vars": ["v"]}, "results": {"bindings": [{"v": {"type": "literal", '
                 '"value": "3", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}}]}}',
    "ask.srx": '<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/>'
               "<boolean>false</boolean></sparql>",
    "construct.ttl": "<s> <q> [ <r> 1 ], [ <r> 2 ] .",
    "ordered.ttl": """@prefix rs: <http://www.w3.org/2001/sw/DataAccess/tests/result-set#> .
        [] a rs:ResultSet ; rs:resultVariable "v" ;
        rs:solution [ rs:index 1 ; rs:binding [ rs:variable "v" ; rs:value 2 ] ] ,
                    [ rs:index 2 ; rs:binding [ rs:variable "v" ; rs:value 1 ] ] .""",
}


def _evaluation(name: str, query: str, result: str, more: str = "", about: str = "") -> str:
    return (
        f":{name} a mf:QueryEvaluationTest ; mf:name '{name}' ; mf:result <{result}> ; {about}"
        f" mf:action [ qt:query <{query}> ; qt:data <data.ttl> ; {more} ] ."
    )


ENTRIES = {
    "csv": _evaluation("csv", "select.rq", "select.csv"),
    "tsv": _evaluation("tsv", "select.rq", "select.tsv"),
    "named": _evaluation("named", "named.rq", "named.srj", "qt:graphData <named.ttl>"),
    "from": _evaluation("from", "from.rq", "named.srj"),
    "ask": _evaluation("ask", "ask.rq", "ask.srx"),
    "construct": _evaluation("construct", "construct.rq", "construct.ttl"),
    "ordered": _evaluation("ordered", "ordered.rq", "ordered.ttl"),
    "good": ":good a mf:PositiveSyntaxTest11 ; mf:name 'good' ; mf:action <select.rq> .",
    "bad": ":bad a mf:NegativeSyntaxTest11 ; mf:name 'bad' ; mf:action <bad.rq> .",
}


def _manifest(folder: Path, entries: dict[str, str]) -> Path:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    listed = " ".join(f":{name}" for name in entries)
    path = folder / "manifest.ttl"
    path.write_text(
        f"{PREFIXES} <> a mf:Manifest ; mf:entries ( {listed} ) .\n" + "\n".join(entries.values())
    )
    return path


def _outcomes(verdicts: list[ManifestVerdict]) -> dict[str, Outcome]:
    return {verdict.test.name: verdict.outcome for verdict in verdicts}


@pytest.mark.parametrize("who", ["oracle", "production"])
def test_every_kind_of_test_can_pass(tmp_path: Path, who: str) -> None:
    verdicts = run_manifest(_manifest(tmp_path, ENTRIES), subject(who))
    assert [(v.test.name, v.outcome, v.detail) for v in verdicts] == [
        (name, Outcome.PASS, "") for name in ENTRIES
    ]


@pytest.mark.parametrize("entry, detail", [
    (_evaluation("t", "select.rq", "named.srj"), "expected 1 solutions of ?v:"),
    (_evaluation("t", "ask.rq", "construct.ttl"), "the graph has 0 result sets"),
    (_evaluation("t", "construct.rq", "data.ttl"), "expected 2 triples, got 4"),
    (_evaluation("t", "construct.rq", "ask.srx"), "got a graph"),
    (_evaluation("t", "bad.rq", "ask.srx"), "bad.rq:1:8: unexpected '{'"),
    (_evaluation("t", "none.rq", "ask.srx"), "none.rq: cannot be read"),
    (_evaluation("t", "ordered.rq", "ordered.ttl").replace("ordered.rq", "ascending.rq"),
     "expected 2 solutions"),
    (":t a mf:PositiveSyntaxTest ; mf:name 't' ; mf:action <bad.rq> .", "unexpected '{'"),
    (":t a mf:NegativeSyntaxTest ; mf:name 't' ; mf:action <ask.rq> .", "but the query parses"),
    (":t a mf:PositiveSyntaxTest ; mf:name 't' .", "the test names no query"),
])
def test_every_kind_of_test_can_fail(tmp_path: Path, entry: str, detail: str) -> None:
    manifest = _manifest(tmp_path, {"t": entry})
    (tmp_path / "ascending.rq").write_text("SELECT ?v { <s> <p> ?v } ORDER BY ?v")
    (verdict,) = run_manifest(manifest)
    assert verdict.outcome is Outcome.FAIL
    assert detail in verdict.detail


@pytest.mark.parametrize(
    ("order", "expected", "answered", "outcome"),
    [
        ("ORDER BY ?v", "<urn:i> 1 2", "<urn:i> 1 2", Outcome.PASS),
        ("ORDER BY ?v", "<urn:i> 1 2", "<urn:i> 2 1", Outcome.FAIL),
        ("ORDER BY ?v", "<urn:i> 1 2", "1 <urn:i> 2", Outcome.FAIL),
        ("ORDER BY DESC(?v)", "2 1 <urn:i>", "<urn:i> 1 2", Outcome.FAIL),
        ("ORDER BY ?v", "1 2 'a'", "'a' 1 2", Outcome.PASS),  # the recommendation leaves it open
        ("ORDER BY ?v", "1 2 'a'", "'a' 2 1", Outcome.FAIL),
        ("ORDER BY ?v", "2 1 'a'", "'a' 1 2", Outcome.FAIL),  # the document says that 2 is first
        ("ORDER BY (?v + 1)", "1 2 'a'", "'a' 1 2", Outcome.FAIL),  # the solutions do not tell
        ("", "1 2", "2 1", Outcome.PASS),
    ],
)
def test_solutions_of_order_by_compare_in_order(
    tmp_path: Path, order: str, expected: str, answered: str, outcome: Outcome
) -> None:
    path = _manifest(tmp_path, {"t": _evaluation("t", "own.rq", "own.tsv")})
    (tmp_path / "own.rq").write_text(f"SELECT ?v {{ <s> <p> ?v }} {order}")
    stated, answer = ("\n".join(["?v", *each.split(), ""]) for each in (expected, answered))
    (tmp_path / "own.tsv").write_text(stated.replace("'", '"'))
    result = read_results(answer.replace("'", '"'), "tsv")
    assert isinstance(result, SelectResult)
    (verdict,) = run_manifest(path, Subject("toy", lambda query, dataset, graphs: result))
    assert verdict.outcome is outcome


def test_unordered_documents_do_not_excuse_the_order(tmp_path: Path) -> None:
    text = re.sub(r"rs:index \d ; ", "", FILES["ordered.ttl"])
    path = _manifest(tmp_path, {"t": _evaluation("t", "ordered.rq", "own.ttl")})
    (tmp_path / "own.ttl").write_text(text)
    assert _outcomes(run_manifest(path)) == {"t": Outcome.PASS}
    (tmp_path / "ordered.rq").write_text("SELECT ?v { <s> <p> ?v } ORDER BY ?v")
    assert _outcomes(run_manifest(path)) == {"t": Outcome.PASS}
    result = read_results("?v\n2\n1\n", "tsv")
    (verdict,) = run_manifest(path, Subject("toy", lambda query, dataset, graphs: result))
    assert "not in the order of the query" in verdict.detail


@pytest.mark.parametrize("entry, reason", [
    (_evaluation("t", "service.rq", "ask.srx"), "SERVICE"),
    (_evaluation("t", "ask.rq", "ask.srx", "qt:serviceData [ qt:endpoint <e> ]"), "SERVICE"),
    (_evaluation("t", "ask.rq", "ask.srx", "sd:entailmentRegime ent:RIF"), "entailment"),
    (_evaluation("t", "ask.rq", "ask.srx", about="dawgt:approval dawgt:Withdrawn ;"), "Withdrawn"),
    (":t a mf:UpdateEvaluationTest ; mf:name 't' .", "SPARQL Update"),
    (":t a mf:ProtocolTest ; mf:name 't' .", "protocol"),
    (":t a mf:Riddle ; mf:name 't' ; mf:action <ask.rq> .", "mf:Riddle are not known"),
    (":t mf:name 't' .", "it has no type"),
])
def test_what_is_not_run_has_a_reason(tmp_path: Path, entry: str, reason: str) -> None:
    (verdict,) = run_manifest(_manifest(tmp_path, {"t": entry}))
    assert verdict.outcome is Outcome.UNSUPPORTED
    assert reason in verdict.detail


def test_another_evaluator_is_judged_and_cannot_end_the_run(tmp_path: Path) -> None:
    def broken(query: SparqlQuery, dataset: Dataset, graphs: object) -> bool:
        raise RuntimeError("out of order")

    verdicts = run_manifest(_manifest(tmp_path, ENTRIES), Subject("broken", broken))
    outcomes = _outcomes(verdicts)
    assert outcomes["ask"] is Outcome.CRASH
    assert outcomes["good"] is Outcome.PASS
    assert {v.detail for v in verdicts if v.outcome is Outcome.CRASH} == {
        "RuntimeError: out of order"
    }


@pytest.mark.parametrize("who", ["oracle", "production"])
@pytest.mark.parametrize("regimes, found", [
    ("ent:RDFS", ["a", "b"]),
    ("( ent:OWL-Direct ent:RDFS ent:D )", ["a", "b"]),
    ("ent:RDF", ["a"]),  # rdfD2 alone: :p is a property, :q is not said to be anything
])
def test_graphs_say_what_they_entail_under_the_regime_of_the_test(
    tmp_path: Path, who: str, regimes: str, found: list[str]
) -> None:
    entry = _evaluation("t", "class.rq", "class.csv", f"sd:entailmentRegime {regimes}")
    manifest = _manifest(tmp_path, {"t": entry})
    (tmp_path / "data.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://e/> .\n"
        ":p a :Word . :a :p :x . :q rdfs:range :Word . :x :q :b . :a a :Word ."
    )
    (tmp_path / "class.rq").write_text(
        'PREFIX : <http://e/> SELECT ?v { ?s a :Word FILTER (?s != :p) BIND(SUBSTR(STR(?s), 10)'
        ' AS ?v) }'
    )
    (tmp_path / "class.csv").write_text("\r\n".join(["v", *found, ""]), newline="")
    (verdict,) = run_manifest(manifest, subject(who))
    assert (verdict.outcome, verdict.detail) == (Outcome.PASS, "")


def test_the_production_engine_does_not_describe(tmp_path: Path) -> None:
    entry = _evaluation("t", "describe.rq", "data.ttl")
    (tmp_path / "describe.rq").write_text("DESCRIBE <s>")
    manifest = _manifest(tmp_path, {"t": entry})
    assert run_manifest(manifest)[0].outcome is Outcome.PASS
    assert run_manifest(manifest, subject("production"))[0].outcome is Outcome.UNSUPPORTED


def test_excluded_tests_are_data_with_a_reason_each() -> None:
    listed = exclusions()
    assert len(listed.tests) > 30
    assert all(reason and "\n" not in reason for reason in listed.tests.values())
    assert all(iri.startswith("http://www.w3.org/") and iri.count("#") == 1 for iri in listed.tests)
    assert "UpdateEvaluationTest" in listed.kinds


def test_manifests_include_others(tmp_path: Path) -> None:
    _manifest(tmp_path, ENTRIES)
    above = tmp_path / "all.ttl"
    above.write_text(f"{PREFIXES} <> mf:include ( <manifest.ttl> <all.ttl> ) .")
    tests = read_manifest(above)
    assert [test.name for test in tests] == list(ENTRIES)
    assert {test.manifest.name for test in tests} == {"manifest.ttl"}
    assert str(tests[0].iri) == "http://tests/manifest#csv"


def test_what_is_no_manifest_is_a_clear_error(tmp_path: Path) -> None:
    _manifest(tmp_path, {})
    with pytest.raises(CaseError, match="no manifest"):
        read_manifest(tmp_path / "data.ttl")
    with pytest.raises(CaseError, match="no such manifest"):
        read_manifest(tmp_path / "none.ttl")
    with pytest.raises(StreamError, match=r"select\.rq"):
        read_manifest(tmp_path / "select.rq")


def test_the_earl_report_has_one_assertion_a_test(tmp_path: Path) -> None:
    entries = {**ENTRIES, "t": ":t a mf:ProtocolTest ; mf:name 'a \"t\"' ."}
    verdicts = run_manifest(_manifest(tmp_path, entries))
    report = tmp_path / "earl.ttl"
    write_earl(verdicts, report)
    earl = "http://www.w3.org/ns/earl#"
    outcomes = [
        quad.object.value.removeprefix(earl)
        for quad in pyoxigraph.parse(path=str(report))
        if quad.predicate.value == earl + "outcome"
    ]
    assert sorted(outcomes) == ["passed"] * len(ENTRIES) + ["untested"]


def test_the_summary_and_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passing = _manifest(tmp_path, {**ENTRIES, "t": ":t a mf:ProtocolTest ; mf:name 't' ."})
    assert main([str(passing), "--earl", str(tmp_path / "earl")]) == 0
    assert {path.name for path in (tmp_path / "earl").iterdir()} == {
        "earl-oracle.ttl", "earl-production.ttl"
    }
    lines = capsys.readouterr().out.splitlines()
    total = next(line for line in lines if line.startswith("total"))
    assert total.split() == ["total", *(str(len(ENTRIES)), "0") * 2, "1"]
    assert lines[-1] == "    1  the SPARQL protocol is not supported"
    failing = _manifest(tmp_path, {"t": _evaluation("t", "bad.rq", "ask.srx")})
    assert main([str(failing)]) == 1
    lines = summary({"oracle": run_manifest(failing)})
    assert any("FAIL    http://tests/manifest#t" in line for line in lines)
    assert main([str(tmp_path / "none.ttl")]) == 2
    assert capsys.readouterr().err.endswith("none.ttl: no such manifest\n")


# --- files outside -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../data.ttl", "%2e%2e/data.ttl", "link.ttl", "loop.ttl"])
@pytest.mark.parametrize("place", ["query", "data", "graphData", "result"])
def test_no_document_outside_of_the_folder_is_read(tmp_path: Path, name: str, place: str) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (tmp_path / "data.ttl").write_text("<s> <p> 1 , 2 .")
    (folder / "link.ttl").symlink_to(tmp_path / "data.ttl")
    (folder / "loop.ttl").symlink_to(folder / "loop.ttl")
    named = {"query": "select.rq", "data": "data.ttl", "graphData": "named.ttl", place: name}
    result = named.pop("result", "ask.srx")
    action = " ; ".join(f"qt:{role} <{each}>" for role, each in named.items())
    entry = (
        f":t a mf:QueryEvaluationTest ; mf:name 't' ; mf:result <{result}> ;"
        f" mf:action [ {action} ] ."
    )
    manifest = _manifest(folder, {"t": entry})
    (verdict,) = run_manifest(manifest)
    assert verdict.outcome is Outcome.FAIL
    assert ("(--allow-external-files)" in verdict.detail) is (name != "loop.ttl")
    assert verdict.detail
    (verdict,) = run_manifest(manifest, files_outside=True)
    assert "(--allow-external-files)" not in verdict.detail


@pytest.mark.parametrize(("iri", "says"), [
    ("http://127.0.0.1/data.ttl", "nothing is fetched from elsewhere"),
    ("file://elsewhere/data.ttl", "files are named relative to it"),
    ("FILE:///etc/hostname", "files are named relative to it"),
    ("none.ttl", "there is no file"), (".", "there is no file"), ("a%00b", "no name of a file"),
    ("http://[x/", "Invalid character '['"), ("urn:x:y", "nothing is fetched from elsewhere"),
])
def test_an_iri_that_cannot_be_read_is_one_line(
    tmp_path: Path, iri: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = _evaluation("t", "select.rq", "select.tsv").replace("data.ttl", iri)
    manifest = _manifest(tmp_path, {"t": entry})
    assert denota(["check", str(manifest)]) in (1, 2)
    told = capsys.readouterr()
    assert says in told.out + told.err
    assert "crash" not in told.out.replace("0 crash", "")
    manifest.write_text(f"{PREFIXES} <> mf:include ( <../x.ttl> <http://e/x.ttl> ) .")
    assert denota(["check", str(manifest)]) == 2
    assert "the manifest includes <" in capsys.readouterr().err


def test_a_query_names_no_graph_outside_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (tmp_path / "data.ttl").write_text("<s> <p> 3 .")
    entry = _evaluation("t", "ask-outside.rq", "ask.srx")
    manifest = _manifest(folder, {"t": entry})
    for outside in ("../data.ttl", (tmp_path / "data.ttl").as_uri()):
        (folder / "ask-outside.rq").write_text(f"ASK FROM <{outside}> {{ ?s ?p 3 }}")
        assert run_manifest(manifest)[0].outcome is not Outcome.CRASH
        assert run_manifest(manifest, files_outside=True)[0].detail == "expected false, got true"
