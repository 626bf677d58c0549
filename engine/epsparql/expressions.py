"""Expressions over timed rows: engine/rdf's, with the interval as three further columns.

A comparison of getDURATION() with a constant, by far the most frequent one, is one of numbers.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from ...semantics.epsparql.syntax.tree import DURATION, END_TIME, INTERVAL_FUNCTIONS, START_TIME
from ...semantics.model.errors import QueryError
from ...semantics.model.items import TimeKind
from ...semantics.model.terms import BNode, Literal, URIRef, Variable, literal
from ...semantics.model.time import XSD, format_duration, parse_duration, time_literal
from ...semantics.model.trees import has
from ...semantics.rdf.syntax.tree import (
    Aggregate,
    And,
    Arithmetic,
    BuiltIn,
    Comparison,
    Exists,
    Expression,
    FunctionCall,
    In,
    Not,
    Or,
    Sign,
)
from ..rdf.conditions import condition_with, conjuncts
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.layout import IdRow, Layout
from ..rdf.expressions.compile import ExpressionCompiler, Row, TruthOf
from ..rdf.expressions.values import ExpressionError
from ..rdf.variables import occurring
from .nodes import NEVER, Test

_COMPARED: Final = "compared duration"
"""getDURATION() where it is compared: with a type that has an order"""
_COLUMNS: Final = {
    name: Variable(f".{name}") for name in (DURATION, START_TIME, END_TIME, _COMPARED)
}
_DAY_TIME: Final = XSD + "dayTimeDuration"
_DURATION_TYPES: Final = frozenset({XSD + "duration", _DAY_TIME})
_OPERATORS: Final = {
    "=": operators.eq, "!=": operators.ne, "<": operators.lt,
    ">": operators.gt, "<=": operators.le, ">=": operators.ge,
}
_MIRRORED: Final = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

ExistsOf: TypeAlias = Callable[[Exists, Mapping[Variable, int]], TruthOf]
"""EXISTS, compiled for rows with variables at these positions."""
ValueOf: TypeAlias = Callable[[IdRow, float, float], int]


class Expressions:
    """Compiles expressions over timed rows of one execution.

    `outer` are the bindings of the solution that an EXISTS around them is asked about.
    """

    def __init__(
        self, dictionary: Dictionary, kind: TimeKind, exists: ExistsOf,
        outer: Mapping[Variable, int],
    ) -> None:
        self.dictionary = dictionary
        self.kind = kind
        self._exists = exists
        self._outer = outer

    def test(self, expression: Expression, layout: Layout) -> Test:
        """Return the condition; an error is false."""
        tests = [self._conjunct(part, layout) for part in conjuncts(expression)]
        if len(tests) == 1:
            return tests[0]
        return lambda row, start, end: all(test(row, start, end) for test in tests)

    def _conjunct(self, expression: Expression, layout: Layout) -> Test:
        bound = self.bound(expression)
        if bound is not None:
            symbol, width = bound
            compare = _OPERATORS[symbol]
            return lambda row, start, end: end != NEVER and compare(end - start, width)
        expression = normal(expression)
        view, compiler = self._view(expression, layout)
        holds = condition_with(expression, compiler)
        if view is None:
            return lambda row, start, end: holds(row)
        return lambda row, start, end: holds(view(row, start, end))

    def bound(self, expression: Expression) -> tuple[str, int] | None:
        """OP and n of a conjunct getDURATION() OP n, n in the unit of the stream."""
        match expression:
            case Comparison(symbol, BuiltIn(name, ()), Literal() as constant) if name == DURATION:
                pass
            case Comparison(mirrored, Literal() as constant, BuiltIn(name, ())) if (
                name == DURATION
            ):
                symbol = _MIRRORED[mirrored]
            case _:
                return None
        integer = str(constant.datatype) == XSD + "integer"
        if integer != (self.kind is TimeKind.INTEGER) or not (
            integer or str(constant.datatype) in _DURATION_TYPES
        ):
            return None
        try:
            width, _ = parse_duration(constant)
        except QueryError:
            return None
        return symbol, width

    def value(
        self, expression: Expression, layout: Layout, *, for_order: bool = False,
        labels: dict[str, BNode] | None = None,
    ) -> ValueOf:
        """Return the id of the expression's term, UNBOUND where it is in error.

        `labels` are the nodes that BNODE(label) has made for the solution at hand.
        """
        expression = with_order(expression) if for_order else normal(expression)
        view, compiler = self._view(expression, layout, labels)
        term = compiler.term(expression)

        def value(row: IdRow, start: float, end: float) -> int:
            try:
                return term(row if view is None else view(row, start, end))
            except ExpressionError:
                return UNBOUND

        return value

    def over(
        self, expressions: list[Expression], layout: Layout
    ) -> tuple[Callable[[IdRow, float, float], Row], ExpressionCompiler]:
        """Return the rows as several expressions see them, and the compiler for these."""
        whole = And(tuple(expressions)) if expressions else Not(Literal("1"))
        view, compiler = self._view(whole, layout)
        return view or (lambda row, start, end: row), compiler

    def _view(
        self, expression: Expression, layout: Layout, labels: dict[str, BNode] | None = None
    ) -> tuple[Callable[[IdRow, float, float], Row] | None, ExpressionCompiler]:
        """Return the part of a row and its interval that the expression reads.

        The first component is None if the expression reads the row as it is.
        """
        positions = layout.positions
        wanted = occurring(expression)
        fills = [
            (positions[v], number) for v, number in self._outer.items()
            if v in positions and v not in layout.certain
        ]
        constants: list[int] = []
        width = len(layout.columns)
        for variable, number in self._outer.items():
            if variable not in positions:
                positions[variable] = width + len(constants)
                constants.append(number)
        width += len(constants)
        used = [name for name, column in _COLUMNS.items() if column in wanted]
        for name in used:
            positions[_COLUMNS[name]] = width
            width += 1
        visible = {v: p for v, p in positions.items() if v not in _COLUMNS.values()}
        compiler = ExpressionCompiler(
            positions, self.dictionary, lambda exists: self._exists(exists, visible), labels
        )
        if not fills and not constants and not used:
            return None, compiler
        tail = tuple(constants)

        def view(row: IdRow, start: float, end: float) -> Row:
            values = [*row, *tail]
            for column, number in fills:
                values[column] = values[column] or number
            for name in used:
                values.append(self._interval(name, start, end))
            return values

        return view, compiler

    def _interval(self, name: str, start: float, end: float) -> int:
        """Return the id of what one of the three functions yields."""
        if end == NEVER:
            return UNBOUND
        encode = self.dictionary.encode
        if name in (START_TIME, END_TIME):
            return encode(time_literal(int(start if name == START_TIME else end), self.kind))
        length = int(end) - int(start)
        if self.kind is TimeKind.INTEGER:
            return encode(literal(str(length), XSD + "integer"))
        datatype = _DAY_TIME if name == _COMPARED else XSD + "duration"
        return encode(literal(format_duration(length), datatype))


def normal(expression: Expression) -> Expression:
    """Return the functions of the interval as variables; what is compared as what has an order."""
    match expression:
        case BuiltIn(name, ()) if name in INTERVAL_FUNCTIONS:
            return _COLUMNS[name]
        case Comparison(_, left, right):
            left, right = _compared((left, right))
            return replace(expression, left=left, right=right)
        case In(operand, choices):
            first, *others = _compared((operand, *choices))
            return replace(expression, operand=first, choices=tuple(others))
        case Or(operands) | And(operands):
            return replace(expression, operands=tuple(map(normal, operands)))
        case Not(operand) | Sign(_, operand):
            return replace(expression, operand=normal(operand))
        case Arithmetic(_, left, right):
            return replace(expression, left=normal(left), right=normal(right))
        case BuiltIn(_, arguments) | FunctionCall(_, arguments):
            return replace(expression, arguments=tuple(map(normal, arguments)))
        case Aggregate(_, operand) if operand is not None:
            return replace(expression, operand=normal(operand))
    return expression


def _compared(operands: Sequence[Expression]) -> list[Expression]:
    """xsd:duration has no order, its part xsd:dayTimeDuration has: constants, getDURATION(), and
    the values of variables that are compared with these become such"""
    changed = [with_order(each) for each in operands]
    if not any(
        each == _COLUMNS[_COMPARED]
        or (isinstance(each, Literal) and str(each.datatype) == _DAY_TIME)
        for each in changed
    ):
        return changed
    columns = _COLUMNS.values()
    return [
        _as_ordered(each) if isinstance(each, Variable) and each not in columns else each
        for each in changed
    ]


def with_order(expression: Expression) -> Expression:
    """As `normal`; a duration itself as what has an order."""
    if isinstance(expression, BuiltIn) and expression.name == DURATION:
        return _COLUMNS[_COMPARED]
    if isinstance(expression, Literal) and str(expression.datatype) == XSD + "duration":
        try:
            return literal(format_duration(parse_duration(expression)[0]), _DAY_TIME)
        except QueryError:  # years and months
            return expression
    return normal(expression)


def is_duration(expression: Expression) -> bool:
    """Return True if it is getDURATION() itself."""
    return isinstance(expression, BuiltIn) and expression.name == DURATION


def _as_ordered(variable: Variable) -> Expression:
    datatype = BuiltIn("DATATYPE", (variable,))
    is_duration = And((
        BuiltIn("ISLITERAL", (variable,)),
        Comparison("=", datatype, URIRef(XSD + "duration")),
    ))
    typed = BuiltIn("STRDT", (BuiltIn("STR", (variable,)), URIRef(_DAY_TIME)))
    return BuiltIn("IF", (is_duration, typed, variable))


def asks_for_graphs(expression: Expression) -> bool:
    """Return True if an EXISTS occurs in the expression."""
    return has(expression, Exists)


def variables_of(expression: Expression) -> frozenset[Variable]:
    """Return the variables that the expression mentions."""
    return occurring(expression)


def reads_interval(expression: Expression) -> bool:
    """Return True if the value depends on the interval."""
    return any(column in occurring(normal(expression)) for column in _COLUMNS.values())
