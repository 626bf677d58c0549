"""The main property: the production engine computes what CEQL's definitions say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from denota.engine.ceql import CeqlEngine, run
from denota.engine.ceql.output.records import complex_events
from denota.oracle.languages.ceql.case import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries
from denota.semantics.ceql.later_language import nearest
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import Strategy
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.tuples import batches, of_one_type

# Every result of these is settled: no choice is left to who evaluates them.
SETTLED = ceql_queries().map(
    lambda query: replace(
        query,
        strategy=Strategy.ALL if query.strategy is Strategy.ANY else query.strategy,
        limit=None,
    )
)


def emitted(case: CeqlCase, size: int | None = None) -> list[ComplexEvent]:
    """What the engine says of the rows, or of batches of at most so many of them.

    An attribute may be of another type in another stream: a batch ends where it changes.
    """
    stream = case.merged()
    if size is None:
        return list(run(case.query, stream, case.readings))
    cut = (batch for alike in of_one_type(stream) for batch in batches(alike, size))
    return list(run(case.query, cut, case.readings))


@settings(max_examples=250)
@given(ceql_cases())
def test_the_engine_emits_what_the_definitions_say(case: CeqlCase) -> None:
    """Every complex event once, and no other; where a choice is left, a right one."""
    found = list(case.matches())
    assert len(found) == len(set(found))
    assert set(found) == set(nearest(case.choices(), found))
    assert [each.end for each in found] == sorted(each.end for each in found)


@settings(max_examples=150)
@given(ceql_cases(SETTLED), st.integers(1, 8))
def test_batches_may_be_cut_anywhere(case: CeqlCase, size: int) -> None:
    assert Counter(emitted(case, size)) == Counter(case.denotation())


@settings(max_examples=100)
@given(ceql_cases(SETTLED))
def test_what_is_settled_is_the_same_each_time(case: CeqlCase) -> None:
    assert emitted(case) == emitted(case)



@settings(max_examples=60)
@given(ceql_cases(SETTLED), st.integers(1, 8), st.booleans())
def test_an_engine_forgets_a_stream(case: CeqlCase, size: int, small: bool) -> None:
    """In the midst of it, and also where it had to make room."""
    fed = [batch for alike in of_one_type(case.merged()) for batch in batches(alike, size)]

    def new() -> CeqlEngine:
        return CeqlEngine(case.query, case.readings, nodes=4 if small else None)

    def said(engine: CeqlEngine) -> list[ComplexEvent]:
        found = (each for batch in fed for each in engine.batches(batch))
        return [event for each in found for event in complex_events(each)]

    try:
        expected = said(new())
    except UnsupportedError:  # what measures the window falls, and it has no room to remember
        reject()
    engine = new()
    for batch in fed[: 1 + len(fed) // 2]:
        next(engine.batches(batch), None)
    engine.restart()
    assert said(engine) == expected
