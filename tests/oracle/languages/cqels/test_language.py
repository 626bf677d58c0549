"""CQELS-CEP in the oracle: sniffing, results, interval streams in cases, files and messages."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from rdflib.term import URIRef, Variable

import denota
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.cases.w3c_manifest import write_manifest
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.engines.adapter import respond, serve
from denota.oracle.engines.builtin import Oracle, Production
from denota.oracle.fuzzing.shrinking import shrink
from denota.oracle.languages.cqels.detection import is_query
from denota.oracle.languages.cqels.language import LANGUAGE as CQELS
from denota.oracle.languages.registry import detect_language
from denota.oracle.results.json_objects import ResultError
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.temporal_graphs import TemporalGraph

EX = "http://example.org/"
QUERY = f"""PREFIX : <{EX}>
SELECT ?v ?x FROM :map FROM NAMED WINDOW :W ON :s [RANGE 5]
WHERE {{ WINDOW :W {{ SEQ({{?v :at ?x}}, !{{?v :left ?x}}) }} ?v a :Bus }}
"""
STREAM = """:g1 prov:startedAtTime 1 ; prov:endedAtTime 3 . :g1 { :v :at :x }
:g2 prov:generatedAtTime 4 . :g2 { :w :at :y }
"""
CASE = f"""
language: cqels
prefixes: {{"": "{EX}"}}
query: |
  {QUERY.strip().replace(chr(10), chr(10) + "  ")}
streams:
  {EX}s: |
    {STREAM.strip().replace(chr(10), chr(10) + "    ")}
kb:
  {EX}map:
    changes: |
      :c prov:generatedAtTime 2 . :c {{ :v a :Bus }}
evaluate: {{at: [3, 7]}}
expect:
  results:
    - {{interval: [2, 3], solution: {{v: ":v", x: ":x"}}}}
