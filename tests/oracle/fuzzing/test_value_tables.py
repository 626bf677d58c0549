"""Tables of expressions on boundary values are complete, and the engine answers them right."""

from __future__ import annotations

from itertools import islice

import pytest

from denota.oracle.cases.schedule import fixed_schedules
from denota.oracle.checking.case_checker import check_under, expectation_of
from denota.oracle.engines.builtin import Production
from denota.oracle.fuzzing.value_tables import ValueTables
from denota.oracle.languages.registry import having, part_of
from denota.semantics.rdf.syntax.tree import ARITY

LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")
CASES = 25


def tables_of(language: str) -> ValueTables:
    found: ValueTables = part_of(language, "generate").VALUE_TABLES
    return found


def test_every_language_has_tables() -> None:
    assert {name for name in having("generate") if tables_of(name)} >= {*LANGUAGES}


def test_every_function_is_in_a_table() -> None:
    queries = [table.query for table in tables_of("spaseq").tables()]
    volatile = {"NOW", "RAND", "UUID", "STRUUID", "BNODE"}
    missing = [
        name for name in ARITY
        if name not in volatile and not any(f"{name}(" in query for query in queries)
    ]
    assert missing == []


def test_there_are_a_hundred_thousand_questions() -> None:
    assert tables_of("spaseq").questions() > 100_000
    assert tables_of("ceql").questions() > 50_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_table_begins_before_another_goes_on(language: str) -> None:
    first = [case.title for case in islice(tables_of(language).cases("0"), 40)]
    assert len({*first}) == 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_engine_answers_them(language: str) -> None:
    schedules = (None, *fixed_schedules(4))
    answered = 0
    for schedule, case in zip(schedules, tables_of(language).cases(language), strict=False):
        list(Production().run(case.but(schedule=schedule)))  # loads it all, not in each child
    for number, case in enumerate(islice(tables_of(language).cases(language), CASES)):
        expected = expectation_of(case)
        answered += bool(getattr(expected, "results", ()))
        schedule = schedules[number % len(schedules)]
        verdict = check_under((schedule,), case.but(expect=expected), Production())
        assert verdict.ok, f"{case.title}: {verdict}"
    assert answered > CASES // 3
