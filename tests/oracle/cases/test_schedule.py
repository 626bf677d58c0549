"""Schedules as texts, in case files, and on the command line."""

from __future__ import annotations

import re

import pytest

from denota.oracle.cases.case_reader import parse_case
from denota.oracle.cases.case_writer import case_text
from denota.oracle.cases.schedule import FIXED, Cut, ScheduleError, fixed_schedules, parse_schedule
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.builtin import Production
from denota.oracle.engines.engine import EngineError
from denota.semantics.model.errors import CaseError

CASE = """\
title: two of them
language: ceql
query: SELECT * FROM S WHERE A ; B
streams: {S: {csv: "type,time\\nA,0\\nA,1\\nB,2\\n"}}
schedule: live,cuts=2!.1,small
expect:
  level: positions
  results: [{start: 0, end: 2, positions: [0, 2]}, {start: 1, end: 2, positions: [1, 2]}]
"""


def test_a_case_holds_one() -> None:
    case = parse_case(CASE)
    assert case.schedule is not None
    assert case.schedule.cuts == (Cut(2, checkpoint=True), Cut(1))
    assert parse_case(case_text(case)).schedule == case.schedule
    assert check_case(case, Production()).ok


def test_an_older_name_is_read() -> None:
    assert parse_schedule("restored") == parse_schedule("cuts=1!")
    assert parse_schedule("items=9,small") == parse_schedule("small,cuts=9.1")


@pytest.mark.parametrize("text, message", [
    ("cuts=x", "write cuts=N.N!"), ("late=soon", "write late=NUMBER"), ("fil", "there is no"),
    ("nodes=3", "nodes is a power of two"), ("batch=0", "write batch=NUMBER"),
])
def test_what_is_none_is_an_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ScheduleError, match=re.escape(message)):
        parse_schedule(text)
    with pytest.raises(CaseError, match=rf"<case>:5:11: .*{re.escape(message)}"):
        parse_case(CASE.replace("live,cuts=2!.1,small", text))


def test_several_are_tried_and_the_failing_one_is_named() -> None:
    case = parse_case(CASE.replace("schedule: live,cuts=2!.1,small\n", ""))
    assert check_case(case, Production(f"schedules={len(FIXED) + 3}")).ok
    assert fixed_schedules(3) == [None, *FIXED[:2]]

    class Faulty(Production):
        def run(self, case):  # type: ignore[no-untyped-def]
            return [] if case.schedule == FIXED[1] else super().run(case)

    verdict = check_case(case, Faulty("schedules=5"))
    assert verdict.schedule == str(FIXED[1])
    assert len(verdict.missing) == 2
    with pytest.raises(EngineError):
        Production("schedules=0")
