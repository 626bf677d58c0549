"""What an engine recorded: its answers with their times, in the shapes in which engines write them.

    {"relations": [{"head": {"vars": […]}, "timestamp": t,
                    "results": {"bindings": [{"timestamp": t, "binding": {"v": TERM, …}}, …]}}, …]}

is the shape of CSRBench. A relation's time may stand at the relation or at its bindings only; a
binding may be written without "binding" around it, and as one flat list of timed bindings;
relations may also be a bare list, or JSON Lines. {"at": t, "solutions": […]}, what denota itself
prints for RSEP-QL, is read as well. A relation without bindings is an empty answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .....semantics.model.errors import DenotaError, StreamError
from .....semantics.model.mappings import SolutionMapping
from .....semantics.model.terms import Term, variable
from .....semantics.model.time import parse_datetime, parse_integer
from .....semantics.streams.files.boundaries import input_errors
from .....semantics.streams.files.outputs import note_input
from ....results.json_objects import ResultError
from .values import foreign_term

_TIMES = ("timestamp", "time", "at", "t")
_LATEST = 1 << 62  # so that the time between two instants is a number of 64 bits
_ROWS = ("results", "bindings", "solutions", "rows")


class AnswersError(DenotaError):
    """A file of recorded answers that cannot be read."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What the engine reported at one time: a bag of solutions, perhaps an empty one."""

    time: int
    rows: tuple[SolutionMapping, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """The relations that an engine recorded, in the order of their times."""

    relations: tuple[Relation, ...]
    name: str = "answers"

    @property
    def rows(self) -> int:
        """How many solutions there are in all."""
        return sum(len(relation.rows) for relation in self.relations)

    def terms(self) -> Iterator[Term]:
        """Every term that was reported."""
        for relation in self.relations:
            for row in relation.rows:
                yield from (value for value in row.values() if not isinstance(value, tuple))


def read_recording(path: Path, *, unit: int = 1) -> Recording:
    """The answers in a file; a time t in it is the instant t·`unit`. Raises AnswersError."""
    note_input(path)
    return parse_recording(path.read_bytes(), unit=unit, source=str(path), name=path.name)


def parse_recording(
    text: str | bytes, *, unit: int = 1, source: str = "<answers>", name: str | None = None
) -> Recording:
    """The answers that a JSON text states."""
    return recording_of(_json(text, source), unit=unit, source=source, name=name)


def recording_of(
    written: Any, *, unit: int = 1, source: str = "<answers>", name: str | None = None
) -> Recording:
    """The answers of a JSON value."""
    found: list[Relation] = []
    for number, entry in enumerate(_entries(written, source), start=1):
        try:
            found += _relations(entry, unit)
        except DenotaError as error:
            raise AnswersError(f"answer {number}: {error.message}", source=source) from error
    found.sort(key=lambda relation: relation.time)
    return Recording(tuple(found), name or Path(source).name)


def _json(text: str | bytes, source: str) -> Any:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise AnswersError("the file is not UTF-8", source=source) from error
    if not text.strip():
        raise AnswersError("the file is empty", source=source)
    try:
        with input_errors(source, what="not JSON", kind=AnswersError):
            return json.loads(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and re.match(r"\s*\{", lines[0]):
            try:
                return [json.loads(line) for line in lines]
            except json.JSONDecodeError:
                pass
        raise AnswersError(
            f"not JSON: {error.msg}", source=source, line=error.lineno, column=error.colno
        ) from error


def _entries(written: Any, source: str) -> Sequence[Any]:
    if isinstance(written, Mapping):
        relations = written.get("relations")
        if relations is None:
            return [written]
        written = relations
    if not isinstance(written, list):
        raise AnswersError("expected a list of answers, or an object with 'relations'",
                           source=source)
    return written


def _relations(entry: Any, unit: int) -> Iterator[Relation]:
    """A relation, taken apart where its bindings say other times than it does."""
    if not isinstance(entry, Mapping):
        raise ResultError(f"an answer is an object, not {type(entry).__name__}")
    time = _time(entry, unit)
    by_time: dict[int, list[SolutionMapping]] = {}
    for binding in _bindings(entry):
        if not isinstance(binding, Mapping):
            raise ResultError(f"a binding is an object, not {type(binding).__name__}")
        inner = binding.get("binding")
        # Beside "binding" nothing but a time stands; else it is a variable of that name.
        own, row = time, binding
        if isinstance(inner, Mapping) and binding.keys() <= {"binding", *_TIMES}:
            stated = _time(binding, unit)
            own, row = (time if stated is None else stated), inner
        if own is None:
            raise ResultError("there is no time, neither at the answer nor at its bindings")
        by_time.setdefault(own, []).append(_solution(row))
    if not by_time:
        if time is None:
            raise ResultError("an empty answer has no time")
        by_time[time] = []
    for own, rows in by_time.items():
        yield Relation(own, tuple(rows))


def _bindings(entry: Mapping[str, Any]) -> Iterable[Any]:
    if isinstance(entry.get("binding"), Mapping):
        return [entry]
    for name in _ROWS:
        held = entry.get(name)
        if isinstance(held, Mapping):
            held = held.get("bindings")
        if isinstance(held, list):
            return held
        if name in entry and held is None:
            return []
    if isinstance(entry.get("solution"), Mapping):
        return [entry["solution"]]
    raise ResultError(f"there are no bindings (expected one of {', '.join(_ROWS)})")


def _solution(written: Mapping[str, Any]) -> SolutionMapping:
    terms = {variable(name.lstrip("?$")): foreign_term(value) for name, value in written.items()}
    return SolutionMapping({name: term for name, term in terms.items() if term is not None})


def _time(entry: Mapping[str, Any], unit: int) -> int | None:
    time = _stated_time(entry, unit)
    if time is not None and abs(time) > _LATEST:
        raise ResultError("a time is too far from the stream's zero")
    return time


def _stated_time(entry: Mapping[str, Any], unit: int) -> int | None:
    for name in _TIMES:
        written = entry.get(name)
        if written is None or isinstance(written, Mapping):
            continue
        if isinstance(written, bool):
            break
        if isinstance(written, int):
            return written * unit
        if isinstance(written, float) and (written * unit).is_integer():
            return int(written * unit)
        if isinstance(written, str):
            text = written.strip()
            try:
                if text.lstrip("+-").isdigit():
                    return parse_integer(text) * unit
                return parse_datetime(text)
            except StreamError as error:
                raise ResultError(error.message) from error
        raise ResultError(f"'{name}' is no time: {written!r}")
    return None
