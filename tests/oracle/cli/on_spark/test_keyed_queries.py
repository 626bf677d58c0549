"""Which queries may be evaluated key by key: from the definitions, with one line for the others."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")

from denota.oracle.cli import main
from denota.oracle.cli.run.on_spark.run_spec import (
    EARLIEST,
    LATEST,
    POSITION,
    group_name,
    on_the_clock,
)
from denota.oracle.languages.registry import of_query

GPMS = (
    " DEFINE GPM A ON S { ?m :a ?a } DEFINE GPM B ON S { ?m :b ?b }"
    " DEFINE GPM C ON S { ?c :c ?v } DEFINE GPM D ON S { ?m :d+ ?d }"
)


def spaseq(sequence: str, select: str = "*", within: str = "30") -> str:
    return (f"PREFIX : <http://example.org/> SELECT {select} WITHIN {within} FROM STREAM S :s"
            f" WHERE {{ SEQ({sequence}) {GPMS} }}")


REFUSED = {
    "SELECT * FROM S WHERE A ; B": "no PARTITION BY",
    "SELECT * FROM S WHERE A ; B PARTITION BY [m] CONSUME BY ANY": "CONSUME BY ANY",
    "SELECT * FROM S WHERE A ; B PARTITION BY [m] LIMIT 3": "LIMIT",
    "SELECT ANY * FROM S WHERE A ; B PARTITION BY [m]": "SELECT ANY",
    spaseq("A, B"): "strict contiguity",
    spaseq("A; B+"): "Kleene plus",
    spaseq("A; C"): "no variable is the subject or object",
    spaseq("A; D"): "no variable is the subject or object",
    spaseq("A; B", select="?a ?b"): "the key has to be SELECTed, so that results tell it (?m)",
    spaseq("A; B!; A"): "--reading negation=absence",
    spaseq("A; B", within="3 EVENTS"): "counts the items of all keys",
    "PREFIX : <http://example.org/> SELECT ?m FROM STREAM :s"
    " WHERE { { ?m :a ?a } SEQ { ?m :b ?b } }":
        "of EP-SPARQL no query says by which key",
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_looks_across_keys_is_refused(
    query: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "query").write_text(query)
    language = "epsparql" if "SEQ {" in query else "ceql" if "PREFIX" not in query else "spaseq"
    code = main(["run", str(tmp_path / "query"), "--language", language, "--stream", "S=x.csv",
                 "--spark"])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert REFUSED[query] in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("sequence, readings", [
    ("A; B", {}), ("A : B", {}), ("A; (A & B)", {}), ("A; (A | B)", {}),
    ("A; B!; A", {"negation": "absence"}),
])
def test_what_agrees_on_a_variable_is_not(sequence: str, readings: dict[str, str]) -> None:
    text = spaseq(sequence)
    language: Any = of_query(text, "spaseq")
    query = language.parse(text, source="query")
    assert str(language.item_keys(query, language.readings(readings, query)).variable) == "m"


@pytest.mark.parametrize("reading, width", [("paper", 20), ("core", 21)])
def test_a_window_of_events_is_one_of_positions(reading: str, width: int) -> None:
    text = "SELECT * FROM S WHERE A ; B PARTITION BY [m] WITHIN 20 EVENTS"
    language: Any = of_query(text, "ceql")
    query = language.parse(text, source="query")
    readings = language.readings({"within": reading}, query)
    within = language.of_one_key(query, readings, POSITION).within
    assert (within.value, within.attribute) == (width, POSITION)


@pytest.mark.parametrize("option", ["--idle-timeout=1", "--count", "--limit=3", "--engine=oracle"])
def test_options_of_other_runs_are_refused(
    option: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "query").write_text(next(iter(REFUSED)))
    assert main(["run", str(tmp_path / "query"), "--spark", option]) == 2
    assert f"{option.partition('=')[0]} is not allowed with --spark" in capsys.readouterr().err


def test_the_clock_never_goes_back() -> None:
    times = [on_the_clock(time, 1000) for time in (-10**30, -5, 0, 999, 1000, 10**30)]
    assert times == sorted(times)
    assert (times[0], times[-1]) == (EARLIEST, LATEST)
    assert on_the_clock(1, 1000, up=True) == on_the_clock(1000, 1000)


def test_groups_are_the_same_everywhere() -> None:
    assert group_name("'m1", None) == "'m1"
    assert [group_name(f"'m{n}", 4) for n in range(4)] == ["1", "3", "1", "3"]
