"""What is matched once an item is what is matched whenever it is asked for, with values put in."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from rdflib.term import BNode

from denota.engine.rsepql.events.basic_patterns import LeafCompiler
from denota.oracle.languages.rsepql.features import RsepqlCase
from denota.semantics.rsepql.syntax.results import TimedAnswer
from denota.strategies import rsepql_cases

from ...examples import examples


@examples(250)
@given(case=rsepql_cases())
def test_matched_at_arrival_is_matched_on_demand(case: RsepqlCase) -> None:
    matched = [comparable(answer) for answer in case.matches()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeafCompiler, "_is_plain", lambda *_: False)
        scanned = [comparable(answer) for answer in case.matches()]
    assert matched == scanned


def comparable(answer: TimedAnswer) -> tuple[int, object]:
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
