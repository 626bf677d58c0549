"""The plan of a SPAseq query for the kernels of `engine.rdf.sequence`.

These are sequences of GPM expressions and disjunctions of them, also negated and optional at an
event, or repeated by a Kleene plus that collects no values, with deferred conditions on up to two
variables. For everything else, and for a batch with an item on which a GPM has
several solutions, partial matches are objects; patterns are matched on the whole batch still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....semantics.model.terms import Literal, URIRef, Variable
from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import Comparison, Exists, Expression
from ....semantics.spaseq.syntax import tree as syntax
from ...rdf.conditions import compile_condition, conjuncts
from ...rdf.data.dictionary import Dictionary
from ...rdf.sequence.join_conditions import Question
from ...rdf.sequence.program import (
    ALWAYS,
    ANY,
    ASKED,
    DIFFERENT,
    EQUAL,
    LESS,
    LESS_EQUAL,
    NEXT,
    STRICT,
    WHERE_NONE,
    WHERE_ROW,
    EdgePlan,
    Place,
    Program,
    SourcePlan,
    StatePlan,
    Test,
    program,
)
from ...rdf.variables import expression_variables, is_volatile
from ..atoms import Disjoined, Leaf, LeafMode
from ..automaton import START, Automaton, Edge
from ..joins import Columns

_CONTIGUITY = {
    syntax.Operator.STRICT: STRICT, syntax.Operator.NEXT: NEXT, syntax.Operator.ANY: ANY,
}  # fmt: skip
_NOWHERE = (-1, -1, 0)
_MOST = 2
"""Variables that a condition may look at."""
_SYMBOLS = {
    "=": (EQUAL, False), "!=": (DIFFERENT, False), "<": (LESS, False), "<=": (LESS_EQUAL, False),
    ">": (LESS, True), ">=": (LESS_EQUAL, True),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Given:
    """The use of a leaf by an edge: a source of the program, and its events as solutions."""

    edge: Edge
    leaf: Leaf
    when: int

    @property
    def matches(self) -> bool:
        return self.when == WHERE_ROW

    @property
    def pending(self) -> tuple[int, ...]:
        return tuple(sorted(self.leaf.conditions)) if self.matches else ()

    @property
    def bindable(self) -> frozenset[Variable]:
        """The variables of the GPM expression, if it has matched."""
        return frozenset(self.leaf.columns if self.matches else ())

    @property
    def places(self) -> tuple[int, ...]:
        """Of each of the atom's columns, its place in the leaf's row; -1: unbound."""
        columns = self.leaf.columns if self.matches else ()
        return places(self.edge.atom.columns, columns)


@dataclass(frozen=True, slots=True)
class ColumnarPlan:
    """An automaton as a program, and what its conditions look at."""

    automaton: Automaton
    program: Program
    given: tuple[Given, ...]
    """the sources, as the program numbers them"""
    variables: frozenset[Variable]
    """those whose values are compared"""
    constants: tuple[int, ...]
    """ids that they are compared with"""
    questions: tuple[Question, ...]
    """what is asked where kernels cannot compare"""

    def compared(self, columns: Columns) -> list[int]:
        """Return the places of columns whose values are compared."""
        return [place for place, column in enumerate(columns) if column in self.variables]


def plan(automaton: Automaton, dictionary: Dictionary) -> ColumnarPlan | None:
    """Return the plan; None for an automaton that the kernels do not run."""
    given: list[Given] = []
    by_edge: list[list[Given]] = []
    for edge in automaton.edges:
        leaves = edge.atom.operands if isinstance(edge.atom, Disjoined) else (edge.atom,)
        if edge.passed:
            return None
        sources: list[Given] = []
        for leaf in leaves:
            if not isinstance(leaf, Leaf):
                return None
            sources += [Given(edge, leaf, when) for when in _times(leaf)]
        by_edge.append(sources)
        given += sources
    if any(state.lists for state in automaton.states):
        return None
    # What one instant has answered is told apart item by item.
    if len({each.leaf.stream for each in given if each.edge.target in automaton.answers}) > 1:
        return None
    tests = _Tests(automaton, dictionary)
    edges = []
    for edge, sources in zip(automaton.edges, by_edge, strict=True):
        plans = [_source(automaton, each, tests) for each in sources]
        if not tests.all_told:
            return None
        edges.append(
            EdgePlan(
                edge.source, edge.target, _CONTIGUITY[edge.operator], edge.forgets_how,
                edge.target in automaton.answers,
                places(edge.key_columns, automaton.states[edge.source].key_columns), plans,
            )
        )  # fmt: skip
    states = [
        StatePlan(len(state.key_columns), len(state.carried_columns), state.kleene)
        for state in automaton.states
    ]
    widths = [len(leaf.columns) for leaf in automaton.leaves]
    return ColumnarPlan(
        automaton, program(states, edges, widths, len(automaton.select)), tuple(given),
        tests.compared, tuple(tests.constants), tuple(tests.questions),
    )  # fmt: skip


def _times(leaf: Leaf) -> Sequence[int]:
    nothing = ALWAYS if leaf.undecided else WHERE_NONE
    match leaf.mode:
        case LeafMode.MATCH:
            return (WHERE_ROW,)
        case LeafMode.NEGATION:
            return (nothing,)
        case LeafMode.OPTIONAL:
            return WHERE_ROW, nothing


def places(columns: Columns, within: Columns) -> tuple[int, ...]:
    """Return the place of each column in a row, -1 where the row has none."""
    known = {column: place for place, column in enumerate(within)}
    return tuple(known.get(column, -1) for column in columns)


def _source(automaton: Automaton, given: Given, tests: _Tests) -> SourcePlan:
    edge, leaf = given.edge, given.leaf
    right = leaf.columns if given.matches else ()
    source, target = automaton.states[edge.source], automaton.states[edge.target]

    def pairs(columns: Columns, left: Columns) -> list[Place]:
        return list(zip(places(columns, left), places(columns, right), strict=True))

    # The carried rows of the source state have columns that a further iteration forgets.
    past = edge.carried_columns if edge.forgets_how else source.carried_columns
    kept = frozenset(edge.carried_columns)

    def from_past(columns: Columns) -> list[Place]:
        found = pairs(columns, past)
        return [
            place if column in kept else (-1, place[1])
            for column, place in zip(columns, found, strict=True)
        ]

    hashed = [c for c in edge.key_columns if c in source.certain and c in edge.atom.certain]
    others = [c for c in edge.key_columns if c in edge.atom.columns and c not in hashed]
    # An absent event binds none of the others: there is nothing to agree on.
    shared = (*hashed, *(c for c in others if c in right))
    answer = automaton.select if edge.target in automaton.answers else ()
    return SourcePlan(
        leaf.number, given.when, pairs(shared, edge.key_columns), len(hashed),
        [
            test
            for number in given.pending
            for test in tests.of(number, edge, right)
        ],
        pairs(target.key_columns, edge.key_columns), from_past(target.carried_columns),
        from_past(answer),
    )  # fmt: skip


class _Tests:
    """Deferred conditions as tests of the program; `all_told` falls where one is something else."""

    def __init__(self, automaton: Automaton, dictionary: Dictionary) -> None:
        self._automaton = automaton
        self._dictionary = dictionary
        self.all_told = True
        self.compared: frozenset[Variable] = frozenset()
        self.constants: list[int] = []
        self.questions: list[Question] = []

    def of(self, number: int, edge: Edge, right: Columns) -> list[Test]:
        deferred = self._automaton.deferred[number]
        if edge.source == START and not deferred.variables <= set(right):
            # A condition that looks elsewhere: nothing is different from itself.
            return [Test(DIFFERENT, _NOWHERE, _NOWHERE, 0)]
        tests = [
            self._of(part, edge.key_columns, right) for part in conjuncts(deferred.expression)
        ]
        return sorted(filter(None, tests), key=lambda test: test.symbol == ASKED)

    def _of(self, expression: Expression, left: Columns, right: Columns) -> Test | None:
        if isinstance(expression, Comparison):
            operands = expression.left, expression.right
            if all(isinstance(operand, Variable | Literal | URIRef) for operand in operands):
                return self._comparison(expression, operands, left, right)
        variables = tuple(sorted(expression_variables(expression)))
        if len(variables) > _MOST or is_volatile(expression) or has(expression, Exists):
            self.all_told = False
            return None
        one, other = [*(_place(each, left, right) for each in variables), _NOWHERE, _NOWHERE][:2]
        return Test(ASKED, one, other, self._question(expression, variables))

    def _comparison(
        self, expression: Comparison, operands: Sequence[Expression], left: Columns, right: Columns
    ) -> Test:
        symbol, mirrored = _SYMBOLS[expression.operator]
        if mirrored:
            operands = operands[::-1]
        self.compared |= {each for each in operands if isinstance(each, Variable)}
        one, other = (self._operand(each, left, right) for each in operands)
        self.constants += [constant for *_, constant in (one, other) if constant]
        return Test(symbol, one, other, self._question(expression, operands))

    def _question(self, expression: Expression, operands: Sequence[Expression]) -> int:
        """Return the number of a new question: the expression's value on the operands' ids."""
        at = {each: place for place, each in enumerate(operands) if isinstance(each, Variable)}
        self.questions.append(compile_condition(expression, at, self._dictionary))
        return len(self.questions) - 1

    def _operand(
        self, operand: Expression, left: Columns, right: Columns
    ) -> tuple[int, int, int]:
        if isinstance(operand, Variable):
            return _place(operand, left, right)
        assert isinstance(operand, Literal | URIRef)
        return -1, -1, self._dictionary.encode(operand, permanent=True)


def _place(variable: Variable, left: Columns, right: Columns) -> tuple[int, int, int]:
    (here,), (there,) = places((variable,), left), places((variable,), right)
    return here, there, 0
