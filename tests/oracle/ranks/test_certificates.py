"""Certificates: written and read, checked on a sample and in full, and those of the corpus."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import denota
from denota.oracle.cli import main
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.languages.registry import having
from denota.oracle.ranks.certificates import (
    FILE,
    Certificate,
    CertificateError,
    Versions,
    read_certificate,
    write_certificate,
)
from denota.oracle.ranks.space import Space
from denota.oracle.ranks.verification import begun
from denota.oracle.sweeps.verdict_sum import digest_of, digest_text
from denota.semantics.model.errors import DenotaError

CORPUS = Path(denota.__file__).resolve().parent / "corpus" / "certificates"
BOUNDS = Bounds(1, 1, alphabet="single")
MANY = 5_000
FORGETFUL = """
from denota.engine.spaseq import run

def forgetful(query, *, streams, kb, readings, start):
    return list(run(query, streams, kb, readings, start))[:-1]
"""


def certificate(
    engine: str = "production", language: str = "spaseq", bounds: Bounds = BOUNDS
) -> Certificate:
    """One that says that every case passes."""
    cases = Space.of(language, bounds).cases
    digest = digest_text(digest_of(range(cases), [0] * cases))
    versions = Versions.here(denota.__version__)
    return Certificate(
        language, bounds, engine, engine, 10.0, versions, cases, {"pass": cases}, digest
    )


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return write_certificate(certificate(), tmp_path)


def test_what_is_written_is_read(written: Path) -> None:
    again = read_certificate(written)
    assert again.as_json() == certificate().as_json() == json.loads(written.read_text("utf-8"))
    assert (written.parent / "certificate.md").read_text("utf-8").strip() == again.statement


def test_the_paragraph_says_what_was_judged_and_how_to_repeat_it() -> None:
    said = certificate().statement
    cases = certificate().cases
    assert f"all {cases} cases of SPAseq with at most 1 operator and 1 event, " in said
    assert "alphabet 'single'" in said
    assert "All cases passed" in said
    assert said.endswith(
        "denota sweep --enumerate spaseq --max-operators 1 --max-events 1 --alphabet single -o DIR"
    )
    failing = replace(certificate(), verdicts={"pass": cases - 3, "fail": 2, "crash": 1})
    assert f"{cases - 3} pass, 2 fail, 1 crash" in failing.statement
    within = replace(BOUNDS, within=2, events=True, readings={"kleene": "join"})
    assert "--within '2 EVENTS' --reading kleene=join" in replace(failing, bounds=within).command


def test_a_right_certificate_is_not_contradicted(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certificate", "check", str(written), "--sample", "9", "--seed", "7"]) == 0
    printed = capsys.readouterr().out
    assert "9 sampled cases re-run (--seed 7): 9 pass" in printed
    assert main(["certificate", "check", str(written), "--all"]) == 0
    assert "certificate confirmed\n" in capsys.readouterr().out


def test_an_engine_that_fails_contradicts_its_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "planted_forgetful.py").write_text(FORGETFUL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    engine = "python:planted_forgetful:forgetful"
    path = write_certificate(certificate(engine), tmp_path)
    command = ["certificate", "check", str(path), "--sample", "40", "--seed", "1"]
    assert main(command) == 2
    assert f"--engine {engine}" in capsys.readouterr().err
    assert main([*command, "--engine", engine]) == 1
    assert "refuted: case single-" in capsys.readouterr().out


def test_other_digests_and_counts_contradict_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_certificate(replace(certificate(), digest="0" * 32), tmp_path)
    assert main(["certificate", "check", str(path), "--all"]) == 1
    assert "refuted: the digest of the verdicts is " in capsys.readouterr().out
    told = json.loads(path.read_text("utf-8"))
    told["cases"] += 1
    told["verdicts"]["fail"] += 1
    told["blocks"][0]["cases"] += 1
    path.write_text(json.dumps(told), encoding="utf-8")
    assert main(["certificate", "check", str(path)]) == 1
    assert "cases within these bounds" in capsys.readouterr().out


def test_other_versions_are_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older = replace(certificate(), versions=Versions("0.0.1", denota.__version__, "2.7"))
    path = write_certificate(older, tmp_path)
    assert main(["certificate", "check", str(path), "--sample", "1", "--seed", "0"]) == 0
    printed = capsys.readouterr().out
    assert "note: made with denota 0.0.1" in printed
    assert "note: made with python 2.7" in printed


@pytest.mark.parametrize(("key", "value", "says"), [
    ("certificate", 3, "certificate: 3 is not one of [1, 2]"),
    ("digest", "abc", "digest: 'abc' does not match"),
    ("timeout", 10**400, "timeout: 1000"),
    ("timeout", float("nan"), "not JSON: 'NaN' is no number"),
    ("cases", 1, "1 cases, but"),
    ("language", "sql", "no cases of 'sql' are enumerated"),
    ("bounds", {"operators": -1}, "bounds"),
    ("bounds", {**asdict(BOUNDS), "operators": 10**400}, "bounds/operators: 1000"),
    ("verdicts", {"pass": 1}, "verdicts"),
    ("bounds", {**asdict(BOUNDS), "length": 10**18}, "the blocks are not those of its bounds"),
    ("bounds", {**asdict(BOUNDS), "operators": 0}, "the blocks are not those of its bounds"),
])
def test_what_is_no_certificate_is_one_line(
    written: Path, key: str, value: object, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(written.read_text("utf-8"))
    told[key] = value
    written.write_text(json.dumps(told), encoding="utf-8")
    assert main(["certificate", "check", str(written)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert FILE in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("grammar", [None, {"version": 0}, {"allowed": {}}])
def test_a_certificate_of_another_grammar_is_refused(
    grammar: dict[str, object] | None, tmp_path: Path
) -> None:
    path = write_certificate(certificate(language="ceql", bounds=Bounds(0, 1)), tmp_path)
    told = json.loads(path.read_text("utf-8"))
    assert read_certificate(path).as_json() == told
    assert [block["queries"] for block in told["blocks"]] == [5, 5]
    assert told["grammar"]["allowed"]["ceql/types in a formula"] == ["3"]
    if grammar is None:
        del told["grammar"]
    else:
        told["grammar"] |= grammar
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(CertificateError, match="grammar"):
        read_certificate(path)


def test_a_whole_number_may_be_written_as_a_decimal(written: Path) -> None:
    told = json.loads(written.read_text("utf-8"))
    for key in ("operators", "length"):
        told["bounds"][key] = float(told["bounds"][key])
    told["cases"] = float(told["cases"])
    written.write_text(json.dumps(told), encoding="utf-8")
    again = read_certificate(written)
    assert again.as_json() == certificate().as_json()
    assert type(again.bounds.length) is type(again.cases) is int


@pytest.mark.parametrize(("language", "alphabet"), [
    ("cqels", "windows"), ("cqels", "gaps"), ("rsepql", "gaps"), ("epsparql", "gaps"),
])
def test_a_width_with_too_many_choices_is_refused(language: str, alphabet: str) -> None:
    space = Space.of(language, Bounds(0, 2, within=2**32, alphabet=alphabet))
    with pytest.raises(DenotaError, match=r"there are more than .* streams of [12] events"):
        assert space.cases


def test_what_is_no_json_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text("{", encoding="utf-8")
    with pytest.raises(CertificateError, match="not JSON"):
        read_certificate(path)


# --- the corpus ----------------------------------------------------------------------------------


def test_the_corpus_has_one_for_every_language() -> None:
    kept = {path.name.partition(".")[0] for path in CORPUS.glob("*.json")}
    assert kept == set(having("enumerate"))


def of_the_corpus() -> list[Any]:
    """The certificates; those of many queries, which are counted one by one, are slow."""
    found = []
    for path in sorted(CORPUS.rglob("*.json")):
        blocks = json.loads(path.read_text("utf-8"))["blocks"]
        queries = {each["operators"]: each.get("queries", 0) for each in blocks}
        marks = [pytest.mark.slow] if sum(queries.values()) > MANY else []
        found.append(pytest.param(path, id=path.relative_to(CORPUS).as_posix(), marks=marks))
    return found


@pytest.mark.parametrize("path", of_the_corpus())
def test_those_of_the_corpus_say_what_they_said(path: Path) -> None:
    """Their digest is that of all cases passing, and there are as many cases as they say."""
    kept = read_certificate(path)
    assert kept.as_json() == json.loads(path.read_text("utf-8"))
    assert kept.verdicts["pass"] == kept.cases
    assert digest_text(digest_of(range(kept.cases), 0)) == kept.digest
    assert begun(kept, "production").ok


def test_the_page_lists_those_of_the_corpus() -> None:
    page = CORPUS.parents[1] / "docs" / "certificates.md"
    if not page.is_file():
        pytest.skip("docs/ is not part of an installed package")
    text = page.read_text(encoding="utf-8")
    listed = {
        line.partition("(../corpus/certificates/")[2].partition(")")[0]: line
        for line in text.splitlines() if "(../corpus/certificates/" in line
    }
    paths = {path.relative_to(CORPUS).as_posix(): path for path in CORPUS.rglob("*.json")}
    assert listed.keys() == paths.keys()
    for name, path in paths.items():
        kept = read_certificate(path)
        assert f" | {kept.bounds.operators},{kept.bounds.length} " in listed[name]
        assert f" | {kept.cases:,} | " in listed[name]
        assert kept.digest in listed[name]
        for reading, value in kept.bounds.readings.items():
            assert f"`{reading}={value}`" in listed[name]
