"""Sub-selects: grouping, aggregates and solution modifiers (SPARQL 1.1 Query, 18.2.4, 18.2.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...semantics.rdf.syntax import (
    Aggregate,
    Expression,
    OrderCondition,
    Projection,
    SelectQuery,
)
from ...semantics.rdf.terms import Variable
from .aggregates import AggregateOf, compile_aggregate, without_aggregates
from .dictionary import UNBOUND
from .graphs import IndexedGraph
from .layout import IdRow, Layout, Rows, Step, rearrange
from .ordering import ascending
from .values import ExpressionError
from .variables import has_aggregate, mentioned, projected

if TYPE_CHECKING:
    from .groups import GroupCompiler

TermOrUnbound: TypeAlias = Callable[[IdRow], int]


def compile_select(
    compiler: GroupCompiler, query: SelectQuery, start: Layout
) -> tuple[Step, Layout]:
    """The step from one row of injected values to the solutions of the (sub-)select."""
    return _Select(compiler, query, start).compiled()


class _Select:
    def __init__(self, compiler: GroupCompiler, query: SelectQuery, start: Layout) -> None:
        self.compiler = compiler
        self.query = query
        self.start = start
        self.steps: list[Step] = []
        step, self.layout = compiler.group(query.where, start)
        self.steps.append(step)

    def compiled(self) -> tuple[Step, Layout]:
        query = self.query
        items = list(query.projection or ())
        having = list(query.modifier.having)
        order = list(query.modifier.order_by)
        if _is_grouped(query):
            items, having, order = self.group(items, having, order)
        for condition in having:
            self.add(self.compiler.filter(condition, frozenset(self.layout.columns), self.layout))
        if query.values is not None:
            step, self.layout = self.compiler.inline_data(query.values, self.layout)
            self.add(step)
        named = [item for item in items if item.expression is not None]
        if named:
            step, self.layout = self.compiler.extend(
                [(item.variable, item.expression) for item in named if item.expression is not None],
                self.layout,
            )
            self.add(step)
        if order:
            self.add(self.sorting(order))
        self.project()
        if query.distinct:
            self.add(lambda graph, rows: list(dict.fromkeys(rows)))
        if query.modifier.offset or query.modifier.limit is not None:
            self.add(_slice(query.modifier.offset, query.modifier.limit))
        steps = tuple(self.steps)

        def run(graph: IndexedGraph, rows: Rows) -> Rows:
            # Unlike in a group, every step is taken: an aggregate of no rows is a row.
            for step in steps:
                rows = step(graph, rows)
            return rows

        return run, self.layout

    def add(self, step: Step) -> None:
        self.steps.append(step)

    # --- grouping -------------------------------------------------------------------------------

    def group(
        self,
        items: Sequence[Projection],
        having: Sequence[Expression],
        order: Sequence[OrderCondition],
    ) -> tuple[list[Projection], list[Expression], list[OrderCondition]]:
        """Adds the steps of grouping; returns the clauses with aggregates as variables."""
        where = self.layout
        keys = self.group_keys()
        aggregates: dict[Aggregate, Variable] = {}

        def stand_in(aggregate: Aggregate) -> Variable:
            return aggregates.setdefault(aggregate, Variable(f".aggregate{len(aggregates)}"))

        def rewritten(expression: Expression) -> Expression:
            return without_aggregates(expression, stand_in)

        new_items = [
            Projection(item.variable, item.expression and rewritten(item.expression))
            for item in items
        ]
        new_having = [rewritten(condition) for condition in having]
        new_order = [OrderCondition(rewritten(each.expression), each.descending) for each in order]
        # A variable that is neither a key nor in an aggregate stands for a sample (18.2.4.1).
        expressions = [
            *(item.expression or item.variable for item in new_items),
            *new_having,
            *(each.expression for each in new_order),
        ]
        positions = self.layout.positions
        sampled = sorted(
            {
                variable
                for expression in expressions
                for variable in mentioned(expression)
                if variable in positions and variable not in keys
            }
        )
        expression_compiler = self.compiler.sight(self.layout).compiler
        compiled = [
            compile_aggregate(aggregate, expression_compiler, len(where.columns))
            for aggregate in aggregates
        ]
        self.steps = [
            _grouping(
                tuple(self.steps),
                [positions[key] for key in keys],
                compiled,
                [positions[variable] for variable in sampled],
                alone=not self.query.modifier.group_by,
            )
        ]
        certain = self.start.certain | (self.layout.certain & frozenset(keys))
        columns = (*self.start.columns, *keys, *aggregates.values(), *sampled)
        self.layout = Layout(columns, certain, self.start.injected)
        return new_items, new_having, new_order

    def group_keys(self) -> tuple[Variable, ...]:
        """The variables of GROUP BY, those of its expressions computed first."""
        keys: list[Variable] = []
        computed: list[tuple[Variable, Expression]] = []
        for number, key in enumerate(self.query.modifier.group_by):
            if isinstance(key, Variable):
                keys.append(key)
                continue
            if isinstance(key, Projection):
                variable, expression = key.variable, key.expression or key.variable
            else:
                variable, expression = Variable(f".key{number}"), key
            keys.append(variable)
            computed.append((variable, expression))
        if computed:
            step, self.layout = self.compiler.extend(computed, self.layout)
            self.add(step)
        missing = [key for key in keys if key not in self.layout.columns]
        if missing:
            arrange = rearrange(self.layout, (*self.layout.columns, *missing))
            self.layout = self.layout.extended(missing)
            self.add(lambda graph, rows: arrange(rows))
        return tuple(dict.fromkeys(keys))

    # --- modifiers ------------------------------------------------------------------------------

    def sorting(self, order: Sequence[OrderCondition]) -> Step:
        """ORDER BY: stable, by the last condition first."""
        sight = self.compiler.sight(self.layout)
        values = self.compiler.dictionary.values
        keys = [(sight.compiler.term(each.expression), each.descending) for each in order]

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            sight.active.graph = graph
            for term, descending in reversed(keys):

                def key(row: IdRow, term: Callable[[IdRow], int] = term) -> object:
                    try:
                        return ascending(values[term(row)])
                    except ExpressionError:
                        return ascending(None)

                rows = sorted(rows, key=key, reverse=descending)  # type: ignore[arg-type]
            return rows

        return step

    def project(self) -> None:
        """Keeps the injected values and the projected variables."""
        wanted = tuple(dict.fromkeys((*self.start.columns, *projected(self.query))))
        arrange = rearrange(self.layout, wanted)
        self.add(lambda graph, rows: arrange(rows))
        certain = self.layout.certain & frozenset(wanted)
        self.layout = Layout(wanted, certain, self.start.injected)


def _is_grouped(query: SelectQuery) -> bool:
    expressions = [
        *(item.expression for item in query.projection or () if item.expression is not None),
        *query.modifier.having,
        *(each.expression for each in query.modifier.order_by),
    ]
    return bool(query.modifier.group_by) or any(map(has_aggregate, expressions))


def _grouping(
    before: tuple[Step, ...],
    keys: list[int],
    aggregates: list[AggregateOf],
    sampled: list[int],
    *,
    alone: bool,
) -> Step:
    """One row a group of what the steps before find: injected values, keys, aggregates,
    samples.

    `alone`: without GROUP BY, there is one group even if nothing is found.
    """

    def value(aggregate: AggregateOf, rows: Rows) -> int:
        try:
            return aggregate(rows)
        except ExpressionError:
            return UNBOUND

    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        injected = rows[0]
        for each in before:
            rows = each(graph, rows)
        groups: dict[IdRow, Rows] = {(): []} if alone else {}
        for row in rows:
            groups.setdefault(tuple([row[key] for key in keys]), []).append(row)
        return [
            (
                *injected,
                *key,
                *[value(aggregate, members) for aggregate in aggregates],
                *[next((row[at] for row in members if row[at]), UNBOUND) for at in sampled],
            )
            for key, members in groups.items()
        ]

    return step


def _slice(offset: int, limit: int | None) -> Step:
    stop = None if limit is None else offset + limit
    return lambda graph, rows: rows[offset:stop]
