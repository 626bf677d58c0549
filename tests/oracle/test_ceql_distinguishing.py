"""Distinguishing in CEQL: what is known to differ, and on how few tuples."""

from __future__ import annotations

from importlib import import_module
from itertools import count
from pathlib import Path

import pytest

from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.distinguishing import Side, difference, distinguish, space_of
from denota.oracle.engines.builtin import Oracle, Production
from denota.semantics.ceql.syntax.parse import parse
from denota.semantics.ceql.syntax.readings import Readings


def side(where: str, select: str = "*", **readings: object) -> Side:
    return Side(parse(f"SELECT {select} FROM S WHERE {where}"), Readings.of(readings))


@pytest.mark.parametrize(
    ("a", "b", "events"),
    [
        (side("A"), side("NOT(A)"), 1),
        (side("A ; B"), side("A : B"), 3),
        (side("A+"), side("A:+"), 3),
        (side("A ; B OR C"), side("A ; (B OR C)"), 1),
        (side("A+ ; B", "NEXT *"), side("A+ ; B", "LAST *"), None),
        (side("A ; B ; C", "NEXT *"), side("A ; B ; C", "LAST *"), 4),
        (side("A+ ; B"), side("A+ ; B", "MAX *"), 3),
        (side("A ; B", "MAX *"), side("A ; B"), None),
        (side("A+ ; B", "STRICT *"), side("A+ ; B", "MAX *"), 3),
        (side("A ; B ; C", "NEXT *"), side("A ; B ; C", "MAX *"), 4),
        (side("A", "ANY *"), side("A"), None),
        (side("A+", "ANY *"), side("A+"), 2),
        (side("A ; B"), side("A ; B", "A"), 2),
        (side("A FILTER A[x > 3]"), side("A FILTER A[x >= 3]"), 1),
        (side("A FILTER A[x > 3]"), side("A FILTER A[NOT x <= 3]"), 1),
        (side("A FILTER A[n LIKE 'ab+']"), side("A FILTER A[n LIKE '^ab+$']"), 1),
        (side("A FILTER A[x IN {1..4}]"), side("A FILTER A[x IN {1, 2, 3, 4}]"), 1),
        (side("A FILTER A[x IN {1..4}]"), side("A FILTER A[x IN {1..5}]"), 1),
        (side("A FILTER A[n = 'a']"), side("A FILTER A[n != 'b']"), 1),
        (side("A FILTER A[b = TRUE]"), side("A FILTER A[b != FALSE]"), None),
        (side("A FILTER A[v > 2]"), side("A FILTER A[v >= 3]"), 1),
        (side("A FILTER A[v > 2]"), side("A FILTER A[v >= 2.0000001]"), 1),
        (side("A FILTER A[v / 2 = 1]"), side("A FILTER A[v = 2 OR v = 3]"), 1),
        (side("A FILTER A[v < y]"), side("A FILTER A[v + 1 <= y]"), 1),
        (side("A FILTER A[NOT v > 2]"), side("A FILTER A[NOT v > 2 AND NOT v = TRUE]"), 1),
        (side("A FILTER A[v = 1]"), side("A FILTER A[v = 1 OR v = 'one']"), 1),
        (side("A FILTER A[n > 'b']"), side("A FILTER A[n >= 'c']"), 1),
        (side("A FILTER A[n LIKE '^ab?$']"), side("A FILTER A[n = 'ab' OR n = 'a']"), None),
        (side("A FILTER A[n LIKE 'a']"), side("A FILTER A[n = 'a']"), 1),
        (side("A ; B FILTER B[v > 2 AND w = 'x']"), side("A ; B FILTER B[v >= 3 AND w = 'x']"), 2),
        (side("A ; B"), side("A ; B PARTITION BY [k]"), 2),
        (side("A : B PARTITION BY [k]"), side("A : B"), 2),
        (side("A ; B"), side("A ; B CONSUME BY ANY"), 3),
        (side("A ; B CONSUME BY PARTITION"), side("A ; B CONSUME BY ANY"), None),
        (side("A ; B WITHIN 2 EVENTS"), side("A ; B WITHIN 1 EVENTS"), 3),
        (side("A ; B WITHIN 5 SECONDS"), side("A ; B WITHIN 4 SECONDS"), 2),
        (side("A ; B WITHIN 5 [t]"), side("A ; B WITHIN 5 [t]", within="core"), 2),
        (side("A+ ; B WITHIN 1 EVENTS", "NEXT *"),
         side("A+ ; B WITHIN 1 EVENTS", "NEXT *", strategy="after-within"), 3),
        (side("A+ LIMIT 1"), side("A+ LIMIT 1", limit="query"), 2),
        (side("A"), side("A", output="valuation"), None),
    ],
)
def test_the_smallest_stream_on_which_they_differ(
    a: Side, b: Side, events: int | None
) -> None:
    search = distinguish(a, b, max_events=4 if events else 3)
    witness = search.witness
    if events is None:
        assert witness is None
        assert search.complete == 3
        return
    assert witness is not None
    assert witness.events == events
    assert search.complete == events - 1
    again = difference(a, b, witness.data)
    assert again == witness
    assert witness.only_a or witness.only_b or witness.note


