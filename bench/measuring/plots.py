"""Plots as SVG: lines over a common x, both axes with round numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple
from xml.sax.saxutils import escape

_COLOURS = ("#0550ae", "#cf222e", "#1a7f37", "#8250df", "#bf8700", "#57606a")
_DASHES = ("", "6 3", "2 3")
_LEFT, _TOP, _WIDTH, _HEIGHT, _ROW = 90, 48, 520, 320, 20


class Series(NamedTuple):
    """A line: its name, and its points from left to right. Names that begin alike, up to a comma,
    have one colour."""

    name: str
    points: Sequence[tuple[float, float]]


class _Axis:
    """A logarithmic scale from a power of ten to another, or between the values themselves."""

    def __init__(self, values: Sequence[float], *, whole: bool) -> None:
        self.low, self.high = log10(min(values)), log10(max(values))
        if whole:
            self.low, self.high = floor(self.low), max(ceil(self.high), floor(self.low) + 1)

    def __call__(self, value: float) -> float:
        """Where a value stands, from 0 to 1."""
        return (log10(value) - self.low) / ((self.high - self.low) or 1)


def plot(title: str, x: str, y: str, series: Sequence[Series]) -> str:
    """The picture: x and y grow by factors."""
    points = [point for each in series for point in each.points]
    across = _Axis([point[0] for point in points], whole=False)
    up = _Axis([point[1] for point in points], whole=True)
    parts: list[str] = []

    def at(point: tuple[float, float]) -> tuple[float, float]:
        return _LEFT + _WIDTH * across(point[0]), _TOP + _HEIGHT * (1 - up(point[1]))

    def text(where: tuple[float, float], words: str, anchor: str, kind: str = "quiet") -> None:
        parts.append(
            f'<text x="{where[0]:.1f}" y="{where[1]:.1f}" text-anchor="{anchor}" class="{kind}">'
            f"{escape(words)}</text>"
        )

    text((_LEFT - 60, 24), title, "start", "title")
    for power in range(floor(up.low), ceil(up.high) + 1):
        height = at((points[0][0], 10.0**power))[1]
        parts.append(
            f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{height:.1f}" y2="{height:.1f}"'
            ' stroke="#d0d7de"/>'
        )
        text((_LEFT - 10, height + 4), _short(10.0**power), "end")
    for value in sorted({point[0] for point in points}):
        text((at((value, points[0][1]))[0], _TOP + _HEIGHT + 20), _short(value), "middle")
    text((_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 42), f"{x}; upward: {y}", "middle")
    families = list(dict.fromkeys(each.name.split(",")[0] for each in series))
    members: dict[str, int] = {}
    for number, each in enumerate(series):
        family = each.name.split(",")[0]
        colour = _COLOURS[families.index(family) % len(_COLOURS)]
        member = members[family] = members.get(family, -1) + 1
        drawn = " ".join("{:.1f},{:.1f}".format(*at(point)) for point in each.points)
        style = f'fill="none" stroke="{colour}" stroke-width="2"'
        style += f' stroke-dasharray="{_DASHES[member % len(_DASHES)]}"' * bool(member)
        parts.append(f'<polyline points="{drawn}" {style}/>')
        for point in each.points:
            parts.append(
                '<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>'.format(*at(point), colour)
            )
        row, beside = _TOP + _ROW * number + 6, _LEFT + _WIDTH + 24
        parts.append(f'<polyline points="{beside},{row} {beside + 30},{row}" {style}/>')
        text((beside + 38, row + 4), each.name, "start", "")
    width = _LEFT + _WIDTH + 80 + 8 * max(len(each.name) for each in series)
    height = max(_TOP + _HEIGHT + 60, _TOP + _ROW * len(series) + 20)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">\n'
        "<style>text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24; }"
        " .title { font-weight: bold; font-size: 14px; } .quiet { fill: #57606a; }</style>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts)
        + "\n</svg>\n"
    )


def _short(value: float) -> str:
    """A round number: 10 k, 1 M, 0.1."""
    for size, name in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{name}"
    return f"{value:g}"
