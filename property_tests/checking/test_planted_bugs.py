"""Every planted bug is found within a bounded number of examples, and becomes small."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.oracle.cases.case_reader import read_case
from denota.oracle.checking.case_checker import check_case
from denota.oracle.engines.engine_specs import engine
from denota.oracle.languages.spaseq.case import SpaseqCase, operator_count

from .finding import first_found

FOLDER = Path(__file__).parent
EXAMPLES = 1_000
MOST_OPERATORS, MOST_EVENTS = 2, 3

# What no smaller case can show: A • B! • C are three operators, and for iterations that are not
# contiguous it takes one event before them, two of them and one in between.
INHERENTLY_LARGER = {
    "absences_unguarded": (3, 3),
    "kleene_strict_after_an_operand_forgotten": (2, 4),
}

BUGS = (
    "next_as_any",
    "strict_as_next",
    "any_as_next",
    "blocks_mappings_one_by_one",
    "strict_among_named_streams",
    "shared_variables_ignored",
    "deferred_filters_dropped",
    "background_forgotten",
    "windows_half_open",
    "windows_from_zero",
    "kleene_joins",
    "kleene_once",
    "kleene_strict_after_an_operand_forgotten",
    "first_alternative_only",
    "absences_unguarded",
    "crashes_on_blank_nodes",
)


@pytest.fixture(autouse=True)
def _planted_bugs_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)


def operators_and_events(case: SpaseqCase) -> tuple[int, int]:
    return operator_count(case.query.sequence), sum(map(len, case.streams.values()))


@pytest.mark.parametrize(
    "bug", [BUGS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in BUGS[1:])]
)
def test_a_planted_bug_is_found_and_shrunk(bug: str, tmp_path: Path) -> None:
    planted = engine(f"python:planted_bugs:{bug}")
    found = first_found(planted, "spaseq", EXAMPLES, tmp_path)
    operators, events = operators_and_events(found.case.parsed())
    most_operators, most_events = INHERENTLY_LARGER.get(bug, (MOST_OPERATORS, MOST_EVENTS))
    assert operators <= most_operators
    assert events <= most_events

    assert found.path is not None
    saved = read_case(found.path)
    assert check_case(saved, engine("oracle")).ok, found.path.read_text()
    assert check_case(saved, engine("production")).ok, found.path.read_text()
    assert check_case(saved, planted).is_failure, found.path.read_text()


def test_no_planted_bug_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import planted_bugs  # type: ignore[import-not-found]

    assert sorted(factory.__name__ for factory in planted_bugs.BUGS) == sorted(BUGS)