TRADES = """
SELECT MAX * FROM S
WHERE ((BUY OR SELL) AS first ; BUY+ AS middle ; SELL AS dearer)
FILTER first[name = 'MSFT'] AND middle[name = 'ORCL'] AND dearer[name = 'MSFT']
AND dearer[price > 100] WITHIN 6 EVENTS
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("MAX", "NEXT"), ("MAX", ""), ("> 100", ">= 100"), ("6 EVENTS", "5 EVENTS"), ("BUY+", "BUY")],
)
def test_queries_as_people_write_them(old: str, new: str) -> None:
    a, b = (Side(parse(text), Readings()) for text in (TRADES, TRADES.replace(old, new)))
    search = distinguish(a, b, seconds=100)
    assert search.witness is not None
    assert search.tried < 12_000
    smaller = space_of(a, b).smaller(search.witness.data)
    assert not any(difference(a, b, less) for less in smaller)


def test_an_attribute_keeps_one_type_in_a_stream() -> None:
    a = side("A ; B FILTER A[v = 1] AND B[v = 'x']")
    b = side("A ; B FILTER A[v = 1] AND B[v = 'x'] WITHIN 1 EVENTS")
    assert distinguish(a, b, max_events=3).witness is None


def test_streams_are_told_apart() -> None:
    a = Side(parse("SELECT * FROM S, T WHERE A"), Readings())
    b = Side(parse("SELECT * FROM S, T WHERE T>A"), Readings())
    witness = distinguish(a, b).witness
    assert witness is not None
    assert {name: len(stream) for name, stream in witness.streams.items()} == {"S": 1, "T": 0}


def test_an_end_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("denota.oracle.distinguishing.search")
    monkeypatch.setattr(module, "monotonic", count().__next__)
    search = distinguish(side("A ; B ; C"), side("A ; B ; C"), max_events=9, seconds=100)
    assert search.witness is None
    assert search.out_of_time
    assert search.complete < 9


@pytest.fixture
def queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("any.ceql").write_text("SELECT * FROM S WHERE A ; B WITHIN 3 [t]", encoding="utf-8")
    Path("next.ceql").write_text("SELECT * FROM S WHERE A : B WITHIN 3 [t]", encoding="utf-8")
    return tmp_path


def test_on_the_command_line(queries: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distinguish", "any.ceql", "next.ceql", "--save-case", "w.case.yaml"]) == 0
    out = capsys.readouterr().out
    assert "\nMinimal distinguishing stream, 3 events (" in out
    assert "  -WHERE A ; B\n  +WHERE A : B\n" in out
    assert "\n  S\n    type,t\n    A,0\n" in out
    assert "only A  [0, 2]  [0, 2]\n" in out
    case = read_case("w.case.yaml")
    assert case.title == "any.ceql and next.ceql differ here"
    assert check_case(case, Oracle()).ok
    assert check_case(case, Production()).ok
    assert main(["distinguish", "any.ceql", "within=core"]) == 0
    assert "    B,3\n" in capsys.readouterr().out
    assert main(["distinguish", "any.ceql", "any.ceql@output=valuation", "--max-events", "2"]) == 1
    assert "No difference up to 2 events" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("any.ceql", "x.rq"), "A and B are in different languages"),
        (("any.ceql", "kleene=join"), "CEQL has no reading 'kleene'"),
        (("any.ceql", "nowhere.ceql"), "nowhere.ceql"),
    ],
)
def test_bad_input_is_one_line(
    queries: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, str], message: str
) -> None:
    Path("x.rq").write_text(
        "PREFIX : <http://example.org/> SELECT * WITHIN 9 FROM STREAM S :s"
        " WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p ?y } }", encoding="utf-8",
    )
    assert main(["distinguish", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
