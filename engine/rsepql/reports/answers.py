"""The answer of a query from one evaluation to the next, with grouping, and the part reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from ....semantics.model.terms import Variable
from ....semantics.model.trees import find
from ....semantics.rdf.syntax.tree import SelectQuery
from ....semantics.rsepql.syntax.tree import StreamOperator
from ...checkpoints.state_schema import stateful
from ...rdf.data.graphs import IndexedGraph
from ...rdf.data.layout import IdRow, Rows, Step
from ...rdf.variables import has_aggregate, is_volatile
from ..patterns import InWindow, Matched, MatchRows
from ..windows.snapshots import Snapshot


class Answers(Protocol):
    """⟦SE⟧ at the evaluation times, one after the other."""

    def update(self) -> None:
        """Update to an evaluation time; snapshots and solutions of MATCH are those at it."""

    def reported(self, operator: StreamOperator) -> Rows:
        """Return the rows that the stream operator reports; call it once per evaluation."""

    def ids(self) -> Iterator[int]:
        """Return the term ids that are held, with repetitions."""


@stateful(
    kept=("_seen", "_now", "_before"),
    compiled=("_step", "_default", "_snapshots", "_matches", "always"),
)
class RecomputedAnswers:
    """Evaluated anew when something has changed that the query looks at."""

    def __init__(
        self,
        step: Step,
        default: IndexedGraph,
        snapshots: list[Snapshot],
        matches: list[MatchRows],
        *,
        always: bool,
    ) -> None:
        self._step = step
        self._default = default
        self._snapshots = snapshots
        self._matches = matches
        self.always = always
        self._seen: tuple[int, ...] | None = None
        self._now: Rows = []
        self._before: Rows = []

    def update(self) -> None:
        self._before = self._now
        seen = (
            *(each.version for each in self._snapshots),
            *(each.version for each in self._matches),
        )
        if self.always or seen != self._seen:
            self._seen = seen
            self._now = self._step(self._default, [()])

    def reported(self, operator: StreamOperator) -> Rows:
        match operator:
            case StreamOperator.RSTREAM:
                return self._now
            case StreamOperator.ISTREAM:
                return difference(self._now, self._before)
            case StreamOperator.DSTREAM:
                return difference(self._before, self._now)

    def ids(self) -> Iterator[int]:
        for rows in (self._now, self._before):
            for row in rows:
                yield from row


@stateful(
    kept=("_counts", "_net"), compiled=("_step", "_default", "_matches", "_whole")
)
class LinearAnswers:
    """Each solution comes from one of MATCH, and nothing else changes: only changes are looked at.

    So it is where the query joins its one MATCH with what stays as it is, and neither groups nor
    orders.
    """

    def __init__(
        self, step: Step, default: IndexedGraph, matches: MatchRows, operator: StreamOperator
    ) -> None:
        self._step = step
        self._default = default
        self._matches = matches
        self._whole = operator is StreamOperator.RSTREAM
        self._counts: dict[IdRow, int] = {}
        self._net: dict[IdRow, int] = {}

    def update(self) -> None:
        net: dict[IdRow, int] = {}
        for row in self._made_of(self._matches.gained):
            net[row] = net.get(row, 0) + 1
        for row in self._made_of(self._matches.lost):
            net[row] = net.get(row, 0) - 1
        self._net = net
        if not self._whole:
            return
        counts = self._counts
        for row, change in net.items():
            count = counts.get(row, 0) + change
            if count:
                counts[row] = count
            else:
                counts.pop(row, None)

    def reported(self, operator: StreamOperator) -> Rows:
        match operator:
            case StreamOperator.RSTREAM:
                counts = self._counts
                if len(counts) == sum(counts.values()):
                    return list(counts)
                return [row for row, count in counts.items() for _ in range(count)]
            case StreamOperator.ISTREAM:
                return [row for row, change in self._net.items() for _ in range(change)]
            case StreamOperator.DSTREAM:
                return [row for row, change in self._net.items() for _ in range(-change)]

    def ids(self) -> Iterator[int]:
        for rows in (self._counts, self._net):
            for row in rows:
                yield from row

    def _made_of(self, rows: Rows) -> Rows:
        return self._matches.pretending(rows, self._solutions) if rows else []

    def _solutions(self) -> Rows:
        return self._step(self._default, [()])


def is_linear(select: SelectQuery) -> bool:
    """Return True if each solution comes from one of the query's one MATCH, if all graphs stay."""
    modifier = select.modifier
    expressions = [each.expression for each in select.projection or ()]
    return is_linear_inside(select) and not (
        select.distinct
        or modifier.group_by
        or modifier.having
        or modifier.order_by
        or modifier.limit is not None
        or modifier.offset
        or any(each is not None and has_aggregate(each) for each in expressions)
    )


