"""Engines: whatever can be judged, and the ENGINE strings that name them.

    production               denota's own engine
    oracle                   the definitions themselves
    python:MODULE:FACTORY    FACTORY() returns an Engine; or FACTORY is a function that takes what
                             `denota.run` takes and returns results
    command:PROGRAM ARGS     a child process that speaks the adapter protocol
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, cast, runtime_checkable

from ...semantics.model.errors import DenotaError
from ...semantics.model.nearest import nearest
from ..cases.tasks import Task
from ..judging.comparison import LEVELS, Level
from ..languages.registry import names

DEFAULT_TIMEOUT = 10.0
"""Seconds that an engine may take for a case."""

OWN = ("production", "oracle")
"""denota's own engines."""

SHIPPED_ADAPTERS: dict[str, str] = {}
"""Names of adapters to foreign engines that come with denota -> the ENGINE string behind each."""


@runtime_checkable
class Engine(Protocol):
    """What a third party's engine implements to be judged.

    `languages` names those that it takes (a case in another one is `unsupported`), `level` the
    finest at which its results mean something: `pair`, `bag` or `row` for SPAseq.

    `run` takes a `Task`: `task.text` is the query, `task.streams` and `task.kb` hold timestamped
    graphs and graphs by IRI, `task.reading_names` and `task.evaluation` say how to read and from
    when; `task.message()` has it all as text. It returns results: native ones (SPAseq: `Pair`s) or
    the objects of `--format jsonl`; a row may be `{"time": …, "solution": {…}}`.

    It raises `denota.UnsupportedError` for what it does not do and another `denota.DenotaError`
    for what has no meaning; any other exception is a crash.

    It runs in a process of its own, which is ended when its time is up. An engine with `keeps_time`
    (one behind a connection, say) is asked where the judge is: it raises EngineTimeout itself.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def languages(self) -> Sequence[str]: ...

    @property
    def level(self) -> Level: ...

    def run(self, task: Task) -> Iterable[Any]:
        """The results of one task."""
        ...


class EngineError(DenotaError):
    """An ENGINE string that names nothing, or an engine that does not follow its protocol."""


class TaskError(DenotaError):
    """An engine's own message that a task has no meaning."""


