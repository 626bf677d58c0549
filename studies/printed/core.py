"""CORE's appendix A.1 and Algorithms 1 and 2, as they are printed: engines to be checked.

    denota fuzz --language ceql --engine python:denota.studies.printed.core:AsPrinted

`Corrected` has another φ+, `Algorithm1` its automaton and the algorithms, `Algorithm1Corrected`
also another insert. They take the queries that the paper's Section 3 compiles: over one stream,
without PARTITION BY and selection strategies, and without CORE's later language.

`AppendixH` has NEXT, LAST and MAX, too: the algorithm is the same, the determinisation another one.
The paper prints none and refers to Grez et al. (TODS 2021), so this one is made by its description:
a state also holds the states of the runs that have a better output. `AppendixHCorrected` compares
all runs. STRICT does not occur in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar, TypeAlias

from ...oracle.cases.case import Task
from ...oracle.checking.levels import Level
from ...semantics.ceql.denotation import timed, within
from ...semantics.ceql.predicates import satisfies
from ...semantics.ceql.syntax.readings import Readings
from ...semantics.ceql.syntax.results import ComplexEvent
from ...semantics.ceql.syntax.tree import (
    AndCondition,
    As,
    CeqlQuery,
    Consumption,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    OrCondition,
    Predicate,
    Projection,
    Sequence,
    Strategy,
    VariableCondition,
    WindowUnit,
)
from ...semantics.ceql.valuations import (
    Stream,
    Valuations,
    complex_event,
    valuation,
    with_bindings,
)
from ...semantics.model.errors import UnsupportedError
from ...semantics.model.tuples import EventTuple, merged

Test: TypeAlias = EventType | Predicate
"""P_R = {t | t(type) = R}, or a P of the formula."""

Transition: TypeAlias = tuple[int, frozenset[Test], frozenset[str], int]
"""(p, P, L, q), P being the intersection of its tests: TRUE where there are none."""

Labels: TypeAlias = frozenset[tuple[str, int]]
"""(X, k) for k ∈ V(X)."""

_WAIT: tuple[frozenset[Test], frozenset[str]] = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Automaton:
    """A VCEA (Q, Δ, I, F)."""

    states: frozenset[int]
    delta: frozenset[Transition]
    initial: frozenset[int]
    final: frozenset[int]

    def valuations(self, s: Stream) -> Valuations:
        """⌈𝒜⌋(S): V_ρ of its accepting runs ρ, from any position of S."""
        found: set[tuple[int, int, Labels]] = set()
        runs: set[tuple[int, int, Labels]] = set()  # i, the state, the labels of its positions
        for j, t in s:
            runs |= {(j, p, frozenset()) for p in self.initial}
            runs = {
                (i, q, mu | {(x, j) for x in labels})
                for i, now, mu in runs
                for p, tests, labels, q in self.delta
                if p == now and all(_passes(t, test) for test in tests)
            }
            found |= {(i, j, mu) for i, q, mu in runs if q in self.final}
        return frozenset(
            valuation(i, j, {x: frozenset(k for y, k in mu if y == x) for x, _ in mu})
            for i, j, mu in found
        )


def _passes(t: EventTuple, test: Test) -> bool:
    return t.type == test.name if isinstance(test, EventType) else satisfies(t, test)


# One case of the proof each.
def construct(phi: Formula, fresh: Iterator[int], *, corrected: bool = False) -> Automaton:
    """𝒜_φ, by induction on φ; `fresh` yields states.

    `corrected` differs in φ+ alone: the fresh state waits, too, and a match of φ that is a single
    transition leads from it to itself.
    """

    def of(psi: Formula) -> Automaton:
        return construct(psi, fresh, corrected=corrected)

    match phi:
        case EventType(_, None):
            q1, q2 = next(fresh), next(fresh)
            atom: Transition = (q1, frozenset({phi}), frozenset({phi.name}), q2)
            one, other = frozenset({q1}), frozenset({q2})
            return Automaton(one | other, frozenset({atom}), one, other)
        case As(formula, x):
            a = of(formula)
            delta = {(p, tests, ls | {x} if ls else ls, q) for p, tests, ls, q in a.delta}
        case Filter(formula, VariableCondition(x, predicate)):
            a, name = of(formula), str(x)
            delta = {
                (p, tests | {predicate} if name in ls else tests, ls, q)
                for p, tests, ls, q in a.delta
            }
        case Filter(formula, AndCondition(one, other)):
            return of(Filter(Filter(formula, one), other))
        case Filter(formula, OrCondition(one, other)):
            return of(Disjunction(Filter(formula, one), Filter(formula, other)))
        case Disjunction(left, right):
            a, b = of(left), of(right)
            return Automaton(
                a.states | b.states, a.delta | b.delta, a.initial | b.initial, a.final | b.final
            )
        case Sequence(left, right):
            a, b = of(left), of(right)
            links = {
                (p, tests, ls, q)
                for p, tests, ls, to in a.delta if to in a.final for q in b.initial
            }
            links |= {(p, *_WAIT, p) for p in b.initial}
            links |= a.delta | b.delta
            return Automaton(a.states | b.states, frozenset(links), a.initial, b.final)
        case Iteration(formula):
            a, q = of(formula), next(fresh)
            delta = {
                *a.delta,
                *((p, tests, ls, q) for p, tests, ls, to in a.delta if to in a.final),
                *((q, tests, ls, to) for p, tests, ls, to in a.delta if p in a.initial),
            }
            if corrected:
                delta |= {(q, *_WAIT, q)} | {
                    (q, tests, ls, q)
                    for p, tests, ls, to in a.delta if p in a.initial and to in a.final
                }
            return Automaton(a.states | {q}, frozenset(delta), a.initial, a.final)
        case Projection(formula, names):
            a, chosen = of(formula), {str(name) for name in names}
            delta = {(p, tests, ls & chosen, q) for p, tests, ls, q in a.delta}
        case _:
            raise UnsupportedError("a formula that the paper does not have")
    return Automaton(a.states, frozenset(delta), a.initial, a.final)


class AsPrinted:
    """The right-hand side of Theorem 2."""

    name = "CORE A.1"
    version = "as printed"
    languages = ("ceql",)
    level: Level = "positions"
    corrected = False
    valuations = True
    strategies: frozenset[Strategy] = frozenset({Strategy.ALL})
    capabilities: ClassVar[Mapping[str, Mapping[str, list[str]]]] = {"ceql": {
        "operators": [";", "+", "OR", "AS", "FILTER", "nested +", "OR in +"],
        "conditions": ["θ AND θ", "θ OR θ"],
        "strategies": [],
        "clauses": ["projection", "SELECT NONE"],
    }}

    def run(self, case: Task) -> Iterable[ComplexEvent]:
        """Of complex events where these are asked for."""
        query: CeqlQuery = case.tree
        streams = {str(name): stream for name, stream in case.streams.items()}
        names = query.streams or tuple(streams)
        if (
            len(names) > 1 or query.partition or query.strategy not in self.strategies
            or query.consume is not Consumption.NONE or query.limit is not None
        ):
            raise UnsupportedError("several streams, or a clause, that Section 3 leaves out")
        if query.strategy is not Strategy.ALL and case.readings.strategy != "before-within":
            raise UnsupportedError("a strategy after WITHIN")
        automaton = construct(query.projected, count(), corrected=self.corrected)
        s = timed(query, list(merged(streams, names)))
        matched = self.matches(automaton, query, s, case.readings)
        if case.readings.output == "complex-event":
            return frozenset(map(complex_event, matched))
        if not self.valuations:
            raise UnsupportedError("valuations, which a CEA forgets")
        return frozenset(map(with_bindings, matched))

    def matches(
        self, automaton: Automaton, query: CeqlQuery, s: Stream, readings: Readings
    ) -> Valuations:
        """{V ∈ ⌈𝒜_φ⌋(S) | V(end) − V(start) ≤ ε}"""
        return within(automaton.valuations(s), query.within, s, readings.within)


class Corrected(AsPrinted):
    """The same with the corrected φ+."""

    version = "φ+ corrected"
    corrected = True


# --- Section 4: Algorithms 1 and 2 ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tECS: a bottom node without children, an output node with one, a union with two.

    `max` is the latest start, `position` that of a bottom or output node.
    """

    max: int
    children: tuple[Node, ...] = ()
    position: int = -1

    @property
    def is_union(self) -> bool:
        """Return whether the node has a left and a right child."""
        return len(self.children) == 2


