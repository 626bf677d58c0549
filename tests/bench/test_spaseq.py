"""SPAseq's questions are asked of streams on which there is something to find."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module


@pytest.mark.slow
def test_every_query_has_matches_in_both_languages(part: Any) -> None:
    questions = part("spaseq_bench.questions")
    for each in questions.Asking(events=250, runs=1, few=250).sets:
        work = questions.spaseq(each.spaseq(600, ";"), each.items)
        assert work()[1] == questions.spaseq(each.spaseq(600, ";"), each.items, columns=False)()[1]
        assert work()[1] > 0, each.name
        for policy in each.policies:
            assert questions.epsparql(each.epsparql(600), each.items, policy)()[1] > 0, each.name


@pytest.mark.parametrize(("switch", "number"), [("every_edge_asked", 3), ("eager_conjunction", 2)])
def test_what_is_switched_off_changes_no_match(part: Any, switch: str, number: int) -> None:
    questions = part("spaseq_bench.questions")
    each = questions.Asking(events=400, runs=1, few=400).sets[number]
    work = questions.spaseq(each.spaseq(600, ";"), each.items, columns=False)
    found = work()[1]
    with getattr(questions, switch)():
        assert work()[1] == found


def test_eager_conjunctions_ask_more(part: Any) -> None:
    questions = part("spaseq_bench.questions")
    each = questions.Asking(events=200, runs=1, few=200).sets[2]

    def matched() -> int:
        engine = questions.SpaseqEngine(questions.parse_spaseq(each.spaseq(600, ";")))
        asked: list[Any] = []
        for leaf in engine.automaton.leaves:
            leaf.solve = questions._noting(leaf.solve, asked)
        for item in each.items:
            engine.feed(item)
        return len(asked)

    lazy = matched()
    with questions.eager_conjunction():
        assert matched() > lazy
    assert matched() == lazy


@pytest.mark.slow
def test_a_row_for_each_length_of_the_sequence(part: Any) -> None:
    questions = part("spaseq_bench.questions")
    answer = questions.steps(questions.Asking(events=60, runs=1, few=60))
    assert [row[0] for row in answer.rows] == ["3", "4", "5", "6", "7"]
    assert {len(row) for row in answer.rows} == {len(answer.head)}


def test_a_plot_shows_each_point(part: Any) -> None:
    plots = part("measuring.plots")
    series = [plots.Series("a, first", [(1, 10), (10, 200)]), plots.Series("b", [(1, 3)])]
    drawn = ElementTree.fromstring(plots.plot("T < U", "n", "seconds", series))
    name = "{http://www.w3.org/2000/svg}"
    dots = drawn.findall(f"{name}circle")
    assert len(dots) == 3
    words = [each.text for each in drawn.findall(f"{name}text")]
    assert {"T < U", "a, first", "b", "1 k", "10"} <= set(words)
    # 10 on an axis of three powers of ten stands a third of the way up, 200 above it.
    heights = [float(each.attrib["cy"]) for each in dots]
    assert heights[1] < heights[0] < heights[2]
