"""The drawing primitives of queries: a canvas in one style, written as an SVG file."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

RADIUS = 24
CHARACTER = 7.3  # the width of a monospaced character at 12 px
LINE = 17
MARGIN = 28
TITLE = 100  # characters of one line of a title
_CLEAR = 14  # between a state and what stands beside it
_PORT = 12  # between two arcs that leave a state on one side
_CORNER = 8
_INSET = 10  # between the edge of a box and its label
_APART, _BELOW = 28, 40  # between boxes beside one another, and between a box and its inputs
_STYLE = """
  text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24; }
  .title { font-size: 15px; font-weight: bold; }
  .quiet { fill: #57606a; }
  .condition { fill: #953800; }
  .gpm { font-weight: bold; fill: #0550ae; }
  .state { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.6; }
  .edge { fill: none; stroke: #1b1f24; stroke-width: 1.4; marker-end: url(#arrow); }
  .skip { fill: none; stroke: #6e7781; stroke-width: 1.2; stroke-dasharray: 5 4;
          marker-end: url(#quiet-arrow); }
"""


Lines: TypeAlias = Sequence[tuple[str, str]]
"""A label: its lines, each with its kind."""


def _width(label: Lines) -> float:
    return max((len(line) for line, _ in label), default=0) * CHARACTER


@dataclass
class Chain:
    """An automaton whose states stand in a row, by number.

    `forward` are the arcs to the next state, several beside one another; `loops` lead back to the
    state itself; `passing` go to any other one; `skips` let events go by, and may have a word.
    """

    names: Sequence[str]
    final: frozenset[int]
    forward: Mapping[int, Sequence[Lines]] = field(default_factory=dict)
    loops: Mapping[int, Lines] = field(default_factory=dict)
    passing: Sequence[tuple[int, int, Lines]] = ()
    skips: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Box:
    """An operator, or what it is applied to: a label, and the boxes whose results it takes.

    What is `beside` is no result that is taken, but may change what others are.
    """

    label: Lines
    inputs: Sequence[Box] = ()
    beside: bool = False

    @property
    def height(self) -> float:
        return LINE * len(self.label) + 2 * _INSET

    @property
    def width(self) -> float:
        """The room that it takes with all its inputs."""
        inputs = sum(box.width for box in self.inputs) + _APART * (len(self.inputs) - 1)
        return max(_width(self.label) + 2 * _INSET, inputs)

    @property
    def depth(self) -> float:
        """The lower extent of the drawing with all its inputs."""
        below = [box.depth + _BELOW for box in self.inputs]
        return self.height + max(below, default=0)


class Picture(str):
    """An SVG document."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def as_image(self) -> str:
        """Return an `img` element: styles in it do not reach the page around it, or the reverse."""
        data = b64encode(self.encode()).decode()
        return (
            '<img style="color-scheme: light; background: #fff; max-width: none"'
            f' src="data:image/svg+xml;base64,{data}">'
        )


class Canvas:
    """Collects the parts of a picture; `right` is how far its texts reach."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.right = 0.0

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}" '
            f'xml:space="preserve">{escape(words)}</text>'
        )
        width = len(words) * (CHARACTER if kind != "title" else CHARACTER * 1.3)
        reach = {"start": width, "middle": width / 2, "end": 0.0}[anchor]
        self.right = max(self.right, x + reach)

    def path(self, d: str, kind: str = "edge") -> None:
        self.parts.append(f'<path d="{d}" class="{kind}"/>')

    def title(self, words: str, under: str) -> float:
        """Draw the heading, on as many lines as needed, and a line under it; return its bottom."""
        y = 32.0
        for line in wrap(words, TITLE, break_on_hyphens=False) or [""]:
            self.text(MARGIN, y, line, "title")
            y += 22
        if under:
            self.text(MARGIN, y, under, "quiet")
            y += 22
        return y

    def chain(self, top: float, chain: Chain) -> float:
        """Draw an automaton below `top`; return its bottom."""
        return _Layout(self, chain, top).drawn()

    def boxes(self, left: float, top: float, box: Box) -> float:
        """Draw a box over its inputs, the arrows leading up; return the x of its middle."""
        bottom = top + box.height
        inputs = sum(each.width for each in box.inputs) + _APART * (len(box.inputs) - 1)
        at = left + (box.width - max(inputs, 0)) / 2
        middles = []
        for each in box.inputs:
            middles.append(self.boxes(at, bottom + _BELOW, each))
            at += each.width + _APART
        middle = (middles[0] + middles[-1]) / 2 if middles else left + box.width / 2
        wide = _width(box.label) + 2 * _INSET
        for number, (x, each) in enumerate(zip(middles, box.inputs, strict=True), start=1):
            end = middle + wide * (number / (len(middles) + 1) - 0.5)
            self.path(
                f"M{x:.1f},{bottom + _BELOW:.1f} L{end:.1f},{bottom + 2:.1f}",
                "skip" if each.beside else "edge",
            )
        self.parts.append(
            f'<rect x="{middle - wide / 2:.1f}" y="{top:.1f}" width="{wide:.1f}" '
            f'height="{box.height:.1f}" rx="6" class="state"/>'
        )
        for line, (words, kind) in enumerate(box.label, start=1):
            self.text(middle, top + _INSET + LINE * line - 5, words, kind, "middle")
        self.right = max(self.right, middle + wide / 2)
        return middle

    def state(self, x: float, y: float, name: str, *, final: bool, start: bool) -> None:
        """Draw a circle, double for a final state, with an arrow to the one that runs start in."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" class="state"/>')
        if final:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 5}" class="state"/>')
        self.text(x, y + 4, name, anchor="middle")
        if start:
            self.path(f"M{x - RADIUS - 28:.1f},{y:.1f} L{x - RADIUS - 2:.1f},{y:.1f}")

    def document(self, width: float, height: float, title: str) -> str:
        """Return the picture as the text of an SVG file."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label={quoteattr(title)}>\n'
            f"<style>{_STYLE}</style>\n"
            "<defs>"
            '<marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#1b1f24"/></marker>'
            '<marker id="quiet-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#6e7781"/></marker>'
            "</defs>\n"
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


class _Layout:
    """The positions of a chain's parts, so that no label is overlapped.

    Over a state its loop's label has a column of its own, between two columns those of the arcs
    between them. Arcs that pass by states run in lanes below the row, one a lane; they go down and
    up beside their states only, so that between two states there is room for their labels.
    """

    def __init__(self, canvas: Canvas, chain: Chain, top: float) -> None:
        self.canvas = canvas
        self.chain = chain
        states = range(len(chain.names))
        # The shortest arcs first: they run in the uppermost lanes.
        self.passing = sorted(chain.passing, key=lambda arc: (abs(arc[1] - arc[0]), arc[:2]))
        self.ports: dict[tuple[int, bool], list[int]] = {}  # (state, to its right): arcs
        for number, (source, target, _) in enumerate(self.passing):
            low, high = sorted((source, target))
            self.ports.setdefault((low, True), []).append(number)
            self.ports.setdefault((high, False), []).append(number)
        self.above = [self._half(_width(chain.loops.get(s, ()))) for s in states]
        self.below = [self._half(len(chain.skips.get(s, "")) * CHARACTER) for s in states]
        self.place = self._places()
        self.row = top + RADIUS + self._height_above()

    @staticmethod
    def _half(width: float) -> float:
        return max(RADIUS, width / 2) + _CLEAR

    def _places(self) -> list[float]:
        gaps = [
            self.above[s] + self.above[s + 1] + self._room_above(s)
            for s in range(len(self.above) - 1)
        ]
        self.gap_of = []  # of each passing arc, the gap in which its label stands
        for source, target, _ in self.passing:
            low, high = sorted((source, target))
            self.gap_of.append(max(range(low, high), key=gaps.__getitem__))
        for s, gap in enumerate(gaps):
            labels = [
                _width(self.passing[n][2]) for n, at in enumerate(self.gap_of) if at == s
            ]
            left, right = self._reach(s, right=True), self._reach(s + 1, right=False)
            gaps[s] = max(gap, left + right + max(labels, default=0) + 2 * _CLEAR)
        place = [MARGIN + max(RADIUS + 30, self.above[0], self.below[0])]
        for gap in gaps:
            place.append(place[-1] + gap)
        return place

    def _room_above(self, state: int) -> float:
        arcs = self.chain.forward.get(state, ())
        return max([_width(arc) + 2 * _CORNER * len(arcs) + 10 for arc in arcs], default=20)

    def _reach(self, state: int, *, right: bool) -> float:
        """Return the extent to one side of the labels and loops below a state."""
        return self.below[state] + _PORT * len(self.ports.get((state, right), ()))

    def _height_above(self) -> float:
        arcs = [
            sum(LINE * len(arc) + 14 for arc in arcs) for arcs in self.chain.forward.values()
        ]
        loops = [LINE * len(label) + 56 for label in self.chain.loops.values()]
        return max([*arcs, *loops, 30.0])

    # --- drawing ---

    def drawn(self) -> float:
        for state, arcs in self.chain.forward.items():
            self._forward(state, arcs)
        for state, label in self.chain.loops.items():
            self._loop(state, label)
        for state, word in self.chain.skips.items():
            self._skip(state, word)
        under = 72 if any(self.chain.skips.values()) else 44 if self.chain.skips else 20
        bottom = self.row + RADIUS + under
        for number, (_, _, label) in enumerate(self.passing):
            bottom += LINE * len(label) + 16
            self._pass(number, bottom)
        for state, name in enumerate(self.chain.names):
            x = self.place[state]
            final = state in self.chain.final
            self.canvas.state(x, self.row, name, final=final, start=state == 0)
            self.canvas.right = max(self.canvas.right, x + RADIUS)
        return bottom

    def _label(self, x: float, bottom: float, label: Lines) -> None:
        """Centred over x, its last line's base at `bottom`."""
        for line, (words, kind) in enumerate(label):
            y = bottom - LINE * (len(label) - 1 - line)
            self.canvas.text(x, y, words, kind, "middle")

    def _forward(self, state: int, arcs: Sequence[Lines]) -> None:
        begin, end = self.place[state], self.place[state + 1]
        left, right = begin + self.above[state], end - self.above[state + 1]
        peak = self.row
        for number, label in enumerate(arcs):
            if number == 0:
                self.canvas.path(
                    f"M{begin + RADIUS:.1f},{self.row:.1f} L{end - RADIUS - 2:.1f},{self.row:.1f}"
                )
            else:
                inset = _CORNER * (len(arcs) - 1 - number)
                angle = math.radians(15 + 55 * number / len(arcs))
                across, up = RADIUS * math.cos(angle), RADIUS * math.sin(angle)
                self._bracket(
                    (begin + across, self.row - up), left + inset, peak, right - inset,
                    (end - across, self.row - up),
                )
            self._label((left + right) / 2, peak - 7, label)
            peak -= LINE * len(label) + 14

    def _pass(self, number: int, lane: float) -> None:
        source, target, label = self.passing[number]
        (x, begin), (y, end) = (
            self._port(number, state, right=state == min(source, target))
            for state in (source, target)
        )
        self._bracket(x, begin, lane, end, y)
        gap = self.gap_of[number]
        left = self.place[gap] + self._reach(gap, right=True)
        right = self.place[gap + 1] - self._reach(gap + 1, right=False)
        self._label((left + right) / 2, lane - 7, label)

    def _port(self, number: int, state: int, *, right: bool) -> tuple[tuple[float, float], float]:
        """Return the point where an arc meets its state, and the x at which it goes down."""
        arcs = self.ports[state, right]
        at = arcs.index(number)
        side = 1 if right else -1
        # The farther out, the higher it leaves: arcs of one side do not cross.
        angle = math.radians(65 - 45 * at / max(len(arcs) - 1, 1))
        touched = (
            self.place[state] + side * (RADIUS + 1) * math.cos(angle),
            self.row + (RADIUS + 1) * math.sin(angle),
        )
        return touched, self.place[state] + side * (self.below[state] + _PORT * at)

    def _bracket(
        self, start: tuple[float, float], first: float, level: float, last: float,
        end: tuple[float, float],
    ) -> None:
        """Draw a line sideways to `first`, up or down to `level`, across to `last`, and back."""
        out = math.copysign(_CORNER, first - start[0])
        back = math.copysign(_CORNER, end[0] - last)
        along = math.copysign(_CORNER, last - first)
        (x, y), (u, v) = start, end
        rise, fall = math.copysign(_CORNER, level - y), math.copysign(_CORNER, level - v)
        self.canvas.path(
            f"M{x:.1f},{y:.1f} L{first - out:.1f},{y:.1f} Q{first:.1f},{y:.1f} "
            f"{first:.1f},{y + rise:.1f} L{first:.1f},{level - rise:.1f} Q{first:.1f},{level:.1f} "
            f"{first + along:.1f},{level:.1f} L{last - along:.1f},{level:.1f} Q{last:.1f},"
            f"{level:.1f} {last:.1f},{level - fall:.1f} L{last:.1f},{v + fall:.1f} Q{last:.1f},"
            f"{v:.1f} {last + back:.1f},{v:.1f} L{u:.1f},{v:.1f}"
        )

    def _loop(self, state: int, label: Lines) -> None:
        x, top = self.place[state], self.row - RADIUS
        self.canvas.path(
            f"M{x - 10:.1f},{top + 2:.1f} C{x - 34:.1f},{top - 48:.1f} {x + 34:.1f},"
            f"{top - 48:.1f} {x + 10:.1f},{top + 1:.1f}"
        )
        self._label(x, top - 42, label)

    def _skip(self, state: int, word: str) -> None:
        x, bottom = self.place[state], self.row + RADIUS
        self.canvas.path(
            f"M{x + 10:.1f},{bottom - 2:.1f} C{x + 32:.1f},{bottom + 46:.1f} {x - 32:.1f},"
            f"{bottom + 46:.1f} {x - 10:.1f},{bottom - 1:.1f}",
            "skip",
        )
        if word:
            self.canvas.text(x, bottom + 52, word, "quiet", "middle")
