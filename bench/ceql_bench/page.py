"""The figures as text, as a page of the documentation and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import NamedTuple
from xml.sax.saxutils import escape


class QueryFigures(NamedTuple):
    """Events a second, by the clock and by processor time, medians; and in the fastest run."""

    update: float
    update_processor: float
    update_fastest: float
    strings: float
    strings_processor: float
    longer: float  # on the generated stream
    longer_processor: float
    matches: int
    output: float | None  # complex events a second
    output_processor: float | None
    naive: float  # events a second, on as many events as it came to
    ratio: float  # how much faster ours was on these, output included
    naive_finished: bool


@dataclass(frozen=True)
class Figures:
    machine: str
    load: tuple[float, float]
    events: int
    generated: int  # events of the longer stream
    real: bool
    runs: int
    queries: dict[str, QueryFigures]
    windows: dict[int, tuple[float, float, float]]
    batches: dict[int, tuple[float, float, float]]
    csv: tuple[float, float]
    memory: list[tuple[int, float]]


def _millions(rate: float | None) -> str:
    if rate is None:
        return ""
    return f"{rate / 1e6:.1f}" if rate >= 1e5 else f"{rate / 1e6:.4f}"


def shown(name: str, figures: QueryFigures) -> str:
    """One line for the terminal."""
    return (
        f"{name:6} update {_millions(figures.update):>6} (processor"
        f" {_millions(figures.update_processor):>6}), from strings"
        f" {_millions(figures.strings):>6} M events/s; {figures.matches:>12,} found,"
        f" {_millions(figures.output):>6} M a second; naive {_millions(figures.naive):>7},"
        f" {figures.ratio:,.0f} times slower"
    )


def page(figures: Figures, picture_path: str) -> str:
    stream = "The stock stream of CORE's paper" if figures.real else "A generated stock stream"
    lines = [
        "# CEQL performance",
        "",
        f"{stream}, {figures.events:,} events, and the queries of the paper's appendices D and G:",
        "millions of events a second. *Update* takes every event in and notices every event that",
        "completes something, without enumerating; from Arrow columns with dictionary-encoded",
        "strings, from plain strings, and on a longer stream of generated events"
        f" ({figures.generated:,}).",
        "Each run makes a new engine: compiling the query is part of it. *Output* is millions of",
        "complex events a second written into Arrow lists.",
        "",
        "The naive engine keeps one run for each partial match; it is compiled, with the same",
        "automaton and precomputed symbols. The ratio compares both, with output, on the events",
        "that it processes within a time limit (\\* all of them), with the same results.",
        "",
        f"![Events a second by query, ours and the naive engine's]({picture_path})",
        "",
        "| query | update | by processor time | fastest run | from strings | longer"
        " | complex events | output | naive | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, row in figures.queries.items():
        mark = "\\*" if row.naive_finished else ""
        lines.append(
            f"| {name} | {_millions(row.update)} | {_millions(row.update_processor)} |"
            f" {_millions(row.update_fastest)} |"
            f" {_millions(row.strings)} | {_millions(row.longer)} | {row.matches:,} |"
            f" {_millions(row.output)} |"
            f" {_millions(row.naive)}{mark} | {row.ratio:,.0f} |"
        )
    lines += ["", "**Windows.** S3' on the longer stream, `WITHIN n EVENTS`:", ""]
    lines += ["| n | update | by processor time | fastest run |", "|--:|--:|--:|--:|"]
    for window, rates in figures.windows.items():
        lines.append(f"| {window:,} | {' | '.join(map(_millions, rates))} |")
    matches = figures.queries["S3"].matches / figures.events
    lines += ["", "**Micro-batches.** S3, nanoseconds an event; with output, an event makes", ""]
    lines[-1:] = [f"{matches:.1f} complex events on average:", ""]
    lines += ["| events in a batch | update | by processor time | with output |"]
    lines += ["|--:|--:|--:|--:|"]
    for size, (wall, processor, output) in figures.batches.items():
        lines.append(f"| {size:,} | {wall:,.0f} | {processor:,.0f} | {output:,.0f} |")
    lines += [
        "",
        f"**From CSV**, reading included: S3 takes {_millions(figures.csv[0])} million events a"
        f" second, {_millions(figures.csv[1])} a second of processor time.",
        "",
    ]
    if figures.memory:
        first, last = figures.memory[0], figures.memory[-1]
        lines += [
            f"**Memory.** The whole process, S3 with output, generated events in batches of"
            f" 100,000: {first[1]:.0f} MiB after {first[0]:,}, {last[1]:.0f} MiB after"
            f" {last[0]:,}.",
            "",
        ]
    lines += [
        f"Measured on: {figures.machine}. Medians of {figures.runs} runs, each with a new engine",
        "that has nothing determinised yet. Other programs ran beside them: the load average was",
        f"{figures.load[0]:.1f} at the beginning and {figures.load[1]:.1f} after; processor times",
        "suffer less from that.",
        "",
        "`python bench/ceql.py --stocks stock_data.csv --page docs/ceql-speed.md` measures this"
        " and writes this page.",
        "",
    ]
    return "\n".join(lines)


_SERIES = (
    ("update", "#0550ae", lambda row: row.update),
    ("from strings", "#6e7781", lambda row: row.strings),
    ("naive", "#cf222e", lambda row: row.naive),
)


def picture(figures: Figures) -> str:
    """A dot for each query and series, on a logarithmic scale."""
    left, top, width, row_height = 90, 64, 620, 22
    low, high = 2.5, 8.5
    height = top + row_height * len(figures.queries) + 50
    bottom = height - 44
    parts = []

    def x(rate: float) -> float:
        return left + width * (min(max(log10(max(rate, 1)), low), high) - low) / (high - low)

    def text(at: float, y: float, words: str, anchor: str = "start", kind: str = "") -> None:
        parts.append(
            f'<text x="{at:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">'
            f"{escape(words)}</text>"
        )

    text(left, 26, "Events a second", kind="title")
    for number, (name, colour, _) in enumerate(_SERIES):
        at = left + 170 + 130 * number
        parts.append(f'<circle cx="{at}" cy="22" r="5" fill="{colour}"/>')
        text(at + 10, 26, name)
    for power, words in enumerate(("1 k", "10 k", "100 k", "1 M", "10 M", "100 M"), 3):
        parts.append(
            f'<line x1="{x(10**power):.1f}" x2="{x(10**power):.1f}" y1="{top - 14}" y2="{bottom}"'
            ' stroke="#d0d7de"/>'
        )
        text(x(10**power), bottom + 18, words, "middle", "quiet")
    for number, (name, row) in enumerate(figures.queries.items()):
        y = top + row_height * number
        text(left - 12, y + 4, name, "end")
        for _, colour, value in _SERIES:
            parts.append(f'<circle cx="{x(value(row)):.1f}" cy="{y}" r="5" fill="{colour}"/>')
    total = left + width + 30
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{height}" '
        f'viewBox="0 0 {total} {height}" role="img" aria-label="Events a second by query">\n'
        "<style>text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24; }"
        " .title { font-weight: bold; font-size: 14px; } .quiet { fill: #57606a; }</style>\n"
        f'<rect width="{total}" height="{height}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
