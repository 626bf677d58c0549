"""A plan that takes batches of items as columns, while its windows hold instants only.

A sequence is complete when its last item arrives, and it is new then: what is reported of an
evaluation is what the items of that time complete. So a window is no more than a last time for each
row; what has been found in its items is kept beside, for when items come one by one again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ....semantics.cqels.syntax.tree import CqelsQuery
from ....semantics.model.stream_operator import StreamOperator
from ....semantics.model.terms import URIRef
from ...capacities import IN_USE
from ...rdf.columns.batch import Column, GraphBatch
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import IdRow
from ...rdf.sequence.timed import ALWAYS, FURTHEST, Timed, nothing, timed, together
from ..compile import Plan
from ..operators import Operator, Rewriting, Source
from ..windows import Item, TimeWindow, Window
from .columnar_operators import Change, ColumnarOperator, Operators, rewriting


class ColumnarPlan:
    """What of a plan goes by the batch, and what it remembers."""

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
        """Whether what is remembered lies in columns."""

    def _nothing(self) -> dict[Source, Timed]:
        return {
            each.source: nothing(len(each.source.layout.columns)) for each in self._plan.windows
        }

    # --- items ------------------------------------------------------------------------------

    def takes(self, batch: GraphBatch) -> bool:
        """Whether it can be fed with this batch; what is remembered then lies in columns."""
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
        """The rows of the times before the batch's last: they are over."""
        until = int(batch.time[-1])
        complete = {}
        for source, found in self._found(batch).items():
            both = together([self._waiting[source], found], found.rows.shape[1])
            over = int(np.searchsorted(both.end, until))
            complete[source] = both.taken(np.arange(over))
            self._waiting[source] = both.taken(np.arange(over, both.size))
        return self._completed(complete, until)

    def settle(self, time: int) -> Iterator[tuple[IdRow, int, int]]:
        """The rows of the last time, which is over"""
        complete, self._waiting = self._waiting, self._nothing()
        return self._completed(complete, time)

    def _found(self, batch: GraphBatch) -> dict[Source, Timed]:
        """What patterns find in the batch's items, of the streams that their windows are on"""
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
        """What has been found in the windows' items goes into columns."""
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

    def give_back(self, number: int) -> tuple[list[tuple[Window, Item]], list[tuple[Window, Item]]]:
        """Items, numbered from `number`, in which the same is found: those of times that are over,
        and those of the last time, which is not."""
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
        """How many rows found in items are kept"""
        return sum(part.size for part in self._kept())

    def held(self) -> Iterator[int]:
        """The ids that are remembered"""
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
