"""The production engines of all languages, item by item, against the definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from denota.engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from denota.engine.checkpoints.running_query import state_of, taken_up
from denota.engine.epsparql import EpsparqlEngine
from denota.engine.epsparql.running import RunningEpsparql
from denota.engine.rdf.data.dictionary import Dictionary
from denota.oracle.cases.case import Case
from denota.oracle.cases.tuple_sources import tuples_of
from denota.semantics.epsparql.syntax.analysis import queried
from denota.semantics.streams.merging import placed
from denota.strategies import PullingEngine, epsparql_cases, spaseq_cases, streaming_machine

LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")
STEPS = settings(max_examples=40, stateful_step_count=12)


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


class Epsparql:
    """The engine itself, to which time can advance, and which can be left and taken up."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.running = self.made()
        self.named = queried(case.tree, case.stream_sources)

    def made(self, dictionaries: Sequence[Dictionary] = ()) -> RunningEpsparql:
        case = self.case
        return RunningEpsparql(case.tree, case.kb, case.readings, dictionaries)

    @property
    def engine(self) -> EpsparqlEngine:
        return self.running.engine

    def checkpoint(self) -> bytes:
        return written(Checkpoint({}, state_of(self.running)))

    def restore(self, content: bytes) -> None:
        again = taken_up(self.made, parsed(content).state)
        assert isinstance(again, RunningEpsparql)
        self.running = again

    def push(self, stream: Any, item: Any) -> list[Any]:
        if stream not in self.named or self.engine.answered:
            return []
        return list(self.engine.feed(placed(item, stream)))

    def advance(self, time: int) -> list[Any]:
        return [] if self.engine.answered else list(self.engine.advance(time))

    def finish(self) -> list[Any]:
        return [] if self.engine.answered else list(self.engine.finish())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_comes_so_far_is_right_and_all_of_it_comes(language: str) -> None:
    run_state_machine_as_test(streaming_machine(language, pulling), settings=STEPS)


def test_time_may_advance_without_items() -> None:
    run_state_machine_as_test(
        streaming_machine("epsparql", Epsparql, cases=epsparql_cases()), settings=STEPS
    )


def test_matches_of_one_stream_come_with_the_item_that_completes_them() -> None:
    alone = spaseq_cases().filter(lambda case: len(case.stream_sources) == 1).filter(
        lambda case: case.readings.ties != "merge"
    )
    run_state_machine_as_test(
        streaming_machine("spaseq", pulling, cases=alone, at_once=True),
        settings=settings(STEPS, max_examples=10),
    )
