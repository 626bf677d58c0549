"""Explanations of CEQL: what they say of known matches, and that they say something of others."""

from __future__ import annotations

from itertools import chain, combinations
from pathlib import Path

import pytest

from denota.oracle.cases.case import Case
from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.cli import main
from denota.oracle.explanations.explain_case import explain_verdict, explanation_lines
from denota.oracle.languages.ceql.explain import CeqlExplainer
from denota.oracle.languages.ceql.explain.wording import RequestedEvent
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.model.errors import DenotaError

CASE = """\
title: a case to explain
language: ceql
query: |
  {query}
streams:
  S:
    csv: |
      type,x,k,time
      A,1,1,0
      C,,1,1
      A,5,1,2
      B,2,1,4
      B,7,2,9
readings: {readings}
expect:
  results: {results}
"""


@pytest.fixture
def explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def explain(query: str, *words: str, readings: str = "{}", results: str = "[]") -> str:
        file = tmp_path / "one.case.yaml"
        text = CASE.format(query=query, readings=readings, results=results)
        file.write_text(text, encoding="utf-8")
        assert main(["explain", str(file), *words]) == 0
        return capsys.readouterr().out

    return explain


def test_a_match_is_explained_by_its_events_and_what_is_asked_of_them(explained):
    out = explained(
        "SELECT * FROM S WHERE (A ; B) AS m FILTER A[x > 0] AND NOT B[x > 5]", "--match", "2"
    )
    assert out == """\
Match 2 of 2: [2, 3] {2, 3}
  1. A at 2 (x = 5), as m
     It starts the match (Table 2, event types).
  2. B at 3 (x = 2), as m
     It follows 2: ';' (Table 2).
  FILTER A[x > 0] is true at 2 (x = 5).
  FILTER NOT B[x > 5] is true: B[x > 5] is false at 3 (x = 2).

"""


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * FROM S WHERE A+ ; B", "It starts another iteration, after 0: '+' (Table 2). 1 "),
        ("SELECT * FROM S WHERE A : C", "It directly follows 0: ':' (Table 2)."),
        ("SELECT * FROM S WHERE NOT(C) ; C", "C does not match it: NOT(…) matches the event"),
        ("SELECT * FROM S WHERE A ; B PARTITION BY [k]", "in the partition k = 1"),
        ("SELECT B FROM S WHERE A ; B", "SELECT B removes {0} (π, Table 2)."),
        ("SELECT * FROM S WHERE A ; B WITHIN 3 EVENTS", "WITHIN 3 EVENTS is satisfied: 3 - 0 = 3"),
        ("SELECT * FROM S WHERE A ; B WITHIN 4 SECONDS", "4 SECONDS is satisfied: 4 - 0 = 4 s"),
        ("SELECT * FROM S WHERE A ; B WITHIN 1 [x]", "WITHIN 1 [x] is satisfied: 2 - 1 = 1"),
        ("SELECT MAX * FROM S WHERE A+ ; B",
         "selects this match among 3 that end at 3: no other match contains its positions"),
        ("SELECT STRICT * FROM S WHERE A ; B", "no event lies between its positions {2, 3}"),
        ("SELECT ANY * FROM S WHERE A ; B", "selects this match, any of the 2 that end at 3"),
        ("SELECT * FROM S WHERE A ; B CONSUME BY ANY", "its output consumes the events up to 3"),
        ("SELECT * FROM S WHERE A ; B LIMIT 1",
         "LIMIT 1 keeps it, one of 2 results that the event at 3"),
        ("SELECT * FROM S WHERE A AS a OR B AS b FILTER b[x = 7] AND a[x = 1]",
         "b[x = 7] is true: 'b' is empty"),
    ],
)
def test_every_clause_has_its_say(explained, query: str, said: str):
    assert said in explained(query)


@pytest.mark.parametrize(
    ("query", "row", "said"),
    [
        ("A ; B FILTER A[x > 3]", "{end: 3, positions: [0, 3]}",
         "FILTER A[x > 3] is false at 0 (x = 1)."),
        ("A : B", "{end: 3, positions: [0, 3]}",
         "':' requires 3 directly after 0; 1 and 2 lie between them (Table 2)."),
        ("A ; B", "{end: 1, positions: [0, 1]}", "C at 1: the formula has no event type C."),
        ("A ; B ; C", "{start: 0, end: 4}",
         "A ; B matches {0, 3}, but C matches no later event (candidates: B at 4)."),
        ("B ; A ; C", "{start: 0, end: 2}",
         "no match of B starts it (candidates: A at 0, C at 1, A at 2)."),
        ("A ; B", "{start: 0, end: 0}", "the closest match ends at 3, not at 0."),
        ("A ; B WITHIN 2 EVENTS", "{end: 3, positions: [0, 3]}",
         "WITHIN 2 EVENTS is violated: 3 - 0 = 3"),
        ("A ; B WITHIN 1 SECOND", "{end: 3, positions: [0, 3]}", "is violated: 4 - 0 = 4 s"),
        ("A ; B PARTITION BY [k]", "{end: 4, positions: [0, 4]}",
         "0 and 4 are in different partitions: k = 1, k = 2"),
        ("A ; C PARTITION BY [x]", "{positions: [0, 1]}", "C at 1 (x missing) is in no partition"),
        ("A ; B CONSUME BY ANY", "{end: 4, positions: [0, 4]}",
         "CONSUME BY ANY: event 0 was consumed by the output at 3."),
        ("A ; B", "{positions: [0, 3], end: 9}", "There is no event at 9: positions are 0 to 4."),
        ("A ; B", "{positions: [0, 3], start: 1, end: 3}", "lie in its interval"),
        ("B ; A", "{}", "The request is empty"),
        ("A ; B", "{end: 2}", "No match ends at 2."),
        ("A ; B", "{end: 3, positions: [0, 2, 3]}", "Matches that end at 3: {0, 3}, {2, 3}."),
        ("A ; B", "{end: 3, positions: [0, 3]}", "is a result: see match 1, [0, 3] {0, 3}."),
    ],
)
def test_why_a_complex_event_is_missing(explained, query: str, row: str, said: str):
    assert said in explained(f"SELECT * FROM S WHERE {query}", "--missing", row)


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ("NEXT", "{0, 3} is preferred (smallest differing position: 0)."),
        ("LAST", "{2, 3} is preferred (largest differing position: 2)."),
        ("MAX", "{0, 2, 3} contains all its positions and {2}."),
        ("STRICT", "discards this match: 1 and 2 lie between its positions."),
    ],
)
def test_which_rival_a_strategy_prefers(explained, strategy: str, said: str):
    positions = "[2, 3]" if strategy == "NEXT" else "[0, 3]"
    query = f"SELECT {strategy} * FROM S WHERE A+ ; B"
    assert said in explained(query, "--missing", f"{{end: 3, positions: {positions}}}")


