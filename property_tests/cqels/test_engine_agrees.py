"""The main property: the production engine computes what the definitions say."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.engine.rdf.data.dictionary import Dictionary
from denota.oracle.judging.comparison import compare
from denota.oracle.languages.cqels.case import CqelsCase
from denota.oracle.languages.interval_solutions import LEVELS, answers
from denota.semantics.cqels.syntax.readings import Readings
from denota.semantics.model.interval_solutions import IntervalResult
from denota.semantics.model.items import IntervalGraph
from denota.strategies import cqels_cases


def agree(emitted: Iterable[IntervalResult], expected: Iterable[IntervalResult]) -> bool:
    """Whether the results are the same, up to the names of blank nodes."""
    found, wanted = (answers(each, title="CQELS-CEP") for each in (emitted, expected))
    return not compare(wanted, found, "solutions", sets=LEVELS)


@settings(max_examples=600)
@given(cqels_cases())
def test_the_engine_emits_what_the_definitions_say(case: CqelsCase) -> None:
    """Every solution of the definitions once, and no other, under every reading."""
    for inside in Readings.choices()["inside"]:
        asked = case.but(readings=Readings.of({"inside": inside}))
        emitted = list(asked.matches())
        assert agree(emitted, asked.denotation())
        assert len(emitted) == len(set(emitted))


@settings(max_examples=150)
@given(cqels_cases(), st.data())
def test_what_comes_later_takes_nothing_back(case: CqelsCase, data: st.DataObject) -> None:
    """On arrival: after any number of items what was emitted is what they mean, so far."""
    whole = case.but(evaluation={})
    ends = sorted({
        item.end if isinstance(item, IntervalGraph) else item.time
        for stream in case.streams.values() for item in stream
    })
    until = data.draw(st.sampled_from(ends or [0]))
    so_far = whole.but(streams={
        name: tuple(
            item for item in stream
            if (item.end if isinstance(item, IntervalGraph) else item.time) <= until
        )
        for name, stream in case.streams.items()
    })
    expected = so_far.denotation()
    emitted = list(whole.matches())
    assert agree(so_far.matches(), expected)
    assert agree(emitted[: len(expected)], expected)


@settings(max_examples=150)
@given(cqels_cases())
def test_no_term_is_forgotten_that_is_still_needed(case: CqelsCase) -> None:
    """Here the dictionary is swept after every evaluation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dictionary, "due", property(lambda dictionary: True))
        assert agree(case.matches(), case.denotation())
