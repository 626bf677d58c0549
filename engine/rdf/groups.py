"""Group graph patterns compiled to steps over rows (SPARQL 1.1 Query, 18.2.2).

The algebra evaluates every pattern on its own and joins the results. Wherever that gives the same
bag, a pattern is compiled instead as an *extension*: it goes on from the rows at hand, so that
what is bound already restricts what is looked up. `may_extend` says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, TypeVar

from ...semantics.model.errors import Impossible
from ...semantics.model.terms import URIRef, Variable
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Exists,
    Expression,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SelectQuery,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .aggregates import visible
from .basic_graph_patterns import BlockCompiler
from .conditions import ActiveGraph, ExpressionContext
from .data.dictionary import UNBOUND, Dictionary
from .data.graphs import IndexedGraph
from .data.layout import IdRow, Layout, Rows, Step, in_order, inject, rearrange, starting_from
from .expressions.compile import ExpressionCompiler, Row, TruthOf
from .expressions.values import ExpressionError
from .joins import Difference, Join, arranged, decided, lasts, may_extend, split
from .selects import compile_select
from .variables import certain, occurring, possible

_NONE: Final[frozenset[Variable]] = frozenset()

Prepared = TypeVar("Prepared")


class GroupCompiler:
    """Compiles patterns for one dictionary and one set of named graphs."""

    def __init__(self, dictionary: Dictionary, named: Mapping[URIRef, IndexedGraph]) -> None:
        self.dictionary = dictionary
        self.named = {
            dictionary.encode(name, permanent=True): graph for name, graph in named.items()
        }
        self.blocks = BlockCompiler(dictionary)

    # --- groups ---------------------------------------------------------------------------------

    def group(self, group: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """Return the step that extends rows of the layout by the group's solutions.

        The group's meaning is that of the algebra only if the layout has no columns yet or if
        `may_extend` allows it.
        """
        elements, conditions = split(group)
        return self.elements(elements, conditions, layout)

    def elements(
        self, elements: Iterable[Element], conditions: list[Expression], layout: Layout
    ) -> tuple[Step, Layout]:
        """Return the step as `group`, for a group whose filters have been split."""
        elements = list(elements)
        scope = frozenset(possible(GroupGraphPattern(tuple(elements))))
        steps: list[Step] = []
        pending = list(conditions)

        def apply_ready(layout: Layout) -> None:
            ready = [each for each in pending if decided(each, scope, layout)]
            for condition in ready:
                pending.remove(condition)
                steps.append(self.filter(condition, scope, layout))

        apply_ready(layout)
        for together in arranged(elements):
            for step, after in self.together(together, layout):
                steps.append(step)
                layout = after
                apply_ready(after)
        steps.extend(self.filter(condition, scope, layout) for condition in pending)
        return in_order(steps), layout

    def together(self, run: list[Element], layout: Layout) -> Iterator[tuple[Step, Layout]]:
        """Yield the steps of a unit of `arranged`: a run of BIND, or one element."""
        assignments = [(each.variable, each.expression) for each in run if isinstance(each, Bind)]
        if assignments:
            yield self.extend(assignments, layout)
        else:
            yield from self.element(run[0], layout)

    def element(self, element: Element, layout: Layout) -> Iterator[tuple[Step, Layout]]:
        """Yield the steps of one element, each with the layout that it leaves."""
        match element:
            case TriplesBlock(triples):
                yield from self.blocks.steps(triples, layout)
            case OptionalPattern(pattern):
                yield self.optional(pattern, layout)
            case MinusPattern(pattern):
                yield self.minus(pattern, layout)
            case InlineData():
                yield self.inline_data(element, layout)
            case SubSelect(query):
                yield self.sub_select(query, layout)
            case _ if not layout.variables or may_extend(element, layout.variables, _NONE):
                yield self.extension(element, layout)
            case _:
                alone = self.extension(element, layout.start())
                yield self.joined(alone, layout, lasting=self.lasts(element))

    def extension(self, element: Element, layout: Layout) -> tuple[Step, Layout]:
        """Return the step of an element that extends the current rows."""
        match element:
            case NamedGraphPattern(URIRef() as name, pattern):
                return self.in_graph(name, pattern, layout)
            case NamedGraphPattern(Variable() as name, pattern):
                return self.in_some_graph(name, pattern, layout, self.named)
            case UnionPattern(alternatives):
                return self.union(alternatives, layout)
            case _:
                raise Impossible(f"{type(element).__name__} is no extension")

    def joined(
        self, right: tuple[Step, Layout], layout: Layout, *, lasting: bool
    ) -> tuple[Step, Layout]:
        """Join of the rows at hand with a pattern that is evaluated on its own."""
        inner, right_layout = right
        join = Join(layout, right_layout)
        table = self.alone(inner, layout, join.table, lasting=lasting)
        return lambda graph, rows: join.inner(rows, table(graph, rows)), join.layout

    def alone(
        self, inner: Step, layout: Layout, prepare: Callable[[Rows], Prepared], *, lasting: bool
    ) -> Callable[[IndexedGraph, Rows], Prepared]:
        """Return the solutions of a pattern on its own, prepared for a join with the current rows.

        `lasting`: they are the same for every graph, so they are found once, at the first need.
        """
        base = layout.base
        if not lasting or base:
            return lambda graph, rows: prepare(inner(graph, [rows[0][:base]]))
        found: list[Prepared] = []

        def once(graph: IndexedGraph, rows: Rows) -> Prepared:
            if not found:
                solutions = inner(graph, [()])
                self.dictionary.keep(chain.from_iterable(solutions))
                found.append(prepare(solutions))
            return found[0]

        return once

    def lasts(self, pattern: GroupGraphPattern | Element) -> bool:
        """Return True if the pattern, evaluated alone, has the same solutions for every graph."""
        return lasts(pattern)

    # --- filters --------------------------------------------------------------------------------

    def filter(
        self, condition: Expression, scope: frozenset[Variable], layout: Layout
    ) -> Step:
        """Keep the rows for which the condition is true; only variables in scope are seen."""
        sight = self.sight(layout, scope)
        holds = sight.condition(condition)
        active = sight.active

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            active.graph = graph
            return [row for row in rows if holds(row)]

        return step

    def sight(self, layout: Layout, scope: frozenset[Variable] | None = None) -> ExpressionContext:
        """Return the context of expressions over rows; `scope` excludes all other variables."""
        active = ActiveGraph()
        positions = {
            variable: column
            for column, variable in enumerate(layout.columns)
            if scope is None or variable in scope
        }
        uncertain: list[tuple[int, int]] = []
        for variable, source in layout.injections.items():
            column = positions.setdefault(variable, source)
            if column != source and variable not in layout.certain:
                uncertain.append((column, source))
        compiler = ExpressionCompiler(positions, self.dictionary, self.exists(positions, active))
        return ExpressionContext(compiler, active, tuple(uncertain))

    def exists(
        self, positions: Mapping[Variable, int], active: ActiveGraph
    ) -> Callable[[Exists], TruthOf]:
        """Return the compiler of EXISTS for rows with these columns (18.6).

        The recommendation replaces the variables inside by their values, which is not defined
        where a variable is bound (AS, VALUES, SELECT). Here the values are injected: basic graph
        patterns, VALUES and GRAPH match no others, expressions see them, and what is assigned
        otherwise must in the end agree with them.
        """

        def compile_exists(expression: Exists) -> TruthOf:
            pattern = expression.pattern
            inside = occurring(pattern)
            columns = [(each, column) for each, column in positions.items() if each in inside]
            plans: dict[tuple[Variable, ...], Step] = {}

            def found(row: Row) -> bool:
                bound = tuple(variable for variable, column in columns if row[column] != UNBOUND)
                plan = plans.get(bound)
                if plan is None:
                    plan = plans[bound] = self.agreeing(pattern, starting_from(bound))
                values = tuple([row[column] for _, column in columns if row[column] != UNBOUND])
                return bool(plan(active.graph, [values]))

            return found

        return compile_exists

    def agreeing(self, pattern: GroupGraphPattern, start: Layout) -> Step:
        """Return the solutions of the pattern that agree with the injected values."""
        step, layout = self.group(pattern, start)
        agreement, _ = inject([each for each in start.injected if each in layout.columns], layout)
        return in_order([step, agreement])

    # --- the other elements ---------------------------------------------------------------------

    def union(
        self, alternatives: tuple[GroupGraphPattern, ...], layout: Layout
    ) -> tuple[Step, Layout]:
        """Union (18.5): the rows of every alternative."""
        if len(alternatives) == 1:
            return self.group(alternatives[0], layout)
        branches = [self.group(alternative, layout) for alternative in alternatives]
        after = layout.united([each for _, each in branches])
        arranged = [(step, rearrange(each, after.columns)) for step, each in branches]

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            out: Rows = []
            for branch, arrange in arranged:
                out += arrange(branch(graph, rows))
            return out

        return step, after

    def in_graph(
        self, name: URIRef, pattern: GroupGraphPattern, layout: Layout
    ) -> tuple[Step, Layout]:
        """Graph(IRI, P) (18.5): nothing if the dataset has no such graph."""
        inner, after = self.group(pattern, layout)
        named = self.named.get(self.dictionary.encode(name, permanent=True))
        if named is None:
            return _nothing, after
        return lambda graph, rows: inner(named, rows), after

    def in_some_graph(
        self,
        name: Variable,
        pattern: GroupGraphPattern,
        layout: Layout,
        named: Mapping[int, IndexedGraph],
    ) -> tuple[Step, Layout]:
        """Graph(var, P) (18.5): the union over all named graphs, each joined with its name."""
        injection, layout = inject((name,), layout)
        before = layout.extended((name,), (name,))
        if may_extend(pattern, before.variables, _NONE):
            inner, after = self.group(pattern, before)
        else:
            # Not lasting, although it may be: each named graph is the active one in turn.
            alone = self.group(pattern, layout.start())
            inner, after = self.joined(alone, before, lasting=False)
        column = layout.positions.get(name)
        graphs = tuple(named.items())

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            out: Rows = []
            for number, active in graphs:
                here = _with_name(rows, column, number)
                if here:
                    out += inner(active, here)
            return out

        return in_order([injection, step]), after

    def optional(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """LeftJoin (18.2.2.6): the filters of the optional group see the rows on the left too."""
        elements, conditions = split(pattern)
        body = GroupGraphPattern(tuple(elements))
        if may_extend(body, layout.variables, _NONE):
            inner, after = self.elements(elements, [], layout)
            keeps = [self.filter(each, frozenset(after.columns), after) for each in conditions]
            extend = in_order([inner, *keeps])
            padding = (UNBOUND,) * (len(after.columns) - len(layout.columns))

            def extended(graph: IndexedGraph, rows: Rows) -> Rows:
                out: Rows = []
                for row in rows:
                    out += extend(graph, [row]) or [row + padding]
                return out

            return extended, layout.extended(after.columns)
        inner, right = self.elements(elements, [], layout.start())
        join = Join(layout, right)
        sight = self.sight(join.layout)
        tests = [sight.condition(condition) for condition in conditions]
        table = self.alone(inner, layout, join.table, lasting=self.lasts(body))

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            sight.active.graph = graph
            return join.outer(rows, table(graph, rows), holds)

        def holds(row: IdRow) -> bool:
            return all(test(row) for test in tests)

        return step, layout.extended(join.layout.columns)

    def minus(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """Minus (18.5)."""
        inner, right = self.group(pattern, layout.start())
        difference = Difference(layout, right)
        removed = self.alone(inner, layout, difference.removed, lasting=self.lasts(pattern))
        return lambda graph, rows: difference.kept(rows, removed(graph, rows)), layout

    def extend(
        self, assignments: Sequence[tuple[Variable, Expression]], layout: Layout
    ) -> tuple[Step, Layout]:
        """Extend (18.5), once or several times; in error, an expression leaves it unbound.

        A later expression sees what the earlier ones have assigned.
        """
        after = layout.extended(variable for variable, _ in assignments)
        sight = self.sight(after)
        compiler, active, completed = sight.compiler, sight.active, sight.completed
        padding = (UNBOUND,) * (len(after.columns) - len(layout.columns))
        columns = after.positions
        terms = [(columns[variable], compiler.term(each)) for variable, each in assignments]

        def assigned(row: IdRow) -> IdRow:
            compiler.labels.clear()
            values = [*row, *padding]
            for column, term in terms:
                with suppress(ExpressionError):
                    values[column] = term(completed(values))
            return tuple(values)

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            active.graph = graph
            return [assigned(row) for row in rows]

        return step, after

    def sub_select(self, query: SelectQuery, layout: Layout) -> tuple[Step, Layout]:
        """Join with a sub-select; what it does not project has nothing to do with its outside."""
        seen = visible(query)
        kept = tuple(variable for variable in layout.injected if variable in seen)
        inner, right = compile_select(self, query, starting_from(kept))
        picks = [layout.injections[variable] for variable in kept]
        join = Join(layout, right)

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            injected = tuple([rows[0][pick] for pick in picks])
            return join.inner(rows, join.table(inner(graph, [injected])))

        return step, join.layout

    def inline_data(self, data: InlineData, layout: Layout) -> tuple[Step, Layout]:
        """Join with the rows of VALUES."""
        encode = self.dictionary.encode
        table = [
            tuple([UNBOUND if term is None else encode(term, permanent=True) for term in row])
            for row in data.rows
        ]
        join = Join(layout, Layout(data.variables, certain(data)))
        hashed = join.table(table)
        checks = [
            (column, layout.injections[variable])
            for column, variable in enumerate(data.variables)
            if variable in layout.injected
        ]
        if not checks:
            return lambda graph, rows: join.inner(rows, hashed), join.layout

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            agreeing = [
                row
                for row in table
                if all(row[column] in (UNBOUND, rows[0][source]) for column, source in checks)
            ]
            return join.inner(rows, join.table(agreeing))

        return step, join.layout


def _with_name(rows: Rows, column: int | None, number: int) -> Rows:
    """Return the rows joined with {var ↦ name of a graph}."""
    if column is None:
        return [(*row, number) for row in rows]
    return [
        row if row[column] else (*row[:column], number, *row[column + 1 :])
        for row in rows
        if row[column] in (UNBOUND, number)
    ]


def _nothing(graph: IndexedGraph, rows: Rows) -> Rows:
    return []

