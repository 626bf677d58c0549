"""Missing, unexpected and duplicate results as aligned rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from rdflib.term import Variable

from ...semantics.model.errors import DenotaError
from ...semantics.model.mappings import SolutionMapping, Value
from ..cases.case import Case
from ..cases.rdf_text import shortened
from ..checking.comparison import Difference
from ..checking.levels import Answer, mappings
from ..checking.verdicts import Verdict
from ..results.json_objects import sort_key

MISSING, UNEXPECTED, DUPLICATE = "missing", "unexpected", "duplicate"

_MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class AnswersTable:
    """Rows under a header; the first column holds labels (`missing`, `unexpected`, …)."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0

    def lines(self) -> list[str]:
        """Return the table as text, its columns aligned."""
        widths = [max(map(_width, column)) for column in zip(self.header, *self.rows, strict=True)]
        lines = [_line(row, widths) for row in (self.header, *self.rows)]
        if self.left_out:
            lines.append(f"… and {self.left_out} more")
        return lines


def difference_table(
    case: Case, verdict: Verdict | Difference, *, most: int = _MOST_ROWS
) -> AnswersTable | None:
    """Return the missing, unexpected and duplicate results of a verdict; None without any."""
    return answers_table(
        case,
        [
            *((MISSING, answer) for answer in verdict.missing),
            *((UNEXPECTED, answer) for answer in verdict.unexpected),
            *((DUPLICATE, answer) for answer in verdict.duplicate),
        ],
        most=most,
    )


def answers_table(
    case: Case, labelled: Iterable[tuple[str, Answer]], *, most: int = _MOST_ROWS
) -> AnswersTable | None:
    """Return a case's answers under labels, which are the first column; None if there are none."""
    view = _View(case)
    answers = list(labelled)
    if not answers:
        return None
    answers.sort(key=lambda entry: (view.order(entry[1]), entry[0]))
    shown = answers[:most]
    fields = view.fields(answer for _, answer in shown)
    variables = view.variables(answer for _, answer in shown)
    rows: list[tuple[str, ...]] = []
    for side, answer in shown:
        first = [side, *(view.field(answer, name) for name in fields)]
        for row in view.solutions(answer, variables):
            rows.append((*first, *row))
            first = [""] * len(first)
    return AnswersTable(("", *fields, *map(str, variables)), tuple(rows), len(answers) - len(shown))


def deciding_definitions(case: Case) -> list[str]:
    """Return a case's definitions: those it cites, then those of its operators and windows."""
    try:
        own = list(case.language.cites(case.tree, case.readings))
    except DenotaError:
        own = []
    # What fuzzing saves cites just these.
    return own if set(case.cites.split("; ")) <= {"", *own} else [case.cites, *own]


class _View:
    """The display of a case's answers."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.open_fields: tuple[str, ...] = ()
        self.instants: frozenset[str] = frozenset({"time"})
        self.columns: tuple[Variable, ...] = ()
        self.prefixes: Mapping[str, str] = case.prefixes
        try:
            self.open_fields = self.case.language.open_fields
            self.prefixes = case.prefixes or self.case.language.prefixes(self.case.tree)
            self.instants = self.case.language.instants(self.case.tree)
            self.columns = self.case.language.columns(self.case.tree)
        except DenotaError:
            pass

    def order(self, answer: Answer) -> tuple[int, str, object]:
        """Return the sort key: by time, then by solution, so that similar rows are adjacent."""
        time = answer.time if isinstance(answer.time, int) else 0
        return time, str(answer.time), sorted(map(sort_key, mappings(answer)))

    def fields(self, answers: Iterable[Answer]) -> list[str]:
        """Return the columns before the variables: those that say something here."""
        told = set()
        for answer in answers:
            for name, value in zip(self.open_fields, answer.open, strict=False):
                if value not in (None, "none", 0):
                    told.add(name)
            if isinstance(answer.content, tuple):
                told.add("positions")
        return [*(n for n in self.open_fields if n in told and n == "window"), "time",
                *(("positions",) if "positions" in told else ()),
                *(n for n in self.open_fields if n in told and n != "window")]

    def field(self, answer: Answer, name: str) -> str:
        value = (
            answer.time if name == "time"
            else answer.content if name == "positions"
            else answer.open[self.open_fields.index(name)]
        )
        if name == "bindings" and isinstance(value, tuple):
            return " ".join(f"{x}={list(places)}" for x, places in value)
        if value is None or value == "none":
            return ""
        if isinstance(value, tuple):
            match value:
                case (at, (start, end)):  # what a stream operator reports
                    return f"[{start}, {end}] at {at}"
            bounds = value
            if name in self.instants:
                return f"[{', '.join(map(self._instant, bounds))}]"
            return f"[{', '.join(map(str, bounds))}]"
        return self._instant(value) if name in self.instants else str(value)

    def _instant(self, time: object) -> str:
        try:
            return self.case.shown_instant(time)
        except DenotaError:
            return str(time)

    def variables(self, answers: Iterable[Answer]) -> list[Variable]:
        bound = {v for answer in answers for mu in mappings(answer) for v in mu}
        first = [v for v in self.columns if v in bound]
        return first + sorted(bound.difference(first))

    def solutions(self, answer: Answer, variables: Sequence[Variable]) -> list[tuple[str, ...]]:
        rows = sorted(
            tuple(self._value(mu, v) for v in variables) for mu in mappings(answer)
        )
        return rows or [tuple("" for _ in variables)]

    def _value(self, mu: SolutionMapping, variable: Variable) -> str:
        return self._term(mu[variable]) if variable in mu else "-"

    def _term(self, value: Value) -> str:
        if isinstance(value, tuple):
            return f"({' '.join(map(self._term, value))})"
        return shortened(value, self.prefixes)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell + " " * (w - _width(cell)) for cell, w in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
