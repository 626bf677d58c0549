"""The built-in engines: the production engine and the oracle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from ...semantics.model.errors import DenotaError
from ..cases.case import Case, Task
from ..cases.schedule import Schedule, ScheduleError, fixed_schedules, parse_schedule
from ..checking.levels import Level
from ..languages.registry import names
from .engine import EngineError

_MOST_SCHEDULES = 1000


class Production:
    """denota's own engine.

    `setup` is the text of the schedule under which it evaluates cases that have none of their own,
    or `schedules=N` for N fixed ones, each of which a case has to pass under. Raises EngineError
    for another text.
    """

    level: Level = "pair"
    own = True
    """what it imports and compiles is charged to nobody"""
    follows_schedules = True
    """a case's schedule says how it is driven"""

    def __init__(self, setup: str = "") -> None:
        self.languages = names()
        self.version = _own_version()
        self.name = f"production:{setup}" if setup else "production"
        self.schedules: Sequence[Schedule | None] = ()
        count = setup.removeprefix("schedules=")
        try:
            if count != setup and count.isdecimal() and 0 < int(count) <= _MOST_SCHEDULES:
                self.schedules, setup = fixed_schedules(int(count)), ""
            self._schedule = parse_schedule(setup)
        except ScheduleError as error:
            raise EngineError(f"engine '{self.name}': {error.message}") from error

    def run(self, case: Task) -> Iterable[Any]:
        schedule = case.schedule or self._schedule
        with case.query_errors():
            if not str(schedule):
                yield from case.language.run(case.tree, **case.inputs)
                return
            from ...engine.tuning import capacities
            from .driving import driven

            buffers = schedule.buffers
            with nullcontext() if buffers is None else capacities(buffers):
                if schedule.again:
                    with suppress(DenotaError):  # the second run raises it as well
                        next(driven(case, schedule), None)
                results = list(driven(case, schedule))
            yield from results


class Oracle:
    """The definitions themselves."""

    name = "oracle"
    level: Level = "pair"
    own = True

    def __init__(self) -> None:
        self.languages = names()
        self.version = _own_version()

    def run(self, case: Task) -> Iterable[Any]:
        with case.query_errors():
            results: Iterable[Any] = (
                case.denotation() if isinstance(case, Case)  # which remembers it
                else list(case.language.evaluate(case.tree, **case.inputs))
            )
            return results


def _own_version() -> str:
    from ... import __version__

    return __version__
