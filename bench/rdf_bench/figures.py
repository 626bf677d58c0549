"""Figures: how they are measured, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import NamedTuple


class Figure(NamedTuple):
    """Something measured: so much of a unit, and how often that is what the baseline does."""

    section: str
    what: str
    value: float
    unit: str
    baseline: float | None = None
    """the same unit, measured in the same run by the way named in `beside`"""
    beside: str = ""
    goal: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.baseline if self.baseline else None

    @property
    def cells(self) -> tuple[str, str, str, str, str, str]:
        ratio = "" if self.ratio is None else f"{self.ratio:.3g}"
        beside = "" if self.baseline is None else f"{_number(self.baseline)} ({self.beside})"
        value = f"{_number(self.value)} {self.unit}"
        return self.section, self.what, value, beside, ratio, self.goal


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def rate(work: Callable[[], object], amount: int, runs: int) -> float:
    """So much a second of processor time: the median of several runs, after one that is not
    counted, in which kernels are compiled."""
    work()
    return amount / median(_seconds(work) for _ in range(runs))


def rates(ways: dict[str, Callable[[], object]], amount: int, runs: int) -> dict[str, float]:
    """As `rate` for several ways that take turns, so that ratios are of the same minutes."""
    for work in ways.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, work in ways.items():
            seconds[name].append(_seconds(work))
    return {name: amount / median(taken) for name, taken in seconds.items()}


def _seconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def page(figures: list[Figure]) -> str:
    """The section of a page of the documentation."""
    lines = [
        "## Speed over columns",
        "",
        "Processor time, one core, medians; a ratio compares what ran in the same minutes.",
        "`python bench/rdf.py --page docs/rdf-speed.md` measures this and writes this section.",
        "",
        "| | what | measured | beside | ratio | goal |",
        "|---|---|--:|--:|--:|---|",
    ]
    lines += ["| " + " | ".join(figure.cells) + " |" for figure in figures]
    return "\n".join([*lines, ""])