def is_linear_inside(select: SelectQuery) -> bool:
    """Return True if each solution of WHERE comes from one of its one MATCH."""
    return (
        not is_volatile(select.where)
        and len(list(find(select, InWindow, Matched))) == 1
        and any(isinstance(element, Matched) for element in select.where.elements)
    )


def difference(left: Rows, right: Rows) -> Rows:
    """Return the difference of bags, in the order of the left; the first copies stay."""
    if not right or not left:
        return left
    if left is right:
        return []
    spare = Counter(left)
    spare.subtract(Counter(right))
    kept = []
    for row in left:
        if spare[row] > 0:
            spare[row] -= 1
            kept.append(row)
    return kept


@stateful(
    kept=("_solutions", "_answers", "_net"), compiled=("_step", "_default", "_matches", "_places")
)
class GroupedAnswers:
    """Each group is made of the solutions of MATCH that agree on some of its variables.

    `places` are those of these variables, which every solution binds.
    """

    def __init__(
        self, step: Step, default: IndexedGraph, matches: MatchRows, places: Sequence[int]
    ) -> None:
        self._step = step
        self._default = default
        self._matches = matches
        self._places = tuple(places)
        self._solutions: dict[IdRow, dict[IdRow, int]] = {}
        """by group: of each solution how often it is there"""
        self._answers: dict[IdRow, Rows] = {}
        self._net: dict[IdRow, int] = {}

    def update(self) -> None:
        changing: dict[IdRow, None] = {}
        for rows, change in ((self._matches.gained, 1), (self._matches.lost, -1)):
            for row in rows:
                key = tuple(row[place] for place in self._places)
                changing[key] = None
                group = self._solutions.setdefault(key, {})
                count = group.get(row, 0) + change
                if count:
                    group[row] = count
                else:
                    del group[row]
        net: dict[IdRow, int] = {}
        for key in changing:
            for row in self._answers.pop(key, ()):
                net[row] = net.get(row, 0) - 1
            group = self._solutions[key]
            if not group:
                del self._solutions[key]
                continue
            held = [row for row, count in group.items() for _ in range(count)]
            made = self._matches.pretending(held, lambda: self._step(self._default, [()]))
            if made:
                self._answers[key] = made
            for row in made:
                net[row] = net.get(row, 0) + 1
        self._net = net

    def reported(self, operator: StreamOperator) -> Rows:
        match operator:
            case StreamOperator.RSTREAM:
                return [row for made in self._answers.values() for row in made]
            case StreamOperator.ISTREAM:
                return [row for row, change in self._net.items() for _ in range(change)]
            case StreamOperator.DSTREAM:
                return [row for row, change in self._net.items() for _ in range(-change)]

    def ids(self) -> Iterator[int]:
        for group in self._solutions.values():
            for row in group:
                yield from row
        for made in self._answers.values():
            for row in made:
                yield from row
        for row in self._net:
            yield from row


def grouped_places(select: SelectQuery, variables: Sequence[Variable]) -> tuple[int, ...] | None:
    """Return the columns of MATCH's solutions by which the query groups.

    It returns None if a group may change though none of its solutions does.
    """
    modifier, keys = select.modifier, select.modifier.group_by
    if not keys or modifier.order_by or modifier.limit is not None or modifier.offset:
        return None
    if select.distinct or not is_linear_inside(select):
        return None
    computed = [
        each.expression for each in select.projection or () if each.expression is not None
    ]
    if any(map(is_volatile, (*computed, *modifier.having))):
        return None
    (matched,) = find(select, Matched)
    (row,) = matched.rows
    bound = [v for v, sure in zip(matched.variables, row, strict=True) if sure is not None]
    if not all(key in bound for key in keys):
        return None
    return tuple(variables.index(key) for key in keys if isinstance(key, Variable))
