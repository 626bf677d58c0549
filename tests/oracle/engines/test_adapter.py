import io
import json
import types

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.oracle.engines.adapter import hello, respond, serve
from denota.oracle.engines.builtin import Oracle
from denota.oracle.languages.registry import names


def answers(*lines):
    said = []
    serve(Oracle(), io.StringIO("".join(line + "\n" for line in lines)), said.append)
    return said


def test_the_greeting():
    assert hello(Oracle()) == {
        "type": "hello", "protocol": 1, "name": "oracle", "version": Oracle().version,
        "languages": list(names()), "level": "pair",
    }


def test_the_greeting_says_what_the_engine_can_do():
    class Capable(Oracle):
        capabilities = types.MappingProxyType({"ceql": {"operators": {";", "+"}}})

    assert hello(Capable())["capabilities"] == {"ceql": {"operators": ["+", ";"]}}


def test_a_case_is_answered_with_result_objects(case_text):
    message = parse_case(case_text()).message()
    answer = respond(Oracle(), json.loads(json.dumps({**message, "id": "7"})))
    assert (answer["type"], answer["id"]) == ("result", "7")
    assert [result["window"] for result in answer["results"]] == [[10, 25], [10, 25]]
    assert {r["solutions"][0]["h"]["value"][-2:] for r in answer["results"]} == {"H1", "H2"}


@pytest.mark.parametrize(
    "line", ["", "nonsense", "3", "[]", "{}", '{"type": "bye"}', '{"type": "case"}',
             '{"type": "case", "language": "spaseq", "query": "x"}'],
)
def test_serving_goes_on_after_nonsense(line):
    said = answers(line, '{"type": "hello", "protocol": 1}')
    assert said[-1]["type"] == "hello"
    assert all(answer["type"] == "error" for answer in said[:-1])
    assert len(said) == (1 if not line else 2)
