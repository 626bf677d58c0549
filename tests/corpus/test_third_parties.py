"""What those need of the corpus who never install denota: a schema, plain RDF, and a runner."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pyoxigraph
import pytest
import rdflib
import yaml

import denota
from denota.oracle.cases.case_reader import parse_case, read_case
from denota.oracle.languages.registry import language, names
from denota.semantics.model.errors import CaseError, DenotaError
from denota.semantics.rsepql.syntax.settings import POLICIES, SETTINGS

CORPUS = Path(denota.__file__).resolve().parent / "corpus"
CASES = sorted(CORPUS.rglob("*.case.yaml"))
SCHEMA = json.loads((CORPUS / "case.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(
    SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)
RUNNER = CORPUS / "run.py"
NAMES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")  # those of installed packages are others'


class CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML as 1.2's core schema has it: a date is text."""


CoreLoader.add_constructor("tag:yaml.org,2002:timestamp", CoreLoader.construct_scalar)


def data(text: str) -> Any:
    return yaml.load(text, CoreLoader)


def short(path: Path) -> str:
    return path.relative_to(CORPUS).as_posix().removesuffix(".case.yaml")


# --- the schema ----------------------------------------------------------------------------------


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_says_what_the_languages_say(name: str) -> None:
    here, there = SCHEMA["$defs"][name], language(name)
    properties = here["properties"]
    readings = here["then"]["properties"]["readings"]["properties"]
    assert {key: tuple(each["enum"]) for key, each in readings.items()} == (
        there.readings_type.choices()
    )
    expect = properties["expect"]["properties"]
    assert tuple(expect["level"]["enum"]) == there.levels
    result = SCHEMA["$defs"][expect["results"]["items"]["$ref"].removeprefix("#/$defs/")]
    assert set(result["properties"]) == there.result_fields
    assert set(properties["evaluate"]["properties"]) == there.evaluation_fields


def test_the_schema_says_which_languages_policies_and_settings_there_are() -> None:
    assert SCHEMA["properties"]["language"]["enum"] == list(NAMES)
    assert set(names()) >= set(NAMES)
    evaluate = SCHEMA["$defs"]["rsepql"]["then"]["properties"]["evaluate"]["properties"]
    assert tuple(evaluate["policy"]["enum"]) == POLICIES
    assert evaluate["setting"]["enum"] == list(SETTINGS)


def case_in(name: str, result: str, **more: str) -> str:
    lines = {
        "title": "a case", "language": name, "query": "q", "streams": "{}",
        "expect": f"{{results: [{result}]}}", **more,
    }
    return "".join(f"{key}: {value}\n" for key, value in lines.items() if value)


SOUND = {
    "spaseq": "{time: 20, window: [10, 25], solutions: [{h: ':H1', w: [1, 2]}]}",
    "rsepql": "{at: 8, solutions: [{x: '<http://example.org/a>', y: ~}]}",
    "cqels": "{at: 9, interval: [1, 2], graph: '<a:b> <a:c> 1 .'}",
    "epsparql": "{interval: [2026-01-01, 2026-01-02T10:00:00Z], solution: {x: '\"a\"@en'}}",
    "ceql": "{start: 0, end: 4, positions: [0, 2, 4], bindings: {X: [0]}}",
}
PREFIXES = '{"": "http://example.org/"}'
READINGS = {"spaseq": "kleene: join", "rsepql": "rivals: any", "cqels": "inside: open",
            "epsparql": "solutions: sets", "ceql": "within: core"}


@pytest.mark.parametrize("name", NAMES)
def test_what_the_reader_takes_the_schema_takes(name: str) -> None:
    text = case_in(name, SOUND[name], prefixes=PREFIXES, readings=f"{{{READINGS[name]}}}",
                   kb="~", evaluate="{}", tags="[a, 5]")
    parse_case(text)
    assert list(VALIDATOR.iter_errors(data(text))) == []


