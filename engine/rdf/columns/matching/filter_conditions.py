"""FILTER conditions over columns (SPARQL 1.1 Query, 17.2): true, false, an error, or undecided.

What loops over columns cannot tell is told by the complete evaluation, once for every combination
of the ids that the condition looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .....semantics.model.terms import Variable
from .....semantics.rdf.syntax.tree import And, BuiltIn, Comparison, Expression, Not, Or
from ...data.dictionary import Dictionary
from ...expressions.compile import ExpressionCompiler, Row, TruthOf
from ...expressions.values import ExpressionError
from ...variables import expression_variables
from ..batch import Column
from .operands import DOUBLE, EXACT, MARGIN, NODE, STRING, UNBOUND, Operand, compile_operand
from .tables import Table

States = NDArray[np.uint8]
StatesOf = Callable[[Table], States]
Condition = Callable[[Table], NDArray[np.bool_]]

FALSE: Final = 0
TRUE: Final = 1
ERROR: Final = 2
OPEN: Final = 3
_NEW: Final = 4

_NOT: Final = np.array([TRUE, FALSE, ERROR, OPEN], np.uint8)
# One operand decides, else an open one leaves it open, else an error is one: the greatest rank.
_OR: Final = np.array([0, 3, 1, 2], np.uint8)
_OR_BACK: Final = np.array([FALSE, ERROR, OPEN, TRUE], np.uint8)
_AND: Final = np.array([3, 0, 1, 2], np.uint8)
_AND_BACK: Final = np.array([TRUE, ERROR, OPEN, FALSE], np.uint8)

_COMPARED: Final[dict[str, Callable[[Operand, Operand], NDArray[np.bool_]]]] = {
    "=": lambda one, other: one.doubles == other.doubles,
    "!=": lambda one, other: one.doubles != other.doubles,
    "<": lambda one, other: one.doubles < other.doubles,
    ">": lambda one, other: one.doubles > other.doubles,
    "<=": lambda one, other: one.doubles <= other.doubles,
    ">=": lambda one, other: one.doubles >= other.doubles,
}


def compile_truth(
    expression: Expression, scope: Collection[Variable], dictionary: Dictionary
) -> Condition:
    """For which rows a condition holds; it sees the variables in scope, others are unbound.

    It is not volatile and asks for no graph.
    """
    return _Conditions(scope, dictionary).condition(expression)


class _Conditions:
    def __init__(self, scope: Collection[Variable], dictionary: Dictionary) -> None:
        self.scope = scope
        self.dictionary = dictionary

    def condition(self, expression: Expression) -> Condition:
        states = self.states(expression)
        seen = self.seen(expression)
        tell = self.told(expression, seen)

        def holds(table: Table) -> NDArray[np.bool_]:
            found = states(table)
            waiting = np.flatnonzero(found == OPEN)
            if waiting.size:
                found = found.copy()
                found[waiting] = by_combination(
                    tell, [table.column(each)[waiting] for each in seen], len(waiting)
                )
            result: NDArray[np.bool_] = found == TRUE
            return result

        return holds

    def seen(self, expression: Expression) -> tuple[Variable, ...]:
        return tuple(sorted(expression_variables(expression).intersection(self.scope)))

    def told(self, expression: Expression, seen: tuple[Variable, ...]) -> Callable[[Row], int]:
        """Return the complete evaluation's result for a row over the variables that are seen."""
        positions = {variable: column for column, variable in enumerate(seen)}
        truth = ExpressionCompiler(positions, self.dictionary).truth(expression)
        return lambda row: _state(truth, row)

    def states(self, expression: Expression) -> StatesOf:
        seen = self.seen(expression)
        told = self.by_columns(expression)
        if len(seen) > 1:
            return told
        tell = self.told(expression, seen)
        if not seen:
            return lambda table: np.full(len(table), tell(()), np.uint8)
        return _Remembered(seen[0], told, tell, self.dictionary)

    def by_columns(self, expression: Expression) -> StatesOf:
        match expression:
            case Or(operands):
                return _folded(_OR, _OR_BACK, [self.states(each) for each in operands])
            case And(operands):
                return _folded(_AND, _AND_BACK, [self.states(each) for each in operands])
            case Not(operand):
                inner = self.states(operand)
                return lambda table: _NOT[inner(table)]
            case Comparison(symbol, left, right):
                return self.comparison(symbol, left, right)
            case BuiltIn("SAMETERM", (Variable() as one, Variable() as other)):
                return self.same_term(one, other)
        return _open

    def comparison(self, symbol: str, left: Expression, right: Expression) -> StatesOf:
        if not (expression_variables(left) | expression_variables(right)) <= set(self.scope):
            return _open
        one = compile_operand(left, self.dictionary)
        other = compile_operand(right, self.dictionary)
        if one is None or other is None:
            return _open
        first, second = one, other
        return lambda table: _compared(symbol, first(table), second(table))

    def same_term(self, one: Variable, other: Variable) -> StatesOf:
        if one not in self.scope or other not in self.scope:
            return _open

        def states(table: Table) -> States:
            left, right = table.column(one), table.column(other)
            return np.where((left > 0) & (right > 0), left == right, ERROR).astype(np.uint8)

        return states


