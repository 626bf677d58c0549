"""The automaton of a query as a picture (SVG), after SPAseq Figures 3 to 10.

States stand in a row. Above the line between two states stands what the edge waits for, as
(streams, operator, pattern), with the deferred conditions that are decided there; a loop above a
state is a further iteration of a Kleene plus, a dashed loop below it skips events; a dashed arc
below passes by a negated or optional GPM. Under the row stand the GPM expressions themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....engine.rdf.data.dictionary import Dictionary
from ....engine.spaseq.atoms import LeafMode
from ....engine.spaseq.automaton import Automaton, Edge
from ....engine.spaseq.compile import compile_query
from ....semantics.model.pretty_printing import text_of
from ....semantics.model.trees import find
from ....semantics.rdf.syntax.printing import to_text
from ....semantics.rdf.syntax.tree import (
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from ....semantics.spaseq.syntax import tree as syntax
from ....semantics.spaseq.syntax.readings import Readings
from ..drawing import LINE, MARGIN, Canvas, Chain, Lines


def picture(query: syntax.SpaseqQuery, readings: Readings | None = None) -> str:
    """Return the automaton that the engine runs for this query, as the text of an SVG file."""
    applied = (readings or Readings()).applied_to(query)
    automaton = compile_query(query, applied, {}, Dictionary())
    return _Picture(automaton).svg()


class _Picture(Canvas):
    def __init__(self, automaton: Automaton) -> None:
        super().__init__()
        self.automaton = automaton
        self.query = automaton.query

    # --- words -----------------------------------------------------------------------------------

    def arc_labels(self, edge: Edge) -> list[Lines]:
        """Return one arc an operand of & or |, as in the paper's figures; else one for the atom."""
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
        labels: list[list[tuple[str, str]]] = []
        for operand in operands:
            streams = ", ".join(sorted(self.streams_of(operand)))
            operator = " ".join(part for part in (symbol, mark) if part) or "∅"
            text = f"({{{streams}}}, {operator}, {text_of(operand)}{plus})"
            conditions = [
                f"if {self.abbreviated(to_text(self.automaton.deferred[n].expression))}"
                for n in sorted(edge.atom.conditions)
                if self.automaton.deferred[n].owner in self.names_of(operand)
            ]
            labels.append([(text, ""), *((each, "condition") for each in conditions)])
        if edge.passed:
            passed = ", ".join(self.automaton.leaves[n].name for n in edge.passed)
            labels[-1].append((f"no {passed} in between", "condition"))
        return list(labels)

    def names_of(self, tree: syntax.Operand) -> list[str]:
        return [reference.name for reference in find(tree, syntax.Reference)]

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
        text = f"within {text_of(self.query.within).lower()}"
        if self.query.slide is not None:
            text += f", sliding by {text_of(self.query.slide).lower()}"
        readings = self.automaton.readings
        chosen = [f"window={readings.window}"]
        if any(state.kleene for state in self.automaton.states):
            chosen.append(f"kleene={readings.kleene}")
        if any(leaf.mode is not LeafMode.MATCH for leaf in self.automaton.leaves):
            chosen.append(f"negation={readings.negation}")
        if readings.ties != "error":
            chosen.append(f"ties={readings.ties}")
        return f"{text}   ({', '.join(chosen)})"

    # --- the picture -----------------------------------------------------------------------------

    def svg(self) -> str:
        words = f"SEQ({text_of(self.query.sequence)})"
        top = self.title(words, self.window_text())
        chain = self.automaton_as_chain()
        below = self.chain(top, chain)
        skipping = any(
            not edge.initial and edge.operator is not syntax.Operator.STRICT and not edge.loop
            for edge in self.automaton.edges
        )
        height = self.legend(below + 30, skipping)
        return self.document(self.right + MARGIN, height, f"NFAscep automaton of {words}")

    def automaton_as_chain(self) -> Chain:
        forward: dict[int, list[Lines]] = {}
        loops: dict[int, list[tuple[str, str]]] = {}
        passing: list[tuple[int, int, Lines]] = []
        for edge in self.automaton.edges:
            labels = self.arc_labels(edge)
            if edge.loop:
                loops.setdefault(edge.source, []).extend(chain_of_lines(labels))
            elif edge.target == edge.source + 1:
                forward.setdefault(edge.source, []).extend(labels)
            else:
                passing.append((edge.source, edge.target, chain_of_lines(labels)))
        states = [state.number for state in self.automaton.states]
        final = frozenset(self.automaton.answers)
        names = ["xf" if number in final else f"x{number}" for number in states]
        skips = {number: word for number in states if (word := self.skip_word(number))}
        return Chain(names, final, forward, loops, passing, skips)

    def skip_word(self, state: int) -> str:
        """Return the label of the items skipped in a state, by operator; empty if none."""
        operators = sorted(
            {
                str(edge.operator)
                for edge in self.automaton.states[state].outgoing
                if not edge.initial and edge.operator is not syntax.Operator.STRICT
            }
        )
        streams = ", ".join(sorted(clause.name for clause in self.query.streams))
        return f"({{{streams}}}, {' '.join(operators)}, ∅)" if operators else ""

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


def chain_of_lines(labels: Sequence[Lines]) -> list[tuple[str, str]]:
    """Return labels, one below the other."""
    return [line for label in labels for line in label]


def _lines(group: GroupGraphPattern) -> list[str]:
    """Return a GPM's body, one triple pattern or filter a line."""
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
