"""Engines in an isolated process, which is killed when a time limit has passed."""

from __future__ import annotations

import pickle
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ...engine.warm_up import set_warm_up_hook
from ...semantics.model.errors import DenotaError, UnsupportedError
from ..cases.case import Task
from ..checking.levels import Level
from ..languages.registry import is_language, language
from .engine import Engine, EngineCrash, EngineTimeout, close
from .worker_process import Clock, WorkerProcess, clock, inside, last_lines, one_line


def answered_here(engine: Engine, case: Task, seconds: float | None) -> list[Any]:
    """Return an engine's answer, in this process.

    What the engine raises comes as a DenotaError, EngineTimeout or EngineCrash. Only where the
    process is kept apart does `seconds` hold. A program behind an adapter is timed, and ended, by
    who speaks with it: were this process ended for it, the program would outlive it.
    """
    time = clock()
    try:
        if time is None or getattr(engine, "speaks_later", False):
            return list(engine.run(case))
        with time.running(seconds):
            return list(engine.run(case))
    except (DenotaError, EngineCrash, EngineTimeout):
        raise
    except NotImplementedError as error:
        raise UnsupportedError(one_line(error)) from error
    except BaseException as error:
        if not inside() and isinstance(error, KeyboardInterrupt):
            raise  # the user's: whoever is kept apart is out of the terminal's reach
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise EngineCrash(reason, last_lines(error)) from None


class IsolatedEngine:
    """Another engine, made in a process of its own; as `engine.Engine`.

    After a time-out or a crash the process is started again, and the engine made anew, for the
    next case. Raises what making the engine raises.
    """

    keeps_time = True

    def __init__(self, make: Callable[[], Engine], timeout: float | None = None) -> None:
        self.timeout = timeout
        self._make = make
        self._process: WorkerProcess | None = None
        self.name, self.version = "", ""
        self.languages: Sequence[str] = ()
        self.level: Level = "pair"
        self.capabilities: Mapping[str, Any] = {}
        self._greeted()

    def run(self, case: Task) -> list[Any]:
        return self.answer(case, self.timeout)

    def answer(self, case: Task, seconds: float | None) -> list[Any]:
        """Return the engine's answer within `seconds` (None: without a time limit)."""
        process = self._asked(case, seconds)
        try:
            results = process.receive()
        except EngineTimeout as late:
            raise EngineTimeout(seconds or 0.0, by_clock=late.by_clock) from None
        except KeyboardInterrupt:
            process.end()
            raise
        finally:
            if not process.pid:
                self._process = None
        if isinstance(results, EngineCrash):
            raise results
        return list(results)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.leave()
            self._process = None

    restart = close

    def _asked(self, case: Task, seconds: float | None) -> WorkerProcess:
        try:
            process = self._greeted()
            process.send([(case, seconds)])
        except EngineCrash:  # it has ended by itself since the last case
            self._process = None
            process = self._greeted()
            process.send([(case, seconds)])
        except (pickle.PicklingError, TypeError, AttributeError):
            # What cannot be sent is inherited: the open file of a stream, say.
            self.close()
            process = self._process = WorkerProcess(lambda: EngineService(self._make(), case))
            process.send([(None, seconds)])
        return process

    def _greeted(self) -> WorkerProcess:
        if self._process is None:
            self._process = WorkerProcess(lambda: EngineService(self._make()))
            (
                self.name, self.version, self.languages, self.level, self.capabilities,
            ) = self._process.greeting
        return self._process


class EngineService:
    """An engine as it answers where it is kept apart; a request is a case and its seconds.

    `inherited` is a case that stands for those that could not be sent.
    """

    def __init__(self, engine: Engine, inherited: Task | None = None) -> None:
        self.engine = engine
        self.inherited = inherited
        try:
            self.greeting = (
                engine.name, engine.version, tuple(engine.languages), engine.level,
                getattr(engine, "capabilities", {}),
            )
        except Exception as error:
            raise EngineCrash(f"it does not say who it is: {one_line(error)}") from None
        time = clock()
        if getattr(engine, "own", False) and time is not None:
            set_warm_up_hook(time.stopped)
            sys.meta_path.insert(0, _ImportsWatched(time))

    def answer(self, request: tuple[Task | None, float | None]) -> list[Any]:
        case, seconds = request
        if case is None:
            assert self.inherited is not None
            case = self.inherited
        return answered_here(self.engine, case, seconds)

    def close(self) -> None:
        close(self.engine)


class _ImportsWatched(MetaPathFinder):
    """Finds modules as always, and stops the clock while they are found and made."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        with self.clock.stopped():
            for finder in sys.meta_path:
                spec = None if finder is self else finder.find_spec(name, path, target)
                if spec is not None:
                    self.watch(spec.loader)
                    return spec
        return None

    def watch(self, loader: Any) -> None:
        """Stop the clock while the loader makes its module."""
        for step in ("create_module", "exec_module"):
            # A loader that is a class makes what the interpreter has in it, which is quick.
            if not isinstance(loader, type) and hasattr(loader, step):
                with suppress(AttributeError):
                    setattr(loader, step, self.clock.stopped()(getattr(loader, step)))


_aparts: dict[int, IsolatedEngine] = {}


def apart_of(engine: Engine, language_name: str) -> IsolatedEngine:
    """Return an engine in an isolated process, the same one for the engine's lifetime.

    `language_name` is the first case's: what all processes need for it is imported before they are
    made.
    """
    found = _aparts.get(id(engine))
    if found is None:
        if getattr(engine, "own", False):
            load(language_name)
        try:
            made: Callable[[], Any] = weakref.ref(engine)
            weakref.finalize(engine, _forget, id(engine))
        except TypeError:  # it cannot be told when it goes, so it stays
            made = partial(_same, engine)
        found = _aparts[id(engine)] = IsolatedEngine(made)
    return found


def in_fresh_process(engine: Engine) -> None:
    """Have an engine's process ended, so that the next case is asked in a new one.

    denota's own engines have none where they are trusted.
    """
    restart = getattr(engine, "restart", None)
    if restart is not None:
        restart()
    elif id(engine) in _aparts:
        _aparts[id(engine)].close()


def load(name: str) -> None:
    """Import what denota's own engines evaluate a language with."""
    if is_language(name):
        language(name).load()


def _same(engine: Engine) -> Engine:
    return engine


def _forget(number: int) -> None:
    found = _aparts.pop(number, None)
    if found is not None:
        found.close()
