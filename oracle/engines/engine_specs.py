"""The ENGINE strings that name an engine under test.

    production               denota's own engine
    production:SCHEDULE      the same, driven by a schedule (`cases.schedule`): `small,cuts=3!.1`
    production:schedules=N   the same, under N fixed schedules for each case
    oracle                   the definitions themselves
    NAME                     an engine that a distribution declares in the entry point group
                             `denota.engines`: `core`, `flink`, …, whose adapters come with denota
    python:MODULE:FACTORY    FACTORY() returns an Engine; or FACTORY is a function that takes what
                             `denota.run` takes and returns results
    command:PROGRAM ARGS     a child process that speaks the adapter protocol
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any, cast

from ...semantics.model.errors import DenotaError, nearest
from ..cases.case import Task
from ..checking.levels import LEVELS, Level
from ..languages.registry import names
from .adapter_client import AdapterEngine
from .builtin import Oracle, Production
from .capabilities import CapabilityError, said_by
from .engine import DEFAULT_TIMEOUT, Engine, EngineCrash, EngineError
from .isolated_engine import IsolatedEngine
from .worker_process import inside

OWN = ("production", "oracle")
"""denota's own engines."""

ENTRY_POINTS = "denota.engines"

SHIPPED: Mapping[str, str] = {
    "core": "denota.peers.core:Core",
    "epigrep": "denota.peers.epigrep:Epigrep",
    "pandas-match-recognize": "denota.peers.pandas_match_recognize:DataFrames",
    "flink": "denota.peers.flink:Flink",
    "bobocep": "denota.peers.bobocep:BoboCep",
    "rsp-js": "denota.peers.rsp_js:RspJs",
}
"""denota's entry points, as in pyproject.toml: a checkout has no metadata, or those of another one.

Each object makes an engine of a time limit.
"""


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

    def run(self, case: Task) -> Iterable[Any]:
        return self.function(
            case.tree,
            streams=case.streams,
            kb=case.kb,
            readings=case.readings,
            **_evaluated(case),
        )


def _evaluated(case: Task) -> dict[str, Any]:
    if "at" in case.language.evaluation_fields:
        return dict(case.evaluation)
    return {"start": case.evaluation.get("from")}


def engine(name: str, *, timeout: float = DEFAULT_TIMEOUT) -> Engine:
    """Return the engine that an ENGINE string names; raises EngineError if there is none.

    `timeout` is how many seconds a child process may take for a case. What Python objects do is
    done in a process of their own, importing their module included.
    """
    if name.partition(":")[0] == "production":
        return Production(name.partition(":")[2])
    if name == "oracle":
        return Oracle()
    kind, _, rest = name.partition(":")
    if kind == "python":
        return _from_python(name, rest) if inside() else _apart(name, rest, timeout)
    if kind == "command":
        return _from_command(name, rest, timeout)
    return _from_entry_point(name, timeout)


def _declared() -> Mapping[str, Mapping[str, str]]:
    """Return the objects that entry points name: by the engine's name, then by distribution."""
    from importlib.metadata import entry_points

    found = {name: {"denota": place} for name, place in SHIPPED.items()}
    for point in entry_points(group=ENTRY_POINTS):
        distribution = point.dist.name if point.dist is not None else ""
        if distribution != "denota":
            found.setdefault(point.name, {})[distribution] = point.value
    return found


def _from_entry_point(name: str, timeout: float) -> Engine:
    declared = _declared()
    if name not in declared:
        known = [*OWN, *declared]
        raise EngineError(
            f"there is no engine '{name}'{nearest(name, known)} (there is: {', '.join(known)}, "
            "python:MODULE:FACTORY, command:PROGRAM ARGS)"
        )
    places = declared[name]
    if len(places) > 1:
        raise EngineError(
            f"engine '{name}': the distributions {' and '.join(sorted(places))} both declare it"
            f" (entry point group {ENTRY_POINTS}); write python:MODULE:FACTORY"
        )
    ((distribution, place),) = places.items()
    if distribution == "denota":
        module, _, maker = place.partition(":")
        made: Engine = getattr(import_module(module), maker)(timeout)
        return made
    return _from_python(name, place) if inside() else _apart(name, place, timeout)


def _apart(name: str, rest: str, timeout: float) -> Engine:
    try:
        return IsolatedEngine(lambda: _from_python(name, rest), timeout)
    except EngineCrash as crash:
        raise EngineError(f"engine '{name}': {crash}") from crash


def _from_python(name: str, rest: str) -> Engine:
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
    # Every attribute but `run` has a default, so that `run` alone makes an engine.
    for attribute, default in (
        ("name", name), ("version", ""), ("languages", names()), ("level", "pair"),
    ):
        if not hasattr(made, attribute):
            try:
                setattr(made, attribute, default)
            except AttributeError:
                raise EngineError(f"engine '{name}' has no attribute '{attribute}'") from None
    try:
        for language_name in made.languages:
            said_by(made, language_name)
    except CapabilityError as error:
        raise EngineError(f"engine '{name}': {error}") from error
    if made.level not in LEVELS:
        raise EngineError(
            f"engine '{name}': there is no level '{made.level}' (there is: {', '.join(LEVELS)})"
        )
    return cast(Engine, made)


def _from_command(name: str, rest: str, timeout: float) -> Engine:
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise EngineError(f"engine '{name}': {error}") from error
    if not words:
        raise EngineError(f"engine '{name}': write command:PROGRAM ARGS")
    return AdapterEngine(words, timeout=timeout)
