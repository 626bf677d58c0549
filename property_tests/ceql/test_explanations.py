"""Explanations of CEQL: every match has one that names its events, every absence has a reason."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from denota.oracle.languages.ceql.case import CeqlCase
from denota.oracle.languages.ceql.explain.absences import AskedEvent, explain_ceql_absence
from denota.oracle.languages.ceql.explain.matches import explain_ceql_match
from denota.oracle.languages.ceql.generate import ceql_cases


@settings(max_examples=100)
@given(ceql_cases())
def test_a_match_is_explained_by_its_events(case: CeqlCase) -> None:
    stream = case.merged()
    for event in sorted(case.denotation())[:5]:
        lines = list(explain_ceql_match(case.query, stream, case.readings, event))
        steps = [line for line in lines if line.split(".")[0].isdecimal()]
        named = [int(line.split(" at ")[1].split(" ")[0].rstrip(",")) for line in steps]
        assert named == sorted(set(named))
        assert (named[0], named[-1]) == (event.start, event.end)
        assert set(event.positions) <= set(named)


@settings(max_examples=100)
@given(ceql_cases(), st.sets(st.integers(0, 6), min_size=1, max_size=3))
def test_an_absence_has_a_reason(case: CeqlCase, positions: set[int]) -> None:
    stream = case.merged()
    asked = AskedEvent(min(positions), max(positions), frozenset(positions))
    if not any(map(asked.is_met_by, case.denotation())):
        lines = list(explain_ceql_absence(case.query, stream, case.readings, asked))
        assert lines
        assert all(line.strip() for line in lines)
