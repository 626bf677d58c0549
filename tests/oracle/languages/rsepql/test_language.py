"""RSEP-QL as the oracle and the command line see it."""

from __future__ import annotations

import io
import json

import pytest
from rdflib.term import URIRef

import denota
from denota.oracle.cli import main
from denota.oracle.cli.run import arranged
from denota.oracle.languages.registry import detect_language, language
from denota.oracle.results.json_objects import ResultError
from denota.semantics.model.errors import DenotaError
from denota.semantics.rsepql.syntax.results import TimedAnswer

RSEPQL = language("rsepql")

QUERY = """\
PREFIX : <http://e/>
REGISTER RSTREAM :out AS
SELECT ?x ?z
FROM NAMED WINDOW :w1 ON :s [FROM 1]
FROM NAMED WINDOW :w2 ON :s [RANGE 5 STEP 1]
WHERE { MATCH { EVENT :w1 { ?x :p ?y } SEQ EVENT :w2 { ?y :q ?z } } }
"""
STREAM = """\
@prefix : <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> .
:g1 prov:generatedAtTime 2 . :g1 { :a :p :b }
:g2 prov:generatedAtTime 4 . :g2 { :b :q :c }
:g3 prov:generatedAtTime 5 . :g3 { :b :q :c }
"""


@pytest.fixture
def files(tmp_path):
    query, stream = tmp_path / "q.rq", tmp_path / "s.trig"
    query.write_text(QUERY, encoding="utf-8")
    stream.write_text(STREAM, encoding="utf-8")
    return query, stream


@pytest.mark.parametrize(
    "text",
    [
        QUERY,
        "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 1] WHERE { WINDOW :w { ?x ?y ?z } }",
        "SELECT * FROM NAMED WINDOW :w ON :s [FROM 1] WHERE { WINDOW :w { ?x ?y ?z } }",
    ],
)
def test_queries_are_recognised(text):
    assert detect_language(text).name == "rsepql"


def run(capsys, query, stream, *options):
    code = main(["run", str(query), "--stream", f":s={stream}", *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("engine", ["oracle", "production"])
def test_the_command_line_evaluates_at_the_times_it_is_given(files, capsys, engine):
    code, out, _ = run(capsys, *files, "--engine", engine, "--at", "4", "5", "--at", "1")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["at"], len(line["solutions"])) for line in lines] == [(4, 1), (5, 2)]
    assert list(lines[0]["solutions"][0]) == ["x", "z"]


@pytest.mark.parametrize("engine", ["oracle", "production"])
def test_the_command_line_takes_a_policy(files, capsys, engine):
    report = ("--report-policy", "periodic", "--report-period", "4")
    code, out, _ = run(capsys, *files, "--engine", engine, *report)
    assert code == 0
    assert [json.loads(line)["at"] for line in out.splitlines()] == [4, 8]


def test_tables_of_answers(files, capsys):
    assert run(capsys, *files, "--at", "5", "--format", "csv")[1].splitlines() == [
        "at,x,z", "5,http://e/a,http://e/c", "5,http://e/a,http://e/c",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report-policy", "often"], "there is no report policy 'often'"),
        (["--report-policy", "window-close", "--at", "3"], "'at' or by 'policy'"),
        (["--from", "3"], "RSEP-QL takes no --from"),
        (["--report-period", "soon"], "--report-period: duration 'soon'"),
        (["--at", "noon"], "--at: 'noon' is neither"),
        (["--reading", "rivals=none"], "reading 'rivals' has no value 'none'"),
    ],
)
def test_what_the_command_line_refuses(files, capsys, options, message):
    code, out, err = run(capsys, *files, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_words_after_at_are_times_as_long_as_they_look_like_times():
    assert arranged(["--at", "8", "2026-01-01T00:00:00Z", "q.rq"]) == [
        "--at", "8", "--at", "2026-01-01T00:00:00Z", "q.rq",
    ]
    assert arranged(["q.rq", "--at", "8", "--at", "9"]) == ["q.rq", "--at", "8", "--at", "9"]


def test_from_python():
    stream = list(denota.read_stream(io.BytesIO(STREAM.encode())))
    streams = {"http://e/s": stream}
    found = denota.evaluate(QUERY, streams=streams, at=[4])
    assert [(answer.time, len(answer.content)) for answer in found] == [(4, 1)]
    assert [a.time for a in denota.run(QUERY, streams=streams)] == [4, 5]
    assert [a.time for a in denota.run(QUERY, streams=streams, policy="window-close")] == [
        4, 5, 6, 7, 8, 9,
    ]
    with pytest.raises(DenotaError, match="takes no 'start'"):
        denota.evaluate(QUERY, streams=streams, start=4)


def test_checking_answers_from_python():
    stream = list(denota.read_stream(io.BytesIO(STREAM.encode())))
    right = {"x": URIRef("http://e/a"), "z": URIRef("http://e/c")}

    def check(*rows):
        return denota.check(QUERY, streams={"http://e/s": stream}, actual=rows, at=[4, 5])

    assert check({"at": 4, "solutions": [right]}, {"at": 5, "solutions": [right, right]})
    report = check({"at": 4, "solutions": [right]}, {"at": 5, "solutions": [right]})
    assert [answer.time for answer in report.missing] == [5]
    assert report.unexpected == ()
    assert check({"at": 4, "solution": right}, (5, right))  # rows, duplicates removed


@pytest.mark.parametrize(
    "answer",
    [
        TimedAnswer(3, True),
        TimedAnswer(3, False),
        TimedAnswer(3, frozenset({(URIRef("http://e/a"), URIRef("http://e/b"),
                                   URIRef("http://e/c"))})),
    ],
)
def test_answers_as_json(answer):
    query = RSEPQL.parse("ASK { }")
    assert RSEPQL.from_json(RSEPQL.to_json(answer, query, None)) == answer


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"at": 1}, "has 'solutions'"),
        ({"solutions": []}, "no time"),
        ({"at": 1, "solutions": [], "boolean": True}, "has 'solutions'"),
        ({"at": 1, "window": [1, 2], "solutions": []}, "no field 'window'"),
        ({"at": 1, "boolean": "yes"}, "true or false"),
    ],
)
def test_what_is_no_answer(written, message):
    with pytest.raises(ResultError, match=message):
        RSEPQL.from_json(written)
