"""Timelines as SVG, for reports, explanations and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from .timeline import Chart, Lane, Mark, Role

STYLE = """
.timeline { display: block; font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --t-ink: #1c2024; --t-soft: #5f6b76; --t-line: #d0d7de; --t-match: #0b5fa5; --t-on: #fff;
  --t-fail: #c0322b; --t-frame: #8250df; }
@media (prefers-color-scheme: dark) { .timeline { --t-ink: #e4e8ec; --t-soft: #9aa5b0;
  --t-line: #39424c; --t-match: #58a6ff; --t-on: #0d1117; --t-fail: #ff7b72; --t-frame: #bc8cff; } }
.timeline text { fill: var(--t-ink); } .timeline .soft { fill: var(--t-soft); }
.timeline line { stroke: var(--t-line); }
.timeline .mark rect { fill: none; stroke: var(--t-line); stroke-width: 1.2; }
.timeline .unused text { fill: var(--t-soft); }
.timeline .skipped rect { stroke: var(--t-soft); stroke-dasharray: 3 3; }
.timeline .skipped text { fill: var(--t-soft); }
.timeline .matched rect { fill: var(--t-match); stroke: var(--t-match); }
.timeline .matched text { fill: var(--t-on); font-weight: 600; }
.timeline .filtered rect { stroke: var(--t-fail); stroke-dasharray: 3 3; }
.timeline .filtered text { fill: var(--t-soft); }
.timeline .rejected rect { stroke: var(--t-fail); stroke-width: 2; }
.timeline .rejected text { fill: var(--t-fail); }
.timeline .frame line { stroke: var(--t-frame); stroke-width: 1.5; }
.timeline .frame text { fill: var(--t-frame); }
"""

_CHARACTER = 7.3  # the width of a letter in the fonts above at 12 px
_ROW, _BOX, _GAP = 30, 22, 10
_FRAME = 26
_MAX_LABEL = 22
_LEGEND = (
    (Role.MATCHED, "matched"), (Role.SKIPPED, "skipped"), (Role.REJECTED, "rejected"),
    (Role.FILTERED, "rejected by a FILTER"), (Role.UNUSED, "not used"),
)


def svg_text(timeline: Chart, title: str, *, alone: bool = False) -> str:
    """Return the timeline as SVG: a file if `alone`, else a part of a page with `STYLE`."""
    return "\n".join(_Drawing(timeline).lines(title, alone=alone))


class _Drawing:
    """The layout of a timeline."""

    def __init__(self, timeline: Chart) -> None:
        self.timeline = timeline
        shown = [timeline.shown(time) for time in timeline.instants]
        self.day, self.shown = _without_day(shown)
        labels = [lane.name for lane in timeline.lanes] + ["time", self.day]
        self.left = 16 + _CHARACTER * max(map(len, map(_clip, labels)))
        texts = [_text(mark) for lane in timeline.lanes for mark in lane.marks]
        widest = max(map(len, [*self.shown, *texts, "0"]))
        self.step = max(52.0, 20 + _CHARACTER * widest)
        self.width = self.left + self.step * max(1, len(timeline.instants))

    def lines(self, title: str, *, alone: bool) -> Iterator[str]:
        body: list[str] = []
        y = 8.0
        for frame in self.timeline.frames:
            body += self.frame(frame.name, frame.start, frame.end, y)
            y += _FRAME
        for lane in self.timeline.lanes:
            rows = _stack(lane)
            body += self.lane(lane, rows, y)
            y += _ROW * max(1, len(rows)) + _GAP
        body += self.axis(y)
        y += 34
        body += self.legend(y)
        y += 20
        namespace = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
        yield (
            f'<svg{namespace} class="timeline" role="img" width="{self.width:.0f}" height="{y:.0f}"'
            f' viewBox="0 0 {self.width:.0f} {y:.0f}">'
        )
        yield f"<title>{escape(title)}</title>"
        if alone:
            yield f"<style>{STYLE}</style>"
        yield from body
        yield "</svg>"

    def x(self, column: int) -> float:
        """Return the left edge of a column."""
        return self.left + self.step * column

    def frame(self, name: str, start: int, end: int, y: float) -> Iterator[str]:
        """Yield a window as a bracket above its columns."""
        inside = self.timeline.columns(start, end)
        if not len(inside):
            text = f"{name} (empty)"
            self.reserve(self.left, text)
            yield f'<g class="frame">{_label(self.left, y + 11, text)}</g>'
            return
        left, right = self.x(inside[0]) + 2, self.x(inside[-1] + 1) - 2
        self.reserve(left, name)
        yield f'<g class="frame">{_label(left, y + 11, name)}'
        yield _line(left, y + 16, right, y + 16)
        # The bracket of a window that starts before the first column has no left end.
        if start >= self.timeline.instants[0] or not self.timeline.omitted[0]:
            yield _line(left, y + 16, left, y + 22)
        yield _line(right, y + 16, right, y + 22) + "</g>"

    def reserve(self, left: float, text: str) -> None:
        """Widen the drawing to the width of a text."""
        self.width = max(self.width, left + 8 + _CHARACTER * len(text))

    def lane(self, lane: Lane, rows: Sequence[Sequence[Mark]], y: float) -> Iterator[str]:
        """Yield a stream with its items."""
        middle = y + _ROW / 2
        yield f'<text x="4" y="{middle + 4:.0f}">{escape(_clip(lane.name))}</text>'
        yield _line(self.left, middle, self.width, middle)
        for number, row in enumerate(rows):
            for mark in row:
                yield from self.mark(mark, y + number * _ROW)

    def mark(self, mark: Mark, y: float) -> Iterator[str]:
        """Yield an item as a box from its start to its end."""
        first, last = self.timeline.column(mark.start), self.timeline.column(mark.end)
        left, width = self.x(first) + 3, self.step * (last - first + 1) - 6
        top = y + (_ROW - _BOX) / 2
        content = f"{mark.name} {mark.content}".strip()
        if mark.rejected_by and mark.role is not Role.MATCHED:
            content += f" (rejected by {mark.rejected_by})"
        yield f'<g class="mark {mark.role}"><title>{escape(content)}</title>'
        if mark.role is not Role.MATCHED:  # keep the line of the lane off the text
            yield f'<rect style="fill:var(--ground,Canvas);stroke:none" {_box(left, top, width)}/>'
        yield f"<rect {_box(left, top, width)}/>"
        yield (
            f'<text x="{left + width / 2:.1f}" y="{top + 15:.1f}" text-anchor="middle">'
            f"{escape(_text(mark))}</text></g>"
        )

    def axis(self, y: float) -> Iterator[str]:
        """Yield the instants."""
        before, after = self.timeline.omitted
        yield f'<text class="soft" x="4" y="{y + 12:.0f}">{escape(self.day or "time")}</text>'
        for column, text in enumerate(self.shown):
            middle = self.x(column) + self.step / 2
            yield (
                f'<text class="soft" x="{middle:.1f}" y="{y + 12:.0f}" text-anchor="middle">'
                f"{escape(text)}</text>"
            )
        if before or after:
            text = f"{before} earlier and {after} later instants not shown"
            self.reserve(self.left, text)
            yield f'<text class="soft" x="{self.left:.0f}" y="{y + 27:.0f}">{text}</text>'

    def legend(self, y: float) -> Iterator[str]:
        """Yield a legend of the marks that occur."""
        roles = {mark.role for lane in self.timeline.lanes for mark in lane.marks}
        left = 4.0
        for role, text in _LEGEND:
            if role in roles:
                yield (
                    f'<g class="mark {role}"><rect {_box(left, y, 18, 12)}/></g>'
                    f'<text class="soft" x="{left + 24:.0f}" y="{y + 11:.0f}">{text}</text>'
                )
                left += 40 + _CHARACTER * len(text)
        self.width = max(self.width, left)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float = _BOX) -> str:
    return f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="4"'


def _text(mark: Mark) -> str:
    return _clip(f"{mark.number} {mark.name}" if mark.number else mark.name)


def _clip(text: str) -> str:
    return text if len(text) <= _MAX_LABEL else text[: _MAX_LABEL - 1] + "…"


def _stack(lane: Lane) -> list[list[Mark]]:
    """Return the items in rows without overlap."""
    rows: list[list[Mark]] = []
    for mark in sorted(lane.marks, key=lambda each: (each.start, each.end)):
        for row in rows:
            if row[-1].end < mark.start:
                row.append(mark)
                break
        else:
            rows.append([mark])
    return rows


def _without_day(shown: Sequence[str]) -> tuple[str, list[str]]:
    """Return the common day of all dateTimes, and their times of day."""
    days = {text.partition("T")[0] for text in shown}
    if len(days) == 1 and all("T" in text for text in shown):
        return days.pop(), [text.partition("T")[2] for text in shown]
    return "", list(shown)
