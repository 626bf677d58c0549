"""`explain --missing` says of every row, and of parts of one, whether it is there."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given
from hypothesis import strategies as st
from rdflib.term import Literal, URIRef

from denota.oracle.cases.case import Case, ExpectedResults
from denota.oracle.cases.case_reader import read_case
from denota.oracle.cases.case_writer import write_case
from denota.oracle.cli import main
from denota.oracle.engines.builtin import Oracle
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.oracle.fuzzing.strategies.hypothesis_backend import plain_backend
from denota.semantics.model.errors import DenotaError

from ..examples import examples

RDF_LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql")


def explained(case: Case, row: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    nothing = ExpectedResults([], case.language.levels[0])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "it.case.yaml"
        write_case(case.but(expect=nothing), path)
        assert main(["explain", str(path), "--missing", json.dumps(row)]) == 0
    return capsys.readouterr().out


def rows_of(case: Case) -> list[dict[str, Any]]:
    """The rows of the definitions' answer, as people write them."""
    task = case
    written: list[dict[str, Any]] = []
    for result in Oracle().run(task):
        told = task.language.to_json(result, task.tree, task.readings)
        for solution in told.pop("solutions", None) or [told.pop("solution", None)]:
            if isinstance(solution, dict):
                written.append({**told, "solution": solution})
    return written


def part(draw: st.DrawFn, row: dict[str, Any]) -> dict[str, Any]:
    """As much of a row as somebody may remember."""
    when = {name: value for name, value in row.items() if name != "solution"}
    kept = {name: value for name, value in when.items() if draw(st.booleans())}
    solution = {
        name: value for name, value in row["solution"].items()
        if draw(st.booleans()) and "bnode" not in json.dumps(value)
    }
    return {**kept, "solution": solution}


@pytest.mark.parametrize("language", RDF_LANGUAGES)
def test_what_is_there_is_never_missing(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @examples(
        60, deadline=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate], backend=plain_backend(), derandomize=True,
    )
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        case = data.draw(cases_strategy(language))
        try:
            found = rows_of(case)
        except DenotaError:
            assume(False)
        assume(found)
        tried.append(1)
        row = data.draw(st.sampled_from(found))
        asked = data.draw(st.composite(part)(row))
        try:
            out = explained(case, asked, capsys)
        except AssertionError:
            error = capsys.readouterr().err
            assert "are explained" in error, (error, asked)  # what is not, says so
            return
        assert " is a result: see " in out, (asked, out)
        assert "Not a" not in out

    tried: list[int] = []
    holds()
    assert len(tried) > 10


@pytest.mark.parametrize("language", RDF_LANGUAGES)
def test_what_is_not_there_is_never_said_to_be(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @examples(
        60, deadline=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate], backend=plain_backend(), derandomize=True,
    )
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        case = data.draw(cases_strategy(language))
        try:
            found = rows_of(case)
        except DenotaError:
            assume(False)
        asked = _changed(data, found)
        try:
            out = explained(case, asked, capsys)
        except AssertionError:
            assert "are explained" in capsys.readouterr().err
            return
        there = any(_has(row, asked) for row in found)
        assert (" is a result: see " in out) is there, (asked, out)
        if not there:
            assert len(out.strip().splitlines()) > 1  # and a reason

    holds()


def _changed(data: st.DataObject, found: list[dict[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {"solution": {}}
    if found:
        row = data.draw(st.composite(part)(data.draw(st.sampled_from(found))))
    term: Any = data.draw(st.sampled_from((URIRef("http://example.org/a"), Literal(1))))
    kind = "uri" if isinstance(term, URIRef) else "literal"
    value = {"type": kind, "value": str(term)}
    if kind == "literal":
        value["datatype"] = str(term.datatype)
    name = data.draw(st.sampled_from(("x", "y", "z", "n", "nowhere")))
    return {**row, "solution": {**row["solution"], name: value}}


def _has(row: dict[str, Any], asked: dict[str, Any]) -> bool:
    return all(row.get(name) == value for name, value in asked.items() if name != "solution") and (
        asked["solution"].items() <= row["solution"].items()
    )


def test_every_part_of_a_complex_event_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    @examples(
        60, deadline=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate], backend=plain_backend(), derandomize=True,
    )
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        generated = data.draw(cases_strategy("ceql"))
        try:
            possible = [e for choice in generated.choices() for e in sorted(choice.candidates)]
        except DenotaError:
            assume(False)
        assume(possible)
        event = data.draw(st.sampled_from(possible))
        whole = {"start": event.start, "end": event.end, "positions": list(event.positions)}
        asked = {name: value for name, value in whole.items() if data.draw(st.booleans())}
        out = explained(generated, asked or whole, capsys)
        assert "Not a match" not in out

    holds()


def test_a_blank_node_has_no_name_to_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "node.case.yaml"
    path.write_text(
        "title: a node\nlanguage: epsparql\nprefixes: {'': 'http://example.org/'}\nquery: |\n"
        "  PREFIX : <http://example.org/>\n  SELECT ?x ?y WHERE { ?x :p ?y }\n"
        "streams:\n  http://example.org/s: |\n"
        "    :g prov:generatedAtTime 1 .  :g { _:n :p _:m . }\nexpect: {results: []}\n",
        encoding="utf-8",
    )
    case = read_case(path)
    assert isinstance(case.expect, ExpectedResults)
    assert main(["explain", str(path), "--missing", "{x: '_:a', y: '_:b'}"]) == 0
