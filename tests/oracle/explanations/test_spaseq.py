"""Explanations: what they say of known matches, and that they say something of every other."""

from pathlib import Path

import pytest

import denota
from denota.oracle.cli import main

CORPUS = Path(__file__).parents[3] / "corpus"


def explained(case_file, capsys, *words):
    assert main(["explain", str(case_file), *words]) == 0
    return capsys.readouterr().out


def test_a_match_is_explained_by_its_events_and_definitions(case_file, capsys):
    out = explained(case_file, capsys, "--match", "1")
    assert "Match 1 of 2: at 20, ?h = :H1" in out
    assert ":g10 of S1 at 10" in out
    assert ":h20 of S2 at 20" in out
    assert "Def. 11" in out
    assert "B at 15 is skipped: ?l = :L2 conflicts with ?l = :L1." in out
    assert "[10, 25] (Def. 16" in out


def test_without_options_everything_is_explained(wrong_case_file, capsys):
    out = explained(wrong_case_file, capsys)
    assert "Match 1 of 2" in out
    assert "Match 2 of 2" in out
    assert "Not a match: at 20, ?h = :H3" in out


@pytest.mark.parametrize(
    "row, message",
    [
        ('{time: 20, h: ":H1"}', "is a result: see match 1"),
        ('{time: 20, h: ":H9"}',
         "?h :loc ?l matches :g10 of S1 at 10 (Def. 7), but ?h is :H1, not"),
        ('{time: 20, w: ":W9"}',
         "?w :at ?l matches :h20 of S2 at 20 (Def. 7), but ?w is :W1, not"),
        ("{time: 15}", "incompatible bindings: ?l = :L2 conflicts with ?l = :L1"),
        ("{time: 15}", "not later than its predecessor"),
        ("{time: 12}", "No event has timestamp 12"),
        ("{time: 10, window: [1, 2]}", "No window contains an event at 10"),
        ('{time: 20, nothing: ":x"}', "The query does not return ?nothing."),
        ('{time: 20, solution: {h: ":H9"}}',
         "?h :loc ?l matches :g10 of S1 at 10 (Def. 7), but ?h is :H1, not"),
    ],
)
def test_why_a_row_is_missing(case_file, capsys, row, message):
    assert message in explained(case_file, capsys, "--missing", row)


def test_a_later_event_is_blocked_by_an_earlier_one(case_file, capsys):
    text = case_file.read_text(encoding="utf-8").replace(
        "    :h20", "    :h19 prov:generatedAtTime 19 .  :h19 { :W7 :at :L1 . }\n    :h20"
    )
    case_file.write_text(text, encoding="utf-8")
    out = explained(case_file, capsys, "--missing", '{time: 20, h: ":H1"}')
    assert "the earlier compatible event at 19 is selected (skip-till-next-match, Def. 11)" in out
    strict = text.replace("SEQ(A; B)", "SEQ(A, B)")
    case_file.write_text(strict, encoding="utf-8")
    out = explained(case_file, capsys, "--missing", '{time: 20, h: ":H2"}')
    assert "directly follow the event at 15; in between: :h19 of S2 at 19 (Def. 12)" in out


def test_windows_alone_may_keep_a_match_away(case_file, capsys):
    text = case_file.read_text(encoding="utf-8").replace("WITHIN 15", "WITHIN 4")
    case_file.write_text(text, encoding="utf-8")
    out = explained(case_file, capsys, "--missing", '{time: 20, h: ":H1"}')
    assert "no single window contains them (Def. 16" in out


OVERHEATING = """
title: a rack gets warmer until its fan stops
language: spaseq
prefixes: {"": "http://example.org/"}
query: |
  PREFIX : <http://example.org/>
  SELECT ?rack ?first ?last ?fan
  WITHIN 60
  FROM STREAM Sensors :sensors
  FROM STREAM Fans :fans
  WHERE {
    SEQ(Warm; Warmer+; Stopped)
    DEFINE GPM Warm ON Sensors { ?rack :celsius ?first . FILTER (?first > 30) }
    DEFINE GPM Warmer ON Sensors { ?rack :celsius ?last . FILTER (?last > ?first) }
    DEFINE GPM Stopped ON Fans { ?fan :cools ?rack . }
  }
streams:
  http://example.org/sensors: |
    :s1 prov:generatedAtTime 10 .  :s1 { :rack1 :celsius 31 . }
    :s2 prov:generatedAtTime 20 .  :s2 { :rack1 :celsius 35 . }
    :s3 prov:generatedAtTime 30 .  :s3 { :rack2 :celsius 12 . }
    :s4 prov:generatedAtTime 40 .  :s4 { :rack1 :celsius 39 . }
    :s5 prov:generatedAtTime 60 .  :s5 { :rack1 :celsius 20 . }
  http://example.org/fans: |
    :f1 prov:generatedAtTime 50 .  :f1 { :fan1 :cools :rack1 . }
    :f2 prov:generatedAtTime 55 .  :f2 { :fan1 :cools :rack1 . }
expect: {results: []}
"""


