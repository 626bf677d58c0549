"""FILTER over rows of ids (SPARQL 1.1 Query, 17.2: errors are false), and their context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...semantics.model.terms import Literal, Variable
from ...semantics.rdf.syntax.tree import And, Comparison, Expression
from .data.dictionary import Dictionary
from .data.graphs import EMPTY, IndexedGraph
from .expressions.compile import COMPARISONS, DIRECT, DIRECT_TYPES, ExpressionCompiler, Row, TruthOf
from .expressions.values import ExpressionError, value_of

_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def compile_condition(
    expression: Expression,
    columns: Sequence[Variable] | Mapping[Variable, int],
    dictionary: Dictionary,
) -> TruthOf:
    """Return the condition as a function of rows over `columns`; an error is false.

    `columns` may map variables to positions; all other variables are unbound. An id of 0 is
    unbound, a negative id (a list) is a type error. EXISTS is a QueryError: there is no graph.
    """
    positions = (
        columns
        if isinstance(columns, Mapping)
        else {variable: position for position, variable in enumerate(columns)}
    )
    return condition_with(expression, ExpressionCompiler(positions, dictionary))


def condition_with(expression: Expression, compiler: ExpressionCompiler) -> TruthOf:
    """Return the condition over rows as the compiler sees them; it never raises."""
    parts = [_compile_conjunct(part, compiler) for part in conjuncts(expression)]
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda row: first(row) and second(row)
    return lambda row: all(part(row) for part in parts)


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Return the expression split at top-level &&: a filter holds iff all its conjuncts do."""
    if isinstance(expression, And):
        return tuple(part for operand in expression.operands for part in conjuncts(operand))
    return (expression,)


def _compile_conjunct(expression: Expression, compiler: ExpressionCompiler) -> TruthOf:
    match expression:
        case Comparison(symbol, Variable() as left, Literal() as right):
            return _variable_with_constant(symbol, left, right, compiler)
        case Comparison(symbol, Literal() as left, Variable() as right):
            return _variable_with_constant(_MIRRORED[symbol], right, left, compiler)
        case Comparison(symbol, Variable() as left, Variable() as right):
            return _two_variables(symbol, left, right, compiler)
    return _errors_are_false(compiler.truth(expression))


def _errors_are_false(condition: Callable[[Row], bool]) -> TruthOf:
    def holds(row: Row) -> bool:
        try:
            return condition(row)
        except ExpressionError:
            return False

    return holds


def _variable_with_constant(
    symbol: str, variable: Variable, term: Literal, compiler: ExpressionCompiler
) -> TruthOf:
    position = compiler.positions.get(variable)
    if position is None:
        return _never
    values = compiler.dictionary.values
    constant = value_of(term)
    kind = type(constant) if type(constant) in DIRECT_TYPES else None
    direct = DIRECT[symbol]
    compare = COMPARISONS[symbol]

    def holds(row: Row) -> bool:
        try:
            value = values[row[position]]
            if type(value) is kind:
                return direct(value, constant)
            return compare(value, constant)
        except ExpressionError:
            return False

    return holds


def _two_variables(
    symbol: str, left: Variable, right: Variable, compiler: ExpressionCompiler
) -> TruthOf:
    one = compiler.positions.get(left)
    other = compiler.positions.get(right)
    if one is None or other is None:
        return _never
    values = compiler.dictionary.values
    direct = DIRECT[symbol]
    compare = COMPARISONS[symbol]

    def holds(row: Row) -> bool:
        try:
            value = values[row[one]]
            reference = values[row[other]]
            kind = type(value)
            if kind is type(reference) and kind in DIRECT_TYPES:
                return direct(value, reference)
            return compare(value, reference)
        except ExpressionError:
            return False

    return holds


def _never(row: Row) -> bool:
    return False


class ActiveGraph:
    """A reference of EXISTS to the graph that is active while a step runs."""

    __slots__ = ("graph",)

    def __init__(self) -> None:
        self.graph: IndexedGraph = EMPTY


@dataclass(frozen=True, slots=True)
class ExpressionContext:
    """The context in which expressions are evaluated over rows.

    `compiler` compiles them; `active` must be told the active graph before they are evaluated;
    `uncertain` are columns that may be unbound, each with the column of its injected value.
    """

    compiler: ExpressionCompiler
    active: ActiveGraph
    uncertain: tuple[tuple[int, int], ...]

    def completed(self, row: Row) -> Row:
        """Return the row with injected values where it binds nothing itself."""
        if not self.uncertain:
            return row
        values = list(row)
        for column, source in self.uncertain:
            values[column] = values[column] or values[source]
        return values

    def condition(self, expression: Expression) -> TruthOf:
        """Return the condition, errors being false."""
        holds = condition_with(expression, self.compiler)
        if not self.uncertain:
            return holds
        return lambda row: holds(self.completed(row))
