"""All small RSEP-QL cases: each once, as many as are counted, and the engine passes them."""

from __future__ import annotations

import pytest

from denota.oracle.engines.engine import Production
from denota.oracle.judging.judge import judge_case
from denota.oracle.languages.rsepql.enumerate import (
    OTHER,
    RsepqlEnumeration,
    enumerated_event_patterns,
    enumerated_rsepql_block,
    enumerated_rsepql_cases,
    enumerated_streams,
    rsepql_case_count,
)
from denota.oracle.sweeps.corpus_cases import case_of
from denota.semantics.rsepql.syntax.printing import event_to_text


def test_the_smallest_come_first_and_each_comes_once():
    rows = list(enumerated_rsepql_cases(RsepqlEnumeration(1, 2)))
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    assert len({row.id for row in rows}) == len(rows)
    assert len({(row.query, row.streams) for row in rows}) == len(rows)


@pytest.mark.parametrize(("operators", "items"), [(0, 2), (1, 1), (1, 2), (2, 0)])
def test_what_is_counted_is_listed(operators, items):
    enumeration = RsepqlEnumeration()
    listed = sum(1 for _ in enumerated_rsepql_block(enumeration, operators, items))
    assert listed == rsepql_case_count(enumeration, operators, items)


def test_patterns_of_one_operator():
    shown = [event_to_text(pattern) for pattern, _ in enumerated_event_patterns(1)]
    # FIRST, LAST, and four sequences of A with A or B.
    assert len(shown) == len(set(shown)) == 2 + 4 * 2


def test_streams_of_two_graphs_of_one_letter():
    found = enumerated_streams("A", 2)
    apart = [stream for stream in found if stream[0][0] != stream[1][0]]
    together = [stream for stream in found if stream[0][0] == stream[1][0]]
    # A A with equal or different subjects and objects, A Z, Z A, Z Z.
    assert len(apart) == 4 + 3
    assert len(together) == 4 + 2
    assert {item[1] for stream in found for item in stream} == {"A", OTHER}


def test_the_engine_passes_them():
    for row in enumerated_rsepql_cases(RsepqlEnumeration(1, 2)):
        verdict = judge_case(case_of(row), Production())
        assert verdict.ok, f"{row.id}: {verdict}"
