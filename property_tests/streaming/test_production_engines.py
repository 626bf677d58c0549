"""The production engines of all languages, item by item, against the definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test

from denota.engine.checkpoints.checkpoint_files import parsed
from denota.oracle.api import AskedInputs
from denota.oracle.cases.case import Case
from denota.oracle.cases.tuple_sources import tuples_of
from denota.oracle.engines.live_query import LiveQuery
from denota.oracle.inputs.choices import Restriction, all_of, restricted, strategy
from denota.oracle.languages.spaseq.generate import RESTRICTIONS, case
from denota.strategies import PullingEngine, streaming_machine

from ..examples import examples

LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")
STEPS = examples(40, stateful_step_count=12)


def pulling(case: Case) -> PullingEngine:
    """What `denota run` does with streams that come one by one."""

    def run(streams: Mapping[Any, Iterator[Any]]) -> Iterable[Any]:
        given: Mapping[Any, Any] = streams
        if case.language.items == "tuples":
            given = {name: tuples_of(items, name, case.tree) for name, items in streams.items()}
        return case.language.run(
            case.tree, streams=given, kb=case.kb, readings=case.readings,
            evaluation=case.evaluation,
        )

    return PullingEngine(run, case.stream_sources)


class Pushed:
    """What `denota.stream` makes of a case, which can be left and taken up."""

    def __init__(self, case: Case) -> None:
        asked = AskedInputs(
            case.tree, None, None, case.readings, None, case.language.name, checked=False
        )
        asked.inputs |= {**case.inputs, "streams": {}}
        # A case without any streams has those that its query reads.
        names = list(case.stream_sources) or list(case.language.streams_read(case.tree) or ())
        self.made = partial(LiveQuery, asked, names, False, None, None)
        self.running = self.made()

    def push(self, stream: Any, item: Any) -> list[Any]:
        return self.running.push(stream, item)

    def advance(self, time: int) -> list[Any]:
        return self.running.advance(time)

    def checkpoint(self) -> bytes:
        return self.running.state()

    def restore(self, state: bytes) -> None:
        self.running = self.made((parsed(state), None))
        assert self.running.state() == state

    def finish(self) -> list[Any]:
        return self.running.finish()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_comes_so_far_is_right_and_all_of_it_comes(language: str) -> None:
    run_state_machine_as_test(streaming_machine(language, pulling), settings=STEPS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_items_are_pushed_and_a_run_is_left_at_any_of_them(language: str) -> None:
    run_state_machine_as_test(
        streaming_machine(language, Pushed), settings=examples(12, stateful_step_count=12)
    )


def test_matches_of_one_stream_come_with_the_item_that_completes_them() -> None:
    refused = all_of([RESTRICTIONS["streams", "2"], RESTRICTIONS["readings", "ties=merge"]])
    alone = strategy(restricted(case, Restriction(refused, refused=True))).filter(
        lambda case: len(case.stream_sources) == 1 and case.readings.ties != "merge"
    )
    run_state_machine_as_test(
        streaming_machine("spaseq", pulling, cases=alone, at_once=True),
        settings=examples(10, stateful_step_count=12),
    )
