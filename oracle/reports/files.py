"""The files that a run result is written to, whatever was checked, and by which command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...semantics.streams.files.outputs import check_no_input

if TYPE_CHECKING:
    from ..cases.case import Case
    from ..checking.verdicts import Verdict
    from ..checking.worker_pool import Identity
    from .run_result import RunResult


def check_places(paths: Iterable[Path | None]) -> None:
    """Raise FileNotFoundError for a path without a folder, DenotaError for that of an input."""
    for path in paths:
        if path is not None:
            if not path.parent.is_dir():
                raise FileNotFoundError(2, "No such file or directory", str(path))
            check_no_input(path)


class Records(Protocol):
    """A receiver of case results."""

    def __call__(
        self, who: Identity, case: Case, verdict: Verdict, place: str, known: str = "",
        command: str = "",
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The file of each kind of report that the user asks for, and the folder of results.

    `command` is the command line.
    """

    html: Path | None = None
    earl: Path | None = None
    junit: Path | None = None
    markdown: Path | None = None
    results: Path | None = None
    command: str = ""

    def __bool__(self) -> bool:
        """Return True if a report is requested."""
        return any(path is not None for path in self.pages)

    @property
    def pages(self) -> tuple[Path | None, ...]:
        """The files of reports."""
        return self.html, self.earl, self.junit, self.markdown

    def check(self) -> None:
        """Raise an error now, not after long work, if a file could not be written."""
        check_places(self.pages)

    @contextmanager
    def recording(self, verb: str) -> Iterator[Records]:
        """Yield the function that records each verdict as it is given, if results are requested."""
        if self.results is None:
            yield lambda who, case, verdict, place, known="", command="": None
            return
        from .verdict_records import Recorder

        with Recorder(self.results, verb, self.command) as recorder:
            yield recorder.record

    def write(self, judgement: RunResult) -> None:
        """Write the reports."""
        if self.html is not None:
            from .html.result_page import write_html

            write_html(judgement, self.html)
        if self.earl is not None:
            from .earl import write_earl

            write_earl(judgement, self.earl)
        if self.junit is not None:
            from .renderers import write_junit

            write_junit(judgement, self.junit)
        if self.markdown is not None:
            from .renderers import write_markdown

            write_markdown(judgement, self.markdown)
