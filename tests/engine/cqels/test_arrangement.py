"""Rows by join key and time."""

from __future__ import annotations

from denota.engine.cqels.arrangement import Arrangement


def test_rows_are_found_by_key_and_time() -> None:
    arrangement = Arrangement(lambda row: row[:1], by_end=True)
    for row, start, end in (((1, 2), 5, 9), ((1, 3), 1, 4), ((2, 4), 0, 2), ((1, 5), 4, 4)):
        assert arrangement.add(row, start, end)
    assert arrangement.at((1,)) == [(4, 1, (1, 3)), (4, 4, (1, 5)), (9, 5, (1, 2))]
    assert arrangement.before((1,), 9) == [(4, 1, (1, 3)), (4, 4, (1, 5))]
    assert arrangement.since((1,), 5) == [(9, 5, (1, 2))]
    assert arrangement.since((1,), 10) == ()
    assert arrangement.since((3,), 0) == ()
    assert arrangement.before((3,), 0) == ()
    assert len(arrangement) == 4


def test_a_row_is_there_as_long_as_it_is_derived() -> None:
    arrangement = Arrangement(lambda row: (), by_end=False)
    assert arrangement.add((1,), 2, 3)
    assert not arrangement.add((1,), 2, 3)
    assert not arrangement.add((1,), 2, 3)
    assert not arrangement.remove((1,), 2, 3)
    assert not arrangement.remove((1,), 2, 3)
    assert list(arrangement.rows()) == [(1,)]
    assert arrangement.remove((1,), 2, 3)
    assert len(arrangement) == 0
    assert arrangement.at(()) == ()
