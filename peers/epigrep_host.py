"""Epigrep behind the adapter protocol, in the process that imports it.

Beside what the protocol has, a case brings `events`, each with its partition, its timestamp, its
type and its attributes, and `patterns`, lists of steps. A result is what a match of one of them
takes: the events' attribute `place`.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from epigrep import Event, Pattern, match  # type: ignore[import-not-found]


def answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "hello":
        return {
            "type": "hello", "name": "epigrep", "version": version("epigrep"),
            "languages": ["ceql"], "level": "positions",
        }
    try:
        events = [Event(*event) for event in message["events"]]
        found = [
            sorted(event.attrs["place"] for event in each.events)
            for steps in message["patterns"]
            for each in match(built(steps), events, exhaustive=True)
        ]
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return {"type": "error", "id": message["id"], "message": said}
    return {"type": "result", "id": message["id"], "results": found}


def built(steps: list[dict[str, Any]]) -> Any:
    """Return a pattern in the words of Epigrep's builder."""
    pattern: Any = None
    for step in steps:
        if pattern is None:
            pattern = Pattern.event(step["type"])
        else:
            pattern = pattern.then(step["type"], within=step["within"])
        for attribute, operator, value in step["where"]:
            pattern = getattr(pattern, f"where_{operator}")(attribute, value)
    return pattern.build()
