"""The engine's side of the adapter protocol: `python -m denota.oracle.engines.adapter`.

Serves one of denota's own engines (or any that an ENGINE string names) as JSON Lines over stdin and
stdout. It is a reference for authors of adapters: `adapter_client` describes the messages.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

from rdflib.term import URIRef

from ...semantics.model.errors import DenotaError, UnsupportedError
from ..cases.case import Case
from ..cases.embedded_text import Changes, Table, Text
from .adapter_client import PROTOCOL
from .capabilities import Names, said_by
from .engine import Engine
from .engine_specs import engine as engine_named


def serve(
    engine: Engine, lines: Iterable[str], answer: Callable[[Mapping[str, Any]], None]
) -> None:
    """Answer every message until there is none."""
    for line in lines:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
            kind = message["type"]
        except (ValueError, TypeError, KeyError):
            answer({"type": "error", "id": None, "message": "not a message of the protocol"})
            continue
        if kind == "hello":
            answer(hello(engine))
        elif kind == "case":
            answer(respond(engine, message))
        else:
            answer({"type": "error", "id": message.get("id"), "message": f"unknown type {kind!r}"})


def hello(engine: Engine) -> dict[str, Any]:
    """Return the greeting."""
    capable = {name: said_by(engine, name) for name in engine.languages}
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "name": engine.name,
        "version": engine.version,
        "languages": list(engine.languages),
        "level": engine.level,
        **_capabilities(capable),
    }


def _capabilities(said: Mapping[str, Names]) -> dict[str, Any]:
    """Return the capabilities for the hello message, if the engine declares any."""
    listed = {
        language: {group: sorted(names) for group, names in groups.items()}
        for language, groups in said.items() if groups
    }
    return {"capabilities": listed} if listed else {}


def respond(engine: Engine, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a `case` message."""
    id = message.get("id")
    try:
        case = case_of(message)
        results = [
            result if isinstance(result, Mapping)
            else case.language.to_json(result, case.tree, case.readings)
            for result in engine.run(case)
        ]
    except UnsupportedError as error:
        answer = {"type": "unsupported", "id": id, "reason": error.message}
    except (DenotaError, KeyError) as error:
        answer = {"type": "error", "id": id, "message": str(error)}
    else:
        answer = {"type": "result", "id": id, "results": results}
    translated = getattr(engine, "translated", "")
    return {**answer, "translated": translated} if translated else answer


def case_of(message: Mapping[str, Any]) -> Case:
    """Return the case of a `case` message."""
    return Case(
        message["language"],
        Text(message["query"]),
        {URIRef(iri): _stream(given) for iri, given in message.get("streams", {}).items()},
        {URIRef(iri): _background(given) for iri, given in message.get("kb", {}).items()},
        message.get("readings", {}),
        message.get("evaluate", {}),
        title=str(message.get("id", "")),
    )


def _stream(given: Any) -> Text | Table:
    """Return RDF text as it is; tuples come as {"csv": …, "declaration": …}."""
    if isinstance(given, Mapping):
        return Table(given["csv"], given.get("declaration"))
    return Text(given)


def _background(given: Any) -> Text | Changes:
    """Return Turtle as it is; a graph that changes comes as {"changes": TriG}."""
    return Changes(Text(given["changes"])) if isinstance(given, Mapping) else Text(given)


def main(stdin: TextIO | None = None, stdout: TextIO | None = None) -> int:
    """Serve the engine that `--engine` names on stdin and stdout."""
    parser = argparse.ArgumentParser(
        prog="python -m denota.oracle.engines.adapter", description=__doc__
    )
    parser.add_argument("--engine", default="production", help="ENGINE to serve (production)")
    arguments = parser.parse_args()
    try:
        engine = engine_named(arguments.engine)
    except DenotaError as error:
        print(error, file=sys.stderr)
        return 2
    out = stdout or sys.stdout

    def answer(message: Mapping[str, Any]) -> None:
        out.write(json.dumps(message, ensure_ascii=False) + "\n")
        out.flush()

    serve(engine, stdin or sys.stdin, answer)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
