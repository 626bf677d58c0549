"""Group graph patterns compiled to steps over rows (SPARQL 1.1 Query, 18.2.2).

The algebra evaluates every pattern on its own and joins the results. Wherever that gives the same
bag, a pattern is compiled instead as an *extension*: it goes on from the rows at hand, so that
what is bound already restricts what is looked up. `may_extend` says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from ...semantics.errors import UnsupportedError
from ...semantics.rdf.syntax import (
    Bind,
    Element,
    Exists,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ...semantics.rdf.terms import BNode, Term, URIRef, Variable
from .conditions import compile_condition, conjuncts
from .dictionary import UNBOUND, Dictionary
from .expressions import ExpressionCompiler, Row, TruthOf
from .graphs import EMPTY, IndexedGraph
from .joins import Join, difference
from .layout import IdRow, Layout, Rows, Step, in_order, rearrange
from .triples import EncodedPattern, Place, compile_triple
from .values import ExpressionError
from .variables import certain, mentioned, occurring, possible, volatile

_JOINED = (InlineData, TriplesBlock, NamedGraphPattern, UnionPattern, SubSelect)


class _ActiveGraph:
    """Where a filter's EXISTS finds the graph that is active while the filter runs."""

    __slots__ = ("graph",)

    def __init__(self) -> None:
        self.graph: IndexedGraph = EMPTY


