"""The automaton of a query as a picture (SVG), after SPAseq Figures 3 to 10.

States stand in a row. Above the line between two states stands what the edge waits for, as
(streams, operator, pattern), with the deferred conditions that are decided there; a loop above a
state is a further iteration of a Kleene plus, a dashed loop below it skips events; a dashed arc
below passes by a negated or optional GPM. Under the row stand the GPM expressions themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from rdflib.term import URIRef

from ...semantics.rdf.printing import to_text
from ...semantics.rdf.syntax import (
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from ...semantics.rdf.terms import Graph
from ...semantics.spaseq import syntax
from ...semantics.spaseq.printing import atom_to_text, extent_to_text, sequence_to_text
from ...semantics.spaseq.readings import Readings
from ..rdf.dictionary import Dictionary
from .atoms import LeafMode
from .automaton import START, Automaton, Edge
from .compile import compile_query

_RADIUS = 24
_CHARACTER = 7.3  # the width of a monospaced character at 12 px
_LINE = 17
_MARGIN = 28
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


@dataclass(frozen=True, slots=True)
class _Label:
    """Lines over an arc: what is waited for, then the conditions decided there."""

    text: str
    conditions: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        return max(len(line) for line in (self.text, *self.conditions)) * _CHARACTER

    @property
    def height(self) -> int:
        return _LINE * (1 + len(self.conditions))


def draw(
    query: syntax.SpaseqQuery,
    readings: Readings | None = None,
    kb: Mapping[URIRef, Graph] | None = None,
) -> str:
    """The automaton that the engine runs for this query, as the text of an SVG file."""
    applied = (readings or Readings()).applied_to(query)
    automaton = compile_query(query, applied, kb or {}, Dictionary())
    return _Picture(automaton).svg()


class _Picture:
    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.query = automaton.query
        self.parts: list[str] = []
        self.right = 0.0
        forward = [e for e in automaton.edges if not e.loop and e.target == e.source + 1]
        self.arcs = {e.number: self.arc_labels(e) for e in automaton.edges}
        above = max(
            (sum(label.height + 8 for label in self.arcs[e.number]) for e in forward), default=0
        )
        loops = max(
            (label.height for e in automaton.edges if e.loop for label in self.arcs[e.number]),
            default=-40,
        )
        self.row = 92 + max(above, loops + 74)
        self.place = self.places(forward)

    # --- words -----------------------------------------------------------------------------------

    def arc_labels(self, edge: Edge) -> list[_Label]:
        """One arc an operand of & or |, as in the paper's figures; else one for the atom."""
        tree: syntax.Atom = edge.tree
        symbol = "" if edge.initial else f"'{edge.operator}'"
        plus = ""
        if isinstance(tree, syntax.KleenePlus):
            plus, tree = "+", tree.operand
        if isinstance(tree, syntax.Conjunction | syntax.Disjunction):
            mark = "&" if isinstance(tree, syntax.Conjunction) else "|"
            operands: Sequence[syntax.Operand] = tree.operands
        else:
            mark, operands = "", (tree,)
        labels = []
        for operand in operands:
            streams = ", ".join(sorted(self.streams_of(operand)))
            operator = " ".join(part for part in (symbol, mark) if part) or "∅"
            text = f"({{{streams}}}, {operator}, {atom_to_text(operand)}{plus})"
            conditions = [
                f"if {self.abbreviated(to_text(self.automaton.deferred[n].expression))}"
                for n in sorted(edge.atom.conditions)
                if self.automaton.deferred[n].owner in self.names_of(operand)
            ]
            labels.append(_Label(text, tuple(conditions)))
        if edge.passed:
            passed = ", ".join(self.automaton.leaves[n].name for n in edge.passed)
            last = labels[-1]
            labels[-1] = _Label(last.text, (*last.conditions, f"no {passed} in between"))
        return labels

    def names_of(self, tree: syntax.Operand) -> list[str]:
        match tree:
            case syntax.Reference(name):
                return [name]
            case syntax.Negation(operand) | syntax.OptionalEvent(operand):
                return [operand.name]
            case syntax.Conjunction(operands) | syntax.Disjunction(operands):
                return [name for operand in operands for name in self.names_of(operand)]

    def streams_of(self, tree: syntax.Operand) -> set[str]:
        return {self.query.definition(name).stream for name in self.names_of(tree)}

    def abbreviated(self, text: str) -> str:
        """IRIs by the query's own prefixes."""

        def short(found: re.Match[str]) -> str:
            for prefix, namespace in self.query.prologue.prefixes:
                local = found[1].removeprefix(namespace)
                if namespace and local != found[1] and re.fullmatch(r"[\w-]+", local):
                    return f"{prefix}:{local}"
            return found[0]

        return re.sub(r"<([^<>\s\"]*)>", short, text)

    def window_text(self) -> str:
        text = f"within {extent_to_text(self.query.within).lower()}"
        if self.query.slide is not None:
            text += f", sliding by {extent_to_text(self.query.slide).lower()}"
        readings = self.automaton.readings
        chosen = [f"window={readings.window}"]
        if any(state.kleene for state in self.automaton.states):
            chosen.append(f"kleene={readings.kleene}")
        if any(leaf.mode is not LeafMode.MATCH for leaf in self.automaton.leaves):
            chosen.append(f"negation={readings.negation}")
        if readings.ties != "error":
            chosen.append(f"ties={readings.ties}")
        return f"{text}   ({', '.join(chosen)})"

    # --- geometry --------------------------------------------------------------------------------

    def places(self, forward: list[Edge]) -> dict[int, float]:
        place = {START: _MARGIN + _RADIUS + 30.0}
        gaps = {e.source: max(label.width for label in self.arcs[e.number]) for e in forward}
        loops = {
            e.source: max(label.width for label in self.arcs[e.number])
            for e in self.automaton.edges
            if e.loop
        }
        for state in self.automaton.states[1:]:
            before = state.number - 1
            beside_loops = (loops.get(before, 0) + loops.get(state.number, 0)) / 2 + 20
            gap = gaps.get(before, 0) + max(2 * _RADIUS + 46, beside_loops)
            place[state.number] = place[before] + gap
        return place

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}" '
            f'xml:space="preserve">{escape(words)}</text>'
        )
        width = len(words) * (_CHARACTER if kind != "title" else _CHARACTER * 1.3)
        reach = {"start": width, "middle": width / 2, "end": 0.0}[anchor]
        self.right = max(self.right, x + reach)

    def path(self, d: str, kind: str = "edge") -> None:
        self.parts.append(f'<path d="{d}" class="{kind}"/>')

    def label(self, x: float, bottom: float, label: _Label) -> None:
        """Centred over x, its last line's base at `bottom`."""
        top = bottom - label.height + _LINE
        self.text(x, top, label.text, anchor="middle")
        for i, condition in enumerate(label.conditions, 1):
            self.text(x, top + i * _LINE, condition, "condition", "middle")

    # --- the picture -----------------------------------------------------------------------------

    def svg(self) -> str:
        self.text(_MARGIN, 32, f"SEQ({sequence_to_text(self.query.sequence)})", "title")
        self.text(_MARGIN, 54, self.window_text(), "quiet")
        below: float = self.row + _RADIUS + 20
        skipping = False
        for edge in self.automaton.edges:
            if edge.loop:
                self.draw_loop(edge)
            elif edge.target == edge.source + 1:
                self.draw_forward(edge)
            else:
                below = max(below, self.draw_passing(edge))
            if not edge.initial and edge.operator is not syntax.Operator.STRICT and not edge.loop:
                skipping = True
        for state in self.automaton.states:
            self.draw_state(state.number)
            below = max(below, self.draw_skip(state.number))
        height = self.legend(below + 26, skipping)
        width = max(self.right, max(self.place.values()) + _RADIUS) + _MARGIN
        title = quoteattr(f"NFAscep automaton of SEQ({sequence_to_text(self.query.sequence)})")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label={title}>\n'
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

    def draw_state(self, number: int) -> None:
        x, y = self.place[number], self.row
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="{_RADIUS}" class="state"/>')
        final = number in self.automaton.answers
        if final:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="{_RADIUS - 5}" class="state"/>')
        self.text(x, y + 4, "xf" if final else f"x{number}", anchor="middle")
        if number == START:
            self.path(f"M{x - _RADIUS - 28:.1f},{y} L{x - _RADIUS - 2:.1f},{y}")

    def draw_forward(self, edge: Edge) -> None:
        begin = self.place[edge.source] + _RADIUS
        end = self.place[edge.target] - _RADIUS - 2
        middle = (begin + end) / 2
        lift = 0.0
        for i, label in enumerate(self.arcs[edge.number]):
            if i == 0:
                self.path(f"M{begin:.1f},{self.row} L{end:.1f},{self.row}")
                self.label(middle, self.row - 8, label)
            else:
                peak = self.row - lift - 2
                bend = 22
                self.path(
                    f"M{begin - 6:.1f},{self.row - 13} C{begin + bend:.1f},{peak:.1f} "
                    f"{begin + bend:.1f},{peak:.1f} {begin + 2.2 * bend:.1f},{peak:.1f} "
                    f"L{end - 2.2 * bend:.1f},{peak:.1f} C{end - bend:.1f},{peak:.1f} "
                    f"{end - bend:.1f},{peak:.1f} {end + 6:.1f},{self.row - 15}"
                )
                self.label(middle, peak - 6, label)
            lift += label.height + 10

    def draw_loop(self, edge: Edge) -> None:
        x, top = self.place[edge.source], self.row - _RADIUS
        self.path(
            f"M{x - 10:.1f},{top + 2} C{x - 34:.1f},{top - 48} {x + 34:.1f},{top - 48} "
            f"{x + 10:.1f},{top + 1}"
        )
        for label in self.arcs[edge.number]:
            self.label(x, top - 46, label)
            top -= label.height

    def draw_skip(self, state: int) -> float:
        """The dashed loop of a state in which some edge lets events go by; returns its bottom."""
        operators = sorted(
            {
                str(edge.operator)
                for edge in self.automaton.states[state].outgoing
                if not edge.initial and edge.operator is not syntax.Operator.STRICT
            }
        )
        if not operators:
            return self.row + _RADIUS + 20
        x, bottom = self.place[state], self.row + _RADIUS
        self.path(
            f"M{x + 10:.1f},{bottom - 2} C{x + 32:.1f},{bottom + 46} {x - 32:.1f},{bottom + 46} "
            f"{x - 10:.1f},{bottom - 1}",
            "skip",
        )
        streams = ", ".join(sorted(clause.name for clause in self.query.streams))
        words = f"({{{streams}}}, {' '.join(operators)}, ∅)"
        self.text(x, bottom + 56, words, "quiet", "middle")
        return bottom + 60

    def draw_passing(self, edge: Edge) -> float:
        begin, end = self.place[edge.source], self.place[edge.target]
        span = edge.target - edge.source
        depth = self.row + _RADIUS + 58 + 34 * span
        self.path(
            f"M{begin + 14:.1f},{self.row + 20} C{begin + 60:.1f},{depth + 24} "
            f"{end - 60:.1f},{depth + 24} {end - 14:.1f},{self.row + 22}"
        )
        # A cubic curve reaches three quarters of the way to its control points.
        bottom = self.row + 20 + 0.75 * (depth + 4 - self.row) + 6
        for label in self.arcs[edge.number]:
            bottom += label.height
            self.label((begin + end) / 2, bottom, label)
        return bottom

    def legend(self, y: float, skipping: bool) -> float:
        for clause in self.query.streams:
            self.text(_MARGIN, y, f"{clause.name} = <{clause.iri}>", "quiet")
            y += _LINE
        y += 8
        for definition in self.query.definitions:
            self.text(_MARGIN, y, f"{definition.name} on {definition.stream}", "gpm")
            y += _LINE
            for line in _lines(definition.pattern):
                self.text(_MARGIN + 18, y, self.abbreviated(line))
                y += _LINE
            y += 6
        if self.automaton.deferred:
            self.text(
                _MARGIN, y, "if …: a condition on earlier events too, decided at its edge", "quiet"
            )
            y += _LINE
        if skipping:
            self.text(
                _MARGIN,
                y,
                "dashed: events that are let go by; ';' until the first that joins, ':' always",
                "quiet",
            )
            y += _LINE
        return y + 10


def _lines(group: GroupGraphPattern) -> list[str]:
    """A GPM's body, one triple pattern or filter a line."""
    lines: list[str] = []
    for element in group.elements:
        match element:
            case TriplesBlock(triples):
                lines += [f"{to_text(triple)} ." for triple in triples]
            case OptionalPattern(inner):
                lines += _block("OPTIONAL", inner)
            case MinusPattern(inner):
                lines += _block("MINUS", inner)
            case NamedGraphPattern(name, inner):
                lines += _block(f"GRAPH {to_text(name)}", inner)
            case UnionPattern((first, *others)):
                lines += _block("", first)
                for other in others:
                    lines += _block("UNION", other)
            case _:
                lines += to_text(element).splitlines()
    return lines


def _block(head: str, group: GroupGraphPattern) -> list[str]:
    return [f"{head} {{".lstrip(), *(f"  {line}" for line in _lines(group)), "}"]
