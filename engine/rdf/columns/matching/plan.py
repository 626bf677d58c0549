"""The plan of a graph pattern over a whole batch (SPARQL 1.1 Query, 18.2.2).

Whatever goes on from the rows at hand there does so here. What needs more (paths, MINUS, EXISTS,
sub-selects, variable graph names, what may be unbound where it is joined) has no plan: then the
complete matcher takes the items one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from .....semantics.model.terms import URIRef, Variable
from .....semantics.model.trees import has
from .....semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Exists,
    Expression,
    GroupGraphPattern,
    InlineData,
    NamedGraphPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from ...basic_graph_patterns import BlockCompiler
from ...data.dictionary import UNBOUND, Dictionary
from ...data.graphs import EMPTY, IndexedGraph, by_predicate
from ...data.layout import Layout, Rows
from ...data.triples import EncodedPattern
from ...expressions.compile import ExpressionCompiler, Row
from ...expressions.values import ExpressionError
from ...joins import arranged, decided, may_extend, split
from ...variables import certain, expression_variables, is_volatile, possible
from ..batch import Column, GraphBatch, Matched
from .filter_conditions import Condition, by_combination, compile_truth
from .tables import StaticTable, Table, joined_with, united
from .triple_scan import NoPlan, Partition, TableStep, graph_triples, item_triples, partition

_NONE: Final[frozenset[Variable]] = frozenset()


class Planning:
    """Compiles groups; `active` is the graph that is active, None for the item's own."""

    def __init__(
        self,
        dictionary: Dictionary,
        named: Mapping[URIRef, IndexedGraph],
        active: IndexedGraph | None,
    ) -> None:
        self.dictionary = dictionary
        self.named = named
        self.active = active
        self.blocks = BlockCompiler(dictionary)

    # --- groups ---------------------------------------------------------------------------------

    def group(self, group: GroupGraphPattern, layout: Layout) -> tuple[TableStep, Layout]:
        elements, conditions = split(group)
        return self.elements(elements, conditions, layout)

    def elements(
        self, elements: list[Element], conditions: list[Expression], layout: Layout
    ) -> tuple[TableStep, Layout]:
        if any(is_volatile(each) or has(each, Exists) for each in conditions):
            raise NoPlan
        scope = frozenset(possible(GroupGraphPattern(tuple(elements))))
        pending = [(each, compile_truth(each, scope, self.dictionary)) for each in conditions]
        steps: list[TableStep] = []

        def ready(layout: Layout) -> list[Condition]:
            now = [each for each in pending if decided(each[0], scope, layout)]
            for each in now:
                pending.remove(each)
            return [holds for _, holds in now]

        steps += map(_filter, ready(layout))
        for together in arranged(elements):
            if isinstance(together[0], TriplesBlock):
                block, layout = self.block(together[0], layout, ready)
                steps += block
                continue
            if isinstance(together[0], Bind):
                for each in together:
                    assert isinstance(each, Bind)
                    step, layout = self.bind(each, layout)
                    steps.append(step)
            else:
                step, layout = self.element(together[0], layout)
                steps.append(step)
            steps += map(_filter, ready(layout))
        steps += [_filter(holds) for _, holds in pending]
        return _in_order(steps), layout

    def element(self, element: Element, layout: Layout) -> tuple[TableStep, Layout]:
        match element:
            case OptionalPattern(pattern):
                return self.optional(pattern, layout)
            case InlineData():
                return self.inline_data(element, layout)
            case _ if layout.variables and not may_extend(element, layout.variables, _NONE):
                raise NoPlan
            case NamedGraphPattern(URIRef() as name, pattern):
                graph = self.named.get(name)
                inner = Planning(self.dictionary, self.named, graph or EMPTY)
                step, after = inner.group(pattern, layout)
                return (step if graph else _in_order([_nothing, step])), after
            case UnionPattern(alternatives):
                return self.union(alternatives, layout)
        raise NoPlan

    # --- triples --------------------------------------------------------------------------------

    def block(
        self,
        block: TriplesBlock,
        layout: Layout,
        ready: Callable[[Layout], list[Condition]],
    ) -> tuple[list[TableStep], Layout]:
        """Plan a basic graph pattern: the most selective triple first, filters early."""
        visible = frozenset((*layout.columns, *possible(block)))
        steps: list[TableStep] = []
        for best in self.blocks.ordered(block.triples, layout):
            if not isinstance(best, EncodedPattern):
                raise NoPlan
            variables = best.variables
            if any(
                layout.position(v) is not None and not layout.is_certain(v) for v in variables
            ):
                raise NoPlan
            # What a triple alone decides is asked before the join.
            own = ready(Layout(variables, frozenset(variables)))
            steps.append(self.triple(best, own, layout))
            layout = layout.extended(variables, variables)
            steps += map(_filter, ready(layout))
        kept = tuple(column for column in layout.columns if column in visible)
        if kept != layout.columns:
            steps.append(lambda _, table: table.only(kept))
            layout = Layout(kept, layout.certain.intersection(kept))
        return steps, layout

    def triple(
        self, pattern: EncodedPattern, own: Sequence[Condition], layout: Layout
    ) -> TableStep:
        if self.active is None:
            return item_triples(pattern, own)
        if not layout.certain.intersection(pattern.variables) and all(
            isinstance(place, Variable) for place in (pattern.subject, pattern.object)
        ):
            raise NoPlan  # every item with every such triple: too many at once
        return graph_triples(self.active, pattern, own)

    # --- the other elements ---------------------------------------------------------------------

    def optional(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[TableStep, Layout]:
        elements, conditions = split(pattern)
        if not may_extend(GroupGraphPattern(tuple(elements)), layout.variables, _NONE):
            raise NoPlan
        inner, after = self.elements(elements, [], layout)
        if any(is_volatile(each) or has(each, Exists) for each in conditions):
            raise NoPlan
        keeps = [
            _filter(compile_truth(each, after.columns, self.dictionary)) for each in conditions
        ]
        extend = _in_order([inner, *keeps])

        def step(parts: Partition, table: Table) -> Table:
            found = extend(parts, table.numbered())
            assert found.origin is not None
            alone = np.ones(len(table), np.bool_)
            alone[found.origin] = False
            again = table.origin if table.origin is None else table.origin[found.origin]
            extended = Table(found.item, found.ids, again)
            return united([extended, table.picked(alone)], after.columns)

        return step, layout.extended(after.columns)

    def union(
        self, alternatives: tuple[GroupGraphPattern, ...], layout: Layout
    ) -> tuple[TableStep, Layout]:
        if len(alternatives) == 1:
            return self.group(alternatives[0], layout)
        branches = [self.group(alternative, layout) for alternative in alternatives]
        after = layout.united([each for _, each in branches])
        return (
            lambda parts, table: united(
                [branch(parts, table) for branch, _ in branches], after.columns
            )
        ), after

    def inline_data(self, data: InlineData, layout: Layout) -> tuple[TableStep, Layout]:
        variables = data.variables
        if certain(data) != frozenset(variables) or any(
            v in layout.columns and v not in layout.certain for v in variables
        ):
            raise NoPlan
        encode = self.dictionary.encode
        ids = [
            encode(term, permanent=True) for row in data.rows for term in row if term is not None
        ]
        table = np.array(ids, np.int64).reshape(len(data.rows), len(variables))
        lasting = StaticTable([np.ascontiguousarray(column) for column in table.T], len(data.rows))
        places = {variable: place for place, variable in enumerate(variables)}
        return (
            lambda _, table: joined_with(table, lasting, places)
        ), layout.extended(variables, variables)

    def bind(self, bind: Bind, layout: Layout) -> tuple[TableStep, Layout]:
        expression, variable = bind.expression, bind.variable
        if is_volatile(bind) or has(expression, Exists):
            raise NoPlan
        seen = tuple(sorted(expression_variables(expression).intersection(layout.columns)))
        positions = {each: column for column, each in enumerate(seen)}
        term = ExpressionCompiler(positions, self.dictionary).term(expression)

        def tell(row: Row) -> int:
            try:
                return term(row)
            except ExpressionError:
                return UNBOUND

        def step(_: Partition, table: Table) -> Table:
            columns = [table.column(each) for each in seen]
            ids = by_combination(tell, columns, len(table))
            return Table(table.item, {**table.ids, variable: ids}, table.origin)

        return step, layout.extended((variable,))


def _nothing(_: Partition, table: Table) -> Table:
    return table.picked(np.zeros(len(table), np.bool_))


def _filter(holds: Condition) -> TableStep:
    return lambda _, table: table.picked(holds(table)) if len(table) else table


def _in_order(steps: Iterable[TableStep]) -> TableStep:
    chain = tuple(steps)

    def run(parts: Partition, table: Table) -> Table:
        for step in chain:
            table = step(parts, table)
        return table

    return run


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """A pattern's steps over the tables of a batch."""

    step: TableStep
    columns: tuple[Variable, ...]

    def match(self, batch: GraphBatch) -> Matched:
        """Match the items as `Matcher.match_columns` does."""
        table = self._table(batch)
        counts = np.bincount(table.item, minlength=len(batch))
        rows = np.empty((len(table), len(self.columns)), np.int64)
        for number, variable in enumerate(self.columns):
            rows[:, number] = table.column(variable)
        return np.concatenate(([0], np.cumsum(counts))), rows

    def items(self, batch: GraphBatch) -> Column:
        """Return the numbers of the items with a solution, rising."""
        return np.unique(self._table(batch).item)

    def _table(self, batch: GraphBatch) -> Table:
        parts = partition(batch)
        return self.step(parts, Table(parts.items, {}, trivial=True))


def compile_plan(
    elements: Iterable[Element],
    conditions: Iterable[Expression],
    columns: tuple[Variable, ...],
    dictionary: Dictionary,
    named: Mapping[URIRef, IndexedGraph],
) -> ColumnPlan | None:
    """Return the plan of a split group, for rows over `columns`; None: no plan."""
    try:
        step, _ = Planning(dictionary, named, None).elements(
            list(elements), list(conditions), Layout()
        )
    except NoPlan:
        return None
    return ColumnPlan(step, columns)


def compile_candidates(
    elements: Sequence[Element], conditions: Iterable[Expression], dictionary: Dictionary
) -> ColumnPlan | None:
    """Return a plan with solutions on every item where the group has some, and on few others.

    It asks for the group's own triples, paths left out, and for what its filters say of them: every
    solution extends one of these. None if there are none.
    """
    triples = tuple(
        triple for element in elements if isinstance(element, TriplesBlock)
        for triple in element.triples if isinstance(triple.predicate, URIRef | Variable)
    )
    if not triples:
        return None
    block = TriplesBlock(triples)
    scope = frozenset(possible(GroupGraphPattern(tuple(elements))))
    bound = Layout((), certain(block))
    told = [
        each for each in conditions if decided(each, scope, bound) and not has(each, Exists)
    ]
    return compile_plan([block], told, (), dictionary, {})


_KNOWN: Final[WeakKeyDictionary[GraphBatch, dict[int, IndexedGraph]]] = WeakKeyDictionary()


def matched_singly(
    batch: GraphBatch,
    items: Iterable[int],
    match: Callable[[IndexedGraph], Rows],
    width: int,
    *,
    keep: bool,
) -> Matched:
    """Return the rows of `match` on each of these items, in the form of `Matcher.match_columns`.

    The items rise; rows have `width` columns. With `keep`, an item's graph is made once for all the
    patterns that are matched on it; of large batches that would be too many objects.
    """
    counts = np.zeros(len(batch) + 1, np.int64)
    rows: Rows = []
    graphs = _KNOWN.setdefault(batch, {}) if keep else {}
    for item in items:
        graph = graphs.get(item)
        if graph is None:
            graph = _graph(batch, item)
            if keep:
                graphs[item] = graph
        found = match(graph)
        if found:
            counts[item + 1] = len(found)
            rows += found
    table = np.array(rows, dtype=np.int64).reshape(len(rows), width)
    return np.cumsum(counts), table


def _graph(batch: GraphBatch, item: int) -> IndexedGraph:
    here = slice(batch.offsets[item], batch.offsets[item + 1])
    columns = (batch.subject, batch.predicate, batch.object)
    triples = zip(*(column[here].tolist() for column in columns), strict=True)
    return IndexedGraph(by_predicate(triples))
