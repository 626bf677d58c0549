"""Results files: what was checked, a line a case, for reports over many engines (docs/reports.md).

The first line of a file says who was checked, every further line is a case with its verdict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from ...semantics.model.errors import DenotaError
from ...semantics.streams.files.input_errors import input_errors, json_value
from ...semantics.streams.files.outputs import note_input, output_errors
from ..cases.case import Case
from ..checking.verdicts import Outcome, Verdict
from ..checking.worker_pool import Identity
from .earl import now
from .run_result import asked_of

FORMAT = 1
SUFFIX = ".jsonl"
_MARK = "denota-results"


class ResultsError(DenotaError):
    """A file or folder that holds no results."""


@dataclass(frozen=True, slots=True)
class Record:
    """A case with its verdict, as a results file has it; `command` repeats the verdict."""

    language: str
    title: str
    place: str
    asks: Mapping[str, Any]
    outcome: Outcome
    known: str = ""
    command: str = ""


class Recorder:
    """Writes one results file of a folder, line by line, so that what was checked stays written.

    The file is named after the verb, the engine and the next number that is free.
    """

    def __init__(self, folder: Path, verb: str, command: str) -> None:
        with output_errors(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.verb, self.command = folder, verb, command
        self.file: IO[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.file is not None:
            self.file.close()

    def record(
        self, who: Identity, case: Case, verdict: Verdict, place: str, known: str = "",
        command: str = "",
    ) -> None:
        """Write a case and the verdict on it.

        `known` names the known difference that it shows, `command` repeats a failure.
        """
        if self.file is None:
            from ... import __version__

            self.file = self._opened(who)
            self._write({
                _MARK: FORMAT, "verb": self.verb, "engine": who.name, "version": who.version,
                "level": who.level,
                # Files are told apart by it: of two runs in one second the later has to count.
                "begun": now("microseconds"), "denota": __version__, "command": self.command,
            })
        asks = {group: sorted(names) for group, names in asked_of(case).items() if names}
        self._write({
            "language": case.language_name, "title": case.title, "place": place, "asks": asks,
            "verdict": str(verdict.outcome), "detail": verdict.detail,
            **({"known": known} if known else {}),
            **({"command": command} if command and verdict.is_failure else {}),
        })

    def _opened(self, who: Identity) -> IO[str]:
        engine = re.sub(r"[^\w.-]+", "-", who.name).strip("-") or "engine"
        number = 1
        while True:
            path = self.folder / f"{self.verb}-{engine}-{number}{SUFFIX}"
            try:
                opened = path.open("x", encoding="utf-8", errors="backslashreplace", buffering=1)
            except FileExistsError:
                number += 1
            else:
                note_input(path)  # no report may replace it
                return opened

    def _write(self, line: Mapping[str, Any]) -> None:
        assert self.file is not None
        with output_errors(self.file.name):
            self.file.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_results(path: Path) -> tuple[dict[str, Any], list[Record]]:
    """Return the first line of a results file, and its cases; raises ResultsError.

    A last line that was cut off as its writer was killed is left out.
    """
    note_input(path)
    with input_errors(str(path), kind=ResultsError):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    objects = list(_objects(path, lines))
    head = objects[0] if objects else {}
    if head.get(_MARK) != FORMAT or not isinstance(head.get("engine"), str):
        raise ResultsError(f"not a results file of version {FORMAT}", source=str(path), line=1)
    return head, [_record(path, number, each) for number, each in enumerate(objects[1:], start=2)]


def _objects(path: Path, lines: list[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        try:
            found = json_value(line, str(path), line=number, kind=ResultsError)
        except ResultsError:
            if number == len(lines) > 1 and not line.endswith("\n"):
                return
            raise
        if not isinstance(found, dict):
            raise ResultsError("not a JSON object", source=str(path), line=number)
        yield found


def _record(path: Path, number: int, written: Mapping[str, Any]) -> Record:
    try:
        asks = {str(group): list(map(str, names)) for group, names in written["asks"].items()}
        return Record(
            str(written["language"]), str(written["title"]), str(written["place"]), asks,
            Outcome(written["verdict"]), str(written.get("known", "")),
            str(written.get("command", "")),
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ResultsError(
            f"not a case with a verdict: {type(error).__name__} {error}", source=str(path),
            line=number,
        ) from None
