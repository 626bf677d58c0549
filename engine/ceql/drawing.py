"""The complex event automaton of a query as a picture (SVG), after CORE Figure 3.

States stand in a row. Over the line between two states stands what a transition asks of an event,
then • for one that marks it and ∘ for one that does not; a loop over a state is a transition that
marks and stays, a dashed loop below it skips events. Transitions that pass by states or lead back
run below the row.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...semantics.ceql.printing import formula_to_text, predicate_to_text, within_to_text
from ...semantics.ceql.readings import Readings
from ...semantics.ceql.syntax import CeqlQuery, Consumption, Name, Strategy
from ..drawing import CHARACTER, LINE, MARGIN, RADIUS, Canvas
from .conditions import ALWAYS, AllOf, AnyOf, Holds, OfType, Opposite, Test
from .vcea import Transition, Vcea, compile_formula

_LONGEST = 60  # characters of a line over an arc


def draw(query: CeqlQuery, readings: Readings | None = None) -> str:
    """The automaton of this query, before it is made deterministic, as the text of an SVG file.

    Under the valuation semantics (`output=valuation`) transitions name the variables that they put
    the event into.
    """
    return _Picture(query, (readings or Readings()).applied_to(query)).svg()


def _conjuncts(test: Test) -> list[str]:
    """What a test asks, one condition a line."""
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
            return predicate_to_text(predicate)
        case Opposite(inner):
            return f"NOT ({_text(inner)})"
        case AllOf(tests):
            return " AND ".join(sorted(map(_text, tests))) or "TRUE"
        case AnyOf(tests):
            return "(" + " OR ".join(sorted(map(_text, tests))) + ")"


def _name(test: OfType) -> Name:
    return Name(test.name, test.stream)


def _shortened(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


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
        self.row = self._height_above() + 92.0
        self.place = self._places()

    def _order(self) -> list[int]:
        """The states by their distance from the start; states that end runs last among equals."""
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
        return [*map(_shortened, _conjuncts(transition.test)), f"| {mark}"]

    # --- geometry ---

    def _height_above(self) -> float:
        forward = [_height(arc) for (s, t), arc in self.arcs.items() if t == s + 1]
        loops = [_height(arc) + 46 for (s, t), arc in self.arcs.items() if s == t]
        return max([*forward, *loops, 0.0])

    def _places(self) -> list[float]:
        place = [MARGIN + RADIUS + 30.0]
        loops = {s: _width(arc) for (s, t), arc in self.arcs.items() if s == t}
        for state in range(1, len(self.order)):
            between = self.arcs.get((state - 1, state), [])
            beside = (loops.get(state - 1, 0) + loops.get(state, 0)) / 2
            gap = max(_width(between) + 2 * RADIUS + 40, beside + 24, 2 * RADIUS + 70)
            if _height(between) > 40:  # as high as the labels of loops begin
                widest = max(loops.get(state - 1, 0), loops.get(state, 0))
                gap = max(gap, _width(between) + widest + 24)
            place.append(place[-1] + gap)
        return place

    # --- the picture ---

    def svg(self) -> str:
        words = formula_to_text(self.query.projected)
        self.text(MARGIN, 32, words if len(words) <= 110 else words[:109] + "…", "title")
        self.text(MARGIN, 54, self._clauses(), "quiet")
        below = self.row + RADIUS + (64 if self.skips else 30)
        self.later: list[tuple[float, float, Sequence[Sequence[str]]]] = []
        for (source, target), arc in sorted(self.arcs.items()):
            if target == source + 1:
                self._forward(source, arc)
            elif target == source:
                self._loop(source, arc)
            else:
                below = self._passing(source, target, arc, below)
        for state in self.skips:
            self._skip(state)
        for x, bottom, labels in self.later:
            self._labels(x, bottom, labels)
        for number, state in enumerate(self.order):
            final, start = state in self.vcea.final, number == 0
            self.state(self.place[number], self.row, f"q{number}", final=final, start=start)
        below += 30
        legend = ["• the event is in the data, ∘ it is not"]
        if self.skips:
            legend.append("dashed: TRUE | ∘, events that are let go by")
        for line in legend:
            self.text(MARGIN, below, line, "quiet")
            below += LINE
        width = max(self.right, self.place[-1] + RADIUS) + MARGIN
        return self.document(width, below + 10, f"Complex event automaton of {words}")

    def _clauses(self) -> str:
        query = self.query
        parts = []
        if query.strategy is not Strategy.ALL:
            parts.append(f"SELECT {query.strategy}")
        if query.partition:
            lists = ", ".join("[" + ", ".join(names) + "]" for names in query.partition)
            parts.append(f"PARTITION BY {lists}")
        if query.within is not None:
            parts.append(f"WITHIN {within_to_text(query.within)}")
        if query.consume is not Consumption.NONE:
            parts.append(f"CONSUME BY {query.consume}")
        if query.limit is not None:
            parts.append(f"LIMIT {query.limit}")
        return "   ".join(parts)

    def _labels(self, x: float, bottom: float, arc: Sequence[Sequence[str]]) -> None:
        """The labels of an arc, one over the other, the last line's base at `bottom`."""
        y = bottom - _height(arc) + LINE
        for label in arc:
            for line in label[:-1]:
                self.text(x, y, line, anchor="middle")
                y += LINE
            self.text(x, y, label[-1], "condition", "middle")
            y += LINE + 6

    def _forward(self, source: int, arc: Sequence[Sequence[str]]) -> None:
        begin, end = self.place[source] + RADIUS, self.place[source + 1] - RADIUS - 2
        self.path(f"M{begin:.1f},{self.row} L{end:.1f},{self.row}")
        self._labels((begin + end) / 2, self.row - 8, arc)

    def _loop(self, state: int, arc: Sequence[Sequence[str]]) -> None:
        x, top = self.place[state], self.row - RADIUS
        self.path(
            f"M{x - 10:.1f},{top + 2} C{x - 34:.1f},{top - 44} {x + 34:.1f},{top - 44} "
            f"{x + 10:.1f},{top + 1}"
        )
        self._labels(x, top - 40, arc)

    def _skip(self, state: int) -> None:
        x, bottom = self.place[state], self.row + RADIUS
        self.path(
            f"M{x + 10:.1f},{bottom - 2} C{x + 32:.1f},{bottom + 46} {x - 32:.1f},{bottom + 46} "
            f"{x - 10:.1f},{bottom - 1}",
            "skip",
        )

    def _passing(
        self, source: int, target: int, arc: Sequence[Sequence[str]], below: float
    ) -> float:
        """An arc below the row, its labels under it; returns the labels' bottom."""
        begin, end = self.place[source], self.place[target]
        lean = 14 if begin < end else -14
        # A cubic curve reaches three quarters of the way to its control points.
        depth = self.row + 20 + (below - self.row - 20) / 0.75
        self.path(
            f"M{begin + lean:.1f},{self.row + 20} C{begin + 3 * lean:.1f},{depth:.1f} "
            f"{end - 3 * lean:.1f},{depth:.1f} {end - lean:.1f},{self.row + 22}"
        )
        bottom = below + 6 + _height(arc)
        self.later.append(((begin + end) / 2, bottom, arc))  # over the arcs that cross it
        return bottom + 12


def _width(arc: Sequence[Sequence[str]]) -> float:
    return max((len(line) for label in arc for line in label), default=0) * CHARACTER


def _height(arc: Sequence[Sequence[str]]) -> float:
    return sum(LINE * len(label) + 6 for label in arc) - 6 if arc else 0.0
