"""The compilation of a query's tree to operators: windows, background and conditions, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ...semantics.cqels.syntax.analysis import blocks, holds_windows, visible_variables
from ...semantics.cqels.syntax.readings import Readings
from ...semantics.cqels.syntax.tree import CqelsQuery, TripleSequence, WindowPattern, WindowSequence
from ...semantics.model.errors import Impossible
from ...semantics.model.terms import BNode, URIRef, Variable
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    Expression,
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
from ..checkpoints.state_schema import stateful
from ..rdf.data.dictionary import Dictionary
from ..rdf.data.graphs import IndexedGraph
from ..rdf.data.layout import IdRow, Layout, Step, rearrange
from ..rdf.groups import GroupCompiler
from ..rdf.joins import split
from ..rdf.matcher import Matcher, compile_pattern
from .arrangement import FOR_EVER, SINCE_EVER, Arrangement
from .operators import (
    Condition,
    Joining,
    LeftJoining,
    Operator,
    Rewriting,
    Sequencing,
    SequencingWithout,
    Source,
    Subtracting,
    WithoutHead,
    WithoutTail,
)


@stateful(parts=("source",), compiled=("window", "matcher"))
@dataclass(slots=True)
class WindowSource:
    """A pattern on a window: what it finds in an item goes to `source`."""

    window: URIRef
    matcher: Matcher
    source: Source


@stateful(parts=("top", "windows", "given", "operators"), compiled=("background", "inputs"))
@dataclass(slots=True)
class Plan:
    """The operators of a query over one state of the background.

    `background` holds rows that are there from the beginning, `given` is what always holds.
    """

    top: Operator
    windows: list[WindowSource]
    background: list[tuple[Source, list[IdRow]]]
    given: list[Source]
    operators: list[Operator]
    inputs: Mapping[int, Sequence[Operator]]
    """by id() of an operator: what it consumes"""

    def arrangements(self) -> Iterable[Arrangement]:
        """Yield the arrangements of the operators."""
        for operator in self.operators:
            yield from operator.arrangements()

    def begin(self, since: int) -> None:
        """Push the rows of the background, which hold from `since` on and for ever."""
        for source in self.given:
            source.push((), SINCE_EVER, FOR_EVER, 1)
        for source, rows in self.background:
            for row in rows:
                source.push(row, since, FOR_EVER, 1)


@dataclass(frozen=True, slots=True)
class _Made:
    """An operator on the way, and whether each of its rows rests on a window."""

    operator: Operator
    windowed: bool

    @property
    def layout(self) -> Layout:
        return self.operator.layout


class Planner:
    """Compiles one query for one state of the background."""

    def __init__(
        self,
        query: CqelsQuery,
        readings: Readings,
        dictionary: Dictionary,
        default: IndexedGraph,
        named: Mapping[URIRef, IndexedGraph],
    ) -> None:
        self._query = query
        self._readings = readings
        self._dictionary = dictionary
        self._default = default
        self._groups = GroupCompiler(dictionary, named)
        self._windows: dict[tuple[URIRef, GroupGraphPattern], WindowSource] = {}
        self._background: list[tuple[Source, list[IdRow]]] = []
        self._given: list[Source] = []
        self._operators: list[Operator] = []
        self._consumed: dict[int, list[Operator]] = {}
        self._positive = True  # as long as no operator takes back what it has given

    def plan(self) -> Plan:
        made = self._projected(self._group(self._query.where))
        top = made.operator
        # Losses are of interest where something is taken back, where a solution holds on, and to
        # stream operators, which compare answers.
        growing = self._positive and made.windowed and self._query.operator is None
        self._pass_on(top, not growing)
        return Plan(
            top, list(self._windows.values()), self._background, self._given, self._operators,
            self._consumed,
        )

    def _pass_on(self, operator: Operator, deletes: bool) -> None:
        """Set `deletes` of the operators, down to the first that stores its input."""
        operator.deletes = deletes
        if isinstance(operator, Rewriting):
            for consumed in self._consumed[id(operator)]:
                self._pass_on(consumed, deletes)

    # --- the WHERE clause -------------------------------------------------------------------

    def _group(self, group: GroupGraphPattern) -> _Made:
        if not holds_windows(group):
            return self._static(group)
        elements, conditions = split(group)
        return self._filtered(self._elements(elements, blocks(group)), conditions)

    def _elements(
        self, elements: Sequence[Element], named: Mapping[URIRef, WindowPattern]
    ) -> _Made:
        made: _Made | None = None
        waiting: list[Element] = []

        def joined(made: _Made | None) -> _Made | None:
            # Joins commute: windows first, then what shares a variable with what there is.
            parts = [self._joinable(part, named) for part in _arranged(waiting)]
            waiting.clear()
            while parts:
                known = frozenset(made.layout.columns) if made is not None else frozenset()
                sharing = (each for each in parts if not known.isdisjoint(each.layout.columns))
                other = next(sharing, parts[0])
                parts.remove(other)
                made = other if made is None else self._join(made, other)
            return made

        binds: list[Bind] = []
        for element, following in zip_longest(elements, elements[1:]):
            match element:
                case WindowPattern(name) if name in named:
                    continue
                case Bind():
                    binds.append(element)
                    if not isinstance(following, Bind):
                        made = self._extended(joined(made) or self._nothing(), binds)
                        binds = []
                case OptionalPattern() | MinusPattern():
                    before = joined(made) or self._nothing()
                    made = self._later(before, element)
                case _:
                    waiting.append(element)
        return joined(made) or self._nothing()

    def _extended(self, made: _Made, binds: Sequence[Bind]) -> _Made:
        """Compile consecutive BINDs: they extend one solution."""
        assignments = [(each.variable, each.expression) for each in binds]
        step, layout = self._groups.extend(assignments, made.layout)
        return self._rewritten(made, layout, self._stepping(step))

    def _joinable(self, element: Element, named: Mapping[URIRef, WindowPattern]) -> _Made:
        match element:
            case WindowPattern():
                return self._window(element)
            case WindowSequence(parts):
                return self._sequence(
                    [(self._window(named[part.name]), part.negated) for part in parts]
                )
            case UnionPattern(alternatives) if holds_windows(element):
                return self._union([self._group(each) for each in alternatives])
            case TriplesBlock() | UnionPattern() | NamedGraphPattern() | InlineData() | SubSelect():
                return self._static(GroupGraphPattern((element,)))
        raise Impossible(f"{type(element).__name__} is not joined")

    def _later(self, made: _Made, element: Element) -> _Made:
        """Return the plan extended by an element that depends on its place in the group."""
        match element:
            case OptionalPattern(pattern):
                return self._optional(made, pattern)
            case MinusPattern(pattern):
                removed = self._group(pattern)
                self._positive = False
                return _Made(
                    self._wired(
                        operator := Subtracting(made.layout, removed.layout),
                        [(made, operator.left), (removed, operator.right)],
                    ),
                    made.windowed,
                )
        raise Impossible(f"{type(element).__name__} does not depend on its place")

    def _optional(self, made: _Made, pattern: GroupGraphPattern) -> _Made:
        elements, conditions = split(pattern)
        inner = GroupGraphPattern(tuple(elements))
        optional = (
            self._elements(elements, blocks(pattern)) if holds_windows(inner)
            else self._static(inner)
        )
        both = made.layout.extended(optional.layout.columns)
        tests = [self._condition(condition, both) for condition in conditions]
        self._positive = False
        operator = LeftJoining(
            made.layout, optional.layout, lambda row: all(test(row) for test in tests)
        )
        inputs = [(made, operator.left), (optional, operator.right)]
        return _Made(self._wired(operator, inputs), made.windowed)

    def _union(self, alternatives: Sequence[_Made]) -> _Made:
        columns = dict.fromkeys(v for each in alternatives for v in each.layout.columns)
        certain = frozenset.intersection(*(each.layout.certain for each in alternatives))
        layout = Layout(tuple(columns), certain)
        union = Rewriting(layout, lambda row: (row,))
        inputs = []
        for each in alternatives:
            padded = Rewriting(layout, _arranging(each.layout, layout.columns))
            self._wired(padded, [(each, padded.receive)])
            inputs.append((_Made(padded, each.windowed), union.receive))
        return _Made(self._wired(union, inputs), all(each.windowed for each in alternatives))

    def _join(self, left: _Made, right: _Made) -> _Made:
        operator = Joining(left.layout, right.layout)
        self._wired(operator, [(left, operator.left), (right, operator.right)])
        return _Made(operator, left.windowed or right.windowed)

    def _filtered(self, made: _Made, conditions: Sequence[Expression]) -> _Made:
        if not conditions:
            return made
        tests = [self._condition(condition, made.layout) for condition in conditions]
        filtered = self._rewritten(
            made, made.layout, lambda row: (row,) if all(test(row) for test in tests) else ()
        )
        filtered.operator.conditions = tuple(conditions)
        return filtered

    def _projected(self, made: _Made) -> _Made:
        select = self._query.select
        if select is None:
            columns = visible_variables(self._query.where)
        else:
            assigned = [
                (item.variable, item.expression) for item in select if item.expression is not None
            ]
            if assigned:
                step, layout = self._groups.extend(assigned, made.layout)
                made = self._rewritten(made, layout, self._stepping(step))
            columns = tuple(dict.fromkeys(item.variable for item in select))
        return self._rewritten(made, Layout(columns), _arranging(made.layout, columns))

    # --- windows ----------------------------------------------------------------------------

    def _window(self, window: WindowPattern) -> _Made:
        body = window.body
        if not isinstance(body, TripleSequence):
            return self._source(window.name, body)
        made = self._sequence(
            [(self._source(window.name, part.pattern), part.negated) for part in body.elements]
        )
        return self._filtered(made, [each.condition for each in body.filters])

    def _source(self, window: URIRef, pattern: GroupGraphPattern) -> _Made:
        """Compile a source; a pattern in several places of a window is matched once."""
        known = self._windows.get((window, pattern))
        if known is None:
            matcher = compile_pattern(pattern, self._dictionary, defer=False)
            source = Source(Layout(matcher.columns, matcher.certain))
            known = self._windows[window, pattern] = WindowSource(window, matcher, source)
        return _Made(known.source, True)

    def _sequence(self, parts: Sequence[tuple[_Made, bool]]) -> _Made:
        place = next((i for i, (_, negated) in enumerate(parts) if negated), None)
        made = [part for part, _ in parts]
        if place is None:
            return self._positive_sequence(made)
        absent = made[place]
        self._positive = False
        operator: Operator
        if place == 0:
            rest = self._positive_sequence(made[1:])
            head = WithoutHead(absent.layout, rest.layout)
            operator, inputs = head, [(absent, head.absent), (rest, head.rows)]
        elif place == len(made) - 1:
            rest = self._positive_sequence(made[:-1])
            tail = WithoutTail(rest.layout, absent.layout)
            operator, inputs = tail, [(absent, tail.absent), (rest, tail.rows)]
        else:
            first = self._positive_sequence(made[:place])
            last = self._positive_sequence(made[place + 1 :])
            without = SequencingWithout(
                first.layout, absent.layout, last.layout, closed=self._readings.inside == "closed"
            )
            operator = without
            inputs = [(absent, without.middle), (first, without.left), (last, without.right)]
        return _Made(self._wired(operator, inputs), True)

    def _positive_sequence(self, parts: Sequence[_Made]) -> _Made:
        """Return a left-deep plan of the sequence: past rows wait for the next ones."""
        made, *others = parts
        for other in others:
            operator = Sequencing(made.layout, other.layout)
            self._wired(operator, [(made, operator.left), (other, operator.right)])
            made = _Made(operator, True)
        return made

    # --- the background ---------------------------------------------------------------------

    def _static(self, group: GroupGraphPattern) -> _Made:
        step, layout = self._groups.group(group, Layout())
        rows = list(dict.fromkeys(step(self._default, [()])))
        for row in rows:
            self._dictionary.keep(row)
        source = Source(layout)
        self._background.append((source, rows))
        return _Made(source, False)

    # --- conditions and wires ---------------------------------------------------------------

    def _nothing(self) -> _Made:
        """Return the plan of the empty group: it has held since ever."""
        source = Source(Layout())
        self._given.append(source)
        return _Made(source, False)

    def _condition(self, condition: Expression, layout: Layout) -> Condition:
        step = self._groups.filter(condition, frozenset(layout.columns), layout)
        return lambda row: bool(step(self._default, [row]))

    def _stepping(self, step: Step) -> Callable[[IdRow], Iterable[IdRow]]:
        return lambda row: step(self._default, [row])

    def _rewritten(
        self, made: _Made, layout: Layout, rewrite: Callable[[IdRow], Iterable[IdRow]]
    ) -> _Made:
        operator = Rewriting(layout, rewrite)
        return _Made(self._wired(operator, [(made, operator.receive)]), made.windowed)

    def _wired(
        self, operator: Operator, inputs: Sequence[tuple[_Made, Callable[..., None]]]
    ) -> Operator:
        for made, receive in inputs:
            producer = made.operator
            if isinstance(producer, Source):
                producer.sinks.append(receive)
            else:
                producer.sink = receive
        self._consumed[id(operator)] = [made.operator for made, _ in inputs]
        self._operators.append(operator)
        return operator


def _arranging(
    source: Layout, columns: tuple[Variable, ...]
) -> Callable[[IdRow], Iterable[IdRow]]:
    arrange = rearrange(source, columns)
    return lambda row: arrange([row])


def _arranged(elements: Sequence[Element]) -> list[Element]:
    """Order windows first, and keep triples without a shared variable apart (no products)."""
    parts = [
        part
        for element in elements
        for part in (_components(element) if isinstance(element, TriplesBlock) else (element,))
    ]
    return sorted(parts, key=lambda part: not holds_windows(part))


def _components(block: TriplesBlock) -> list[TriplesBlock]:
    """Return the block as several, none sharing a variable or blank node with another."""
    groups: list[tuple[set[Variable | BNode], list[TriplePattern]]] = []
    for triple in block.triples:
        names = {
            part
            for part in (triple.subject, triple.predicate, triple.object)
            if isinstance(part, Variable | BNode)
        }
        triples = [triple]
        apart = []
        for others, already in groups:
            if others.isdisjoint(names):
                apart.append((others, already))
            else:
                names |= others
                triples = already + triples
        groups = [*apart, (names, triples)]
    return [TriplesBlock(tuple(triples)) for _, triples in groups]
