"""All cases of every language, by their ranks: each once, and made of numbers as of its text."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from denota.oracle.inputs import numbered
from denota.oracle.inputs.numbered import TooManyQueries
from denota.oracle.languages.enumeration import Bounds, BoundsError
from denota.oracle.languages.registry import alphabets_of, having
from denota.oracle.languages.rsepql.enumerate import ALPHABETS
from denota.oracle.ranks import numbered_streams
from denota.oracle.ranks.numbered_streams import TooManyStreams
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.corpus_file import case_of

SPACES = [
    (language, alphabet)
    for language in having("enumerate")
    for alphabet in alphabets_of(language) or ("",)
]

MANY = {"background", "filters", "joins"}
HUNDREDS = {*(each.name for each in ALPHABETS.values() if each.graphs), "paths", "answers"}
"""Alphabets that have a hundred queries, or hundreds, without operators."""


@cache
def small_space(language: str, alphabet: str, length: int = 2) -> Space:
    """One operator; none where one alone makes hundreds of queries."""
    most = (0, 1) if alphabet in HUNDREDS else (0, 2) if alphabet in MANY else (1, length)
    return Space.of(language, Bounds(*most, alphabet=alphabet))


@pytest.mark.parametrize(("language", "alphabet"), SPACES)
def test_the_smallest_come_first_and_each_comes_once(language: str, alphabet: str) -> None:
    space = small_space(language, alphabet, length=1)
    rows = list(space.rows())
    assert len(rows) == space.cases == sum(block.cases for block in space.blocks)
    sizes = [row.operators + row.events for row in rows]
    assert sizes == sorted(sizes)
    assert max(sizes) == (1 if alphabet in HUNDREDS else 2)
    assert len({row.id for row in rows}) == len(rows)
    assert len({(row.query, row.streams, row.kb, row.evaluate) for row in rows}) == len(rows)


@pytest.mark.parametrize(("language", "alphabet"), SPACES)
def test_a_case_made_of_numbers_is_what_is_read_of_its_text(language: str, alphabet: str) -> None:
    space = small_space(language, alphabet)
    check_cases_made_of_numbers(space)


@pytest.mark.parametrize("window", [{"within": 1}, {"within": 2, "events": True}])
def test_tuples_with_times_are_what_is_read_of_their_texts(window: dict[str, Any]) -> None:
    check_cases_made_of_numbers(Space.of("ceql", Bounds(1, 2, alphabet="attributes", **window)))


def test_tuples_with_values_that_a_window_measures_are_what_is_read_of_their_texts() -> None:
    check_cases_made_of_numbers(Space.of("ceql", Bounds(1, 2, alphabet="mixed", within=1)))


@pytest.mark.parametrize("language", ["rsepql", "cqels", "epsparql"])
def test_graphs_with_gaps_are_what_is_read_of_their_texts(language: str) -> None:
    space = Space.of(language, Bounds(1, 2, within=2, alphabet="gaps"))
    check_cases_made_of_numbers(space)
    ids = {row.id.rsplit("-", 3)[0] for row in space.rows(0, 20)}
    assert ids == {f"{language}-gaps"}


def check_cases_made_of_numbers(space: Space) -> None:
    ranks = range(0, space.cases, -(-space.cases // 200))
    for rank in ranks:
        [run] = space.runs(rank, rank + 1)
        case = case_of(run.row(0))
        assert case.tree == run.query
        assert case.readings == run.readings
        assert {"kb": case.kb, "evaluation": case.evaluation} == {
            "kb": {}, "evaluation": {}, **run.beside
        }
        given = run.given(0)
        assert {name: tuple(items) for name, items in case.streams.items()} == given
        assert list(case.streams) == list(given)
        assert sum(map(len, given.values())) == run.events
    assert len(ranks) > 10


@pytest.mark.parametrize(("language", "alphabet"), SPACES)
def test_runs_are_cut_where_the_query_changes(language: str, alphabet: str) -> None:
    space = small_space(language, alphabet)
    first = space.cases // 3
    whole = list(space.runs(first, space.cases))
    assert whole[0].first == first
    assert all(one.first + len(one) == two.first for one, two in pairwise(whole))
    assert whole[-1].first + len(whole[-1]) == space.cases
    other = pickle.loads(pickle.dumps(space))
    for run in whole[:: max(len(whole) // 9, 1)]:
        [again] = other.runs(run.first, run.first + len(run))
        assert (again.query, list(again.streams)) == (run.query, list(run.streams))
        assert space.row(run.first + len(run) - 1) == run.row(len(run) - 1)
    pairs = pairwise(whole)
    assert all(one.text != two.text or one.events != two.events for one, two in pairs)


def test_equal_graphs_are_the_same() -> None:
    space = Space.of("spaseq", Bounds(0, 2, alphabet="keys"))
    graphs = {}
    for run in space.runs(0, space.cases):
        for i in range(len(run)):
            for item in (item for items in run.given(i).values() for item in items):
                assert graphs.setdefault(item.graph, item.graph) is item.graph


def test_no_case_has_a_rank_beyond() -> None:
    space = Space.of("ceql", Bounds(0, 1))
    assert space.cases == 5 * (1 + 2)
    with pytest.raises(IndexError, match="no case has the rank 15"):
        space.row(space.cases)
    assert list(space.sample(20)) == list(range(15))
    assert list(space.sample(0)) == []


@pytest.mark.parametrize(
    ("language", "operators", "events", "said"),
    [("ceql", 0, 70, "more than 9,223,372,036,854,775,807 cases"), ("spaseq", 9, 1, "up to 4")],
)
def test_bounds_that_are_too_wide_are_refused(
    language: str, operators: int, events: int, said: str
) -> None:
    with pytest.raises(BoundsError, match=said):
        _ = Space.of(language, Bounds(operators, events)).blocks


def test_queries_that_cannot_be_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbered, "MOST_QUERIES", 44)
    with pytest.raises(TooManyQueries, match="more than 44 queries: ask for fewer operators"):
        _ = Space.of("ceql", Bounds(1, 0)).blocks


@pytest.mark.parametrize("language", ["spaseq", "rsepql"])
def test_streams_that_cannot_be_held_are_refused(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbered_streams, "MOST_STREAMS", 9)
    with pytest.raises(TooManyStreams, match=r"more than 9 streams of . events"):
        _ = Space.of(language, Bounds(0, 4)).blocks