WRONG = {
    "spaseq": [
        "{solutions: [{}]}", "{time: 1}", "{time: 1, solutions: [{}], solution: {}}",
        "{time: 1, at: 1, solutions: []}", "{time: soon, solutions: []}",
        "{time: [1, 2, 3], solutions: []}", "{time: 1, window: [1], solutions: []}",
        "{time: 1, rank: x, solutions: []}", "{time: 1, solutions: {}}",
        "{time: 1, solutions: [{h: H1}]}", "{time: 1, solutions: [{h: ':H1, :H2'}]}",
        "{time: 1, solutions: [{h: {type: thing, value: x}}]}", "{time: 1, interval: [1, 2]}",
    ],
    "rsepql": [
        "{solutions: []}", "{at: 1}", "{at: 1, solutions: [], boolean: true}",
        "{at: 1, boolean: maybe}", "{at: 1, interval: [1, 2], solutions: []}",
        "{at: [1, 2], solutions: []}", "{at: 1, window: [1, 2], solutions: []}",
    ],
    "cqels": [
        "{solution: {}}", "{interval: [1, 2]}", "{interval: [1, 2, 3], solution: {}}",
        "{interval: [1, 2], solutions: []}", "{interval: [1, 2], solution: {}, graph: ''}",
        "{interval: 1, solution: {}}", "{boolean: true}",
    ],
    "epsparql": [
        "{solution: {}}", "{interval: [1, 2]}", "{interval: [1, 2], solution: {}, at: 1}",
        "{boolean: true, interval: [1, 2]}", "{boolean: 5}", "{interval: [1, 2], graph: ''}",
    ],
    "ceql": [
        "{start: 0, end: 1}", "{end: 1, positions: [0]}", "{start: 0, end: 1, positions: 0}",
        "{start: 0, end: one, positions: []}", "{start: 0, end: 1, positions: [a]}",
        "{start: 0, end: 1, positions: [], bindings: {X: 0}}",
        "{start: 0, end: 1, positions: [], solution: {}}",
    ],
}


@pytest.mark.parametrize("name, result", [(n, each) for n, many in WRONG.items() for each in many])
def test_the_schema_refuses_the_results_that_the_reader_refuses(name: str, result: str) -> None:
    text = case_in(name, result, prefixes=PREFIXES)
    with pytest.raises(CaseError):
        parse_case(text)
    assert not VALIDATOR.is_valid(data(text))


