"""A plan over batches of items as columns, for windows that hold instants only.

These are patterns on windows, SEQs of them, FILTER and UNION, and joins with the background. Rows
are never taken back: each carries the last time at which all that it rests on is in its window.

A sequence is complete when its last item arrives, and it is new then: what is reported of an
evaluation is what the items of that time complete. So a window is no more than a last time for each
row; what has been found in its items is kept beside, for when items come one by one again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from ....semantics.cqels.syntax.tree import CqelsQuery
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.model.terms import URIRef
from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import Exists
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.columns.matching.filter_conditions import compile_truth
from ...rdf.columns.matching.tables import Table
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import IdRow, Layout
from ...rdf.sequence.temporal_join import (
    ALWAYS,
    FURTHEST,
    TemporalJoin,
    Timed,
    nothing,
    timed,
    together,
)
from ...rdf.variables import is_volatile
from ...tuning import IN_USE
from ..compile import Plan
from ..operators import Joining, Operator, Rewriting, Sequencing, Source
from ..windows import Item, TimeWindow, Window

Found: TypeAlias = Mapping[Source, Timed]
"""The rows that patterns match in new items, each in the order of the items."""
Change: TypeAlias = Callable[[IdRow, int, int], Iterable[tuple[IdRow, int, int]]]


class ColumnarOperator(Protocol):
    """An operator over batches."""

    layout: Layout

    def fed(self, found: Found) -> Timed:
        """Return the new rows, in the order of their ends."""

    def joins(self) -> Iterator[TemporalJoin]:
        """Return the SEQs in it."""


class _Pattern:
    """A pattern on a window."""

    def __init__(self, source: Source) -> None:
        self.layout = source.layout
        self._source = source

    def fed(self, found: Found) -> Timed:
        return found[self._source]

    def joins(self) -> Iterator[TemporalJoin]:
        return iter(())


class _Following:
    """SEQ."""

    def __init__(self, left: ColumnarOperator, right: ColumnarOperator) -> None:
        self._left, self._right = left, right
        self.join = TemporalJoin(left.layout, right.layout)
        self.layout = self.join.layout

    def fed(self, found: Found) -> Timed:
        return self.join.joined(self._left.fed(found), self._right.fed(found))

    def joins(self) -> Iterator[TemporalJoin]:
        yield from self._left.joins()
        yield from self._right.joins()
        yield self.join


class _Filtering:
    """FILTER."""

    def __init__(
        self, operator: Operator, inner: ColumnarOperator, dictionary: Dictionary
    ) -> None:
        self.layout = operator.layout
        self._inner = inner
        self._conditions = [
            compile_truth(each, self.layout.columns, dictionary) for each in operator.conditions
        ]

    def fed(self, found: Found) -> Timed:
        rows = self._inner.fed(found)
        for condition in self._conditions:
            if rows.size:
                columns = {v: rows.rows[:, at] for v, at in self.layout.positions.items()}
                rows = rows.taken(condition(Table(rows.end, columns)))
        return rows

    def joins(self) -> Iterator[TemporalJoin]:
        return self._inner.joins()


class _Changed:
    """Operators applied to each row; several inputs are united."""

    def __init__(
        self, operator: Operator, inputs: Sequence[ColumnarOperator], change: Change
    ) -> None:
        self.layout = operator.layout
        self._inputs = inputs
        self._change = change

    def fed(self, found: Found) -> Timed:
        width = len(self.layout.columns)
        before = len(self._inputs[0].layout.columns)
        rows = together([each.fed(found) for each in self._inputs], before)
        changed: list[IdRow] = []
        numbers: list[int] = []
        for number, row in enumerate(rows.tuples()):
            for ids, _, _ in self._change(*row):
                changed.append(ids)
                numbers.append(number)
        if not changed:
            return nothing(width)
        table = np.array(changed, np.int64).reshape(len(changed), width)
        return rows.taken(np.array(numbers))._replace(rows=table)

    def joins(self) -> Iterator[TemporalJoin]:
        for each in self._inputs:
            yield from each.joins()


class Operators:
    """A plan's operators by the batch, as far as that is possible."""

    def __init__(self, plan: Plan, dictionary: Dictionary) -> None:
        self._plan = plan
        self._dictionary = dictionary
        self._lasting = {source for source, _ in plan.background} | set(plan.given)

    def of(self, operator: Operator) -> ColumnarOperator | None:
        """Return the columnar operator, None if there is none."""
        if isinstance(operator, Source):
            return None if operator in self._lasting else _Pattern(operator)
        consumed = self._plan.inputs[id(operator)]
        match operator:
            case Sequencing():
                left, right = map(self.of, consumed)
                if left is None or right is None:
                    return None
                following = _Following(left, right)
                return following if following.join.exact else None
            case Rewriting() if len(consumed) == 1 and _plain(operator):
                inner = self.of(consumed[0])
                return None if inner is None else _Filtering(operator, inner, self._dictionary)
            case Rewriting():
                return self._changed(operator, consumed, rewriting(operator))
            case Joining():
                mine, other = consumed
                if other in self._lasting:
                    return self._changed(operator, [mine], operator.met_by_left)
                if mine in self._lasting:
                    return self._changed(operator, [other], operator.met_by_right)
        return None

    def _changed(
        self, operator: Operator, consumed: Sequence[Operator], change: Change
    ) -> ColumnarOperator | None:
        inputs = [part for part in map(self.of, consumed) if part is not None]
        return _Changed(operator, inputs, change) if len(inputs) == len(consumed) else None


