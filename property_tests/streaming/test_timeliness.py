"""Results come as soon as they are certain, and none comes before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.engine.tuning import capacities
from denota.oracle.cases.case import Case
from denota.oracle.checking.comparison import compare
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.semantics.epsparql.syntax.stratification import is_timewise, is_timewise_select
from denota.semantics.epsparql.syntax.tree import Form
from denota.semantics.model.errors import DenotaError
from denota.semantics.model.items import TimestampedGraph
from denota.semantics.streams.live.watermarks import Watermark
from denota.semantics.streams.merging import StreamItem

from ..examples import examples

Results = Sequence[Any]
Certain = Callable[[Case, Results, list[Any]], Results]
"""Returns the results that are certain, of a case and of its results, after some arrivals."""


def of_items_so_far(case: Case, whole: Results, arrived: list[Any]) -> Results:
    """The results on the items that have arrived."""
    items = [each for each in arrived if isinstance(each, StreamItem)]
    streams = {
        name: tuple(
            TimestampedGraph(item.time, item.graph, item.kind)
            for item in items if item.iri == name
        )
        for name in case.streams
    }
    start = case.evaluation.get("from", items[0].time)
    return [*case.but(streams=streams, evaluation={"from": start}).denotation()]


def of_earlier_items(case: Case, whole: Results, arrived: list[Any]) -> Results:
    """The results on the items that are earlier than the last arrival."""
    streams = {
        name: tuple(item for item in items if item.end < arrived[-1].time)
        for name, items in case.streams.items()
    }
    return [*case.but(streams=streams).denotation()]


def of_earlier_times(case: Case, whole: Results, arrived: list[Any]) -> Results:
    """The results that are earlier than the last arrival."""
    return [each for each in whole if each.time < arrived[-1].time]


def of_earlier_ends(case: Case, whole: Results, arrived: list[Any]) -> Results:
    """The results that end earlier than the last arrival."""
    return [each for each in whole if each.end < arrived[-1].time]


def of_positions_so_far(case: Case, whole: Results, arrived: list[Any]) -> Results:
    """The complex events that end in the tuples that have arrived."""
    return [each for each in whole if each.end < sum(map(len, arrived))]


CERTAIN: dict[str, Certain] = {
    "spaseq": of_items_so_far, "rsepql": of_earlier_times, "cqels": of_earlier_items,
    "epsparql": of_earlier_ends, "ceql": of_positions_so_far,
}


def shown(case: Case, came: Results, arrived: list[Any]) -> Results:
    """The results that have come and are asked about: EP-SPARQL may report some at once."""
    return of_earlier_ends(case, came, arrived) if case.language.name == "epsparql" else came


def is_asked(case: Case) -> bool:
    """Whether the definitions leave no choice, and no later item takes a result back."""
    leaves = getattr(case.language, "leaves_a_choice", None)
    if leaves is not None and leaves(case.tree):
        return False
    if case.language.name == "cqels":
        return not case.evaluation
    if case.language.name != "epsparql":
        return True
    readings, select = case.readings, case.tree.select
    if case.tree.form is not Form.SELECT or readings.policy != "unrestricted":
        return False
    return all(is_timewise(rule.where, readings.leftjoin) for rule in case.tree.rules) and (
        select is None or is_timewise_select(select, readings.leftjoin)
    )


def assert_same(case: Case, came: Results, expected: Results) -> None:
    """Assert that results are the same up to the names of blank nodes."""
    language = case.language
    level = language.levels[0]
    assert not compare(
        language.answers(expected, level, partial=False),
        language.answers(came, level, partial=False), level, sets=(),
    )


def with_watermarks(arrivals: Sequence[Any], data: st.DataObject) -> Iterator[Any]:
    """The items of RDF streams, with watermarks between some of them."""
    last = None
    for item in arrivals:
        if last is not None and isinstance(item, StreamItem) and data.draw(st.booleans()):
            yield Watermark(data.draw(st.integers(last.time, item.time)))
        yield item
        last = item


@pytest.mark.parametrize("language", CERTAIN)
def test_results_come_in_good_time(language: str) -> None:
    certain = CERTAIN[language]

    @examples(160)
    @given(cases_strategy(language).filter(is_asked), st.data())
    def holds(case: Case, data: st.DataObject) -> None:
        came: list[Any] = []
        with capacities(batch=1):
            try:
                whole = [*case.denotation()]
                run = case.language.running(case.tree, (), **case.inputs)
                arrivals = [*case.language.elements(run, case.tree, case.inputs["streams"])]
            except DenotaError:
                return
            arrived: list[Any] = []
            for arrival in with_watermarks(arrivals, data):
                came += run.take(arrival)
                if run.is_done:
                    break
                arrived.append(arrival)
                assert_same(case, shown(case, came, arrived), certain(case, whole, arrived))
            came += [] if run.is_done else run.finish()
        assert_same(case, came, whole)
        if language == "ceql":
            assert [each.end for each in came] == sorted(each.end for each in came)

    holds()