class GroupCompiler:
    """Compiles patterns for one dictionary and one set of named graphs."""

    def __init__(self, dictionary: Dictionary, named: Mapping[URIRef, IndexedGraph]) -> None:
        self.dictionary = dictionary
        self.named = {
            dictionary.encode(name, permanent=True): graph for name, graph in named.items()
        }

    # --- groups ---------------------------------------------------------------------------------

    def group(self, group: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """The step that extends rows of the layout by the group's solutions.

        The group's meaning is that of the algebra only if the layout holds nothing but constants
        or if `may_extend` allows it.
        """
        elements, conditions = split(group)
        return self.elements(elements, conditions, layout)

    def elements(
        self, elements: Iterable[Element], conditions: list[Expression], layout: Layout
    ) -> tuple[Step, Layout]:
        """As `group`, for a group whose filters have been taken apart."""
        elements = list(elements)
        scope = frozenset(possible(GroupGraphPattern(tuple(elements)))) | layout.substituted
        steps: list[Step] = []
        pending = list(conditions)

        def apply_ready(layout: Layout) -> None:
            ready = [each for each in pending if _decided(each, scope, layout)]
            for condition in ready:
                pending.remove(condition)
                steps.append(self.filter(condition, scope, layout))

        apply_ready(layout)
        for element in _arranged(elements):
            for step, after in self.element(element, layout):
                steps.append(step)
                layout = after
                apply_ready(after)
        steps.extend(self.filter(condition, scope, layout) for condition in pending)
        return in_order(steps), layout

    def element(self, element: Element, layout: Layout) -> Iterator[tuple[Step, Layout]]:
        """The steps of one element, each with the layout that it leaves."""
        match element:
            case TriplesBlock(triples):
                yield from self.triples(triples, layout)
            case OptionalPattern(pattern):
                yield self.optional(pattern, layout)
            case MinusPattern(pattern):
                yield self.minus(pattern, layout)
            case Bind(expression, variable):
                yield self.bind(expression, variable, layout)
            case InlineData():
                yield self.inline_data(element, layout)
            case _ if layout.columns == layout.start().columns or may_extend(element, layout):
                yield self.extension(element, layout)
            case _:
                yield self.joined(self.extension(element, layout.start()), layout)

    def extension(self, element: Element, layout: Layout) -> tuple[Step, Layout]:
        """An element that can go on from the rows at hand."""
        match element:
            case NamedGraphPattern(URIRef() as name, pattern):
                return self.in_graph(name, pattern, layout)
            case NamedGraphPattern(Variable() as name, pattern):
                return self.in_some_graph(name, pattern, layout)
            case UnionPattern(alternatives):
                return self.union(alternatives, layout)
            case _:
                raise UnsupportedError(f"{type(element).__name__} is not supported")

    def joined(self, right: tuple[Step, Layout], layout: Layout) -> tuple[Step, Layout]:
        """Join of the rows at hand with a pattern that is evaluated on its own."""
        inner, right_layout = right
        join = Join(layout, right_layout)
        base = layout.base

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            return join.inner(rows, join.table(inner(graph, [rows[0][:base]])))

        return step, join.layout

    # --- filters --------------------------------------------------------------------------------

    def filter(
        self, condition: Expression, scope: frozenset[Variable], layout: Layout
    ) -> Step:
        """Keeps the rows for which the condition is true; only variables in scope are seen."""
        holds, active = self.condition(condition, scope, layout)

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            active.graph = graph
            return [row for row in rows if holds(row)]

        return step

    def condition(
        self, condition: Expression, scope: frozenset[Variable], layout: Layout
    ) -> tuple[TruthOf, _ActiveGraph]:
        """The condition, and where to tell it the active graph before it is asked."""
        positions = {
            variable: column
            for column, variable in enumerate(layout.columns)
            if variable in scope
        }
        active = _ActiveGraph()
        holds = compile_condition(
            condition, positions, self.dictionary, exists=self.exists(positions, active)
        )
        return holds, active

    def exists(
        self, positions: Mapping[Variable, int], active: _ActiveGraph
    ) -> Callable[[Exists], TruthOf]:
        """What compiles EXISTS for rows with these columns (18.6: substitute, then evaluate)."""

        def compile_exists(expression: Exists) -> TruthOf:
            pattern = expression.pattern
            inside = occurring(pattern)
            columns = [(each, column) for each, column in positions.items() if each in inside]
            plans: dict[tuple[Variable, ...], Step] = {}

            def found(row: Row) -> bool:
                bound = tuple(variable for variable, column in columns if row[column] != UNBOUND)
                plan = plans.get(bound)
                if plan is None:
                    start = Layout(bound, frozenset(bound), len(bound))
                    plan = plans[bound] = self.group(pattern, start)[0]
                constants = tuple([row[column] for _, column in columns if row[column] != UNBOUND])
                return bool(plan(active.graph, [constants]))

            return found

        return compile_exists

    # --- basic graph patterns -------------------------------------------------------------------

    def triples(
        self, triples: tuple[TriplePattern, ...], layout: Layout
    ) -> Iterator[tuple[Step, Layout]]:
        """A basic graph pattern, one step a triple, the most selective first."""
        waiting = [self.encoded(triple) for triple in triples]
        visible = (*layout.columns, *possible(TriplesBlock(triples)))
        while waiting:
            # max() keeps the written order among equals.
            best = max(waiting, key=lambda pattern: pattern.selectivity(layout))
            waiting.remove(best)
            step, layout = compile_triple(best, layout)
            if not waiting and any(column not in visible for column in layout.columns):
                step, layout = _without_blank_nodes(step, layout, visible)
            yield step, layout

    def encoded(self, triple: TriplePattern) -> EncodedPattern:
        """The pattern over ids; a blank node becomes a variable that no query can name."""
        if not isinstance(triple.predicate, (URIRef, Variable)):
            raise UnsupportedError("property paths are not supported")
        return EncodedPattern(
            self.place(triple.subject), self.place(triple.predicate), self.place(triple.object)
        )

    def place(self, term: Term | Variable) -> Place:
        """A position of a triple pattern."""
        if isinstance(term, Variable):
            return term
        if isinstance(term, BNode):
            return Variable(f"_:{term}")
        return self.dictionary.encode(term, permanent=True)

    # --- the other elements ---------------------------------------------------------------------

    def union(
        self, alternatives: tuple[GroupGraphPattern, ...], layout: Layout
    ) -> tuple[Step, Layout]:
        """Union (18.5): the rows of every alternative."""
        if len(alternatives) == 1:
            return self.group(alternatives[0], layout)
        branches = [self.group(alternative, layout) for alternative in alternatives]
        names = [variable for _, each in branches for variable in each.columns]
        after = layout.extended(
            names, frozenset.intersection(*(each.certain for _, each in branches))
        )
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
        self, name: Variable, pattern: GroupGraphPattern, layout: Layout
    ) -> tuple[Step, Layout]:
        """Graph(var, P) (18.5): the union over all named graphs, each joined with its name."""
        before = layout.extended((name,), (name,))
        if may_extend(pattern, before):
            inner, after = self.group(pattern, before)
        else:
            alone, alone_layout = self.group(pattern, layout.start())
            inner, after = self.joined((alone, alone_layout), before)
        column = layout.positions.get(name)
        graphs = tuple(self.named.items())

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            out: Rows = []
            for number, named in graphs:
                here = _with_name(rows, column, number)
                if here:
                    out += inner(named, here)
            return out

        return step, after

    def optional(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """LeftJoin (18.2.2.6): the filters of the optional group see the rows on the left too."""
        elements, conditions = split(pattern)
        body = GroupGraphPattern(tuple(elements))
        scope = frozenset(layout.columns) | frozenset(possible(body))
        if may_extend(body, layout):
            inner, after = self.elements(elements, [], layout)
            keeps = [self.filter(condition, scope, after) for condition in conditions]
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
        tests = [self.condition(condition, scope, join.layout) for condition in conditions]
        base = layout.base

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            for _, active in tests:
                active.graph = graph
            table = join.table(inner(graph, [rows[0][:base]]))
            return join.outer(rows, table, holds)

        def holds(row: IdRow) -> bool:
            return all(test(row) for test, _ in tests)

        return step, layout.extended(join.layout.columns)

    def minus(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """Minus (18.5)."""
        inner, right = self.group(pattern, layout.start())
        remove = difference(layout, right)
        base = layout.base
        return lambda graph, rows: remove(rows, inner(graph, [rows[0][:base]])), layout

    def bind(
        self, expression: Expression, variable: Variable, layout: Layout
    ) -> tuple[Step, Layout]:
        """Extend (18.5): an expression in error leaves the variable unbound."""
        active = _ActiveGraph()
        positions = layout.positions
        term = ExpressionCompiler(
            positions, self.dictionary, self.exists(positions, active)
        ).term(expression)

        def value(row: IdRow) -> int:
            try:
                return term(row)
            except ExpressionError:
                return UNBOUND

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            active.graph = graph
            return [(*row, value(row)) for row in rows]

        return step, layout.extended((variable,))

    def inline_data(self, data: InlineData, layout: Layout) -> tuple[Step, Layout]:
        """Join with the rows of VALUES."""
        encode = self.dictionary.encode
        table = [
            tuple(UNBOUND if term is None else encode(term, permanent=True) for term in row)
            for row in data.rows
        ]
        join = Join(layout, Layout(data.variables, certain(data)))
        hashed = join.table(table)
        return lambda graph, rows: join.inner(rows, hashed), join.layout


def split(group: GroupGraphPattern) -> tuple[list[Element], list[Expression]]:
    """The elements of a group without its filters, and the filters' conjuncts.

    A FILTER does not end a basic graph pattern (5.1.1), so blocks around it become one.
    """
    elements: list[Element] = []
    conditions: list[Expression] = []
    for element in group.elements:
        if isinstance(element, Filter):
            conditions.extend(conjuncts(element.condition))
        elif isinstance(element, TriplesBlock) and elements and (
            isinstance(previous := elements[-1], TriplesBlock)
        ):
            elements[-1] = TriplesBlock(previous.triples + element.triples)
        else:
            elements.append(element)
    return elements, conditions


def _arranged(written: list[Element]) -> Iterator[Element]:
    """Join is commutative and associative: in a run of joined elements the cheap ones go first."""
    for joined, run in groupby(written, key=lambda each: isinstance(each, _JOINED)):
        elements = list(run)
        yield from sorted(elements, key=_cost) if joined else elements


def _cost(element: Element) -> int:
    if isinstance(element, InlineData) and len(certain(element)) < len(element.variables):
        return len(_JOINED)
    return _JOINED.index(type(element))


def _decided(condition: Expression, scope: frozenset[Variable], layout: Layout) -> bool:
    """Whether later steps cannot change what the condition says about a row."""
    return not volatile(condition) and (mentioned(condition) & scope) <= layout.certain


def may_extend(pattern: GroupGraphPattern | Element, layout: Layout) -> bool:
    """Whether Join(rows, pattern) is the pattern evaluated from those rows on.

    It is for joins and unions of triples; a filter inside must not see more than it would if the
    pattern were evaluated on its own: its variables must be certain there, or absent.
    """
    match pattern:
        case GroupGraphPattern():
            elements, conditions = split(pattern)
            body = GroupGraphPattern(tuple(elements))
            unsure = frozenset(possible(body)) - certain(body) - layout.substituted
            return all(may_extend(element, layout) for element in elements) and all(
                not volatile(condition) and not (mentioned(condition) & unsure)
                for condition in conditions
            )
        case TriplesBlock() | InlineData():
            return True
        case UnionPattern(alternatives):
            return all(may_extend(alternative, layout) for alternative in alternatives)
        case NamedGraphPattern(_, inner):
            return may_extend(inner, layout)
        case _:
            return False


def _with_name(rows: Rows, column: int | None, number: int) -> Rows:
    """The rows joined with {var ↦ name of a graph}."""
    if column is None:
        return [(*row, number) for row in rows]
    return [
        row if row[column] else (*row[:column], number, *row[column + 1 :])
        for row in rows
        if row[column] in (UNBOUND, number)
    ]


def _without_blank_nodes(
    step: Step, layout: Layout, visible: tuple[Variable, ...]
) -> tuple[Step, Layout]:
    kept = tuple(column for column in layout.columns if column in visible)
    arrange = rearrange(layout, kept)
    after = Layout(kept, layout.certain.intersection(kept), layout.base)
    return (lambda graph, rows: arrange(step(graph, rows))), after


def _nothing(graph: IndexedGraph, rows: Rows) -> Rows:
    return []

