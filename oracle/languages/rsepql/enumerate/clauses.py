"""Clauses of written queries, each with a size, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...enumerated_graphs import EXAMPLE
from .content_streams import Contents, Triple


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a query, and how many operators it counts for."""

    text: str
    operators: int = 0


@dataclass(frozen=True, slots=True)
class About:
    """What the cases of a query have beside it: streams of which contents, background, ET."""

    contents: Contents
    streams: tuple[str, ...] = ("s",)
    evaluation: tuple[tuple[str, Any], ...] = ()
    kb: tuple[tuple[str, tuple[Triple, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenQuery:
    """A query, its size, and what its cases have beside it."""

    text: str
    operators: int
    about: About


@dataclass(frozen=True, slots=True)
class ReportClause:
    """A report policy, and how many operators it counts for."""

    said: tuple[tuple[str, Any], ...] = ()
    operators: int = 0

    @property
    def waits_for_the_end(self) -> bool:
        """Whether only windows report that close."""
        return ("policy", "window-close") in self.said


AS_WRITTEN = Clause("")
OUTPUTS = (AS_WRITTEN, Clause("REGISTER ISTREAM AS", 1), Clause("REGISTER DSTREAM AS", 1))
"""Stream operators; RSTREAM is not written."""

CONSUMPTION = (AS_WRITTEN, Clause("CONSUME CHRONOLOGICAL", 1), Clause("CONSUME RECENT", 1))

POLICIES = (
    ReportClause(),
    ReportClause((("policy", "window-close"),), 1),
    ReportClause((("policy", "non-empty-content"),), 1),
    ReportClause((("policy", "periodic"), ("period", 2), ("start", 1)), 1),
)


def combined(*choices: Sequence[Any]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """One of each, in every way, and how many operators they count for together."""
    for chosen in product(*choices):
        yield sum(each.operators for each in chosen), chosen


def query(
    windows: Sequence[str], where: str, *, select: str = "SELECT *", output: str = "",
    consumption: str = "", modifier: str = "",
) -> str:
    """The text of a query; `select` may have clauses for graphs after it."""
    parts = (f"PREFIX : <{EXAMPLE}>", output, select, *windows, f"WHERE {{ {where} }}",
             consumption, modifier)
    return " ".join(part for part in parts if part)


def closes(functions: str) -> bool:
    """Whether one of these window functions ever closes."""
    return any(word in functions for word in ("RANGE", "ELEMENTS", "BETWEEN"))


def beside(policy: ReportClause) -> Mapping[str, Any]:
    """What `About` says of ET."""
    return {"evaluation": policy.said}
