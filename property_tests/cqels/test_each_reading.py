"""Each case under each value of `inside`, and with a dictionary that is swept at once.

`denota fuzz` draws one value a case, and sweeps seldom.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given

from denota.engine.rdf.data.dictionary import Dictionary
from denota.oracle.checking.comparison import compare
from denota.oracle.languages.cqels.features import CqelsCase
from denota.oracle.languages.interval_solutions import LEVELS, answers
from denota.semantics.cqels.syntax.readings import Readings
from denota.semantics.model.interval_solutions import IntervalResult
from denota.strategies import cqels_cases

from ..examples import examples


def agree(emitted: Iterable[IntervalResult], expected: Iterable[IntervalResult]) -> bool:
    """Whether the results are the same, up to the names of blank nodes."""
    found, wanted = (answers(each, title="CQELS-CEP") for each in (emitted, expected))
    return not compare(wanted, found, "solutions", sets=LEVELS)


@examples(600)
@given(cqels_cases())
def test_the_engine_and_the_definitions_agree_under_each_reading(case: CqelsCase) -> None:
    """Every solution of the definitions once, and no other, under every reading."""
    for inside in Readings.choices()["inside"]:
        asked = case.but(readings=Readings.of({"inside": inside}))
        emitted = list(asked.matches())
        assert agree(emitted, asked.denotation())
        assert len(emitted) == len(set(emitted))


@examples(150)
@given(cqels_cases())
def test_no_term_is_forgotten_that_is_still_needed(case: CqelsCase) -> None:
    """Here the dictionary is swept after every evaluation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dictionary, "due", property(lambda dictionary: True))
        assert agree(case.matches(), case.denotation())
