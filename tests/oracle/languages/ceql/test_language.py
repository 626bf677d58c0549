"""CEQL in the oracle: sniffing, results, verdicts where a choice is left, tables, the interface."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib.term import URIRef

import denota
from denota.oracle.cases.case import Case, ExpectedResults
from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.cases.embedded_text import Table, Text
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.engines.adapter import respond, serve
from denota.oracle.engines.builtin import Oracle
from denota.oracle.inputs.choices import random_values
from denota.oracle.languages.ceql.generate.queries import predicate
from denota.oracle.languages.ceql.language import LANGUAGE as CEQL
from denota.oracle.languages.registry import detect_language
from denota.oracle.results.json_objects import ResultError
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import Attribute, CeqlQuery, Comparison, Literal
from denota.semantics.model.trees import find
from denota.semantics.model.tuples import EventTuple

QUERY = "SELECT * FROM S WHERE A AS a ; B AS b FILTER b[x > 1]"
CSV = "type,x\nA,1\nB,1\nB,2\n"
EVENT = ComplexEvent(2, 0, (0, 2))


class Says:
    """An engine that answers what it was told to."""

    name = "says"
    version = ""
    languages = ("ceql",)
    level = "positions"

    def __init__(self, *results: object) -> None:
        self.results = results

    def run(self, task: Case) -> list[object]:
        return list(self.results)


def task(query: str, csv: str = CSV, **readings: str) -> Case:
    return Case("ceql", Text(query), {URIRef("S"): Table(csv)}, readings=readings)


@pytest.mark.parametrize(
    "text",
    [
        QUERY,
        "-- a comment {\nSELECT MAX a, b FROM Stock WHERE ((A or B)+ AS b) AS a",
        "CREATE STREAM S { EVENT A { x:int } } SELECT * WHERE A",
        "SELECT * FROM S WHERE A FILTER A[x IN {1..}] WITHIN 5 [t]",
        "SELECT * FROM S WHERE A FILTER A[x NOT IN {1, 2}]",
        "SELECT * FROM S WHERE A ; B CONSUME BY ANY",
        "CHECK { SELECT * WHERE A : B }",
    ],
)
def test_queries_are_told_by_their_looks(text: str):
    assert detect_language(text).name == "ceql"
    assert isinstance(denota.parse(text), CeqlQuery)


@pytest.mark.parametrize("text", ["SELECT * FROM S", "SELECT MAX x FROM `a b`, T WHER A"])
def test_malformed_queries_are_told_as_well(text: str):
    assert detect_language(text).name == "ceql"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x WHERE { ?x ?y ?z }",
        "PREFIX : <x> SELECT ?x",
        "foo",
        "SELECT * FROM STREAM S <http://example.org/s> WHERE",
        "SELECT * WITHIN 5 FROM STREAM S :s WHERE",
        "SELECT * FROM :s WHERE { }",
        "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 1] WHERE { }",
    ],
)
def test_other_queries_are_not(text: str):
    assert detect_language(text).name != "ceql"


# --- results --------------------------------------------------------------------------------------


def test_results_as_json():
    query, plain = CEQL.parse(QUERY), CEQL.readings({})
    told = CEQL.readings({"output": "valuation"})
    assert CEQL.to_json(EVENT, query, plain) == {"start": 0, "end": 2, "positions": [0, 2]}
    bound = ComplexEvent(2, 0, (0, 2), (("a", (0,)), ("b", (2,))))
    written = CEQL.to_json(bound, query, told)
    assert written["bindings"] == {"a": [0], "b": [2]}
    assert CEQL.from_json(written) == bound
    assert CEQL.from_json(json.loads(json.dumps(written))) == bound


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"end": 2, "positions": []}, "needs 'start'"),
        ({"start": 0, "end": "2", "positions": []}, "needs 'end'"),
        ({"start": 0, "end": 2}, "'positions' is a list"),
        ({"start": 0, "end": 2, "positions": [True]}, "'positions' is a list"),
        ({"start": 0, "end": 2, "positions": [], "time": 1}, "no field 'time'"),
        ({"start": 0, "end": 2, "positions": [], "bindings": []}, "'bindings' maps"),
    ],
)
def test_malformed_results(written: dict[str, object], message: str):
    with pytest.raises(ResultError, match=message):
        CEQL.from_json(written)


def test_bindings_that_are_left_open_are_not_compared():
    valuation = {"output": "valuation"}
    whole = {"start": 0, "end": 2, "positions": [0, 2], "bindings": {"a": [0], "b": [2]}}
    types = {"A": [0], "B": [2]}
    without = {key: value for key, value in whole.items() if key != "bindings"}
    for answer, right in (
        ({**whole, "bindings": {**whole["bindings"], **types}}, True),  # type: ignore[dict-item]
        (whole, False),
        (without, True),
    ):
        judged = Says(answer)
        judged.level = "row"  # a third party's, which need not report everything
        assert check_case(task(QUERY, **valuation), judged).ok is right


# --- verdicts where several results are right -----------------------------------------------------


@pytest.mark.parametrize(
    ("query", "answers", "right"),
    [
        ("SELECT ANY * FROM S WHERE A ; B", [(0, 2)], True),
        ("SELECT ANY * FROM S WHERE A ; B", [(1, 2)], True),
        ("SELECT ANY * FROM S WHERE A ; B", [], False),
        ("SELECT ANY * FROM S WHERE A ; B", [(0, 2), (1, 2)], False),
        ("SELECT ANY * FROM S WHERE A ; B", [(0, 1)], False),
        ("SELECT * FROM S WHERE A ; B LIMIT 1", [(1, 2)], True),
        ("SELECT * FROM S WHERE A ; B LIMIT 5", [(1, 2)], False),
        ("SELECT * FROM S WHERE A ; B LIMIT 5", [(1, 2), (0, 2)], True),
        ("SELECT * FROM S WHERE A ; B LIMIT 0", [], True),
    ],
)
def test_any_right_result_passes(query: str, answers: list[tuple[int, ...]], right: bool):
    found = [ComplexEvent(places[-1], places[0], places) for places in answers]
    asked = task(query, "type\nA\nA\nB\n")
    assert check_case(asked, Says(*found)).ok is right
    # So it does against an expectation that names another one, as long as that is right, too.
    expected = ExpectedResults(sorted(Oracle().run(asked)), "positions")
    assert check_case(asked.but(expect=expected), Says(*found)).ok is right


def test_an_expectation_that_is_wrong_stays_wrong():
    asked = task("SELECT ANY * FROM S WHERE A ; B", "type\nA\nA\nB\n")
    expected = ExpectedResults([ComplexEvent(2, 1, (1,))], "positions")
    assert check_case(asked.but(expect=expected), Oracle()).is_failure


# --- tables ---------------------------------------------------------------------------------------


def test_a_message_holds_tables_that_are_complete_in_themselves():
    message = task(QUERY).message()
    assert message["streams"] == {"S": {"csv": CSV}}
    rows = [EventTuple("A", {"x": 1}), EventTuple("B", {"x": 2})]
    told = Case("ceql", Text(QUERY), {URIRef("S"): rows}).message()["streams"]["S"]
    assert told == {
        "csv": "type,x\nA,1\nB,2\n",
        "declaration": "CREATE STREAM S { EVENT A { x:int }, EVENT B { x:int } }",
    }
    answer = respond(Oracle(), json.loads(json.dumps(message)))
    assert answer["results"] == [{"start": 0, "end": 2, "positions": [0, 2]}]


def test_the_adapter_serves_tuples():
    answers: list[object] = []
    serve(Oracle(), [json.dumps(task(QUERY).message())], answers.append)
    assert answers[0]["type"] == "result"  # type: ignore[index]


def test_a_case_with_a_table_is_written_and_read_again(tmp_path: Path):
    case = parse_case(
        f"language: ceql\nquery: {QUERY!r}\nstreams:\n  S:\n    csv: |\n      type,x\n      A,1\n"
        "      B,2\nexpect:\n  results:\n    - {start: 0, end: 1, positions: [0, 1],"
        " bindings: {a: [0]}}\n"
    )
    again = parse_case(case_text(case))
    assert again.streams == case.streams
    assert again.expect == case.expect


def test_a_case_may_name_files(tmp_path: Path):
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    path = tmp_path / "c.case.yaml"
    path.write_text(
        f"language: ceql\nquery: {QUERY!r}\nstreams: {{S: {{file: s.csv.gz}}}}\n"
        "expect: {results: [{start: 0, end: 2, positions: [0, 2]}]}\n",
        encoding="utf-8",
    )
    assert main(["check", str(path), "--engine", "oracle"]) == 0


# --- the Python interface and the command line ----------------------------------------------------


@pytest.mark.parametrize(
    "stream",
    [
        [EventTuple("A", {"x": 1}), EventTuple("B", {"x": 1}), EventTuple("B", {"x": 2})],
        [{"type": "A", "x": 1}, {"type": "B", "x": None}, {"type": "B", "x": 2}],
        pa.table({"type": ["A", "B", "B"], "x": [1, 1, 2]}),
        io.BytesIO(CSV.encode()),
    ],
    ids=["tuples", "mappings", "arrow", "file"],
)
def test_streams_are_taken_liberally(stream: object):
    assert denota.evaluate(QUERY, {"S": stream}) == {EVENT}  # type: ignore[dict-item]


def test_the_interface(tmp_path: Path):
    (tmp_path / "s.csv").write_text(CSV, encoding="utf-8")
    stream = denota.read_stream(str(tmp_path / "s.csv"))
    assert [each.type for each in stream] == ["A", "B", "B"]
    report = denota.check(QUERY, {"S": stream}, actual=[])
    assert report.missing == (EVENT,)
    assert denota.check(QUERY, {"S": stream}, actual=[EVENT]).ok
    with pytest.raises(denota.StreamError, match="a tuple is an EventTuple or a mapping"):
        denota.evaluate(QUERY, {"S": [1]})  # type: ignore[list-item]


def run(*words: str) -> int:
    return main(["run", *words, "--engine", "oracle"])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.ceql").write_text(QUERY, encoding="utf-8")
    Path("s.csv").write_text(CSV.replace("type", "kind"), encoding="utf-8")
    return tmp_path


def test_formats(files: Path, capsys: pytest.CaptureFixture[str]):
    options = ("q.ceql", "--stream", "S=s.csv", "--type-column", "kind")
    assert run(*options) == 0
    assert json.loads(capsys.readouterr().out) == {"start": 0, "end": 2, "positions": [0, 2]}
    assert run(*options, "--format", "csv", "--reading", "output=valuation") == 0
    assert capsys.readouterr().out.splitlines() == [
        "start,end,positions,bindings", "0,2,0 2,A=0;B=2;a=0;b=2"
    ]
    assert run(*options, "--format", "parquet", "-o", "r.parquet") == 0
    assert pq.read_table("r.parquet").to_pylist() == [{"start": 0, "end": 2, "positions": [0, 2]}]
    assert run(*options, "--format", "srj") == 2
    assert "complex events are no solutions" in capsys.readouterr().err


def test_declarations_and_times_on_the_command_line(
    files: Path, capsys: pytest.CaptureFixture[str]
):
    Path("d.core").write_text(
        "CREATE STREAM S { EVENT A { x:string }, EVENT B { x:string } }", encoding="utf-8"
    )
    options = ("q.ceql", "--stream", "S=s.csv", "--type-column", "kind")
    assert run(*options, "--schema", "d.core") == 2
    assert "'x' (string) is compared by > with a number" in capsys.readouterr().err
    Path("q.ceql").write_text("SELECT * FROM S WHERE A ; B FILTER B[x = '2']", encoding="utf-8")
    assert run(*options) == 0
    assert capsys.readouterr().out == ""
    assert run(*options, "--schema", "d.core") == 0
    assert json.loads(capsys.readouterr().out) == {"start": 0, "end": 2, "positions": [0, 2]}
    Path("q.ceql").write_text("SELECT * FROM S WHERE A ; B WITHIN 1 SECOND", encoding="utf-8")
    assert run(*options, "--time-column", "x") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert run(*options) == 2
    assert "has no arrival time" in capsys.readouterr().err


def test_bad_input_is_one_line(files: Path, capsys: pytest.CaptureFixture[str]):
    assert run("q.ceql", "--stream", "S=s.csv") == 2
    error = capsys.readouterr().err
    assert error.startswith("s.csv:1: no column 'type' holds the event type")
    assert len(error.splitlines()) == 1
    assert run("q.ceql", "--stream", "T=s.csv", "--type-column", "kind") == 2
    assert "the query names no stream 'T' (it names: S)" in capsys.readouterr().err


def test_what_ceql_does_not_have(files: Path, capsys: pytest.CaptureFixture[str]):
    options = ("q.ceql", "--stream", "S=s.csv", "--type-column", "kind")
    assert run(*options, "--from", "5") == 2
    assert "CEQL takes no --from" in capsys.readouterr().err
    assert run(*options, "--reading", "kleene=last") == 2
    assert "CEQL has no reading 'kleene'" in capsys.readouterr().err


def test_generated_strings_stand_on_either_side_of_a_comparison() -> None:
    sides = {
        (type(each.left), type(each.right))
        for drawn in random_values(lambda choices: predicate(choices, 1), "sides", 200)
        for each in find(drawn, Comparison)
        if any(isinstance(getattr(side, "value", None), str) for side in (each.left, each.right))
    }
    assert sides == {(Attribute, Literal), (Literal, Attribute)}
