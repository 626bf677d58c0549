"""What `python -m denota.examples` prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rdflib.term import BNode, Literal
from rich.console import Console

from ..semantics.model.items import TimeKind
from ..semantics.model.mappings import SolutionMapping, Value
from ..semantics.model.time import format_time
from ..semantics.spaseq.syntax.results import Pair
from .judging import Judgement
from .questions import Question

_HEADINGS = (
    "query", "readings", "events", "pairs", "solutions", "events/s", "oracle", "verdict"
)
_RIGHT_ALIGNED = (False, False, True, True, True, True, True, False)
_SHOWN_DIFFERENCES = 5


class Summary:
    """Inputs, one line a question, an example of a match each, and the verdict."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._judgements: list[Judgement] = []

    def input(self, name: str, path: Path | None, seed: int, content: str) -> None:
        """Says where a data set comes from."""
        origin = f"generated, seed {seed}" if path is None else str(path)
        self._console.print(f"{name:8} {content} ({origin})", markup=False)

    def saved(self, iri: str, path: Path) -> None:
        """Says where a stream or graph was written."""
        self._console.print(f"saved    <{iri}> as {path}", markup=False)

    @contextmanager
    def waiting(self, question: Question) -> Iterator[None]:
        """Shows on a terminal, and in no pipe, what is being worked on."""
        if not self._console.is_terminal:
            yield
            return
        with self._console.status(f"{question.title}: engine and oracle"):
            yield

    def add(self, judgement: Judgement) -> None:
        """Takes a judgement into the table."""
        self._judgements.append(judgement)

    def finish(self) -> int:
        """Prints the table; 0 if engine and oracle agree on everything, else 1."""
        wrong = [judgement for judgement in self._judgements if not judgement.report.ok]
        self._console.print()
        for line in self._table():
            self._console.print(line, markup=False)
        self._console.print()
        for judgement in self._judgements:
            if judgement.pairs:
                self._example(judgement)
        for judgement in wrong:
            self._differences(judgement)
        pairs = sum(len(judgement.pairs) for judgement in self._judgements)
        seconds = sum(j.engine_seconds + j.oracle_seconds for j in self._judgements)
        verdict = (
            f"engine and oracle disagree on {len(wrong)} of {len(self._judgements)} questions"
            if wrong
            else f"engine and oracle agree on all {len(self._judgements)} questions"
        )
        self._console.print(f"\n{verdict}: {pairs:,} pairs judged in {seconds:.0f} s")
        return 1 if wrong else 0

    def _table(self) -> Iterator[str]:
        rows = [_HEADINGS] + [_row(judgement) for judgement in self._judgements]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = zip(row, widths, _RIGHT_ALIGNED, strict=True)
            yield "  ".join(
                text.rjust(width) if right else text.ljust(width) for text, width, right in cells
            ).rstrip()

    def _example(self, judgement: Judgement) -> None:
        # The first pair, and of its mappings the first by its text: the same in every run.
        text = min(_text(judgement, mu) for mu in judgement.pairs[0].solutions)
        when = _when(judgement, judgement.pairs[0])
        self._console.print(f"{judgement.question.title}, first at {when}: {text}", markup=False)

    def _differences(self, judgement: Judgement) -> None:
        report = judgement.report
        self._console.print(f"\n{judgement.question.title} ({judgement.question.file}):")
        for label, pairs in (("missing", report.missing), ("unexpected", report.unexpected)):
            for pair in pairs[:_SHOWN_DIFFERENCES]:
                text = min(_text(judgement, mu) for mu in pair.solutions)
                self._console.print(f"  {label} at {_when(judgement, pair)}: {text}", markup=False)
            if len(pairs) > _SHOWN_DIFFERENCES:
                self._console.print(f"  and {len(pairs) - _SHOWN_DIFFERENCES:,} more {label}")


def _row(judgement: Judgement) -> tuple[str, ...]:
    readings = judgement.question.readings
    return (
        judgement.question.title,
        ", ".join(f"{name}={value}" for name, value in readings.items()) or "the defaults",
        f"{judgement.events:,}",
        f"{len(judgement.pairs):,}",
        f"{judgement.solutions:,}",
        f"{judgement.events / judgement.engine_seconds:,.0f}",
        f"{judgement.oracle_seconds:.1f} s",
        "agree" if judgement.report.ok else "DISAGREE",
    )


def _when(judgement: Judgement, pair: Pair) -> str:
    kinds = (item.kind for items in judgement.question.streams.values() for item in items)
    return format_time(pair.time, next(kinds, TimeKind.INTEGER))


def _text(judgement: Judgement, mu: SolutionMapping) -> str:
    selected = judgement.query.select or sorted(mu)
    return " ".join(f"{name}={_short(mu[name])}" for name in selected if name in mu)


def _short(value: Value) -> str:
    if isinstance(value, tuple):
        return f"({' '.join(map(_short, value))})"
    if isinstance(value, Literal | BNode):
        return str(value)
    return str(value).rpartition(":")[2]