MUTATIONS = {
    "no language": {"language": ""}, "no query": {"query": ""}, "no streams": {"streams": ""},
    "no expect": {"expect": ""}, "another language": {"language": "sparseq"},
    "another key": {"citse": "x"}, "a list for prefixes": {"prefixes": "[a]"},
    "a list for streams": {"streams": "[a]"}, "a list for kb": {"kb": "[a]"},
    "no IRI": {"streams": "{'http://exam ple.org/s': ''}"},
    "a stream that is a list": {"streams": "{'http://example.org/s': [a]}"},
    "a stream of another form": {"streams": "{'http://example.org/s': {text: a}}"},
    "two forms at once": {"streams": "{'http://example.org/s': {csv: a, file: b.csv}}"},
    "a file elsewhere": {"streams": "{'http://example.org/s': {file: ../a.trig}}"},
    "a graph of another form": {"kb": "{'http://example.org/k': {turtle: a}}"},
    "two forms of a graph": {"kb": "{'http://example.org/k': {changes: '', file: a.ttl}}"},
    "no reading": {"readings": "{kleen: join}"}, "a list of readings": {"readings": "[join]"},
    "no way to evaluate": {"evaluate": "{when: 5}"}, "a list of ways": {"evaluate": "[5]"},
    "no level": {"expect": "{level: pear, results: []}"},
    "neither results nor error": {"expect": "{level: pair}"},
    "results and error": {"expect": "{results: [], error: x}"},
    "expect of another key": {"expect": "{result: []}"},
    "expect is a list": {"expect": "[a]"}, "results are a text": {"expect": "{results: a}"},
    "no regular expression": {"expect": "{error: '('}"}, "tags are a text": {"tags": "a"},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_the_schema_refuses_the_cases_that_the_reader_refuses(
    name: str, mutation: dict[str, str]
) -> None:
    text = case_in(name, SOUND[name], **{"prefixes": PREFIXES, **mutation})
    with pytest.raises(CaseError):
        parse_case(text)
    assert not VALIDATOR.is_valid(data(text))


@pytest.mark.parametrize("name, evaluate", [
    ("spaseq", "{from: soon}"), ("spaseq", "{at: 5}"), ("rsepql", "{at: [soon]}"),
    ("rsepql", "{empty: 5}"), ("rsepql", "{period: long}"), ("cqels", "{from: 5}"),
    ("epsparql", "{at: 5}"), ("ceql", "{at: 5}"),
])
def test_the_schema_refuses_what_a_language_is_not_told(name: str, evaluate: str) -> None:
    text = case_in(name, SOUND[name], prefixes=PREFIXES, evaluate=evaluate)
    with pytest.raises(CaseError):
        parse_case(text)
    assert not VALIDATOR.is_valid(data(text))


@pytest.mark.parametrize("name", NAMES)
def test_a_reading_has_the_values_of_its_language(name: str) -> None:
    reading = READINGS[name].split(":")[0]
    text = case_in(name, SOUND[name], prefixes=PREFIXES, readings=f"{{{reading}: whatever}}")
    with pytest.raises(CaseError):
        parse_case(text)
    assert not VALIDATOR.is_valid(data(text))
    refused = case_in(name, "", expect="{error: whatever}", readings=f"{{{reading}: whatever}}")
    parse_case(refused)  # that it is refused may be what the case is about
    assert VALIDATOR.is_valid(data(refused))


# --- streams, graphs and folders -----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # within rdflib
@pytest.mark.parametrize("path", CASES, ids=short)
def test_a_case_needs_nothing_of_denota(path: Path) -> None:
    """It follows the schema, declares its prefixes, and stands in the folder of its language."""
    case = data(path.read_text(encoding="utf-8"))
    json.dumps(case)
    assert [error.message for error in VALIDATOR.iter_errors(case)] == []
    section, folder, _ = path.relative_to(CORPUS).parts
    if section != "peers":  # whose folders are engines
        assert folder == case["language"]
    assert section in SECTIONS
    assert_says_what_a_runner_has_to_know(path, case["expect"])
    if case["language"] != "ceql":
        assert_declares_its_prefixes(case)


SECTIONS = re.findall(r"^\| `(\w+)/` \|", (CORPUS / "README.md").read_text(encoding="utf-8"), re.M)


def assert_declares_its_prefixes(case: Any) -> None:
    header = "".join(f"@prefix {n}: <{iri}> .\n" for n, iri in {
        "prov": "http://www.w3.org/ns/prov#", "xsd": "http://www.w3.org/2001/XMLSchema#",
        **case.get("prefixes", {})}.items())
    for each in [*case["streams"].values(), *(case.get("kb") or {}).values()]:
        text = each["changes"] if isinstance(each, dict) else each
        try:
            quads = parsed(header + text)
        except SyntaxError:
            assert "error" in case["expect"]  # which may be about that
            continue
        assert len(parsed(text)) == len(quads)
        rdflib.Dataset().parse(data=text, format="trig")


def parsed(text: str) -> list[Any]:
    return list(pyoxigraph.parse(text.encode(), format=pyoxigraph.RdfFormat.TRIG))


def assert_says_what_a_runner_has_to_know(path: Path, expect: Any) -> None:
    """Its level, and by the tag `choice` that other results are right as well."""
    case = read_case(path)
    assert "level" in expect or "error" in expect
    leaves = getattr(language(case.language), "leaves_a_choice", lambda query: False)
    try:
        assert ("choice" in case.tags) == ("results" in expect and leaves(case.tree))
    except DenotaError:
        assert "error" in expect


# --- the runner ----------------------------------------------------------------------------------


def ran(command: str, *places: Path) -> tuple[int, dict[str, str], dict[str, int]]:
    """Its exit code, the outcome of each case, and the counts."""
    done = subprocess.run(
        [sys.executable, str(RUNNER), command, *map(str, places)], capture_output=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    *lines, last = done.stdout.splitlines()
    outcomes = {path: outcome for outcome, path in (line.split(" ", 1) for line in lines)}
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", last)}
    assert counts.pop("cases") == len(outcomes)
    return done.returncode, outcomes, counts


def adapter(engine: str) -> str:
    return shlex.join([sys.executable, "-m", "denota.oracle.engines.adapter", "--engine", engine])


def test_the_runner_is_short_and_knows_nothing_of_denota() -> None:
    text = RUNNER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    imported = re.search(r"^import (.*)$", text, re.MULTILINE)
    assert imported is not None
    modules = set(imported[1].split(", "))
    assert modules - {"yaml"} <= sys.stdlib_module_names
    assert len(re.findall(r"\bimport\b", text)) == 1


@pytest.mark.parametrize("folder", sorted({path.relative_to(CORPUS).parts[0] for path in CASES}))
def test_every_case_passes_by_the_runner_or_is_open_for_a_known_reason(folder: str) -> None:
    code, outcomes, counts = ran(adapter("production"), CORPUS / folder)
    assert code == 0
    assert set(counts) <= {"passed", "partly", "open"}
    cases = [path for path in CASES if path.is_relative_to(CORPUS / folder)]
    assert set(outcomes) == {str(path) for path in cases}
    for path in cases:
        case = data(path.read_text(encoding="utf-8"))
        results = case["expect"].get("results") or []
        if outcomes[str(path)] == "open":
            assert (
                "error" in case["expect"] or "choice" in case["tags"]
                or any("graph" in each for each in results)
            )
        if outcomes[str(path)] == "partly":
            assert "_:" in json.dumps(results) or len({frozenset(each) for each in results}) > 1


TOY = """\
import io, json, os, sys
import denota
from denota.oracle.engines.adapter import respond
from denota.oracle.engines.engine_specs import engine

judged = engine("oracle")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {{"type": "hello", "name": "toy", "version": "1", "languages": {languages},
                  "level": "{level}"}}
    else:
        assert "expect" not in message
        {before}
        answer = respond(judged, message)
        results = answer.get("results", [])
        {after}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def toy(tmp_path: Path):
    def made(
        before: str = "pass", after: str = "pass", level: str = "pair",
        languages: tuple[str, ...] = NAMES,
    ) -> str:
        path = tmp_path / "toy.py"
        text = TOY.format(before=before, after=after, level=level, languages=list(languages))
        path.write_text(text, encoding="utf-8")
        return shlex.join([sys.executable, str(path)])

    return made


SOME = {
    "spaseq": CORPUS / "papers" / "spaseq", "rsepql": CORPUS / "papers" / "rsepql",
    "cqels": CORPUS / "papers" / "cqels", "epsparql": CORPUS / "papers" / "epsparql",
    "ceql": CORPUS / "papers" / "ceql",
}


LOST = "results and results.pop()"
LATE = (
    "results.append({**results[0], **{key: [value[0], value[1] + 1] if isinstance(value, list)"
    " else value + 1 for key, value in results[0].items() if key in"
    " ('time', 'at', 'interval', 'end')}}) if results and 'boolean' not in results[0] else None"
)


@pytest.mark.parametrize(("name", "fault"), [*((name, LOST) for name in NAMES), ("cqels", LATE)])
def test_a_planted_fault_is_found(toy, name: str, fault: str) -> None:
    code, _, counts = ran(toy(after=fault), SOME[name])
    assert code == 1
    assert counts["failed"] > 0


def test_another_operator_is_found(toy) -> None:
    other = 'message["query"] = message["query"].replace("SEQ(A; B)", "SEQ(A: B)")'
    code, _, counts = ran(toy(other), SOME["spaseq"])
    assert code == 1
    assert counts["failed"] > 0


def test_without_a_fault_the_toy_passes(toy) -> None:
    code, _, counts = ran(toy(), *SOME.values())
    assert code == 0
    assert "failed" not in counts


def test_an_engine_of_rows_is_compared_by_rows(toy) -> None:
    after = ("answer['results'] = [{'time': pair['time'], 'solution': mu}"
             " for pair in results for mu in pair['solutions']]")
    code, _, counts = ran(toy(after=after, level="row"), SOME["spaseq"])
    assert code == 0
    assert set(counts) == {"passed"}


def test_what_an_engine_does_not_take_is_unsupported(toy) -> None:
    code, _, counts = ran(toy(languages=("ceql",)), SOME["spaseq"])
    assert (code, set(counts)) == (3, {"unsupported"})
    refusing = "message = {**message, 'language': 'sparql'}"
    code, _, counts = ran(toy(refusing), SOME["spaseq"])
    assert code == 1  # an error is no "unsupported"


def test_an_engine_that_ends_fails_one_case_only(toy) -> None:
    fatal = 'if "example-07" in message["id"] or "example-7" in message["id"]: os._exit(1)'
    code, outcomes, counts = ran(toy(fatal), SOME["spaseq"])
    assert code == 1
    assert {path for path, outcome in outcomes.items() if outcome == "failed"} == {
        path for path in outcomes if "example-7" in path or "example-07" in path
    }
    assert counts["failed"] > 0
    assert counts["passed"] > 0


# --- the messages of the protocol ----------------------------------------------------------------

PROTOCOL = json.loads((CORPUS / "protocol.schema.json").read_text(encoding="utf-8"))


def test_messages_follow_their_schema() -> None:
    from denota.oracle.engines.adapter import hello, respond
    from denota.oracle.engines.builtin import Oracle

    validator = jsonschema.Draft202012Validator(PROTOCOL)
    validator.validate({"type": "hello", "protocol": 1})
    validator.validate(hello(Oracle()))
    for path in CASES[::7]:
        message = read_case(path).message()
        validator.validate(message)
        validator.validate(respond(Oracle(), message))


@pytest.mark.parametrize(
    "message",
    [
        {"type": "hello"},
        {"type": "hello", "languages": ["ceql"], "capabilities": {"ceql": [";"]}},
        {"type": "result", "id": "1", "results": [1]},
        {"type": "goodbye"},
    ],
)
def test_what_is_no_message_breaks_the_schema(message: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(PROTOCOL).is_valid(message)


def test_the_levels_of_the_schema_are_those_of_the_judge() -> None:
    from denota.oracle.checking.levels import LEVELS

    assert PROTOCOL["$defs"]["greeting"]["properties"]["level"]["enum"] == list(LEVELS)
