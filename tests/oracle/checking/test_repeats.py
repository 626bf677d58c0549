"""Planted faults: engines that report again what the definitions have once."""

from pathlib import Path

import pytest

from denota.oracle.api import check
from denota.oracle.cases.case import ExpectedResults
from denota.oracle.cases.case_reader import find_cases, parse_case, read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.checking.verdicts import Outcome, Verdict
from denota.oracle.engines.builtin import Production
from denota.oracle.fuzzing.differential import fuzz
from denota.oracle.reports.console import case_lines
from denota.oracle.reports.earl import write_earl
from denota.oracle.reports.html.result_page import write_html
from denota.oracle.reports.renderers import write_junit
from denota.oracle.reports.run_result import CaseResult, RunResult
from denota.oracle.sweeps.row_verdicts import row_verdict

CORPUS = Path(__file__).parents[3] / "corpus" / "papers"
LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")
SETS = ("spaseq", "cqels", "ceql")

OVERLAPPING = """\
title: a row that two windows have
language: spaseq
query: |
  PREFIX : <http://example.org/>
  SELECT ?x WITHIN 2 SLIDE 1 FROM STREAM S :s WHERE { SEQ(A) DEFINE GPM A ON S { ?x :p ?y } }
prefixes: {"": "http://example.org/"}
streams:
  http://example.org/s: |
    :g0 prov:generatedAtTime 0 . :g0 { :o :q :o . }
    :g1 prov:generatedAtTime 1 . :g1 { :a :p :b . }
    :g2 prov:generatedAtTime 2 . :g2 { :o :q :o . }
expect:
  level: row
  results:
    - {time: 1, solutions: [{x: ":a"}]}
"""


class Own:
    """The production engine, asked where the tester is."""

    name, version, keeps_time = "planted", "", True
    level = "pair"
    languages = LANGUAGES

    def run(self, case):
        return Production().run(case)


class Twice(Own):
    """Reports each solution twice; where a result holds several, each of them."""

    def run(self, case):
        for result in super().run(case):
            yield result
            yield result


class Again(Own):
    """Reports its first solution once more, at the end."""

    def run(self, case):
        results = list(super().run(case))
        return [*results, *results[:1]]


class TwiceWritten(Own):
    """Writes each result's JSON object twice."""

    def run(self, case):
        language = case.language
        for result in super().run(case):
            written = language.to_json(result, case.tree, case.readings)
            yield from (written, written)


class Rows(Own):
    """Knows rows only, and no windows; it reports each row `times` times."""

    level = "row"

    def __init__(self, times=1):
        self.times = times

    def run(self, case):
        for pair in super().run(case):
            for solution in pair.solutions:
                yield from [{"time": pair.time, "solution": solution}] * self.times


def cases(language):
    """Cases of the papers that have answers."""
    found = map(read_case, find_cases([CORPUS / language]))
    return [case for case in found
            if isinstance(case.expect, ExpectedResults) and case.expect.results]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("planted", [Twice, Again, TwiceWritten])
def test_checking_finds_an_engine_that_repeats(language, planted):
    for case in cases(language)[:4]:
        assert check_case(case, Own()).ok
        verdict = check_case(case, planted())
        assert verdict.outcome is Outcome.FAIL
        assert not verdict.missing
        assert bool(verdict.duplicate) == (language in SETS)
        assert bool(verdict.unexpected) == (language not in SETS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("planted", [Twice, Again])
def test_fuzzing_finds_an_engine_that_repeats_and_keeps_it_so(language, planted):
    report = fuzz(planted(), [language], examples=100, seed=7, stop_after=1)
    (found,) = report.discrepancies
    assert not found.flaky
    assert not found.verdict.missing
    assert bool(found.verdict.duplicate) == (language in SETS)
    assert bool(found.verdict.unexpected) == (language not in SETS)
    if language in SETS:
        assert "1 duplicate result" in found.case.title


def overlapping():
    return parse_case(OVERLAPPING, source="overlapping.case.yaml")


def test_a_row_may_come_once_for_each_window_but_not_more_often():
    assert check_case(overlapping(), Own()).ok
    assert check_case(overlapping(), Rows()).ok
    assert len(list(Rows().run(overlapping()))) == 2
    verdict = check_case(overlapping(), Rows(times=2))
    assert verdict.outcome is Outcome.FAIL
    assert len(verdict.duplicate) == 2
    assert not verdict.missing
    assert not verdict.unexpected
    unexpected = overlapping().but(expect=None)
    assert check_case(unexpected, Rows()).ok
    assert len(check_case(unexpected, Rows(times=2)).duplicate) == 2


def test_a_pair_that_comes_twice_is_found_by_an_expectation_of_rows():
    verdict = check_case(overlapping(), Twice())
    assert verdict.level == "row"
    assert len(verdict.duplicate) == 2


@pytest.mark.parametrize("level", ["pair", "row"])
def test_a_pair_that_lists_a_solution_twice_is_repeated(level):
    class Listing(Own):
        def run(self, case):
            for pair in super().run(case):
                yield {"window": list(pair.window), "time": pair.time,
                       "solutions": [*pair.solutions, *pair.solutions]}

    engine = Listing()
    engine.level = level
    assert check_case(overlapping().but(expect=None), engine).duplicate


def test_positions_that_name_a_position_twice_are_repeated():
    (case, *_) = cases("ceql")

    class Listing(Own):
        def run(self, case):
            for event in super().run(case):
                yield {"start": event.start, "end": event.end,
                       "positions": [*event.positions, event.positions[0]]}

    verdict = check_case(case, Listing())
    assert verdict.duplicate
    assert not verdict.missing
    assert not verdict.unexpected


def test_a_report_has_what_is_repeated():
    case = overlapping()
    came = list(Production().run(case))
    report = check(case.text, case.streams, [*came, came[0]])
    assert (report.missing, report.unexpected, report.duplicate) == ((), (), (came[0],))
    assert report.repeated == report.duplicate
    assert not report.ok
    assert check(case.text, case.streams, came).ok
    rows = [(pair.time, mu) for pair in came for mu in pair.solutions]
    assert check(case.text, case.streams, rows).ok
    assert len(check(case.text, case.streams, [*rows, rows[0]]).duplicate) == 1


def test_a_verdict_counts_what_is_repeated():
    case = overlapping()
    verdict = check_case(case, Twice())
    assert verdict.counted == "0 missing, 0 unexpected, 2 duplicate"
    assert Verdict(Outcome.PASS).counted == "0 missing, 0 unexpected"


def test_every_report_says_what_is_repeated(tmp_path):
    case = overlapping()
    entry = CaseResult(case, check_case(case, Twice()), "overlapping.case.yaml")
    judgement = RunResult("planted", "", "pair", [entry], 0.0)
    write_html(judgement, tmp_path / "report.html")
    write_junit(judgement, tmp_path / "report.xml")
    write_earl(judgement, tmp_path / "report.ttl")
    lines = list(case_lines(entry))
    assert sum(line.strip().startswith("duplicate") for line in lines) == 2
    assert (tmp_path / "report.html").read_text().count('<tr class="duplicate">') == 2
    assert 'message="0 missing, 0 unexpected, 2 duplicate at level row"' in (
        tmp_path / "report.xml").read_text()
    assert "fail at level row: 0 missing, 0 unexpected, 2 duplicate" in (
        tmp_path / "report.ttl").read_text()
    assert row_verdict(entry.verdict).repeated == 2
