"""Checks of the hello message: languages, levels, capabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....semantics.model.errors import nearest
from ...checking.comparison import common_level
from ...checking.levels import LEVELS
from ...languages.registry import is_language, language, names
from ...results.json_objects import brief
from ..capabilities import CapabilityError, capabilities_of
from ..engine import EngineCrash, EngineTimeout
from .checks import Check, failed, went_down
from .program import HELLO, Program, against_schema

_HELLO = "responds to hello with one line while stdin is open"
_ONE_LINE = "one JSON object of type hello, in a line"


def handshake_checks(program: Program) -> Iterator[Check]:
    """The checks of the greeting, which `program` knows from then on."""
    child = program.start()
    try:
        program.greeting = child.ask(HELLO, program.timeout)
    except EngineTimeout as failure:
        if _answers_at_the_end(program):
            came = "its answer came when stdin was closed: flush stdout after every line"
            yield failed(_HELLO, _ONE_LINE, came)
        else:
            yield went_down(_HELLO, _ONE_LINE, failure)
        return
    except EngineCrash as failure:
        yield went_down(_HELLO, _ONE_LINE, failure)
        return
    finally:
        child.end()
    yield Check(_HELLO)
    hello = program.greeting
    title = "the hello message follows corpus/protocol.schema.json"
    if complaint := against_schema(hello, {"hello"}):
        yield failed(title, "a hello message as in the schema", complaint)
    else:
        yield Check(title)
    yield _languages(program)
    for name in program.languages:
        yield _level(hello, name)
    yield from _capabilities(hello)


def _answers_at_the_end(program: Program) -> bool:
    """Return True if the program responds to `hello` after its stdin is closed."""
    child = program.start()
    try:
        child.hang_up()
        child.ask(HELLO, program.timeout)
    except (EngineCrash, EngineTimeout):
        return False
    finally:
        child.end()
    return True


def _languages(program: Program) -> Check:
    title = "its languages are known"
    said = program.greeting.get("languages")
    expected = f"a list of some of {', '.join(names())}"
    if not isinstance(said, list) or not said:
        return failed(title, expected, brief(said))
    for name in said:
        if not isinstance(name, str) or not is_language(name):
            return failed(title, expected, f"{brief(name)}{nearest(str(name), names())}")
    return Check(title, note=", ".join(said))


def _level(hello: Any, name: str) -> Check:
    title = f"{name} has a known comparison level"
    levels = language(name).levels
    said = hello.get("level", "pair")
    expected = f"one of {', '.join(level for level in LEVELS if level in levels)}"
    if said not in LEVELS or (level := common_level(levels[0], said)) not in levels:
        return failed(title, expected, brief(said))
    return Check(title, note=level)


def _capabilities(hello: Any) -> Iterator[Check]:
    said = hello.get("capabilities")
    if said is None:
        return
    title = "its capabilities have known names"
    if not isinstance(said, dict):
        yield failed(title, "an object, by language", brief(said))
        return
    for name, groups in said.items():
        try:
            if name not in hello.get("languages", ()):
                raise CapabilityError(f"{brief(name)} is none of its languages")
            capabilities_of(name, groups)
        except CapabilityError as error:
            yield failed(title, "names from the page on adapters", error.message)
            return
    yield Check(title)
