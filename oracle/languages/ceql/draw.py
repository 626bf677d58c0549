"""The complex event automaton of a query as a picture (SVG), after CORE Figure 3.

States stand in a row. Over the line between two states stands what a transition asks of an event,
then • for one that marks it and ∘ for one that does not; a loop over a state is a transition that
marks and stays, a dashed loop below it skips events. Transitions that pass by states or lead back
run below the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from ....engine.ceql.automaton.vcea import (
    ALWAYS,
    AllOf,
    AnyOf,
    Holds,
    OfType,
    Opposite,
    Test,
    Transition,
    Vcea,
    compile_formula,
)
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import CeqlQuery, Consumption, Name, Strategy
from ....semantics.model.pretty_printing import text_of
from ..drawing import LINE, MARGIN, Canvas, Chain, Lines

_LONGEST = 44  # characters of a line over an arc


def picture(query: CeqlQuery, readings: Readings | None = None) -> str:
    """Return the query's automaton before determinisation as the text of an SVG file.

    Under the valuation semantics (`output=valuation`) transitions name the variables that they put
    the event into.
    """
    return _Picture(query, (readings or Readings()).applied_to(query)).svg()


def _conjuncts(test: Test) -> list[str]:
    """Return the conditions of a test, one per line."""
    if test == ALWAYS:
        return ["TRUE"]
    if isinstance(test, AllOf):
        types = sorted(str(_name(each)) for each in test.tests if isinstance(each, OfType))
        others = sorted(_text(each) for each in test.tests if not isinstance(each, OfType))
        return [*types, *others]
    return [_text(test)]


def _text(test: Test) -> str:
    match test:
        case OfType():
            return str(_name(test))
        case Holds(predicate):
            return text_of(predicate)
        case Opposite(inner):
            return f"NOT ({_text(inner)})"
        case AllOf(tests):
            return " AND ".join(sorted(map(_text, tests))) or "TRUE"
        case AnyOf(tests):
            return "(" + " OR ".join(sorted(map(_text, tests))) + ")"


def _name(test: OfType) -> Name:
    return Name(test.name, test.stream)


class _Picture(Canvas):
    def __init__(self, query: CeqlQuery, readings: Readings) -> None:
        super().__init__()
        self.query = query
        self.readings = readings
        self.vcea: Vcea = compile_formula(query.projected)
        self.order = self._order()
        self.arcs: dict[tuple[int, int], list[list[str]]] = {}
        self.skips: set[int] = set()
        for t in self.vcea.transitions:
            source, target = self.order.index(t.source), self.order.index(t.target)
            if source == target and not t.labels and t.test == ALWAYS:
                self.skips.add(source)
                continue
            label = self._label(t)
            arc = self.arcs.setdefault((source, target), [])
            if label not in arc:
                arc.append(label)

    def _order(self) -> list[int]:
        """Return the states by distance from the start; final states last among equals."""
        following: dict[int, list[int]] = {}
        for t in self.vcea.transitions:
            following.setdefault(t.source, []).append(t.target)
        distance = {0: 0}
        ahead = [0]
        for state in ahead:
            for target in following.get(state, []):
                if target not in distance:
                    distance[target] = distance[state] + 1
                    ahead.append(target)
        states = range(self.vcea.states)
        return sorted(
            states, key=lambda q: (distance.get(q, 0), q in self.vcea.final, q)
        )

    def _label(self, transition: Transition) -> list[str]:
        mark = "•" if transition.labels else "∘"
        if transition.labels and self.readings.output == "valuation":
            mark = "{" + ", ".join(sorted(transition.labels)) + "}"
        lines = [line for each in _conjuncts(transition.test) for line in wrap(each, _LONGEST)]
        return [*lines, f"| {mark}"]

    # --- the picture ---

    def svg(self) -> str:
        words = text_of(self.query.projected)
        top = self.title(words, self._clauses())
        forward: dict[int, list[Lines]] = {}
        loops: dict[int, Lines] = {}
        passing: list[tuple[int, int, Lines]] = []
        for (source, target), arc in sorted(self.arcs.items()):
            if target == source + 1:
                forward[source] = [_lines(arc)]
            elif target == source:
                loops[source] = _lines(arc)
            else:
                passing.append((source, target, _lines(arc)))
        names = [f"q{number}" for number in range(len(self.order))]
        final = frozenset(n for n, state in enumerate(self.order) if state in self.vcea.final)
        skips = dict.fromkeys(self.skips, "")
        below = self.chain(top, Chain(names, final, forward, loops, passing, skips)) + 34
        legend = ["• the event is in the data, ∘ it is not"]
        if self.skips:
            legend.append("dashed: TRUE | ∘, events that are let go by")
        for line in legend:
            self.text(MARGIN, below, line, "quiet")
            below += LINE
        return self.document(
            self.right + MARGIN, below + 10, f"Complex event automaton of {words}"
        )

    def _clauses(self) -> str:
        query = self.query
        parts = []
        if query.strategy is not Strategy.ALL:
            parts.append(f"SELECT {query.strategy}")
        if query.partition:
            lists = ", ".join("[" + ", ".join(names) + "]" for names in query.partition)
            parts.append(f"PARTITION BY {lists}")
        if query.within is not None:
            parts.append(f"WITHIN {text_of(query.within)}")
        if query.consume is not Consumption.NONE:
            parts.append(f"CONSUME BY {query.consume}")
        if query.limit is not None:
            parts.append(f"LIMIT {query.limit}")
        return "   ".join(parts)


def _lines(arc: Sequence[Sequence[str]]) -> Lines:
    """Return the labels of an arc, one below the other."""
    return [
        (line, "condition" if line is label[-1] else "") for label in arc for line in label
    ]
