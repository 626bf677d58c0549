"""What is brought up to date item by item is what is found anew: on longer streams than the
definitions can be asked about, those of a case again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.term import BNode

from denota.engine.rsepql import matching, plan
from denota.engine.rsepql.views import RecomputedView
from denota.oracle.rsepql_case import RsepqlCase
from denota.semantics.rsepql.results import TimedAnswer
from denota.semantics.streams.items import TimeKind, TimestampedGraph
from denota.strategies import rsepql_cases

_TICK = {TimeKind.INTEGER: 1, TimeKind.DATETIME: 1_000_000}


def again(stream: tuple[TimestampedGraph, ...], times: int, lag: int) -> Iterator[TimestampedGraph]:
    """The items again and again, `lag` time units after the last."""
    if not stream:
        return
    lag *= _TICK[stream[0].kind]
    span = stream[-1].time - stream[0].time + lag
    for k in range(times):
        for item in stream:
            yield replace(item, time=item.time + k * span)


@st.composite
def long_cases(draw: st.DrawFn) -> RsepqlCase:
    case = draw(rsepql_cases())
    lag = draw(st.integers(0, 3))
    return replace(
        case,
        streams={name: tuple(again(each, 6, lag)) for name, each in case.streams.items()},
        evaluation=replace(case.evaluation, at=None) if case.evaluation.at else case.evaluation,
    )


@settings(max_examples=250)
@given(case=long_cases())
def test_kept_up_to_date_is_found_anew(case: RsepqlCase) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "view_of", RecomputedView)
        patch.setattr(plan, "kept_in_window", lambda select, *_: (select, None))
        patch.setattr(plan, "kept_in_default", lambda select, *_: (select, None))
        patch.setattr(plan, "is_linear", lambda _: False)
        anew = [comparable(answer) for answer in case.matches()]
    assert [comparable(answer) for answer in case.matches()] == anew


def comparable(answer: TimedAnswer) -> tuple[int, Any]:
    """Blank nodes that CONSTRUCT makes are all alike."""
    content = answer.content
    if isinstance(content, tuple):
        return answer.time, Counter(content)
    if isinstance(content, frozenset):
        return answer.time, Counter(
            tuple("[]" if isinstance(term, BNode) else term for term in triple)
            for triple in content
        )
    return answer.time, content
