"""The arrays of runs: partitions that are kept, keys that change their type."""

from __future__ import annotations

import numpy as np

from denota.engine.ceql.kernels import tecs
from denota.engine.ceql.kernels.store import Store

PARTITIONS = 4


def store() -> Store:
    """Partition n has a run whose key is n + 1."""
    made = Store(nodes=8)
    made.make_room(PARTITIONS, 1, made.width)
    made.heads[:] = np.arange(1, PARTITIONS + 1)
    return made


def test_a_partition_takes_nothing_over_from_one_that_is_forgotten() -> None:
    made = store()
    made.contexts[:] = made.epochs[:] = made.heads
    made.keep(np.array([True, False, True, False]))
    for array in (made.heads, made.contexts, made.epochs):
        assert array.tolist() == [1, 3, 0, 0]


def test_a_partition_is_kept_for_what_later_runs_have_to_beat() -> None:
    made = store()
    made.contexts[1] = 7
    assert made.occupied(PARTITIONS, 4).tolist() == [False, True, False, True]


def test_all_keys_change_their_type() -> None:
    made = store()
    maxima = made.nodes.reshape(8, -1)[:, int(tecs.MAXIMUM)]
    maxima[:] = np.arange(8)
    made.convert(lambda keys: keys * np.uint64(10))
    assert made.heads.tolist() == [10, 20, 30, 40]
    assert maxima.tolist() == list(range(0, 80, 10))
