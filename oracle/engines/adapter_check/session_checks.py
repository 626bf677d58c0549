"""Checks of the hello message, and over several messages: order, isolation, shutdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ....semantics.model.errors import nearest
from ...checking.comparison import common_level
from ...checking.levels import LEVELS
from ...languages.registry import has, is_language, language, names
from ...results.json_objects import brief
from ..capabilities import CapabilityError, capabilities_of
from ..engine import EngineCrash, EngineTimeout
from .case_checks import written_cases
from .generated import generated_cases
from .program import HELLO, Check, Program, against_schema, attempted, failed, left_out, went_down

_HELLO = "responds to hello with one line while stdin is open"
_ONE_LINE = "one JSON object of type hello, in a line"


def handshake_checks(program: Program) -> Iterator[Check]:
    """Yield the checks of the greeting, which `program` keeps."""
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


_SHARED = 8
"""The number of messages that are asked in other orders."""

_APART = 3
"""The number of them in processes of their own, which may take long to start."""


def session_checks(program: Program) -> Iterator[Check]:
    """Yield the checks of a program that has languages."""
    messages = _messages(program)
    title = "results do not depend on the order of cases"
    yield _attempted(title, _in_another_order, program, messages)
    title = "results do not depend on earlier cases of the process"
    yield _attempted(title, _in_their_own_processes, program, messages[:_APART])
    title = "responds in order to lines that arrive together"
    yield _attempted(title, _at_once, program, messages)
    title = "ignores an unknown field"
    yield _attempted(title, _with_unknown_field, program, messages[:1])
    title = "survives an unknown message"
    yield _attempted(title, _after_unknown_message, program, messages[:1])
    title = "refuses a language that it does not declare"
    yield _attempted(title, _in_another_language, program, messages[:1])
    title = "exits when stdin is closed"
    yield _attempted(title, _ends, program, messages[:1])


def schema_kept(program: Program) -> Check:
    """Check that every response to a case follows the schema."""
    title = "every response to a case follows corpus/protocol.schema.json"
    if not program.violations:
        return Check(title)
    several = f" (and {len(program.violations) - 1} more)" if len(program.violations) > 1 else ""
    return failed(title, "a response as in the schema", program.violations[0] + several)


def _attempted(title: str, check: Any, program: Program, messages: Sequence[Any]) -> Check:
    if not messages:
        return left_out(title, "no case within its capabilities")
    return attempted(title, "an answer", partial(check, title, program, messages))


def _messages(program: Program) -> list[dict[str, Any]]:
    """Return cases of all its languages in turns, with ids of their own."""
    found: list[Mapping[str, Any]] = []
    for name in program.languages:
        generated = generated_cases(program, name)[:_SHARED] if has(name, "generate") else ()
        found += [case.message() for case in (*written_cases(name)[:2], *generated)]
    step = max(1, len(found) // _SHARED)
    chosen = [*found[::step]][:_SHARED]
    return [{**message, "id": f"case {number}"} for number, message in enumerate(chosen)]


def _answers(program: Program, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the responses of another process to these messages, in their order."""
    with program.fresh() as child:
        return {str(each["id"]): child.ask(each, program.timeout) for each in messages}


def _in_another_order(title: str, program: Program, messages: Sequence[Any]) -> Check:
    there = _answers(program, messages)
    back = _answers(program, messages[::-1])
    again = _answers(program, [*messages, *messages])
    for other in (back, again):
        for id, answer in there.items():
            if _plain(other[id]) != _plain(answer):
                return _differ(title, messages, id, answer, other[id])
    return Check(title, note=f"{len(messages)} cases, backwards and twice")


def _in_their_own_processes(title: str, program: Program, messages: Sequence[Any]) -> Check:
    together = _answers(program, messages)
    for message in messages:
        alone = _answers(program, [message])
        for id, answer in alone.items():
            if _plain(together[id]) != _plain(answer):
                return _differ(title, messages, id, answer, together[id])
    return Check(title, note=f"{len(messages)} cases")


def _differ(title: str, messages: Sequence[Any], id: str, first: Any, second: Any) -> Check:
    query = next(message["query"] for message in messages if message["id"] == id)
    more = ["the query:", *(f"  {line}" for line in query.splitlines())]
    return failed(title, brief(first), brief(second), more)


def _plain(answer: Mapping[str, Any]) -> str:
    """Return an answer without order and without names of blank nodes."""
    results = answer.get("results")
    listed = results if isinstance(results, list) else []
    return json.dumps([answer.get("type"), sorted(_unnamed(each) for each in listed)])


def _unnamed(value: Any) -> str:
    if isinstance(value, Mapping):
        kept = {**value, "value": "_:"} if value.get("type") == "bnode" else value
        return json.dumps({str(key): _unnamed(kept[key]) for key in sorted(kept, key=str)})
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return json.dumps(sorted(map(_unnamed, value)))
    return json.dumps(value)


def _at_once(title: str, program: Program, messages: Sequence[Any]) -> Check:
    """Check the input of corpus/run.py: all lines, then the end of stdin."""
    with program.fresh() as child:
        for message in messages:
            child.tell(json.dumps(message))
        child.hang_up()
        for message in messages:
            answer = child.answer(program.timeout)
            if answer.get("id") != message["id"]:
                return failed(title, brief(message["id"]), brief(answer.get("id")))
    return Check(title, note=f"{len(messages)} cases")


def _with_unknown_field(title: str, program: Program, messages: Sequence[Any]) -> Check:
    plain = program.ask(messages[0])
    more = program.ask({**messages[0], "hint": {"from": "a later protocol"}})
    if _plain(plain) == _plain(more):
        return Check(title)
    return failed(title, brief(plain), brief(more))


def _after_unknown_message(title: str, program: Program, messages: Sequence[Any]) -> Check:
    """Check that the case behind an unknown message is answered; the message itself need not be."""
    id = messages[0]["id"]
    with program.fresh() as child:
        child.tell(json.dumps({"type": "note", "id": "note", "text": "from a later protocol"}))
        child.tell(json.dumps(messages[0]))
        first = child.answer(program.timeout)
        if first.get("id") == id:
            return Check(title, note="it says nothing to it")
        second = child.answer(program.timeout)
    if second.get("id") == id:
        return Check(title, note=f"it answers {brief(first.get('type'))}")
    return failed(title, f"an answer to the case behind it, {brief(id)}", brief(second))


def _in_another_language(title: str, program: Program, messages: Sequence[Any]) -> Check:
    answer = program.ask({**messages[0], "language": "no-such-language"})
    if answer.get("type") in ("unsupported", "error"):
        return Check(title, note=str(answer["type"]))
    return failed(title, "unsupported, or error", brief(answer))


def _ends(title: str, program: Program, messages: Sequence[Any]) -> Check:
    expected = "it ends by itself"
    with program.fresh() as child:
        child.ask(messages[0], program.timeout)
        child.hang_up()
        try:
            last = child.answer(program.timeout)
        except EngineCrash as ended:
            return Check(title, note=str(ended)) if child.gone() else failed(
                title, expected, str(ended)
            )
        except EngineTimeout:
            return failed(title, expected, f"it still runs after {program.timeout:g} s")
    return failed(title, expected, f"another line: {brief(last)}")