def _over(left: Node, right: Node) -> Node:
    assert left.max >= right.max, "a tECS is time-ordered"
    return Node(left.max, (left, right))


def union(n1: Node, n2: Node) -> Node:
    """Figure 5 (a) to (d): of safe nodes of one maximum."""
    if not n1.is_union:
        return _over(n1, n2)
    if not n2.is_union:
        return _over(n2, n1)
    (left1, right1), (left2, right2) = n1.children, n2.children
    rights = (right1, right2) if right1.max >= right2.max else (right2, right1)
    return _over(left1, _over(left2, _over(*rights)))


def insert(ul: list[Node], n: Node, *, corrected: bool = False) -> None:
    """insert(ul, n), in place; as printed an IndexError where no i > 0 has n between it and i + 1.

    `corrected`: i ≥ 0, and a node below all others comes last.
    """
    k = len(ul) - 1
    for i in range(1, k + 1):
        if ul[i].max == n.max:
            ul[i] = union(ul[i], n)
            return
    if n.max == ul[0].max:
        ul.insert(1, n)
        return
    for i in range(0 if corrected else 1, k):
        if ul[i].max > n.max > ul[i + 1].max:
            ul.insert(i + 1, n)
            return
    if not corrected:
        raise IndexError("insert has no place for the node")
    ul.append(n)


