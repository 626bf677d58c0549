"""Engines' settings: what the engine reports under them is what the definitions say, and what they
have in common."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from denota.oracle.languages.rsepql.generate import rsepql_cases
from denota.semantics.model.errors import DenotaError
from denota.semantics.rdf.syntax.tree import SelectQuery
from denota.semantics.rsepql.denotation import difference
from denota.semantics.rsepql.syntax.settings import SETTINGS


def told(answers):
    """The answers, as bags: of what ORDER BY takes for equal ("1", "01") it leaves the order open.
    """
    return [
        (a.time, tuple(sorted(a.content, key=repr)) if isinstance(a.content, tuple) else a.content)
        for a in answers
    ]


def evaluated(case, how):
    try:
        return told(how(case))
    except DenotaError as error:
        return type(error)


@given(rsepql_cases(), st.sampled_from(sorted(SETTINGS)))
def test_the_engine_reports_as_the_definitions_say(case, name):
    case = case.but(evaluation={"setting": name})
    assert evaluated(case, type(case).matches) == evaluated(case, type(case).denotation)


@given(rsepql_cases())
def test_csparql_is_sparqlstream_that_speaks_of_nothing_too(case):
    assume(isinstance(case.query.form, SelectQuery))
    speaking = case.but(evaluation={"setting": "csparql"})
    silent = case.but(evaluation={"setting": "sparqlstream"})
    try:
        spoken = told(speaking.denotation())
    except DenotaError as error:
        with pytest.raises(type(error)):
            silent.denotation()
        return
    assert [answer for answer in spoken if answer[1]] == told(silent.denotation())


@given(rsepql_cases())
def test_cqels_tells_nothing_twice_in_a_row(case):
    """What is told at t is in the answer then, and the answer before lacks as many copies."""
    assume(isinstance(case.query.form, SelectQuery))
    setting = {"setting": "cqels"}
    new = case.but(evaluation=setting)
    everything = case.but(
        evaluation={**setting, "operator": str(SETTINGS["csparql"].operator), "empty": True}
    )
    try:
        told_new = dict(told(new.denotation()))
    except DenotaError:
        return
    before = ()
    for answer in everything.denotation():
        found = tuple(sorted(difference(answer.content, before), key=repr))
        assert tuple(sorted(told_new.get(answer.time, ()), key=repr)) == found
        before = answer.content
