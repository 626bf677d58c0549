"""The program that is checked, started as often as is needed.

A check is one thing that the protocol asks, and how the program did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from ...cases.case import Case
from ...checking.case_checker import check_case
from ...checking.levels import Level
from ...checking.verdicts import Verdict
from ...languages.registry import is_language
from ...results.json_objects import brief
from ..adapter_client import PROTOCOL, AdapterProcess, answered, spawned
from ..capabilities import CapabilityError, Names, capabilities_of
from ..engine import EngineCrash, EngineTimeout

SCHEMA = Path(__file__).resolve().parents[3] / "corpus" / "protocol.schema.json"

HELLO: Mapping[str, Any] = {"type": "hello", "protocol": PROTOCOL}


class Program:
    """The adapter's command, its greeting, and its violations of the schema."""

    def __init__(self, words: Sequence[str], timeout: float) -> None:
        self.words = words
        self.timeout = timeout
        self.greeting: Mapping[str, Any] = {}
        self.violations: list[str] = []
        self._child: AdapterProcess | None = None

    @property
    def called(self) -> str:
        """The name and version from the hello message."""
        said = (self.greeting.get("name"), self.greeting.get("version"))
        return " ".join(brief(each) for each in said if each) or " ".join(self.words)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it takes, as far as there are such."""
        said = self.greeting.get("languages")
        names = said if isinstance(said, list) else []
        return tuple(name for name in names if isinstance(name, str) and is_language(name))

    @property
    def level(self) -> Level:
        """The level at which it reports."""
        level: Level = self.greeting.get("level", "pair")
        return level

    def capabilities(self, language: str) -> Names:
        """Return the stated capabilities for a language; empty if they cannot be read."""
        said = self.greeting.get("capabilities")
        try:
            return capabilities_of(language, said[language] if isinstance(said, dict) else {})
        except (CapabilityError, KeyError):
            return {}

    def start(self) -> AdapterProcess:
        """Start another process of it, without a greeting; raises EngineError if there is none."""
        return spawned(self.words, None)

    @contextmanager
    def fresh(self) -> Iterator[AdapterProcess]:
        """Yield another process of it, after the greeting; end it afterwards."""
        child = self.start()
        try:
            child.ask(HELLO, self.timeout)
            yield child
        finally:
            child.end()

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return its answer, from the process that is kept as long as it runs."""
        if self._child is None or self._child.gone():
            self.close()
            self._child = self.start()
            self._child.ask(HELLO, self.timeout)
        try:
            answer = self._child.ask(message, self.timeout)
        except (EngineCrash, EngineTimeout):
            self.close()
            raise
        if complaint := against_schema(answer, {"result", "unsupported", "error"}):
            self.violations.append(f"{complaint}: {brief(answer)}")
        return answer

    def close(self) -> None:
        """End the process that goes on."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def verdict(self, case: Case, answer: Mapping[str, Any]) -> Verdict:
        """Return the tester's verdict on an answer."""
        return check_case(case, _Answered(self, answer), timeout=None)


class _Answered:
    """An engine whose answer is there already."""

    keeps_time = True

    def __init__(self, program: Program, answer: Mapping[str, Any]) -> None:
        self.name, self.version = program.called, ""
        self.languages, self.level = program.languages, program.level
        self._answer = answer

    def run(self, case: Case) -> list[Any]:
        return answered(self._answer)


def against_schema(answer: Mapping[str, Any], kinds: set[str]) -> str:
    """Return the error of an answer of one of these kinds; empty if it follows the schema."""
    kind = answer.get("type")
    if kind not in kinds:
        return f"its type is {brief(kind)}, not {' or '.join(sorted(kinds))}"
    error = jsonschema.exceptions.best_match(
        _validator("greeting" if kind == "hello" else str(kind)).iter_errors(answer)
    )
    if error is None:
        return ""
    place = "".join(f"[{json.dumps(each)}]" for each in error.absolute_path)
    return f"{place} {' '.join(error.message.split())}".strip()


@cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}
    )


class Result(StrEnum):
    """The result of a check."""

    OK = "ok"
    FAILED = "FAILED"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Check:
    """One thing that the protocol asks.

    `note` says what there is to say of a check that has not failed; of one that has, `expected` and
    `came` say why, and `more` shows it.
    """

    title: str
    result: Result = Result.OK
    note: str = ""
    expected: str = ""
    came: str = ""
    more: Sequence[str] = ()


def failed(title: str, expected: str, came: str, more: Sequence[str] = ()) -> Check:
    """Return the check of a program that did something unexpected."""
    return Check(title, Result.FAILED, "", expected, came, more)


def left_out(title: str, reason: str) -> Check:
    """Return a check that does not apply."""
    return Check(title, Result.LEFT_OUT, reason)


def attempted(title: str, expected: str, check: Callable[[], Check]) -> Check:
    """Return the result of `check`; it is a failure if the program exits or does not respond."""
    try:
        return check()
    except (EngineCrash, EngineTimeout) as failure:
        return went_down(title, expected, failure)


def went_down(title: str, expected: str, failure: EngineCrash | EngineTimeout) -> Check:
    """Return the check of a program that exited, did not answer or wrote no valid message."""
    said = failure.stderr.splitlines()[-6:]
    more = ["its stderr ended with:", *(f"  {line}" for line in said)] if said else []
    return failed(title, expected, str(failure), more)


def lines(check: Check) -> Iterator[str]:
    """Yield a check as it is printed."""
    note = f" ({check.note})" if check.note else ""
    yield f"{check.result:9} {check.title}{note}"
    if check.result is Result.FAILED:
        yield f"          expected  {check.expected}"
        yield f"          came      {check.came}"
        yield from (f"          {line}" for line in check.more)
