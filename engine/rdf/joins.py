"""Join, LeftJoin and Minus by hashing (SPARQL 1.1 Query, 18.5), and the join order of a group.

Two rows are compatible if they agree on every column that both bind. Columns that are certain on
both sides make the hash key; the others are compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from ...semantics.model.errors import Impossible
from ...semantics.model.terms import Variable
from ...semantics.rdf.syntax.tree import (
    Bind,
    Element,
    EmbeddedPattern,
    Expression,
    Filter,
    GroupGraphPattern,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .conditions import conjuncts
from .data.dictionary import UNBOUND
from .data.layout import IdRow, Layout, Rows
from .variables import certain, is_volatile, occurring, possible, reads_active_graph

Merge: TypeAlias = Callable[[IdRow, IdRow], IdRow | None]


class Join:
    """The join of rows of two layouts that have the same injected values."""

    def __init__(self, left: Layout, right: Layout) -> None:
        here, there = left.positions, right.positions
        shared = [variable for variable in right.columns if variable in here]
        keys = [each for each in shared if each in left.certain and each in right.certain]
        fresh = [there[variable] for variable in right.columns if variable not in here]
        self.layout = left.extended(right.columns, right.certain)
        self.left_key = _picker([here[variable] for variable in keys])
        self.right_key = _picker([there[variable] for variable in keys])
        self.merge = _merger(
            [(here[variable], there[variable]) for variable in shared if variable not in keys],
            fresh,
        )
        self.padding = (UNBOUND,) * len(fresh)
        self.exact = len(keys) == len(shared)
        """rows with the same key are compatible"""

    def table(self, rows: Rows) -> dict[IdRow, Rows]:
        """Return the right rows by key."""
        table: dict[IdRow, Rows] = {}
        key = self.right_key
        for row in rows:
            table.setdefault(key(row), []).append(row)
        return table

    def inner(self, left: Rows, table: dict[IdRow, Rows]) -> Rows:
        """Join(left, right)."""
        key, merge = self.left_key, self.merge
        out: Rows = []
        for row in left:
            for other in table.get(key(row), ()):
                merged = merge(row, other)
                if merged is not None:
                    out.append(merged)
        return out

    def outer(
        self, left: Rows, table: dict[IdRow, Rows], condition: Callable[[IdRow], bool] | None
    ) -> Rows:
        """LeftJoin(left, right, condition)."""
        key, merge = self.left_key, self.merge
        out: Rows = []
        for row in left:
            matched = False
            for other in table.get(key(row), ()):
                merged = merge(row, other)
                if merged is not None and (condition is None or condition(merged)):
                    out.append(merged)
                    matched = True
            if not matched:
                out.append(row + self.padding)
        return out


def _picker(columns: list[int]) -> Callable[[IdRow], IdRow]:
    if not columns:
        return lambda row: ()
    if len(columns) == 1:
        column = columns[0]
        return lambda row: (row[column],)
    return itemgetter(*columns)


def _merger(uncertain: list[tuple[int, int]], fresh: list[int]) -> Merge:
    """μ1 ∪ μ2 of two rows that agree on the key; None if they disagree elsewhere."""
    pick = _picker(fresh)
    if not uncertain:
        return lambda left, right: left + pick(right)

    def merge(left: IdRow, right: IdRow) -> IdRow | None:
        values = list(left)
        for here, there in uncertain:
            mine, theirs = values[here], right[there]
            if mine == UNBOUND:
                values[here] = theirs
            elif theirs not in (UNBOUND, mine):
                return None
        return (*values, *pick(right))

    return merge


class Difference:
    """Minus(left, right): rows of the left without a compatible row that shares a binding.

    Columns of injected values are no bindings, and do not count as shared.
    """

    def __init__(self, left: Layout, right: Layout) -> None:
        here, there = left.positions, right.positions
        shared = [variable for variable in right.variables if variable in here]
        self._columns = [here[variable] for variable in shared]
        self._left_key = _picker(self._columns)
        self._right_key = _picker([there[variable] for variable in shared])
        self._certain = all(each in left.certain and each in right.certain for each in shared)

    def removed(self, right: Rows) -> frozenset[IdRow]:
        """Return the shared columns of the right rows, each combination once."""
        return frozenset(map(self._right_key, right)) if self._columns else frozenset()

    def kept(self, left: Rows, removed: frozenset[IdRow]) -> Rows:
        """Return the left rows that none of these removes."""
        if not removed:
            return left
        if self._certain:
            key = self._left_key
            return [row for row in left if key(row) not in removed]
        columns = self._columns
        return [
            row for row in left if not any(_removes(row, columns, other) for other in removed)
        ]


def _removes(row: IdRow, columns: list[int], other: IdRow) -> bool:
    common = False
    for column, theirs in zip(columns, other, strict=True):
        mine = row[column]
        if mine and theirs:
            if mine != theirs:
                return False
            common = True
    return common


_JOINED = (InlineData, TriplesBlock, NamedGraphPattern, UnionPattern, SubSelect)


def split(group: GroupGraphPattern) -> tuple[list[Element], list[Expression]]:
    """Return the elements of a group without its filters, and the filters' conjuncts.

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


