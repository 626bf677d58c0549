"""A query that is rewound does again what it has done, and what a new one would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import Phase, given

from denota.engine.checkpoints.reset import NotResettable, StateReset
from denota.engine.checkpoints.streaming_query import StreamingQuery
from denota.oracle.cases.case import Case
from denota.oracle.checking.comparison import compare
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.semantics.model.errors import DenotaError

from ..examples import examples

LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql")
"""Of CEQL, what is remembered lies in arrays, and is not put back."""


def running(case: Case) -> StreamingQuery:
    made: StreamingQuery = case.language.running(case.tree, (), **case.inputs)
    return made


def results(case: Case, run: StreamingQuery) -> list[Any]:
    return list(run.run(case.language.elements(run, case.tree, case.inputs["streams"])))


def told_at_first(case: Case) -> Any:
    """What the first arrival tells a query."""
    run = running(case)
    for arrival in case.language.elements(run, case.tree, case.inputs["streams"]):
        run.take(arrival)
        break
    return run.compile_parameters()


def same(case: Case, one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether results are the same, whatever their order and the names of blank nodes."""
    language = case.language
    level = language.levels[0]
    return not compare(
        language.answers(one, level, partial=False), language.answers(other, level, partial=False),
        level, sets=(),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_query_is_rewound(language: str) -> None:
    """In the middle of a stream, and behind its end."""
    rewound = 0

    @examples(12, phases=[Phase.generate])
    @given(cases_strategy(language))
    def holds(case: Case) -> None:
        nonlocal rewound
        try:
            whole = results(case, running(case))
            if not same(case, results(case, running(case)), whole):
                return  # LIMIT has a choice among blank nodes, say
            again = running(case)
            again.compile(told_at_first(case))
            state_reset = StateReset(again)
            for arrival in case.language.elements(again, case.tree, case.inputs["streams"]):
                again.take(arrival)
                if again.is_done:
                    break
            for _ in range(2):
                assert same(case, results(case, state_reset.reset()), whole)
        except (DenotaError, NotResettable):
            return
        rewound += bool(whole)

    holds()
    assert rewound
