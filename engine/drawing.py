"""What the pictures of automata share: a canvas in one style, written as an SVG file."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

RADIUS = 24
CHARACTER = 7.3  # the width of a monospaced character at 12 px
LINE = 17
MARGIN = 28
_STYLE = """
  text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24;
         paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .title { font-size: 15px; font-weight: bold; }
  .quiet { fill: #57606a; }
  .condition { fill: #953800; }
  .gpm { font-weight: bold; fill: #0550ae; }
  .state { fill: #ffffff; stroke: #1b1f24; stroke-width: 1.6; }
  .edge { fill: none; stroke: #1b1f24; stroke-width: 1.4; marker-end: url(#arrow); }
  .skip { fill: none; stroke: #6e7781; stroke-width: 1.2; stroke-dasharray: 5 4;
          marker-end: url(#quiet-arrow); }
"""


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

    def state(self, x: float, y: float, name: str, *, final: bool, start: bool) -> None:
        """A circle, double for a final state, with an arrow to the one that runs start in."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="{RADIUS}" class="state"/>')
        if final:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="{RADIUS - 5}" class="state"/>')
        self.text(x, y + 4, name, anchor="middle")
        if start:
            self.path(f"M{x - RADIUS - 28:.1f},{y} L{x - RADIUS - 2:.1f},{y}")

    def document(self, width: float, height: float, title: str) -> str:
        """The picture as the text of an SVG file."""
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