def arranged(written: list[Element]) -> Iterator[list[Element]]:
    """Yield the elements in the order of evaluation, those that are one step together.

    Join is commutative and associative: in a run of joined elements the cheap ones go first. A run
    of BIND extends one solution, in which BNODE(label) is one node.
    """
    for kind, run in groupby(unbraced(written), key=_role):
        elements = list(run)
        if kind is Bind:
            yield elements
        else:
            yield from ([each] for each in (sorted(elements, key=_cost) if kind else elements))


def _role(element: Element) -> type[Bind] | bool:
    return Bind if isinstance(element, Bind) else isinstance(element, _JOINED)


def unbraced(written: Sequence[Element]) -> Iterator[Element]:
    """{ { P BIND } Q } is { P BIND Q } where P has no filter."""
    first, *others = written or (None,)
    match first:
        case UnionPattern((GroupGraphPattern((*_, Bind()) as inner),)) if not any(
            isinstance(each, Filter) for each in inner
        ):
            yield from unbraced(inner)
            yield from others
        case _:
            yield from written


def _cost(element: Element) -> int:
    if isinstance(element, InlineData) and len(certain(element)) < len(element.variables):
        return len(_JOINED)
    return next(n for n, kind in enumerate(_JOINED) if isinstance(element, kind))


def decided(condition: Expression, scope: frozenset[Variable], layout: Layout) -> bool:
    """Return True if later steps cannot change the condition's value for a row."""
    return not is_volatile(condition) and (occurring(condition) & scope) <= layout.certain


def may_extend(
    pattern: GroupGraphPattern | Element, outer: Collection[Variable], known: frozenset[Variable]
) -> bool:
    """Return True if Join(rows, pattern) is the pattern evaluated from those rows on.

    `outer` are the variables that the rows may bind, `known` those that the pattern's group is
    certain to have bound before it. Joins and unions may always go on from other rows. OPTIONAL,
    MINUS and BIND may if all that they share with the rows is known: then what the rows bind is no
    news to them. A filter must not see more than it would if its group were evaluated alone.
    """
    match pattern:
        case GroupGraphPattern():
            return _group_may_extend(pattern, frozenset(outer))
        case TriplesBlock() | InlineData() | SubSelect():
            return True
        case UnionPattern(alternatives):
            return all(may_extend(each, outer, frozenset()) for each in alternatives)
        case NamedGraphPattern(name, inner):
            bound = {name} if isinstance(name, Variable) else ()
            return may_extend(inner, frozenset((*outer, *bound)), frozenset())
        case OptionalPattern(inner) | MinusPattern(inner):
            return not is_volatile(inner) and occurring(inner).intersection(outer) <= known
        case Bind(expression, variable):
            seen = occurring(expression).intersection(outer)
            return variable not in outer and seen <= known and not is_volatile(pattern)
        case Filter():
            raise Impossible("filters are taken out of their group first")
        case EmbeddedPattern():
            raise Impossible("a language replaces what it embeds first")


def _group_may_extend(group: GroupGraphPattern, outer: frozenset[Variable]) -> bool:
    elements, conditions = split(group)
    known: frozenset[Variable] = frozenset()
    for element in elements:
        if not may_extend(element, outer, known):
            return False
        known |= certain(element)
    body = GroupGraphPattern(tuple(elements))
    unsure = (frozenset(possible(body)) - known) & outer
    return not any(is_volatile(each) or occurring(each) & unsure for each in conditions)


def lasts(pattern: GroupGraphPattern | Element) -> bool:
    """Return True if the pattern, evaluated alone, has the same solutions on all default graphs."""
    return not reads_active_graph(pattern) and not is_volatile(pattern)
