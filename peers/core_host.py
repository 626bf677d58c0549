"""CORE behind the adapter protocol, in the process that imports it.

Needs pycer and the standard library, nothing of denota: it runs under another interpreter. Beside
what the protocol has, a case brings `declarations` (CREATE STREAM …), the query in CORE's syntax
and `events`, each with its stream, its type, its values with their types, and its primary time.
"""

from __future__ import annotations

import ctypes
import re
from contextlib import suppress
from importlib.metadata import version
from time import sleep
from typing import Any

import pycer  # type: ignore[import-not-found]

_VALUES = {
    "int": pycer.PyIntValue, "double": pycer.PyDoubleValue, "string": pycer.PyStringValue,
    "boolean": pycer.PyBoolValue,
}  # fmt: skip
_FOUND = re.compile(r"\[(-?\d+),(-?\d+)\], \((.*)\)")
_TRIES, _PAUSE = 100, 0.02
_PR_SET_TIMERSLACK, _SLACK = 29, 1_000_000  # nanoseconds
with suppress(AttributeError):  # Linux: CORE's threads wake up every 0.1 ms for nothing
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, _SLACK, 0, 0, 0)
_POSITION = re.compile(r"(-?\d+) \]\)")
# What its compiler refuses is not among what it takes.
_REFUSALS = (
    pycer.PyParsingSyntaxException, pycer.EventNotInStreamException,
    pycer.PyAttributeNotDefinedException, pycer.PyStreamNotFoundException,
    pycer.PyWarningException,
)  # fmt: skip


def answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "hello":
        return {
            "type": "hello", "name": "core", "version": version("pycer"), "languages": ["ceql"],
            "level": "positions",
        }
    asked = message["id"]
    server = _server()
    declared: dict[tuple[str, str], int] = {}
    try:
        for declaration in message["declarations"]:
            stream = server.declare_stream(declaration)
            declared.update(((stream.name, each.name), each.id) for each in stream.events_info)
        server.add_query(message["query"])
    except _REFUSALS as error:
        return {"type": "unsupported", "id": asked, "reason": _line(error)}
    except Exception as error:
        return {"type": "error", "id": asked, "message": f"{type(error).__name__}: {_line(error)}"}
    for stream, kind, values, time in message["events"]:
        made = [_VALUES[name](value) for name, value in values]
        primary = [] if time is None else [pycer.PyIntValue(time)]
        server.send_event(pycer.PyEvent(declared[stream, kind], made, *primary))
    output = server.get_output()
    if output.startswith("Exception"):
        return {"type": "error", "id": asked, "message": _line(output)}
    return {"type": "result", "id": asked, "results": results(output)}


def _server() -> Any:
    """Return a server on a port of its own; retry if the port is taken."""
    for attempt in range(_TRIES):  # each at the next port
        try:
            return pycer.PyOfflineServer()
        except RuntimeError as error:
            if "Address already in use" not in str(error):
                raise
            sleep(_PAUSE * (attempt >= _TRIES // 2))
    return pycer.PyOfflineServer()


def results(output: str) -> list[dict[str, Any]]:
    """CORE's complex events; the position of an event is its last value."""
    found = []
    for line in filter(None, output.splitlines()):
        event = _FOUND.fullmatch(line.strip())
        if event is None:
            raise RuntimeError(f"CORE said: {line}")
        start, end, events = event.groups()
        positions = [int(place) for place in _POSITION.findall(events)]
        found.append({"start": int(start), "end": int(end), "positions": positions})
    return found


def _line(error: object) -> str:
    return " ".join(str(error).split())
