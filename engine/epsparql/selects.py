"""SELECT and sub-selects: grouping, aggregates and modifiers (SPARQL 1.1 Query, 18.2.4, 18.2.5).

A group spans all solutions of it. Where the query demands no order, solutions come by end, by
start, then by value, so that LIMIT takes the first ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ...semantics.epsparql.syntax.readings import Readings
from ...semantics.model.terms import BNode, URIRef, Variable
from ...semantics.rdf.syntax.tree import (
    Expression,
    GroupGraphPattern,
    InlineData,
    OrderCondition,
    Projection,
    SelectQuery,
)
from ..rdf.aggregates import (
    AggregateOf,
    Clauses,
    compile_aggregate,
    grouped_clauses,
    is_grouped,
    plain_clauses,
)
from ..rdf.data.dictionary import UNBOUND, Dictionary
from ..rdf.data.layout import IdRow, Layout
from ..rdf.expressions.operators import ascending
from ..rdf.expressions.values import ExpressionError
from ..rdf.selects import extended_where, extends_where
from ..rdf.variables import projected
from .expressions import Expressions, asks_for_graphs, is_duration, normal, with_order
from .nodes import FOREVER, NEVER, AtTheEnd, Changed, Distinct, Node, TimedRow, TimedRows, arranged


class PatternCompiler(Protocol):
    """The compiler of a SELECT's parts: `compile.Compiler`, in whose patterns SELECTs stand."""

    dictionary: Dictionary
    readings: Readings
    expressions: Expressions

    def group(self, group: GroupGraphPattern) -> Node: ...

    def joined(self, left: Node | None, right: Node) -> Node: ...

    def filtered(self, node: Node, conditions: Sequence[Expression]) -> Node: ...

    def extended(
        self, node: Node, assignments: Sequence[tuple[Variable, Expression]]
    ) -> Node: ...

    def table(self, data: InlineData) -> Node: ...


def compile_select(compiler: PatternCompiler, query: SelectQuery) -> Node:
    """Return the solutions of a (sub-)select."""
    sets = compiler.readings.solutions == "sets"
    node = compiler.group(extended_where(query))
    if is_grouped(query):
        if sets:
            node = Distinct(node)
        node, clauses = _grouped(compiler, node, query)
    else:
        clauses = plain_clauses(query)
    order = clauses.order
    if clauses.having:
        node = compiler.filtered(node, list(clauses.having))
    if query.values is not None:
        node = compiler.joined(node, compiler.table(query.values))
    assignments = [
        (item.variable, item.expression)
        for item in clauses.items if item.expression is not None
    ]
    if assignments and not extends_where(query):
        node = compiler.extended(node, assignments)
    if sets:
        node = Distinct(node)
    sliced = query.modifier.offset or query.modifier.limit is not None
    columns = tuple(dict.fromkeys(projected(query)))
    dictionary = compiler.dictionary
    if order and sliced:
        node = AtTheEnd(
            node, node.layout,
            _sorting(compiler, order, node.layout, _sequence(dictionary, node.layout)),
        )
    layout = Layout(columns, node.layout.certain & frozenset(columns))
    node = Changed(node, layout, arranged(node.layout, columns))
    if query.distinct:
        node = Distinct(node)
    if sliced:
        first = query.modifier.offset
        last = None if query.modifier.limit is None else first + query.modifier.limit
        if order:
            node = AtTheEnd(node, layout, lambda rows: rows[first:last])
        else:
            in_sequence = _sequence(dictionary, layout)
            node = AtTheEnd(
                node, layout, lambda rows: sorted(rows, key=in_sequence)[first:last]
            )
    return node


# --- order ---------------------------------------------------------------------------------------


def _sequence(dictionary: Dictionary, layout: Layout) -> Callable[[TimedRow], Any]:
    """Return the default order of solutions."""
    named = sorted((str(variable), i) for i, variable in enumerate(layout.columns))

    def key(row: TimedRow) -> Any:
        ids, start, end = row
        return end, start, [
            (name, _written(dictionary, ids[i])) for name, i in named if ids[i] != UNBOUND
        ]

    return key