def test_what_a_projection_leaves(explained):
    out = explained("SELECT B FROM S WHERE A ; B", "--missing", "{end: 3, positions: [0, 3]}")
    assert "for the matches over this interval, SELECT B keeps {3} (π)." in out


def test_bindings_may_be_asked_for(explained):
    query = "SELECT * FROM S WHERE A AS a ; B"
    row = "{end: 3, bindings: {a: [2]}}"
    assert "is a result" in explained(query, "--missing", row, readings="{output: valuation}")
    row = "{end: 3, bindings: {a: [1]}}"
    assert "Not a match" in explained(query, "--missing", row, readings="{output: valuation}")


def test_without_options_everything_is_explained(explained):
    missed = "[{start: 2, end: 3, positions: [2, 3]}]"
    out = explained("SELECT * FROM S WHERE A ; C", results=missed)
    assert "Match 1 of 1: [0, 1] {0, 1}" in out
    assert "Not a match: [2, 3] {2, 3}" in out
    assert "There is no match." in explained("SELECT * FROM S WHERE C ; C")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--match", "4"), "is out of range (1 to 3)"),
        (("--match", "0"), "is out of range (1 to 3)"),
        (("--missing", "[0]"), "--missing:1:1: a row must be a mapping, not a list"),
        (("--missing", "{time: 3}"), "a complex event has no 'time'"),
        (("--missing", "{end: x}"), "--missing:1:7: not a number: 'x'"),
        (("--missing", "{positions: 3}"), "'positions' must be a list, not a text"),
        (("--missing", "[" * 60_000), "more than 100 levels are nested"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
):
    file = tmp_path / "one.case.yaml"
    query = "SELECT * FROM S WHERE A ; B WITHIN 3 EVENTS"
    file.write_text(CASE.format(query=query, readings="{}", results="[]"), encoding="utf-8")
    assert main(["explain", str(file), *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_the_verdict_on_an_engine_that_reports_no_bindings_is_explained(tmp_path: Path):
    class Silent:
        name, version, languages, level = "silent", "1", ("ceql",), "positions"

        def run(self, case: Case) -> list[ComplexEvent]:
            return []

    file = tmp_path / "one.case.yaml"
    query = "SELECT * FROM S WHERE A ; B FILTER A[x = 1] AND B[x = 2] WITHIN 5 EVENTS"
    row = "{start: 0, end: 3, positions: [0, 3]}"
    file.write_text(CASE.format(query=query, readings="{}", results=f"[{row}]"), encoding="utf-8")
    case = read_case(file)
    (explanation,) = explain_verdict(CeqlExplainer(case), check_case(case, Silent()), 3)
    assert explanation.label == "missing"
    assert "FILTER B[x = 2] is true at 3 (x = 2)." in explanation.lines


def test_every_match_and_every_absence_of_the_corpus_has_an_explanation(corpus_cases):
    explained = 0
    for path, case in corpus_cases:
        if case.language != "ceql":
            continue
        try:
            explainer = CeqlExplainer(case)
            found = explainer.results
        except DenotaError:
            continue
        if len(explainer.stream) > 8:
            continue
        for number, event in enumerate(found, start=1):
            proof = explainer.presence(number).proof
            assert proof.holds, path
            assert {*event.positions} <= {each.start for each in proof.events}
        places = range(len(explainer.stream))
        subsets = chain.from_iterable(combinations(places, size) for size in (1, 2, 3))
        for positions in subsets:
            row = RequestedEvent(positions[0], positions[-1], frozenset(positions))
            if (explainer.result_number(row) or explainer.impossible(row)
                    or explainer.open_choice(row)):
                continue
            proof = explainer.absence(row).proof
            assert not proof.holds
            assert proof.failure, (path, row)
            assert explanation_lines(proof)
            explained += 1
    assert explained > 300
