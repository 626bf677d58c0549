"""Group graph patterns compiled to steps over rows (SPARQL 1.1 Query, 18.2.2).

The algebra evaluates every pattern on its own and joins the results. Wherever that gives the same
bag, a pattern is compiled instead as an *extension*: it goes on from the rows at hand, so that
what is bound already restricts what is looked up. `may_extend` says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from ...semantics.errors import Impossible
from ...semantics.rdf.syntax import (
    Bind,
    Element,
    Exists,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    InversePath,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    Path,
    SelectQuery,
    SequencePath,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    UnionPattern,
)
from ...semantics.rdf.terms import BNode, Literal, Term, URIRef, Variable
from .conditions import condition_with, conjuncts
from .dictionary import UNBOUND, Dictionary
from .expressions import ExpressionCompiler, Row, TruthOf
from .graphs import EMPTY, IndexedGraph
from .joins import Join, difference
from .layout import IdRow, Layout, Rows, Step, in_order, inject, rearrange, starting_from
from .paths import PathPattern, compile_path
from .selects import compile_select
from .triples import EncodedPattern, Place
from .values import ExpressionError
from .variables import certain, mentioned, occurring, possible, projected, volatile

_JOINED = (InlineData, TriplesBlock, NamedGraphPattern, UnionPattern, SubSelect)

Item: TypeAlias = EncodedPattern | PathPattern
"""What a basic graph pattern is joined from."""


class ActiveGraph:
    """Where EXISTS in an expression finds the graph that is active while a step runs."""

    __slots__ = ("graph",)

    def __init__(self) -> None:
        self.graph: IndexedGraph = EMPTY


@dataclass(frozen=True, slots=True)
class Sight:
    """How expressions see rows.

    `compiler` compiles them; `active` must be told the active graph before they are evaluated;
    `uncertain` are columns that may be unbound, each with the column of its injected value.
    """

    compiler: ExpressionCompiler
    active: ActiveGraph
    uncertain: tuple[tuple[int, int], ...]

    def completed(self, row: Row) -> Row:
        """The row with injected values where it binds nothing itself."""
        if not self.uncertain:
            return row
        values = list(row)
        for column, source in self.uncertain:
            values[column] = values[column] or values[source]
        return values

    def condition(self, expression: Expression) -> TruthOf:
        """The condition, errors being false."""
        holds = condition_with(expression, self.compiler)
        if not self.uncertain:
            return holds
        return lambda row: holds(self.completed(row))


class GroupCompiler:
    """Compiles patterns for one dictionary and one set of named graphs."""

    def __init__(self, dictionary: Dictionary, named: Mapping[URIRef, IndexedGraph]) -> None:
        self.dictionary = dictionary
        self.named = {
            dictionary.encode(name, permanent=True): graph for name, graph in named.items()
        }
        self._hidden = 0

    # --- groups ---------------------------------------------------------------------------------

    def group(self, group: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """The step that extends rows of the layout by the group's solutions.

        The group's meaning is that of the algebra only if the layout has no columns yet or if
        `may_extend` allows it.
        """
        elements, conditions = split(group)
        return self.elements(elements, conditions, layout)

    def elements(
        self, elements: Iterable[Element], conditions: list[Expression], layout: Layout
    ) -> tuple[Step, Layout]:
        """As `group`, for a group whose filters have been taken apart."""
        elements = list(elements)
        scope = frozenset(possible(GroupGraphPattern(tuple(elements))))
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
                yield self.extend([(variable, expression)], layout)
            case InlineData():
                yield self.inline_data(element, layout)
            case SubSelect(query):
                yield self.sub_select(query, layout)
            case _ if len(layout.columns) == layout.base or may_extend(element):
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
                raise Impossible(f"{type(element).__name__} is no extension")

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
        sight = self.sight(layout, scope)
        holds = sight.condition(condition)
        active = sight.active

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            active.graph = graph
            return [row for row in rows if holds(row)]

        return step

    def sight(self, layout: Layout, scope: frozenset[Variable] | None = None) -> Sight:
        """How expressions see rows of the layout; `scope` leaves out all other variables."""
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
        return Sight(compiler, active, tuple(uncertain))

    def exists(
        self, positions: Mapping[Variable, int], active: ActiveGraph
    ) -> Callable[[Exists], TruthOf]:
        """What compiles EXISTS for rows with these columns (18.6).

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
        """The solutions of the pattern that agree with the injected values."""
        step, layout = self.group(pattern, start)
        agreement, _ = inject([each for each in start.injected if each in layout.columns], layout)
        return in_order([step, agreement])

    # --- basic graph patterns -------------------------------------------------------------------

    def triples(
        self, triples: tuple[TriplePattern, ...], layout: Layout
    ) -> Iterator[tuple[Step, Layout]]:
        """A basic graph pattern, one step a triple, the most selective first."""
        waiting = [pattern for triple in triples for pattern in self.encoded(triple)]
        visible = (*layout.columns, *possible(TriplesBlock(triples)))
        while waiting:
            # max() keeps the written order among equals.
            known = layout
            best = max(waiting, key=lambda pattern: pattern.selectivity(known))
            waiting.remove(best)
            step, layout = best.compiled(layout)
            if not waiting and any(column not in visible for column in layout.columns):
                step, layout = _restricted(step, layout, visible)
            yield step, layout

    def encoded(self, triple: TriplePattern) -> Iterator[Item]:
        """The pattern over ids; a blank node becomes a variable that no query can name."""
        subject, obj = self.place(triple.subject), self.place(triple.object)
        if isinstance(triple.predicate, Variable):
            yield EncodedPattern(subject, triple.predicate, obj)
        elif isinstance(triple.predicate, (Literal, BNode)):
            raise Impossible("a predicate that the grammar does not have")
        else:
            yield from self.path(subject, triple.predicate, obj)

    def path(self, subject: Place, path: Path, obj: Place) -> Iterator[Item]:
        """Paths as triple patterns where that is what they mean (18.2.2.4)."""
        match path:
            case URIRef():
                yield EncodedPattern(subject, self.constant(path), obj)
            case InversePath(inner):
                yield from self.path(obj, inner, subject)
            case SequencePath(steps):
                places = [subject, *(self.hidden() for _ in steps[1:]), obj]
                for start, step, end in zip(places, steps, places[1:], strict=False):
                    yield from self.path(start, step, end)
            case _:
                yield PathPattern(subject, compile_path(path, self.constant), obj)

    def hidden(self) -> Variable:
        """A new variable that no query can name."""
        self._hidden += 1
        return Variable(f".{self._hidden}")

    def constant(self, term: Term) -> int:
        """The id of a constant of the query."""
        return self.dictionary.encode(term, permanent=True)

    def place(self, term: Term | Variable) -> Place:
        """A position of a triple pattern."""
        if isinstance(term, Variable):
            return term
        if isinstance(term, BNode):
            return Variable(f"_:{term}")
        return self.constant(term)

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
        injection, layout = inject((name,), layout)
        before = layout.extended((name,), (name,))
        if may_extend(pattern):
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

        return in_order([injection, step]), after

    def optional(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """LeftJoin (18.2.2.6): the filters of the optional group see the rows on the left too."""
        elements, conditions = split(pattern)
        body = GroupGraphPattern(tuple(elements))
        if may_extend(body):
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
        base = layout.base

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            sight.active.graph = graph
            table = join.table(inner(graph, [rows[0][:base]]))
            return join.outer(rows, table, holds)

        def holds(row: IdRow) -> bool:
            return all(test(row) for test in tests)

        return step, layout.extended(join.layout.columns)

    def minus(self, pattern: GroupGraphPattern, layout: Layout) -> tuple[Step, Layout]:
        """Minus (18.5)."""
        inner, right = self.group(pattern, layout.start())
        remove = difference(layout, right)
        base = layout.base
        return lambda graph, rows: remove(rows, inner(graph, [rows[0][:base]])), layout

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
        visible = frozenset(projected(query))
        kept = tuple(variable for variable in layout.injected if variable in visible)
        inner, right = compile_select(self, query, starting_from(kept))
        picks = [layout.injections[variable] for variable in kept]
        join = Join(layout, right)

        def step(graph: IndexedGraph, rows: Rows) -> Rows:
            injected = tuple([rows[0][pick] for pick in picks])
            return join.inner(rows, join.table(inner(graph, [injected])))

        return step, join.layout

    def inline_data(self, data: InlineData, layout: Layout) -> tuple[Step, Layout]:
        """Join with the rows of VALUES."""
        table = [
            tuple([UNBOUND if term is None else self.constant(term) for term in row])
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


def may_extend(pattern: GroupGraphPattern | Element) -> bool:
    """Whether Join(rows, pattern) is the pattern evaluated from those rows on.

    It is for joins and unions of triples; a filter inside must not see more than it would if the
    pattern were evaluated on its own: its variables must be certain there, or absent.
    """
    match pattern:
        case GroupGraphPattern():
            elements, conditions = split(pattern)
            body = GroupGraphPattern(tuple(elements))
            unsure = frozenset(possible(body)) - certain(body)
            return all(may_extend(element) for element in elements) and all(
                not volatile(condition) and not (mentioned(condition) & unsure)
                for condition in conditions
            )
        case TriplesBlock() | InlineData():
            return True
        case UnionPattern(alternatives):
            return all(may_extend(alternative) for alternative in alternatives)
        case NamedGraphPattern(_, inner):
            return may_extend(inner)
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


def _restricted(
    step: Step, layout: Layout, visible: tuple[Variable, ...]
) -> tuple[Step, Layout]:
    kept = tuple(column for column in layout.columns if column in visible)
    arrange = rearrange(layout, kept)
    after = Layout(kept, layout.certain.intersection(kept), layout.injected)
    return (lambda graph, rows: arrange(step(graph, rows))), after


def _nothing(graph: IndexedGraph, rows: Rows) -> Rows:
    return []

