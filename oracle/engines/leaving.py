"""A run that is left after each item, and taken up from a checkpoint: for who judges that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...engine.checkpoints.checkpoint_files import Checkpoint, parsed, written
from ...engine.checkpoints.running_query import RunningQuery, state_of, taken_up
from ..cases.case import Task


def left_and_taken_up(case: Task) -> Iterator[Any]:
    """The results of a case, each found by an engine that has taken one item."""
    language: Any = case.language
    query, inputs = case.tree, case.inputs

    def make(dictionaries: Any) -> RunningQuery:
        running: RunningQuery = language.running(query, dictionaries, **inputs)
        return running

    running = make(())
    for arrival in language.arriving(running, query, inputs["streams"]):
        if running.is_done:
            return
        yield from running.take(arrival)
        content = written(Checkpoint({}, state_of(running)))
        running = taken_up(make, parsed(content).state)
    if not running.is_done:
        yield from running.finish()
