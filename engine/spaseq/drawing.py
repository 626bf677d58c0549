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
from ..drawing import CHARACTER, LINE, MARGIN, RADIUS, Canvas
from ..rdf.dictionary import Dictionary
from .atoms import LeafMode
from .automaton import START, Automaton, Edge
from .compile import compile_query


@dataclass(frozen=True, slots=True)
class _Label:
    """Lines over an arc: what is waited for, then the conditions decided there."""

    text: str
    conditions: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        return max(len(line) for line in (self.text, *self.conditions)) * CHARACTER

    @property
    def height(self) -> int:
        return LINE * (1 + len(self.conditions))


def draw(
    query: syntax.SpaseqQuery,
    readings: Readings | None = None,
    kb: Mapping[URIRef, Graph] | None = None,
) -> str:
    """The automaton that the engine runs for this query, as the text of an SVG file."""
    applied = (readings or Readings()).applied_to(query)
    automaton = compile_query(query, applied, kb or {}, Dictionary())
    return _Picture(automaton).svg()


class _Picture(Canvas):
    def __init__(self, automaton: Automaton) -> None:
        super().__init__()
        self.automaton = automaton
        self.query = automaton.query
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
        place = {START: MARGIN + RADIUS + 30.0}
        gaps = {e.source: max(label.width for label in self.arcs[e.number]) for e in forward}
        loops = {
            e.source: max(label.width for label in self.arcs[e.number])
            for e in self.automaton.edges
            if e.loop
        }
        for state in self.automaton.states[1:]:
            before = state.number - 1
            beside_loops = (loops.get(before, 0) + loops.get(state.number, 0)) / 2 + 20
            gap = gaps.get(before, 0) + max(2 * RADIUS + 46, beside_loops)
            place[state.number] = place[before] + gap
        return place

    def label(self, x: float, bottom: float, label: _Label) -> None:
        """Centred over x, its last line's base at `bottom`."""
        top = bottom - label.height + LINE
        self.text(x, top, label.text, anchor="middle")
        for i, condition in enumerate(label.conditions, 1):
            self.text(x, top + i * LINE, condition, "condition", "middle")

    # --- the picture -----------------------------------------------------------------------------

    def svg(self) -> str:
        self.text(MARGIN, 32, f"SEQ({sequence_to_text(self.query.sequence)})", "title")
        self.text(MARGIN, 54, self.window_text(), "quiet")
        below: float = self.row + RADIUS + 20
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
        width = max(self.right, max(self.place.values()) + RADIUS) + MARGIN
        title = f"NFAscep automaton of SEQ({sequence_to_text(self.query.sequence)})"
        return self.document(width, height, title)

    def draw_state(self, number: int) -> None:
        final = number in self.automaton.answers
        name = "xf" if final else f"x{number}"
        self.state(self.place[number], self.row, name, final=final, start=number == START)

    def draw_forward(self, edge: Edge) -> None:
        begin = self.place[edge.source] + RADIUS
        end = self.place[edge.target] - RADIUS - 2
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
        x, top = self.place[edge.source], self.row - RADIUS
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
            return self.row + RADIUS + 20
        x, bottom = self.place[state], self.row + RADIUS
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
        depth = self.row + RADIUS + 58 + 34 * span
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
            self.text(MARGIN, y, f"{clause.name} = <{clause.iri}>", "quiet")
            y += LINE
        y += 8
        for definition in self.query.definitions:
            self.text(MARGIN, y, f"{definition.name} on {definition.stream}", "gpm")
            y += LINE
            for line in _lines(definition.pattern):
                self.text(MARGIN + 18, y, self.abbreviated(line))
                y += LINE
            y += 6
        if self.automaton.deferred:
            self.text(
                MARGIN, y, "if …: a condition on earlier events too, decided at its edge", "quiet"
            )
            y += LINE
        if skipping:
            self.text(
                MARGIN,
                y,
                "dashed: events that are let go by; ';' until the first that joins, ':' always",
                "quiet",
            )
            y += LINE
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
