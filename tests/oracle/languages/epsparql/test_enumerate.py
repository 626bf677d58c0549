"""All small EP-SPARQL cases: each once, as many as are counted, and the engine passes them."""

from __future__ import annotations

import pytest

from denota.oracle.engines.engine import Production
from denota.oracle.judging.judge import expectation_of, judge_case
from denota.oracle.languages.epsparql.enumerate import (
    EpsparqlEnumeration,
    enumerated_epsparql_block,
    enumerated_epsparql_cases,
    enumerated_epsparql_queries,
    epsparql_case_count,
)
from denota.oracle.sweeps.corpus_cases import case_of
from denota.semantics.epsparql.syntax.parse import parse
from denota.semantics.epsparql.syntax.printing import to_text
from denota.semantics.epsparql.syntax.readings import Readings


def test_the_smallest_come_first_and_each_comes_once() -> None:
    rows = list(enumerated_epsparql_cases(EpsparqlEnumeration(1, 2)))
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    assert len({row.id for row in rows}) == len(rows)
    assert len({(row.query, row.streams) for row in rows}) == len(rows)


@pytest.mark.parametrize(("operators", "items"), [(0, 2), (1, 1), (1, 2), (2, 1)])
def test_what_is_counted_is_listed(operators: int, items: int) -> None:
    enumeration = EpsparqlEnumeration()
    listed = sum(1 for _ in enumerated_epsparql_block(enumeration, operators, items))
    assert listed == epsparql_case_count(enumeration, operators, items)


def test_queries() -> None:
    # A filter, or six operators on A and A or B; then a filter on the six, six on a filter and a
    # pattern, or on three patterns in two shapes, of which words of three letters there are five.
    for operators, count in ((0, 1), (1, 1 + 6 * 2), (2, 6 * 2 + 6 * 2 * 2 + 36 * 2 * 5)):
        found = [query for query, _ in enumerated_epsparql_queries(operators, 5)]
        assert len(found) == len({to_text(query) for query in found}) == count
        assert all(parse(to_text(query)) == query for query in found)


def test_where_a_filter_stands() -> None:
    texts = [" ".join(to_text(query).split()) for query, _ in enumerated_epsparql_queries(2, 5)]
    optional = "OPTIONAL { ?x :A ?a . FILTER (GETDURATION() <= 5) }"
    assert any(text.endswith(f"WHERE {{ ?x :A ?a . {optional} }}") for text in texts)
    assert any(text.endswith("OPTIONAL { ?x :B ?b } FILTER (GETDURATION() <= 5) }")
               for text in texts)


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_a_policy_is_about_sequences_of_instants(policy: str) -> None:
    readings = Readings.of({"policy": policy})
    rows = list(enumerated_epsparql_cases(EpsparqlEnumeration(2, 2, 1, readings)))
    queries = {" ".join(row.query.split()).partition("WHERE ")[2] for row in rows}
    assert {"{ ?x :A ?a }", "{ { ?x :A ?a } SEQ { ?x :B ?b } }"} <= queries
    assert not any("EQUALS" in query or "OPTIONALSEQ" in query for query in queries)
    assert len(rows) == sum(
        epsparql_case_count(EpsparqlEnumeration(2, 2, 1, readings), operators, items)
        for operators in range(3) for items in range(3)
    )
    for row in rows[::5]:
        verdict = judge_case(case_of(row), Production())
        assert verdict.ok, f"{row.id}: {verdict}"


@pytest.mark.parametrize("readings", [
    Readings(), Readings(leftjoin="paper", optionalfilter="paper", occurrences="each"),
])
def test_the_engine_passes_them(readings: Readings) -> None:
    answered = 0
    for row in list(enumerated_epsparql_cases(EpsparqlEnumeration(1, 2, 0, readings)))[::3]:
        verdict = judge_case(case_of(row), Production())
        assert verdict.ok, f"{row.id}: {verdict}"
        answered += bool(getattr(expectation_of(case_of(row).task()), "results", ()))
    assert answered > 100
