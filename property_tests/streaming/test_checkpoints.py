"""A run that is left at any item goes on from its checkpoint as if nothing had been."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from denota.engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from denota.engine.checkpoints.state_encoder import places_of
from denota.engine.checkpoints.state_schema import declaration_of
from denota.engine.checkpoints.streaming_query import StreamingQuery, restore_state, save_state
from denota.engine.rdf.columns.batch import batch_of
from denota.engine.rdf.data.dictionary import Dictionary
from denota.engine.tuning import SMALL, capacities
from denota.oracle.cases.case import Case
from denota.oracle.checking.comparison import compare
from denota.oracle.fuzzing.rounds import cases_strategy
from denota.semantics.model.errors import DenotaError
from denota.semantics.streams.merging import StreamItem

from ..examples import examples

LANGUAGES = ("spaseq", "rsepql", "cqels", "epsparql", "ceql")


def running(case: Case, dictionaries: Any = ()) -> StreamingQuery:
    made: StreamingQuery = case.language.running(case.tree, dictionaries, **case.inputs)
    return made


def has_one_answer(case: Case) -> bool:
    leaves = getattr(case.language, "leaves_a_choice", None)
    return leaves is None or not leaves(case.tree)


def content(run: StreamingQuery) -> bytes:
    return written(Checkpoint({}, save_state(run)))


def restored(case: Case, content: bytes) -> StreamingQuery:
    """Return the query of the case in the state that a checkpoint contains."""
    return restore_state(
        lambda dictionaries: running(case, dictionaries), parsed(content).state
    )


def taken(case: Case, left: Random | None) -> list[list[Any]]:
    """What comes with each arrival and at the end; left before arrivals that are drawn.

    A checkpoint of what has been taken up from one is the same, byte by byte.
    """
    run = running(case)
    found: list[list[Any]] = []
    for arrival in case.language.elements(run, case.tree, case.inputs["streams"]):
        if run.is_done:
            return found
        if left is not None and left.random() < 0.5:
            before = content(run)
            run = restored(case, before)
            assert content(run) == before
        found.append(run.take(arrival))
    if left is not None:
        run = restored(case, content(run))
    return [*found, [] if run.is_done else run.finish()]


def differences(case: Case, one: list[Any], other: list[Any]) -> Any:
    """Between the results of one arrival, which have no order, and whose blank nodes no names."""
    language = case.language
    level = language.levels[0]
    found = compare(
        language.answers(one, level, partial=False), language.answers(other, level, partial=False),
        level, sets=(),
    )
    return *found.missing, *found.unexpected, *found.duplicate


@pytest.mark.parametrize("small", [False, True], ids=["", "small"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_goes_on_from_its_checkpoint(language: str, small: bool) -> None:
    @examples(25, phases=[Phase.generate])
    @given(cases_strategy(language).filter(has_one_answer), st.integers(0, 1 << 32))
    def holds(case: Case, seed: int) -> None:
        with capacities(SMALL if small else None, batch=1):
            try:
                whole = taken(case, None)
            except DenotaError:
                return
            again = taken(case, Random(seed))
            assert len(again) == len(whole)
            for one, other in zip(whole, again, strict=True):
                assert differences(case, one, other) == ()

    holds()


def compiled(run: StreamingQuery) -> dict[tuple[int, str], tuple[Any, Any, int | None]]:
    """What is said to be compiled: of each field its object, its value, and how long that is."""
    found = {}
    for place in places_of(run):
        declaration = declaration_of(type(place))
        assert declaration is not None
        for name in (*declaration.compiled, *declaration.same):
            value = getattr(place, name, None)
            length = len(value) if isinstance(value, (list, dict, set)) else None
            found[id(place), name] = place, value, length
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_does_not_change(language: str) -> None:
    """A field that is state, but is not said to be, would: unless the query is compiled anew."""

    @examples(20, phases=[Phase.generate])
    @given(cases_strategy(language))
    def holds(case: Case) -> None:
        run = running(case)
        told, before = run.compile_parameters(), compiled(run)
        try:
            for arrival in case.language.elements(run, case.tree, case.inputs["streams"]):
                run.take(arrival)
                if run.compile_parameters() == told:
                    for key, (place, value, length) in compiled(run).items():
                        _, known, size = before.get(key, (None, value, length))
                        assert value is known or value == known, (type(place).__name__, key[1])
                        assert length == size, (type(place).__name__, key[1])
                told, before = run.compile_parameters(), compiled(run)
                if run.is_done:
                    break
        except DenotaError:
            return

    holds()


def by_batches(case: Case, *, left: bool) -> list[Any]:
    """All results of a run that takes three items at once; left after each three.

    One batch of two is encoded by a dictionary of its own.
    """
    run: Any = running(case)
    arrivals = case.language.elements(run, case.tree, case.inputs["streams"])
    items = [each for each in arrivals if isinstance(each, StreamItem)]
    found: list[Any] = []
    for begin in range(0, len(items), 3):
        if run.is_done:
            return found
        dictionary = run.engine.dictionary if begin % 2 else Dictionary()
        found += run.engine.feed_batch(batch_of(items[begin : begin + 3], dictionary))
        if left:
            state = parsed(content(run)).state
            run = restore_state(lambda dictionaries: running(case, dictionaries), state)
    return found if run.is_done else found + run.finish()


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "ceql"])
def test_a_run_by_columns_goes_on_from_its_checkpoint(language: str) -> None:
    @examples(20, phases=[Phase.generate])
    @given(cases_strategy(language).filter(has_one_answer))
    def holds(case: Case) -> None:
        if case.evaluation.get("at") is not None and language == "cqels":
            return  # it is evaluated at the end
        with capacities(SMALL):
            try:
                whole = by_batches(case, left=False)
            except DenotaError:
                return
            assert differences(case, whole, by_batches(case, left=True)) == ()

    holds()
