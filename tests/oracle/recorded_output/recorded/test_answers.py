"""Files of recorded answers, in the shapes in which engines write them."""

import json

import pytest
from rdflib.term import URIRef, Variable

from denota.oracle.recorded_output.recordings import (
    AnswersError,
    parse_recording,
    read_recording,
)

A = {"type": "uri", "value": "http://example.org/a"}
B = {"type": "uri", "value": "http://example.org/b"}
S = Variable("s")


def times_and_subjects(written, **options):
    recording = parse_recording(json.dumps(written), **options)
    return [(r.time, [str(row[S])[-1] for row in r.rows]) for r in recording.relations]


@pytest.mark.parametrize(
    "written",
    [
        {"relations": [
            {"head": {"vars": ["s"]}, "timestamp": 10, "results": {"bindings": []}},
            {"head": {"vars": ["s"]}, "timestamp": 20, "results": {"bindings": [
                {"timestamp": 20, "binding": {"s": A}}, {"timestamp": 20, "binding": {"s": B}}]}}]},
        {"relations": [
            {"timestamp": 10, "results": {"bindings": []}},
            {"results": {"bindings": [
                {"timestamp": 20, "binding": {"s": A}}, {"timestamp": 20, "binding": {"s": B}}]}}]},
        {"relations": [
            {"timestamp": "10", "results": {"bindings": None}},
            {"timestamp": 20.0, "results": {"bindings": [{"s": A}, {"?s": B}]}}]},
        [{"timestamp": 20, "bindings": [{"s": A}, {"s": B}]}, {"timestamp": 10, "bindings": []}],
        [{"at": 10, "solutions": []}, {"at": 20, "solutions": [{"s": A}, {"s": B}]}],
        [{"at": 10, "solutions": []},
         {"at": 20, "solutions": [{"s": "<http://example.org/a>"},
                                  {"s": "http://example.org/b"}]}],
    ],
)
def test_shapes(written):
    assert times_and_subjects(written) == [(10, []), (20, ["a", "b"])]


def test_bindings_with_times_of_their_own_are_relations_of_their_own():
    written = {"relations": [{"timestamp": 20, "results": {"bindings": [
        {"timestamp": 21, "binding": {"s": B}}, {"binding": {"s": A}}]}}]}
    assert times_and_subjects(written) == [(20, ["a"]), (21, ["b"])]


def test_times_are_in_their_unit():
    assert times_and_subjects([{"timestamp": 1500, "bindings": []}], unit=1000) == [(1_500_000, [])]


def test_json_lines(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"at": 1, "solutions": []}\n\n{"at": 2, "solutions": [{"s": 5}]}\n')
    recording = read_recording(path)
    assert [(r.time, len(r.rows)) for r in recording.relations] == [(1, 0), (2, 1)]
    assert (recording.name, recording.rows) == ("answers.jsonl", 1)


@pytest.mark.parametrize("name", ["value", "binding", "type", "time"])
def test_variables_may_have_any_name(name):
    row = {"s": A, name: B}
    recording = parse_recording(json.dumps(
        {"relations": [{"timestamp": 1, "results": {"bindings": [
            {"timestamp": 1, "binding": row}]}}]}
    ))
    assert recording.relations[0].rows[0][Variable(name)] == URIRef("http://example.org/b")


def test_null_is_unbound():
    recording = parse_recording('[{"at": 1, "solutions": [{"s": null, "v": {"value": null}}]}]')
    assert dict(recording.relations[0].rows[0]) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("{", "not JSON"),
        ("5", "expected a list of answers"),
        ("[5]", "answer 1: an answer is an object"),
        ('[{"bindings": []}]', "answer 1: an empty answer has no time"),
        ('[{"bindings": [{"s": 1}]}]', "there is no time"),
        ('[{"timestamp": 1}]', "there are no bindings"),
        ('[{"timestamp": "noon", "bindings": []}]', "not an xsd:dateTime"),
        ('[{"timestamp": true, "bindings": []}]', "no time"),
        ('[{"timestamp": 1, "bindings": [7]}]', "a binding is an object"),
        ('[{"timestamp": 1, "bindings": [{"s": [1]}]}]', "not a term"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(text, said):
    with pytest.raises(AnswersError) as caught:
        parse_recording(text, source="answers.json")
    assert said in str(caught.value)
    assert str(caught.value).startswith("answers.json")
    assert "\n" not in str(caught.value)
