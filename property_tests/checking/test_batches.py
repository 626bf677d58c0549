"""The batch returns the verdicts of the case checker, also for faulty engines.

The batch only ever says that a case passes, so that is what the case checker must say as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.engine.ceql import runtime as ceql_runtime
from denota.engine.ceql import windows as ceql_windows
from denota.engine.ceql.kernels import tables
from denota.engine.ceql.output import records
from denota.engine.spaseq import runtime, windows
from denota.oracle.checking.batch_checker import BatchLook
from denota.oracle.engines.builtin import Production
from denota.oracle.languages.enumeration import Bounds
from denota.oracle.ranks.space import Space
from denota.oracle.sweeps.row_verdicts import check_row

from ..examples import examples

BOUNDS = {
    "spaseq": Bounds(2, 3, within=1, alphabet="keys"),
    "ceql": Bounds(2, 4, within=1, events=True),
}


@cache
def space_of(language: str) -> Space:
    return Space.of(language, BOUNDS[language])


@contextmanager
def at_last(place: Any, name: str, changed: Callable[[Any], Any]) -> Iterator[None]:
    """What a function returns is changed."""
    function = getattr(place, name)
    with mock.patch.object(place, name, lambda *given, **named: changed(function(*given, **named))):
        yield


@contextmanager
def wider_windows() -> Iterator[None]:
    """CEQL: a window holds one event more."""
    restart = ceql_windows.Window.restart

    def wider(self: ceql_windows.Window) -> None:
        restart(self)
        if self.within is not None:
            self.extent = type(self.extent)(self.within.value + 1)

    with mock.patch.object(ceql_windows.Window, "restart", wider):
        yield


FAULTS: dict[str, list[Callable[[], Any]]] = {
    "spaseq": [
        lambda: at_last(runtime.Runs, "feed", lambda pairs: pairs[:1]),
        lambda: at_last(runtime.Runs, "feed", lambda pairs: pairs * 2),
        lambda: at_last(runtime.Runs, "_join", lambda found: list(found)[1:]),
        lambda: at_last(runtime.Runs, "_decode", lambda found: frozenset(list(found)[1:])),
        lambda: at_last(windows.SlidingWindows, "windows", lambda found: list(found)[1:]),
    ],
    "ceql": [
        wider_windows,
        lambda: at_last(records, "complex_events", lambda events: list(events)[1:]),
        lambda: at_last(records, "complex_events", lambda events: [*events] * 2),
        lambda: mock.patch.dict(
            ceql_runtime._CONSUMPTION, dict.fromkeys(ceql_runtime._CONSUMPTION, tables.CONSUME_ANY)
        ),
    ],
}


@pytest.mark.parametrize("language", list(BOUNDS))
@examples(40, least=40)
@given(data=st.data())
def test_what_passes_in_a_batch_passes(language: str, data: st.DataObject) -> None:
    space = space_of(language)
    first = data.draw(st.integers(0, space.cases - 1))
    fault = data.draw(st.sampled_from([None, *FAULTS[language]]))
    run = next(iter(space.runs(first, min(first + 12, space.cases))))
    with mock.patch.dict({}) if fault is None else fault():
        left = BatchLook(language).left(run)
        passed = [
            check_row(run.row(place), Production(), timeout=None).ok for place in range(len(run))
        ]
    assert {place for place, ok in enumerate(passed) if not ok} <= set(left)
    assert fault or not left
