"""All small CQELS-CEP cases: each once, as many as are counted, and the engine passes them."""

from __future__ import annotations

import pytest

from denota.oracle.engines import Production
from denota.oracle.enumeration.cqels import (
    CqelsEnumeration,
    cqels_case_count,
    enumerated_cqels_block,
    enumerated_cqels_cases,
    enumerated_cqels_queries,
)
from denota.oracle.judging import expectation_of, judge_case
from denota.oracle.sweeps.corpus_cases import case_of
from denota.semantics.cqels.parse import parse
from denota.semantics.cqels.printing import to_text
from denota.semantics.cqels.readings import Readings


def test_the_smallest_come_first_and_each_comes_once() -> None:
    rows = list(enumerated_cqels_cases(CqelsEnumeration(1, 2)))
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    assert len({row.id for row in rows}) == len(rows)
    assert len({(row.query, row.streams) for row in rows}) == len(rows)


@pytest.mark.parametrize(("operators", "items"), [(0, 2), (1, 1), (1, 2), (2, 1)])
def test_what_is_counted_is_listed(operators: int, items: int) -> None:
    enumeration = CqelsEnumeration()
    listed = sum(1 for _ in enumerated_cqels_block(enumeration, operators, items))
    assert listed == cqels_case_count(enumeration, operators, items)


def test_queries() -> None:
    for operators, count in ((0, 1), (1, 2 * (6 + 4)), (2, 5 * 8)):
        found = [query for query, _ in enumerated_cqels_queries(operators, 5)]
        assert len(found) == len({to_text(query) for query in found}) == count
        assert all(parse(to_text(query)) == query for query in found)


@pytest.mark.parametrize("within", [None, 1])
def test_the_engine_passes_them(within: int | None) -> None:
    answered = 0
    enumeration = CqelsEnumeration(1, 2, within, Readings(inside="open"))
    for row in list(enumerated_cqels_cases(enumeration))[::3]:
        verdict = judge_case(case_of(row), Production())
        assert verdict.ok, f"{row.id}: {verdict}"
        answered += bool(getattr(expectation_of(case_of(row).task()), "results", ()))
    assert answered > 100