class EngineCrash(Exception):
    """An engine went down over a task; `stderr` is what it said last."""

    def __init__(self, reason: str, stderr: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.stderr = stderr

    def __reduce__(self) -> tuple[object, ...]:
        return EngineCrash, (self.reason, self.stderr)


class EngineTimeout(Exception):
    """An engine did not answer in time; `stderr` is what it said last."""

    def __init__(self, seconds: float, stderr: str = "") -> None:
        super().__init__(f"no answer within {seconds:g} s")
        self.seconds = seconds
        self.stderr = stderr

    def __reduce__(self) -> tuple[object, ...]:
        return EngineTimeout, (self.seconds, self.stderr)


class Production:
    """denota's own engine."""

    name = "production"
    level: Level = "pair"
    own = True
    """what it imports and compiles is charged to nobody"""

    def __init__(self) -> None:
        self.languages = names()
        self.version = _own_version()

    def run(self, task: Task) -> Iterator[Any]:
        with task.query_errors():
            yield from task.language.run(
                task.tree,
                streams=task.streams,
                kb=task.kb,
                readings=task.readings,
                evaluation=task.evaluation,
            )


class Oracle:
    """The definitions themselves."""

    name = "oracle"
    level: Level = "pair"
    own = True

    def __init__(self) -> None:
        self.languages = names()
        self.version = _own_version()

    def run(self, task: Task) -> Iterable[Any]:
        with task.query_errors():
            return task.language.evaluate(
                task.tree,
                streams=task.streams,
                kb=task.kb,
                readings=task.readings,
                evaluation=task.evaluation,
            )


class FunctionEngine:
    """A plain function with the parameters of `denota.run`, as an engine.

    What a case's `evaluate` says comes by name: `start` (SPAseq's `from`), and in RSEP-QL what is
    there of `at`, `policy`, `period` and the like.
    """

    version = ""
    level: Level = "pair"

    def __init__(self, function: Callable[..., Iterable[Any]], name: str) -> None:
        self.function = function
        self.name = name
        self.languages = names()

    def run(self, task: Task) -> Iterable[Any]:
        return self.function(
            task.tree,
            streams=task.streams,
            kb=task.kb,
            readings=task.readings,
            **_evaluated(task),
        )


def _evaluated(task: Task) -> dict[str, Any]:
    if "at" in task.language.evaluation_fields:
        return dict(task.evaluation)
    return {"start": task.evaluation.get("from")}


def engine(name: str, *, timeout: float = DEFAULT_TIMEOUT) -> Engine:
    """The engine that an ENGINE string names; raises EngineError if there is none.

    `timeout` is how many seconds a child process may take for a case. What Python objects do is
    done in a process of their own, importing their module included.
    """
    name = SHIPPED_ADAPTERS.get(name, name)
    if name == "production":
        return Production()
    if name == "oracle":
        return Oracle()
    from ..judging.apart import inside

    kind, _, rest = name.partition(":")
    if kind == "python":
        return _from_python(name, rest) if inside() else _apart(name, rest, timeout)
    if kind == "command":
        return _from_command(name, rest, timeout)
    known = [*OWN, *SHIPPED_ADAPTERS]
    raise EngineError(
        f"there is no engine '{name}'{nearest(name, known)} (there is: {', '.join(known)}, "
        "python:MODULE:FACTORY, command:PROGRAM ARGS)"
    )


def close(judged: Engine) -> None:
    """Let an engine end what it holds (a child process)."""
    finish = getattr(judged, "close", None)
    if callable(finish):
        finish()


def _apart(name: str, rest: str, timeout: float) -> Engine:
    from ..judging.apart import EngineApart

    try:
        return EngineApart(lambda: _from_python(name, rest), timeout)
    except EngineCrash as crash:
        raise EngineError(f"engine '{name}': {crash}") from crash


def _from_python(name: str, rest: str) -> Engine:
    import sys
    from importlib import import_module
    from inspect import signature

    module_name, _, attribute = rest.partition(":")
    if not module_name or not attribute:
        raise EngineError(f"engine '{name}': write python:MODULE:FACTORY")
    if "" not in sys.path:
        sys.path.insert(0, "")  # like `python -m`: a module beside the cases is found
    try:
        found: Any = import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        raise EngineError(f"engine '{name}': there is no module '{error.name}'") from error
    except AttributeError as error:
        raise EngineError(f"engine '{name}': {error}") from error
    except BaseException as error:  # an exit as well: whoever makes an engine makes it apart
        raise EngineError(f"engine '{name}': {type(error).__name__}: {error}") from error
    if not isinstance(found, type) and callable(getattr(found, "run", None)):
        return _checked(name, found)
    if not callable(found):
        raise EngineError(f"engine '{name}': '{attribute}' is not callable")
    try:
        signature(found).bind()
    except TypeError:
        if isinstance(found, type):
            raise EngineError(f"engine '{name}': {attribute}() needs arguments") from None
        return FunctionEngine(found, name)
    except ValueError:  # a built-in without a signature
        pass
    try:
        made = found()
    except DenotaError:
        raise
    except BaseException as error:
        raise EngineError(
            f"engine '{name}': {attribute}() raised {type(error).__name__}: {error}"
        ) from error
    if callable(getattr(made, "run", None)):
        return _checked(name, made)
    if callable(made):
        return FunctionEngine(made, name)
    raise EngineError(f"engine '{name}': {attribute}() returned no engine but {made!r}")


def _checked(name: str, made: Any) -> Engine:
    # What an engine does not say has a default, so that one with nothing but `run` can be judged.
    for attribute, default in (
        ("name", name), ("version", ""), ("languages", names()), ("level", "pair"),
    ):
        if not hasattr(made, attribute):
            try:
                setattr(made, attribute, default)
            except AttributeError:
                raise EngineError(f"engine '{name}' has no attribute '{attribute}'") from None
    if made.level not in LEVELS:
        raise EngineError(
            f"engine '{name}': there is no level '{made.level}' (there is: {', '.join(LEVELS)})"
        )
    return cast(Engine, made)


def _from_command(name: str, rest: str, timeout: float) -> Engine:
    import shlex

    from .child_process import ChildEngine

    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise EngineError(f"engine '{name}': {error}") from error
    if not words:
        raise EngineError(f"engine '{name}': write command:PROGRAM ARGS")
    return ChildEngine(words, timeout=timeout)


def _own_version() -> str:
    from ... import __version__

    return __version__