def rewriting(operator: Rewriting) -> Change:
    """Return the rewriting of a row by a FILTER, a BIND or the projection."""
    return lambda row, start, end: ((ids, start, end) for ids in operator.rewrite(row))


def _plain(operator: Rewriting) -> bool:
    """Return True if it is a FILTER that depends on the row alone."""
    return bool(operator.conditions) and not any(
        has(each, Exists) or is_volatile(each) for each in operator.conditions
    )


class ColumnarPlan:
    """The columnar part of a plan, and its state."""

    def __init__(
        self, query: CqelsQuery, plan: Plan, windows: Mapping[URIRef, Window],
        dictionary: Dictionary,
    ) -> None:
        self._plan = plan
        self._streams = {clause.name: clause.stream for clause in query.windows}
        self._windows = {
            name: window for name, window in windows.items()
            if isinstance(window, TimeWindow) and window.sliding
        }
        self._instants = any(window.width is not None for window in self._windows.values())
        self._above: list[Change] = []
        self._operator: ColumnarOperator | None = None
        if len(self._windows) == len(windows) and (
            query.operator in (None, StreamOperator.ISTREAM)
        ):
            operator: Operator = plan.top
            while isinstance(operator, Rewriting) and not operator.conditions:
                consumed = plan.inputs[id(operator)]
                if len(consumed) > 1:
                    break
                self._above.append(rewriting(operator))
                (operator,) = consumed
            self._operator = Operators(plan, dictionary).of(operator)
        self.possible = self._operator is not None
        self._joins = [] if self._operator is None else list(self._operator.joins())
        self._seen: dict[Source, list[Timed]] = {each.source: [] for each in plan.windows}
        self._waiting: dict[Source, Timed] = self._nothing()
        self.active = False
        """True if the state is in columns."""

    def _nothing(self) -> dict[Source, Timed]:
        return {
            each.source: nothing(len(each.source.layout.columns)) for each in self._plan.windows
        }

    # --- items ------------------------------------------------------------------------------

    def takes(self, batch: GraphBatch) -> bool:
        """Return True if the plan takes this batch; its state is then in columns."""
        if not self.possible or (not self.active and len(batch.subject) <= IN_USE.columns):
            return False
        if batch.time[-1] > FURTHEST or batch.start.min() < -FURTHEST:
            return False
        if self._instants and bool((batch.start != batch.time).any()):
            return False
        if not self.active and all(map(self._movable, self._windows.values())):
            self._take()
        return self.active

    def push(self, batch: GraphBatch) -> Iterator[tuple[IdRow, int, int]]:
        """Return the rows of the times before the batch's last: they are over."""
        until = int(batch.time[-1])
        complete = {}
        for source, found in self._found(batch).items():
            both = together([self._waiting[source], found], found.rows.shape[1])
            over = int(np.searchsorted(both.end, until))
            complete[source] = both.taken(np.arange(over))
            self._waiting[source] = both.taken(np.arange(over, both.size))
        return self._completed(complete, until)

    def settle(self, time: int) -> Iterator[tuple[IdRow, int, int]]:
        """Return the rows of the last time, which is over."""
        complete, self._waiting = self._waiting, self._nothing()
        return self._completed(complete, time)

    def _found(self, batch: GraphBatch) -> dict[Source, Timed]:
        """Return the patterns' rows in the batch's items, of the streams of their windows."""
        found = {}
        for each in self._plan.windows:
            offsets, rows = each.matcher.match_columns(batch)
            items = np.repeat(np.arange(len(batch)), np.diff(offsets))
            stream = self._streams[each.window]
            here = [number for number, iri in enumerate(batch.streams) if iri == stream]
            if len(here) < len(batch.streams):
                chosen = np.isin(batch.stream[items], here)
                items, rows = items[chosen], rows[chosen]
            end = batch.time[items]
            found[each.source] = Timed(
                rows, batch.start[items], end, self._deadline(each.window, end)
            )
        return found

    def _deadline(self, window: URIRef, end: Column) -> Column:
        width = self._windows[window].width
        if width is None or width > FURTHEST:
            return np.full(len(end), ALWAYS)
        return end + width

    def _completed(
        self, complete: Mapping[Source, Timed], now: int
    ) -> Iterator[tuple[IdRow, int, int]]:
        assert self._operator is not None
        for source, rows in complete.items():
            if rows.size:
                self._seen[source].append(rows)
        found = self._operator.fed(complete)
        for join in self._joins:
            join.forget(now)
        for source, parts in self._seen.items():
            self._seen[source] = [part for part in parts if part.deadline.max() >= now]
        solutions = iter(found.tuples())
        for change in reversed(self._above):
            solutions = _changed(solutions, change)
        return solutions

    # --- between the two ways ---------------------------------------------------------------

    def _movable(self, window: TimeWindow) -> bool:
        return window.whole() and (
            window.width is None or all(item.start == item.end for item in window.items())
        )

    def _take(self) -> None:
        """Move the rows found in the windows' items to columns."""
        found: dict[Source, list[tuple[IdRow, int, int]]] = {
            each.source: [] for each in self._plan.windows
        }
        for window in self._windows.values():
            for item in window.items():
                for source, rows in item.found:
                    found[source] += [(row, item.start, item.end) for row in rows]
            window.clear()
        complete = {}
        for each in self._plan.windows:
            columns = timed(found[each.source], len(each.source.layout.columns))
            deadline = self._deadline(each.window, columns.end)
            complete[each.source] = columns._replace(deadline=deadline)
        latest = max((int(rows.end[-1]) for rows in complete.values() if rows.size), default=None)
        self.active = True
        if latest is not None:
            self._completed(complete, latest)  # it has been reported

    def export_state(
        self, number: int
    ) -> tuple[list[tuple[Window, Item]], list[tuple[Window, Item]]]:
        """Return items, numbered from `number`, with the same matches: those of times that are
        over, and those of the last time, which is not."""
        over = {source: together(parts, 0) for source, parts in self._seen.items()}
        made = self._items(over, number), self._items(self._waiting, number)
        for join in self._joins:
            join.clear()
        self._seen = {source: [] for source in self._seen}
        self._waiting = self._nothing()
        self.active = False
        return made

    def _items(
        self, found: Mapping[Source, Timed], number: int
    ) -> list[tuple[Window, Item]]:
        by_item: dict[tuple[URIRef, int, int], dict[Source, list[IdRow]]] = {}
        for each in self._plan.windows:
            for row, start, end in found[each.source].tuples():
                here = by_item.setdefault((each.window, start, end), {})
                here.setdefault(each.source, []).append(row)
        return [
            (
                self._windows[window],
                Item(start, end, number + count, 0, [
                    (source, tuple(set(rows))) for source, rows in rows_of.items()
                ]),
            )
            for count, ((window, start, end), rows_of) in enumerate(by_item.items())
        ]

    # --- memory -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return sum(map(len, self._joins))

    def items(self) -> int:
        """Return the number of stored rows found in items."""
        return sum(part.size for part in self._kept())

    def held(self) -> Iterator[int]:
        """Yield the ids in the state."""
        for part in self._kept():
            yield from part.rows.ravel().tolist()
        for join in self._joins:
            yield from join.waiting.rows.ravel().tolist()

    def _kept(self) -> Iterator[Timed]:
        yield from self._waiting.values()
        for parts in self._seen.values():
            yield from parts


def _changed(
    rows: Iterable[tuple[IdRow, int, int]], change: Change
) -> Iterator[tuple[IdRow, int, int]]:
    for row in rows:
        yield from change(*row)