def _open(table: Table) -> States:
    return np.full(len(table), OPEN, np.uint8)


def _state(truth: TruthOf, row: Row) -> int:
    try:
        return TRUE if truth(row) else FALSE
    except ExpressionError:
        return ERROR


def _folded(rank: States, back: States, operands: list[StatesOf]) -> StatesOf:
    def states(table: Table) -> States:
        ranks = rank[operands[0](table)]
        for operand in operands[1:]:
            ranks = np.maximum(ranks, rank[operand(table)])
        return back[ranks]

    return states


def _compared(symbol: str, one: Operand, other: Operand) -> States:
    """Compare numbers by their doubles, nodes and strings by their ids."""
    with np.errstate(all="ignore"):
        states = np.where(_COMPARED[symbol](one, other), TRUE, FALSE).astype(np.uint8)
        left, right = one.kinds, other.kinds
        numbers = (left <= DOUBLE) & (right <= DOUBLE)
        vague = (left == EXACT) | (right == EXACT)
        if vague.any():
            larger = np.maximum(np.abs(one.doubles), np.abs(other.doubles))
            slack = (one.slack + other.slack + np.spacing(larger)) * MARGIN
            # A term meets a double as the nearest double.
            rounded = ((left == DOUBLE) | (right == DOUBLE)) & (
                (one.ids != 0) | (left != EXACT)
            ) & ((other.ids != 0) | (right != EXACT))
            apart = np.abs(one.doubles - other.doubles) > slack
            same = (one.ids == other.ids) & (one.ids != 0)
            states[vague & ~apart & ~rounded & ~same] = OPEN
    if numbers.all():
        return states
    rest: States = np.full(len(states), OPEN, np.uint8)
    nodes = (left == NODE) | (right == NODE)
    if symbol in ("=", "!="):
        told = nodes | ((left == STRING) & (right == STRING))
        equal = one.ids == other.ids
        rest[told] = (equal if symbol == "=" else ~equal)[told]
    else:
        rest[nodes] = ERROR
    # What has been computed has no id: of what it is, if it is no number, nothing is said.
    computed = ((one.ids == 0) & (left != UNBOUND)) | ((other.ids == 0) & (right != UNBOUND))
    rest[computed] = OPEN
    rest[((left == UNBOUND) | (right == UNBOUND)) & ~computed] = ERROR
    return np.where(numbers, states, rest)


class _Remembered:
    """A condition on one variable: what it says of an id is remembered until the next sweep."""

    def __init__(
        self,
        variable: Variable,
        told: StatesOf,
        tell: Callable[[Row], int],
        dictionary: Dictionary,
    ) -> None:
        self._variable = variable
        self._told = told
        self._tell = tell
        self._dictionary = dictionary
        self._sweeps = dictionary.sweeps
        self._states: States = np.full(1, _NEW, np.uint8)

    def __call__(self, table: Table) -> States:
        ids = table.column(self._variable)
        if self._sweeps != self._dictionary.sweeps:
            self._sweeps = self._dictionary.sweeps
            self._states = np.full(1, _NEW, np.uint8)
        most = int(ids.max(initial=0))
        if most >= len(self._states):
            more = max(most + 1, 2 * len(self._states)) - len(self._states)
            self._states = np.concatenate((self._states, np.full(more, _NEW, np.uint8)))
        found = self._states[ids]
        new = ids[found == _NEW]
        if new.size:
            self._find(new)
            found = self._states[ids]
        return found

    def _find(self, ids: Column) -> None:
        self._states[ids] = self._told(Table(ids, {self._variable: ids}))
        waiting = ids[self._states[ids] == OPEN]
        if waiting.size:
            which = np.unique(waiting)
            self._states[which] = [self._tell((number,)) for number in which.tolist()]


def by_combination(
    tell: Callable[[Row], int], columns: list[Column], length: int
) -> NDArray[np.int64]:
    """Return the results for the rows; `tell` is called once for each combination of ids."""
    if not length:
        return np.empty(0, np.int64)
    if not columns:
        return np.full(length, tell(()))
    rows = np.stack(columns, axis=1)
    combinations, which = np.unique(rows, axis=0, return_inverse=True)
    found = np.array([tell(row) for row in map(tuple, combinations.tolist())], np.int64)
    return found[which.reshape(-1)]