"""


def test_sniffing() -> None:
    assert detect_language(QUERY) is CQELS
    text = "PREFIX : <urn:> SELECT * { WINDOW :W ON :s [NOW] { ?a ?b ?c } }"
    assert detect_language(text) is CQELS
    rsep = "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1] WHERE { WINDOW :w { ?a ?b ?c } }"
    assert not is_query(rsep)


_TWO = (
    "SELECT * FROM NAMED WINDOW <urn:V> ON <urn:s> [{0}] FROM NAMED WINDOW <urn:W> ON <urn:s> [{0}]"
    " WHERE {{ {1} WINDOW <urn:V> {{ ?a <urn:p> ?c }} WINDOW <urn:W> {{ ?a <urn:p> ?b }} }}"
)
_ONE = "SELECT * FROM NAMED WINDOW <urn:W> ON <urn:s> [{0}] WHERE {{ WINDOW <urn:W> {{ {1} }} }}"


@pytest.mark.parametrize(("text", "name"), [
    (_TWO.format("RANGE 10", "SEQ(<urn:V>, <urn:W>)"), "cqels"),
    (_TWO.format("RANGE 10", "SEQ(!<urn:V>, <urn:W>)"), "cqels"),
    ("PREFIX : <urn:> " + _TWO.format("RANGE 10", "SEQ(:V, !:W)"), "cqels"),
    ("PREFIX : <urn:> " + _TWO.format("ALL", "seq(:V, :W)"), "cqels"),
    (_ONE.format("ALL", "SEQ({ ?a <urn:p> ?b }, { ?b <urn:p> ?c })"), "cqels"),
    (_ONE.format("ALL", "?a next::<urn:p> ?b"), "cqels"),
    (_ONE.format("RANGE 10", "SEQ({ ?a <urn:p> ?b }, { ?b <urn:p> ?c })"), "cqels"),
    (_ONE.format("ALL", "?a <urn:p> ?b"), "rsepql"),
    (_TWO.format("ALL", "MATCH { EVENT <urn:V> { ?a ?b ?c } SEQ (EVENT <urn:W> { ?c ?d ?e }) }"),
     "rsepql"),
    ("SELECT * FROM <urn:kb> { ?a (next-1::<urn:p>)+ ?b }", "cqels"),
    (_ONE.format("ALL", "SEQ(?a <urn:p> ?b, [ <urn:p> ?b ] <urn:p> ?c)"), "cqels"),
    ("CONSTRUCT { ?a ?b ?a } " + _ONE.removeprefix("SELECT *").format("NOW", "?a ?b ?c"), "cqels"),
    ("REGISTER ISTREAM AS " + _ONE.format("ALL", "SEQ({ ?a ?b ?c }, !{ ?c ?b ?d })"), "cqels"),
    ("REGISTER ISTREAM <urn:o> AS " + _ONE.format("NOW", "?a <urn:p> ?b"), "cqels"),
    ("REGISTER ISTREAM <urn:o> AS " + _ONE.format("RANGE 9", "?a <urn:p> ?b"), "rsepql"),
    ("SELECT * FROM <urn:kb> { VALUES ?a { <urn:a> } ?a <urn:p> ?b }", "epsparql"),
    ("SELECT * WHERE { GRAPH <urn:kb> { ?a <urn:p> ?b } }", "epsparql"),
])
def test_sniffing_windows(text: str, name: str) -> None:
    assert detect_language(text).name == name
    detect_language(text).parse(text)


def test_what_one_query_constructs_another_reads() -> None:
    """Footnote 3: complex events are items of a stream."""
    late = (
        "PREFIX : <http://e/> CONSTRUCT { ?v :late ?s } WHERE {"
        " WINDOW :W ON :s [RANGE 10] { SEQ(?v :delayAt ?s, ?v :delayAt ?s) } }"
    )
    again = (
        "PREFIX : <http://e/> SELECT * WHERE {"
        " WINDOW :W ON :late [RANGE 20] { SEQ(?v :late ?s, ?v :late ?s) } }"
    )
    delay = frozenset({(URIRef("http://e/a"), URIRef("http://e/delayAt"), URIRef("http://e/m"))})
    stream = [TimestampedGraph(t, delay) for t in (1, 3, 8, 9)]
    for evaluate in (denota.evaluate, denota.run):
        items = sorted(
            evaluate(late, streams={"http://e/s": stream}), key=lambda each: each.end
        )
        assert [(each.start, each.end) for each in items if each.end == 3] == [(1, 3)]
        found = evaluate(again, streams={"http://e/late": items})
        assert (1, 9) in {each.interval for each in found}


@pytest.mark.parametrize(("format", "expected"), [
    ("jsonl", '{"at": 1, "interval": [1, 1], "graph": [{"subject": {"type": "uri", "value":'
              ' "urn:b"}, "predicate": {"type": "uri", "value": "urn:q"}, "object": {"type":'
              ' "uri", "value": "urn:a"}}]}\n'),
    ("csv", "at,start,end,subject,predicate,object\n1,1,1,urn:b,urn:q,urn:a\n"),
])
def test_what_construct_writes(
    format: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query, stream = tmp_path / "q.rq", tmp_path / "s.trig"
    query.write_text(
        "CONSTRUCT ISTREAM { ?y <urn:q> ?x } WHERE { WINDOW <urn:w> ON <urn:s> [NOW]"
        " { ?x <urn:p> ?y } }"
    )
    stream.write_text(
        "@prefix prov: <http://www.w3.org/ns/prov#> ."
        "<urn:g> prov:generatedAtTime 1 . <urn:g> { <urn:a> <urn:p> <urn:b> }"
    )
    assert main(["run", str(query), "--stream", f"urn:s={stream}", "--format", format]) == 0
    assert capsys.readouterr().out == expected


def test_a_case_with_intervals_and_a_changing_background() -> None:
    case = parse_case(CASE)
    for engine in (Oracle(), Production()):
        assert check_case(case, engine).ok
    again = parse_case(case_text(case))
    assert check_case(again, Oracle()).ok
    data = case.parsed().but(expect=None)
    assert data.evaluation == {"at": [3, 7]}
    assert isinstance(data.kb[URIRef(EX + "map")], TemporalGraph)
    written = parse_case(case_text(data) + "expect: {results: []}\n")
    assert written.parsed().but(expect=None) == data


def test_a_wrong_answer_is_shown() -> None:
    wrong = CASE.replace("interval: [2, 3]", "interval: [1, 3]")
    verdict = check_case(parse_case(wrong), Production())
    assert not verdict.ok
    assert "[1, 3]" in str(verdict) or verdict.missing


@pytest.mark.parametrize(("change", "message"), [
    (("interval: [2, 3]", "interval: [3, 2]"), "ends when it begins or later"),
    (("interval: [2, 3], ", ""), "needs 'interval'"),
    (("    changes: |\n      :c prov:generatedAtTime 2 . :c { :v a :Bus }", "    nothing: 1"),
     "there is no 'nothing'|unknown|nothing"),
    (("evaluate: {at: [3, 7]}", "evaluate: {from: 3}"), "from"),
])
def test_errors_in_cases(change: tuple[str, str], message: str) -> None:
    with pytest.raises(denota.CaseError, match=message):
        parse_case(CASE.replace(*change))


def test_the_adapter_protocol() -> None:
    task = parse_case(CASE)
    message = json.loads(json.dumps(task.message()))
    assert "startedAtTime" in message["streams"][EX + "s"]
    assert "generatedAtTime" in message["kb"][EX + "map"]["changes"]
    answers: list[object] = []
    serve(Production(), [json.dumps(message)], answers.append)
    term = {"type": "uri", "value": EX + "v"}
    assert answers == [{
        "type": "result", "id": message["id"],
        "results": [
            {"interval": [2, 3], "solution": {"v": term, "x": {**term, "value": EX + "x"}}}
        ],
    }]
    assert respond(Oracle(), message)["results"] == answers[0]["results"]  # type: ignore[index]


def test_python() -> None:
    here, there = f"<{EX}v> <{EX}at> <{EX}x> .", f"<{EX}w> <{EX}at> <{EX}y> ."
    streams = {EX + "s": [(1, 3, here), (9, there)]}
    query = (
        f"PREFIX : <{EX}> SELECT * FROM NAMED WINDOW :W ON :s [RANGE 5]"
        " { WINDOW :W { ?v :at ?x } }"
    )
    found = denota.evaluate(query, streams=streams, language="cqels", at=[2, 9])
    assert {each.interval for each in found} == {(1, 2), (9, 9)}
    assert Counter(denota.run(query, streams, at=[2, 9], language="cqels")) == Counter(found)
    rows = [{"interval": [1, 3], "solution": {"v": URIRef(EX + "v"), "x": URIRef(EX + "x")}}]
    report = denota.check(query, streams=streams, actual=rows, language="cqels")
    assert report.missing
    assert not report.unexpected
    with pytest.raises(denota.DenotaError, match="no policy 'window-close'"):
        denota.evaluate(query, streams=streams, language="cqels", policy="window-close")


def test_a_background_that_changes_in_python() -> None:
    bus = f"<{EX}v> a <{EX}Bus> ."
    streams = {EX + "s": [(1, 9, f"<{EX}v> <{EX}at> <{EX}x> .")]}
    for kb, start in ((bus, 4), ({2: "", 7: bus}, 7), ({7: bus, 2: ""}, 7)):
        found = denota.evaluate(QUERY, streams=streams, kb={EX + "map": kb})
        assert {each.interval for each in found} == {(start, 9)}
    with pytest.raises(denota.StreamError, match="not at both"):
        denota.run(QUERY, streams=streams, kb={EX + "map": {2: bus, "2026-01-01T00:00:00Z": bus}})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    head = f"@prefix : <{EX}> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
    (tmp_path / "q.rq").write_text(QUERY, encoding="utf-8")
    (tmp_path / "s.trig").write_text(head + STREAM, encoding="utf-8")
    (tmp_path / "map.trig").write_text(
        head + ":c prov:generatedAtTime 2 . :c { :v a :Bus }\n", encoding="utf-8"
    )
    (tmp_path / "map.ttl").write_text(f"@prefix : <{EX}> . :v a :Bus .\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("engine", ["production", "oracle"])
def test_the_command_line(
    files: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    arguments = [
        "run", str(files / "q.rq"), "--stream", f"{EX}s={files / 's.trig'}", "--engine", engine,
    ]
    assert main([*arguments, "--kb", f"{EX}map={files / 'map.ttl'}"]) == 0
    assert json.loads(capsys.readouterr().out)["interval"] == [1, 3]
    assert main([*arguments, "--kb", f"{EX}map={files / 'map.trig'}", "--at", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["interval"] == [2, 3]
    assert main([*arguments, "--kb", f"{EX}map={files / 'map.ttl'}", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["start,end,v,x", f"1,3,{EX}v,{EX}x"]


def test_result_objects() -> None:
    solution = IntervalSolution(1, 3, SolutionMapping({Variable("v"): URIRef(EX + "v")}))
    tree = CQELS.parse(QUERY)
    written = CQELS.to_json(solution, tree, CQELS.readings({}))
    assert written == {
        "interval": [1, 3], "solution": {"v": {"type": "uri", "value": EX + "v"}}
    }
    assert CQELS.from_json(written) == solution
    assert CQELS.columns(tree) == (Variable("v"), Variable("x"))
    with pytest.raises(ResultError, match="CQELS-CEP has no field 'time'"):
        CQELS.from_json({"time": 1, "solution": {}})


def test_shrinking_keeps_what_fails() -> None:
    case = parse_case(CASE)

    def fails(smaller: object) -> bool:
        found = list(Oracle().run(smaller))  # type: ignore[attr-defined]
        return any(each.start == 2 for each in found)

    small = shrink(case, fails).parsed()
    assert fails(small)
    assert sum(len(stream) for stream in small.streams.values()) <= 1
    assert "SEQ" not in CQELS.print(small.query)


def test_a_case_is_exported_with_its_times_and_changes(tmp_path: Path) -> None:
    from rdflib import Graph, Namespace
    from rdflib.collection import Collection

    manifest = write_manifest([parse_case(CASE)], tmp_path)
    graph = Graph().parse(manifest, format="turtle")
    dn = Namespace("urn:denota:manifest:")
    (times,) = graph.objects(None, dn.at)
    assert [int(str(time)) for time in Collection(graph, times)] == [3, 7]
    (changes,) = graph.objects(None, dn.changes)
    assert "generatedAtTime" in Path(str(changes).removeprefix("file://")).read_text("utf-8")