def merge(ul: list[Node]) -> Node:
    """merge(ul), Figure 5 (e)."""
    *others, node = ul
    for each in reversed(others):
        node = _over(each, node)
    return node


def enumerate_(n: Node, epsilon: float, j: int) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Algorithm 2: (i, j, D) for ([i, j], D) of ⟦n⟧^ε(j)."""
    tau = j - epsilon
    st: list[tuple[Node, frozenset[int]]] = []
    if n.max >= tau:
        st.append((n, frozenset()))
    while st:
        node, P = st.pop()
        while True:
            if not node.children:
                yield node.max, j, P
                break
            if not node.is_union:
                P |= {node.position}
            elif (right := node.children[1]).max >= tau:
                st.append((right, P))
            node = node.children[0]


States: TypeAlias = frozenset[int]

State: TypeAlias = tuple[States, States, States]
"""(R, S, T): states of the runs with one output, with a better one, with a worse one.

The last is empty but for LAST.
"""


def determinised(
    automaton: Automaton, strategy: Strategy, p: State, t: EventTuple
) -> tuple[State, State]:
    """Δ(p, t, •) and Δ(p, t, ∘): for ALL, the subset construction.

    Appendix H describes this and prints no equations. Those of NEXT, MAX and LAST state in sets
    what CORE's published implementation (its traversers) computes; no code of it is used.
    """
    none = frozenset[int]()
    (rm, ru), (sm, su), (tm, tu) = (_steps(automaton, each, t) for each in p)
    match strategy:
        case Strategy.NEXT:
            marked, unmarked = sm | su, rm | sm | su
        case Strategy.MAX:
            marked, unmarked = sm, rm | sm | su
        case Strategy.LAST:
            marked, unmarked = sm, rm | sm | tm | su
            return (
                (rm - marked, marked, (ru | su | tm | tu) - marked - rm),
                (ru - unmarked, unmarked, tu - unmarked - ru),
            )
        case _:
            marked = unmarked = none
    return (rm - marked, marked, none), (ru - unmarked, unmarked, none)


def _steps(automaton: Automaton, p: States, t: EventTuple) -> tuple[States, States]:
    steps = [
        (bool(labels), q) for now, tests, labels, q in automaton.delta
        if now in p and all(_passes(t, test) for test in tests)
    ]
    return (
        frozenset(q for is_marked, q in steps if is_marked),
        frozenset(q for is_marked, q in steps if not is_marked),
    )


class Algorithm1(AsPrinted):
    """Algorithm 1 with Algorithm 2, on the determinised automaton of the corrected A.1.

    Algorithm 2 measures windows in positions; others are those of the definitions.
    """

    name = "CORE Algorithm 1"
    corrected = True
    corrected_insert = False
    all_final = False
    valuations = False

    def matches(
        self, automaton: Automaton, query: CeqlQuery, s: Stream, readings: Readings
    ) -> Valuations:
        """Return the valuations of one variable that Output enumerates at each j."""
        window = query.within
        if window is None or window.unit is not WindowUnit.EVENTS:
            found = self.outputs(automaton, query.strategy, s, math.inf)
            return within(_valuations(found), window, s, readings.within)
        return _valuations(self.outputs(automaton, query.strategy, s, window.value))

    def outputs(
        self, automaton: Automaton, strategy: Strategy, s: Stream, epsilon: float
    ) -> Iterator[tuple[int, int, frozenset[int]]]:
        """Evaluation(𝒜, S, ε): ([i, j], D) as (i, j, D)."""
        table: dict[State, list[Node]] = {}
        for j, t in s:
            q0 = automaton.initial, frozenset[int](), frozenset[int]()
            now, table = [(q0, [Node(j)]), *table.items()], {}
            for p, ul in now:
                n = merge(ul)
                marked, unmarked = determinised(automaton, strategy, p, t)
                if marked[0]:
                    output = Node(n.max, (n,), j)
                    self._add(table, marked, output, [output])
                if unmarked[0]:
                    self._add(table, unmarked, n, ul)
            for (r, better, _), ul in table.items():
                if r & automaton.final and not (self.all_final and better & automaton.final):
                    yield from enumerate_(merge(ul), epsilon, j)

    def _add(self, table: dict[State, list[Node]], q: State, n: Node, ul: list[Node]) -> None:
        if q in table:
            insert(table[q], n, corrected=self.corrected_insert)
        else:
            table[q] = ul


def _valuations(found: Iterable[tuple[int, int, frozenset[int]]]) -> Valuations:
    return frozenset(valuation(i, j, {"": d}) for i, j, d in found)


class Algorithm1Corrected(Algorithm1):
    """The same with an insert that has a place for every node."""

    version = "insert corrected"
    corrected_insert = True


class AppendixH(Algorithm1Corrected):
    """The same with selection strategies in the determinisation.

    A run is compared with those that begin where it begins and are in one of its states.
    """

    name = "CORE appendix H"
    version = "as described"
    strategies = frozenset({Strategy.ALL, Strategy.NEXT, Strategy.LAST, Strategy.MAX})
    capabilities: ClassVar[Mapping[str, Mapping[str, list[str]]]] = {"ceql": {
        **AsPrinted.capabilities["ceql"],
        "strategies": ["SELECT NEXT", "SELECT LAST", "SELECT MAX"],
    }}


class AppendixHCorrected(AppendixH):
    """The same, comparing all runs: those in other final states, and those with other intervals.

    An automaton that waits before it begins has all data from the first position on. Of the
    matches, those with the data that it takes are taken.
    """

    version = "all runs compared"
    all_final = True

    def matches(
        self, automaton: Automaton, query: CeqlQuery, s: Stream, readings: Readings
    ) -> Valuations:
        """Return the matches that the strategy takes and that are within ε."""
        q = max(automaton.states) + 1
        delta = {
            *automaton.delta, (q, *_WAIT, q),
            *((q, tests, ls, to) for p, tests, ls, to in automaton.delta if p in automaton.initial),
        }
        waiting = replace(automaton, delta=frozenset(delta), initial=frozenset({q}))
        data = {
            (j, d) for i, j, d in self.outputs(waiting, query.strategy, s, math.inf) if i == 0
        }
        found = super().matches(automaton, replace(query, strategy=Strategy.ALL), s, readings)
        return frozenset(v for v in found if (v.end, v.data) in data)
