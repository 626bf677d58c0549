"""Sub-selects: grouping, aggregates and solution modifiers (SPARQL 1.1 Query, 18.2.4, 18.2.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ...semantics.model.terms import Variable
from ...semantics.rdf.syntax.tree import (
    Bind,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    OrderCondition,
    Projection,
    SelectQuery,
)
from .aggregates import (
    AggregateOf,
    Clauses,
    compile_aggregate,
    grouped_clauses,
    is_grouped,
    plain_clauses,
)
from .conditions import ActiveGraph, ExpressionContext
from .data.dictionary import UNBOUND, Dictionary
from .data.graphs import IndexedGraph
from .data.layout import IdRow, Layout, Rows, Step, in_order, rearrange
from .expressions.operators import ascending
from .expressions.values import ExpressionError
from .variables import projected


class PatternCompiler(Protocol):
    """The compiler of a SELECT's parts: `groups.GroupCompiler`, in which SELECTs stand."""

    dictionary: Dictionary

    def group(self, group: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]: ...

    def filter(
        self, condition: Expression, scope: frozenset[Variable], layout: Layout
    ) -> Step: ...

    def extend(
        self, assignments: Sequence[tuple[Variable, Expression]], layout: Layout
    ) -> tuple[Step, Layout]: ...

    def inline_data(self, data: InlineData, layout: Layout) -> tuple[Step, Layout]: ...

    def sight(self, layout: Layout) -> ExpressionContext: ...


def compile_select(
    compiler: PatternCompiler, query: SelectQuery, start: Layout
) -> tuple[Step, Layout]:
    """Return the step from one row of injected values to the solutions of the (sub-)select."""
    return _Select(compiler, query, start).compiled()


class _Select:
    def __init__(self, compiler: PatternCompiler, query: SelectQuery, start: Layout) -> None:
        self.compiler = compiler
        self.query = query
        self.start = start
        self.steps: list[Step] = []
        step, self.layout = compiler.group(extended_where(query), start)
        self.steps.append(step)

    def compiled(self) -> tuple[Step, Layout]:
        query = self.query
        if is_grouped(query):
            clauses = self.group()
        else:
            clauses = plain_clauses(query)
        for condition in clauses.having:
            self.add(self.compiler.filter(condition, frozenset(self.layout.columns), self.layout))
        if query.values is not None:
            step, self.layout = self.compiler.inline_data(query.values, self.layout)
            self.add(step)
        named = [
            (item.variable, item.expression)
            for item in clauses.items if item.expression is not None
        ]
        if named and not extends_where(query):
            step, self.layout = self.compiler.extend(named, self.layout)
            self.add(step)
        if clauses.order:
            self.add(self.sorting(clauses.order))
        self.project()
        if query.distinct:
            self.add(lambda graph, rows: list(dict.fromkeys(rows)))
        if query.modifier.offset or query.modifier.limit is not None:
            self.add(_slice(query.modifier.offset, query.modifier.limit))
        return in_order(self.steps), self.layout

    def add(self, step: Step) -> None:
        self.steps.append(step)

    # --- grouping -------------------------------------------------------------------------------

    def group(self) -> Clauses:
        """Add the steps of grouping; return the clauses with aggregates as variables."""
        where = self.layout
        keys = self.group_keys()
        clauses = grouped_clauses(self.query, keys)
        positions = self.layout.positions
        sight = self.compiler.sight(self.layout)
        compiled = [
            compile_aggregate(aggregate, sight.compiler, len(where.columns))
            for aggregate in clauses.aggregates
        ]
        self.steps = [
            _grouping(
                in_order(self.steps),
                [positions[key] for key in keys],
                compiled,
                sight.active,
                alone=not self.query.modifier.group_by,
            )
        ]
        certain = self.start.certain | (self.layout.certain & frozenset(keys))
        columns = (*self.start.columns, *keys, *clauses.aggregates.values())
        self.layout = Layout(columns, certain, self.start.injected)
        return clauses

    def group_keys(self) -> tuple[Variable, ...]:
        """Return the variables of GROUP BY, those of its expressions computed first."""
        keys: list[Variable] = []
        computed: list[tuple[Variable, Expression]] = []
        for number, key in enumerate(self.query.modifier.group_by):
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
        """Keep the injected values and the projected variables."""
        wanted = tuple(dict.fromkeys((*self.start.columns, *projected(self.query))))
        arrange = rearrange(self.layout, wanted)
        self.add(lambda graph, rows: arrange(rows))
        certain = self.layout.certain & frozenset(wanted)
        self.layout = Layout(wanted, certain, self.start.injected)


def extends_where(query: SelectQuery) -> bool:
    """Return True if SELECT's expressions are evaluated on the very solutions of WHERE.

    Then a BIND at the end of WHERE and SELECT's own speak of one solution, and BNODE(label) is one
    node in both.
    """
    return not (
        is_grouped(query)
        or query.modifier.having
        or query.values is not None
        or any(isinstance(element, Filter) for element in query.where.elements)
    )


def extended_where(query: SelectQuery) -> GroupGraphPattern:
    """WHERE, with what SELECT computes as BIND if it `extends_where`."""
    if not extends_where(query):
        return query.where
    items = query.projection or ()
    computed = [
        Bind(each.expression, each.variable) for each in items if each.expression is not None
    ]
    return GroupGraphPattern((*query.where.elements, *computed))


def _grouping(
    before: Step,
    keys: list[int],
    aggregates: list[AggregateOf],
    active: ActiveGraph,
    *,
    alone: bool,
) -> Step:
    """Return one row per group of the previous step's rows: injected values, keys, aggregates.

    `alone`: without GROUP BY, there is one group even if nothing is found.
    """

    def value(aggregate: AggregateOf, rows: Rows) -> int:
        try:
            return aggregate(rows)
        except ExpressionError:
            return UNBOUND

    def step(graph: IndexedGraph, rows: Rows) -> Rows:
        injected = rows[0]
        groups: dict[IdRow, Rows] = {(): []} if alone else {}
        for row in before(graph, rows):
            groups.setdefault(tuple([row[key] for key in keys]), []).append(row)
        active.graph = graph  # for EXISTS in an aggregate
        return [
            (
                *injected,
                *key,
                *[value(aggregate, members) for aggregate in aggregates],
            )
            for key, members in groups.items()
        ]

    return step


def _slice(offset: int, limit: int | None) -> Step:
    stop = None if limit is None else offset + limit
    return lambda graph, rows: rows[offset:stop]