@pytest.mark.parametrize(
    "row, message",
    [
        ("{first: 31, last: 39}", "it does not directly follow the event at 20; in between:"
         " :s3 of Sensors at 30 (iterations are contiguous, Def. 14)"),
        ("{first: 31, last: 39}", "the earlier compatible event at 20 is selected"
         " (skip-till-next-match, Def. 11)"),
        ("{last: 20}", "FILTER (?last > ?first) is not true with ?first = 31, ?last = 20"),
        ("{first: 31, last: 35, time: 55}", "the earlier compatible event at 50 is selected"),
        ("{first: 31, last: 35, time: 55}", "A match exists at 50, in the window [10, 70]."),
        ("{first: 31, last: 35}", "is a result: see match 1"),
        ("{rack: ':rack1'}", "is a result: see match 1"),
        ("{}", "any row is a result: see match 1"),
        ("{window: [10, 70]}", "is a result: see match 1"),
        ("{time: 50, rank: 0, window: [10, 70]}", "is a result: see match 1"),
        ("{time: 50, rank: 1, window: [10, 70]}",
         "Not a match: at (50, 1), in the window [10, 70]"),
        ("{rack: ':rack2'}", "FILTER (?first > 30) is not true with ?first = 12"),
    ],
)
def test_a_row_may_be_partial_and_the_cause_is_the_true_one(tmp_path, capsys, row, message):
    path = tmp_path / "overheating.case.yaml"
    path.write_text(OVERHEATING, encoding="utf-8")
    assert message in explained(path, capsys, "--missing", row)


@pytest.mark.parametrize(
    "words, message",
    [
        (["--match", "3"], "is out of range (1 to 2)"),
        (["--match", "0"], "is out of range (1 to 2)"),
        (["--missing", "{time: 20, h: x}"], "--missing:1:"),
        (["--missing", "{h: 1, solution: {}}"], "a row that has solutions has no 'h' beside them"),
        (["--missing", "{"], "not YAML"),
        (["--match", "1", "--missing", "{time: 1}"], "not allowed with"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(case_file, capsys, words, message):
    assert main(["explain", str(case_file), *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    "name, row, message",
    [
        ("absence-next", '{a: ":e1"}',
         ":g2 of S2 at 2, in between, matches N with ?n = :f2 (negation=absence)"),
        ("filter-conjunction-head", "{time: 2, x: 5}",
         "the operands of & are incompatible at 2: FILTER ((!BOUND(?y)) || ?x > ?y) is not true"
         " with ?x = 5, ?y = 6"),
        ("filter-head-negated", "{time: 1}",
         "it has no predecessor: FILTER (!BOUND(?x)) refers to earlier ?x"),
    ],
)
def test_the_condition_that_fails_is_told_with_its_values(capsys, name, row, message):
    case = CORPUS / "rulings" / "spaseq" / f"{name}.case.yaml"
    assert message in explained(case, capsys, "--missing", row)


def test_the_triple_is_that_of_the_solution_in_the_match():
    readings = "@prefix : <urn:> . :r1 :celsius {} . :r2 :celsius {} . :r3 :celsius {} ."
    streams = {
        "S": [(1, readings.format(31, 30, 9)), (2, readings.format(35, 34, 8))],
        "T": [(3, "<urn:f> <urn:cools> <urn:r2> .")],
    }
    query = """PREFIX : <urn:> SELECT ?r ?x ?y WITHIN 60 FROM STREAM S :s FROM STREAM T :t
      WHERE { SEQ(Warm; Warmer+; Off) DEFINE GPM Warm ON S { ?r :celsius ?x }
        DEFINE GPM Warmer ON S { ?r :celsius ?y FILTER (?y > ?x) }
        DEFINE GPM Off ON T { ?f :cools ?r } }"""
    told = str(denota.explain(query, streams, match=1))
    assert "?r :celsius ?x matches :r2 :celsius 30" in told
    assert "?r :celsius ?y matches :r2 :celsius 34" in told