def _written(dictionary: Dictionary, number: int) -> str:
    term = dictionary.decode(number)
    if isinstance(term, URIRef):
        return f"1 {term}"
    if isinstance(term, BNode):
        return f"0 {term}"
    return f"2 {term} {term.datatype or ''} {term.language or ''}"


def _sorting(
    compiler: PatternCompiler, order: Sequence[OrderCondition], layout: Layout,
    in_sequence: Callable[[TimedRow], Any],
) -> Callable[[TimedRows], TimedRows]:
    """ORDER BY: stable, by the last condition first."""
    values = compiler.dictionary.values
    keys = [
        (
            compiler.expressions.value(
                each.expression, layout, for_order=is_duration(each.expression)
            ),
            each.descending,
        )
        for each in order
    ]

    def sort(rows: TimedRows) -> TimedRows:
        rows = sorted(rows, key=in_sequence)
        for value, descending in reversed(keys):
            def key(row: TimedRow, value: Callable[..., int] = value) -> Any:
                number = value(*row)
                return ascending(values[number] if number != UNBOUND else None)

            rows = sorted(rows, key=key, reverse=descending)
        return rows

    return sort


def aggregated(operand: Expression) -> Expression:
    """Return an aggregate's operand, with a duration as a value that has an order."""
    return with_order(operand) if is_duration(operand) else normal(operand)


# --- groups --------------------------------------------------------------------------------------


def _grouped(
    compiler: PatternCompiler, node: Node, query: SelectQuery
) -> tuple[Node, Clauses]:
    """Return the node of the groups, and the clauses with aggregates as variables."""
    keys: list[Variable] = []
    computed: list[tuple[Variable, Expression]] = []
    for number, key in enumerate(query.modifier.group_by):
        if isinstance(key, Variable):
            keys.append(key)
            continue
        if isinstance(key, Projection):
            assert key.expression is not None  # a bare variable is an expression
            variable, expression = key.variable, key.expression
        else:
            variable, expression = Variable(f".key{number}"), key
        keys.append(variable)
        computed.append((variable, expression))
    before = node.layout
    if computed:
        node = compiler.extended(node, computed)
    layout = node.layout
    clauses = grouped_clauses(query, keys)
    aggregates = clauses.aggregates
    positions = layout.positions
    operands = [each.operand for each in aggregates if each.operand is not None]
    view, expression_compiler = compiler.expressions.over(list(map(aggregated, operands)), layout)
    compiled = [
        compile_aggregate(
            each if each.operand is None else replace(each, operand=aggregated(each.operand)),
            expression_compiler, len(before.columns),
        )
        for each in aggregates
    ]
    columns = (*dict.fromkeys(keys), *aggregates.values())
    grouping = _Grouping(
        [positions.get(key) for key in dict.fromkeys(keys)], compiled, view,
        alone=not query.modifier.group_by,
    )
    certain = layout.certain & frozenset(keys)
    if any(map(asks_for_graphs, operands)):
        node = AtTheEnd(node, layout, lambda rows: rows)
    node = AtTheEnd(node, Layout(columns, certain), grouping)
    return node, clauses


class _Grouping:
    """One row a group: keys and aggregates, over the interval of the whole group."""

    def __init__(
        self,
        keys: Sequence[int | None],
        aggregates: Sequence[AggregateOf],
        view: Callable[[IdRow, float, float], Sequence[int]],
        *,
        alone: bool,
    ) -> None:
        self._keys = keys
        self._aggregates = aggregates
        self._view = view
        self._alone = alone

    def __call__(self, rows: TimedRows) -> TimedRows:
        groups: dict[IdRow, TimedRows] = {(): []} if self._alone else {}
        for row in rows:
            ids = row[0]
            key = tuple([UNBOUND if at is None else ids[at] for at in self._keys])
            groups.setdefault(key, []).append(row)
        out: TimedRows = []
        for key, members in groups.items():
            seen = [tuple(self._view(*row)) for row in members]
            out.append((
                (
                    *key,
                    *(_value(aggregate, seen) for aggregate in self._aggregates),
                ),
                min((row[1] for row in members), default=FOREVER),
                max((row[2] for row in members), default=NEVER),
            ))
        return out


def _value(aggregate: AggregateOf, rows: list[IdRow]) -> int:
    try:
        return aggregate(rows)
    except ExpressionError:
        return UNBOUND
