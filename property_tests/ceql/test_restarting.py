"""An engine of CEQL that is restarted computes what a new one computes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, reject
from hypothesis import strategies as st

from denota.engine.ceql import CeqlEngine
from denota.engine.ceql.output.records import complex_events
from denota.oracle.languages.ceql.features import CeqlCase
from denota.oracle.languages.ceql.generate import ceql_cases, ceql_queries
from denota.semantics.ceql.syntax.results import ComplexEvent
from denota.semantics.ceql.syntax.tree import Strategy
from denota.semantics.model.errors import UnsupportedError
from denota.semantics.model.tuples import batches, of_one_type

from ..examples import examples

# Every result of these is settled: no choice is left to who evaluates them.
SETTLED = ceql_queries().map(
    lambda query: replace(
        query,
        strategy=Strategy.ALL if query.strategy is Strategy.ANY else query.strategy,
        limit=None,
    )
)


@examples(60)
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
