"""All small CQELS-CEP cases: each once, as many as are counted, and the engine passes them."""

from __future__ import annotations

import json
import re
from itertools import permutations

import pytest

from denota.oracle.engines.engine import Production
from denota.oracle.judging.judge import expectation_of, judge_case
from denota.oracle.languages.cqels.enumerate import (
    CqelsEnumeration,
    cqels_case_count,
    enumerated_cqels_block,
    enumerated_cqels_cases,
    enumerated_cqels_queries,
    interval_streams,
)
from denota.oracle.languages.rsepql.enumerate import STREAM, renamed
from denota.oracle.sweeps.corpus_cases import case_of
from denota.semantics.cqels.syntax.parse import parse
from denota.semantics.cqels.syntax.printing import to_text
from denota.semantics.cqels.syntax.readings import Readings


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


GRAPH = re.compile(r"prov:(?:startedAt\w+ (\d) ; prov:ended|generated)AtTime (\d) \. "
                   r":g\d \{ :s(\d) :([A-Z]) :o(\d) }")


@pytest.mark.parametrize(("letters", "items", "count"), [("A", 2, 36), ("A", 3, 626)])
def test_streams_differ_by_more_than_names(letters: str, items: int, count: int) -> None:
    classes = set()
    for text in interval_streams(letters, items):
        graphs = [
            ((int(end), letter, int(subject), int(object_)), bool(start))
            for start, end, subject, letter, object_ in GRAPH.findall(json.loads(text)[str(STREAM)])
        ]
        assert len(graphs) == items
        classes.add(min(
            tuple(zip(renamed(item for item, _ in order), (long for _, long in order),
                      strict=True))
            for order in permutations(graphs)
            if [item[0] for item, _ in order] == [item[0] for item, _ in graphs]
        ))
    assert len(classes) == sum(1 for _ in interval_streams(letters, items)) == count


@pytest.mark.parametrize("within", [None, 1])
def test_the_engine_passes_them(within: int | None) -> None:
    answered = 0
    enumeration = CqelsEnumeration(1, 2, within, Readings(inside="open"))
    for row in list(enumerated_cqels_cases(enumeration))[::3]:
        verdict = judge_case(case_of(row), Production())
        assert verdict.ok, f"{row.id}: {verdict}"
        answered += bool(getattr(expectation_of(case_of(row).task()), "results", ()))
    assert answered > 100
