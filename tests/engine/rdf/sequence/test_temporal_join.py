"""Temporal joins: what they find is what a look at every pair finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from denota.engine.kernels import KERNELS
from denota.engine.rdf.data.layout import IdRow, Layout
from denota.engine.rdf.sequence.temporal_join import TemporalJoin, Timed, timed
from denota.engine.tuning import SMALL, TuningParameters, capacities
from denota.semantics.model.terms import Variable

Found = tuple[IdRow, int, int]


def layout(*names: str) -> Layout:
    variables = tuple(map(Variable, names))
    return Layout(variables, frozenset(variables))


def drawn(draw: random.Random, width: int) -> list[Found]:
    """Rows in the order of their ends."""
    time = 0
    rows: list[Found] = []
    for _ in range(draw.randrange(20)):
        time += draw.randrange(2)
        ids = tuple(draw.randrange(1, 3) for _ in range(width))
        rows.append((ids, time - draw.randrange(3), time))
    return rows


def within(rows: Timed, width: int | None) -> Timed:
    return rows if width is None else rows._replace(deadline=rows.start + width)


@pytest.mark.parametrize("these", [SMALL, TuningParameters()])
@pytest.mark.parametrize("shared", [0, 1, 2])
@pytest.mark.parametrize("width", [None, 3])
def test_it_finds_all_pairs(these: TuningParameters, shared: int, width: int | None) -> None:
    names = [f"k{number}" for number in range(shared)]
    seen = 0
    for seed in range(40):
        draw = random.Random(seed)
        lefts, rights = drawn(draw, shared + 1), drawn(draw, 1 + shared)
        expected = [
            (mine + theirs[:1], begin, end)
            for mine, begin, ended in lefts
            for theirs, started, end in rights
            if ended < started and mine[:shared] == theirs[1:]
            and (width is None or end <= begin + width)
        ]
        found: list[Found] = []
        with capacities(these):
            join = TemporalJoin(layout(*names, "a"), layout("b", *names))
            times = sorted(draw.sample(range(14), 3))
            for since, until in zip([0, *times], [*times, 99], strict=True):
                here = range(since, until)
                found += join.joined(
                    within(timed([row for row in lefts if row[2] in here], shared + 1), width),
                    timed([row for row in rights if row[2] in here], shared + 1),
                ).tuples()
                join.forget(until)
        assert sorted(found) == sorted(expected)
        seen += len(expected)
    assert seen > 50


def test_both_are_there_as_long_as_either_is_and_follow_without_meeting() -> None:
    join = TemporalJoin(layout("a"), layout("b"))
    lefts = Timed(np.array([[1], [2]]), *map(np.array, ([0, 0], [4, 5], [7, 20])))
    rights = Timed(np.array([[3]]), *map(np.array, ([5], [6], [12])))
    found = join.joined(lefts, rights)
    assert found.rows.tolist() == [[1, 3]]
    assert found.deadline.tolist() == [7]


def test_what_cannot_be_followed_any_more_is_forgotten() -> None:
    join = TemporalJoin(layout("k"), layout("k", "b"))
    for time in range(0, 100_000, 1000):
        end = np.arange(time, time + 1000)
        rows = np.ones((1000, 1), np.int64)
        join.joined(Timed(rows, end, end, end + 50), timed([], 2))
        join.forget(time + 1000)
        assert len(join) <= 51
    assert len(join._keys) <= 4096


def test_it_is_the_same_where_it_is_compiled() -> None:
    for allowance in (1 << 30, -1):
        with KERNELS.allowing(allowance):
            join = TemporalJoin(layout("k", "a"), layout("k", "b"))
            lefts = timed([((time % 5 + 1, 9), time, time) for time in range(100)], 2)
            rights = timed([((time % 7 + 1, 8), time, time) for time in range(50, 150)], 2)
            found = list(join.joined(lefts, rights).tuples())
            assert len(found) == sum(
                early % 5 == late % 7 and early < late
                for early in range(100) for late in range(50, 150)
            )
