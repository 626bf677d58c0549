"""The state machine for streaming engines finds those that are wrong at some step."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from denota.oracle.cases.case import Case
from denota.oracle.fuzzing.strategies.hypothesis_backend import plain_backend
from denota.oracle.fuzzing.strategies.stateful_testing import arrivals
from denota.strategies import PullingEngine, ceql_cases, streaming_machine

STEPS = settings(
    max_examples=25, stateful_step_count=8, derandomize=True, database=None, deadline=None,
    backend=plain_backend(), phases=[Phase.generate], suppress_health_check=list(HealthCheck),
)  # fmt: skip


class Patient:
    """The definitions, asked when all has come; it can be left and taken up."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.pushed: dict[Any, list[Any]] = {name: [] for name in case.stream_sources}

    def push(self, stream: Any, item: Any) -> list[Any]:
        self.pushed[stream].append(item)
        return []

    def finish(self) -> list[Any]:
        return self.answers(self.pushed)

    def answers(self, streams: Any) -> list[Any]:
        asked = {name: tuple(items) for name, items in streams.items()}
        return list(self.case.but(streams=asked).denotation())

    def checkpoint(self) -> Any:
        return self.pushed

    def restore(self, state: Any) -> None:
        self.pushed = state


class Clairvoyant(Patient):
    """It reports what will come."""

    def push(self, stream: Any, item: Any) -> list[Any]:
        first = not any(self.pushed.values())
        super().push(stream, item)
        return self.answers(self.case.stream_sources) if first else []

    def finish(self) -> list[Any]:
        return []


class Forgetful(Patient):
    """A checkpoint without the last item."""

    def checkpoint(self) -> Any:
        return {name: items[:-1] for name, items in self.pushed.items()}


class Stuttering(Patient):
    """It says everything twice."""

    def finish(self) -> list[Any]:
        return [*super().finish(), *super().finish()]


class Silent(Patient):
    """It misses what comes last."""

    def finish(self) -> list[Any]:
        return super().finish()[:-1]


def driven(begin: Any, **options: Any) -> None:
    machine = streaming_machine("ceql", begin, cases=ceql_cases(), **options)
    run_state_machine_as_test(machine, settings=STEPS)  # type: ignore[arg-type]


def test_an_engine_that_is_right_passes() -> None:
    driven(Patient)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (Clairvoyant, "unexpected"), (Forgetful, "at the end.*missing"),
        (Stuttering, "at the end.*repeated"), (Silent, "at the end.*missing"),
    ],
)  # fmt: skip
def test_an_engine_that_is_wrong_is_found(begin: type[Patient], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        driven(begin)


def test_an_engine_that_waits_does_not_report_at_once() -> None:
    with pytest.raises(AssertionError, match=r"so far.*missing"):
        driven(Patient, at_once=True)


def test_items_arrive_in_the_order_of_their_times() -> None:
    from denota.semantics.ceql.syntax.parse import parse
    from denota.semantics.model.tuples import EventTuple
    from denota.strategies import CeqlCase

    first, second, third = (EventTuple("A", {}, time) for time in (1, 2, 3))
    case = CeqlCase(parse("SELECT * FROM S, T WHERE A"), {"S": (second,), "T": (first, third)})
    assert arrivals(case) == [("T", first), ("S", second), ("T", third)]


# --- engines that pull ---------------------------------------------------------------------------


def pairs(streams: Any) -> Iterator[Any]:
    yield "begun"
    yield from zip(streams["S"], streams["T"], strict=False)


def test_an_engine_that_pulls_stands_still_until_its_next_item_is_pushed() -> None:
    engine = PullingEngine(pairs, ("S", "T"))
    assert engine.push("T", 1) == ["begun"]
    assert engine.push("S", 2) == [(2, 1)]
    assert engine.push("S", 3) == []
    assert engine.finish() == []
    assert engine.finish() == []
    engine.close()


def test_what_an_engine_that_pulls_raises_is_raised_where_it_is_driven() -> None:
    engine = PullingEngine(lambda streams: (1 / item for item in streams["S"]), ("S",))
    assert engine.push("S", 1) == [1.0]
    with pytest.raises(ZeroDivisionError):
        engine.push("S", 0)
    engine.close()


def test_an_engine_that_pulls_leaves_no_thread() -> None:
    before = threading.active_count()
    for pushed in ((), (1,)):
        engine = PullingEngine(pairs, ("S", "T"))
        for item in pushed:
            engine.push("S", item)
        engine.close()
    assert threading.active_count() == before
