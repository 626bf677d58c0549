"""SEQ over a batch of items as columns: what of a plan's operators goes by the batch.

These are patterns on windows, SEQs of them, FILTER and UNION, and joins with the background. Rows
are never taken back: each carries the last time at which all that it rests on is in its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import Exists
from ...rdf.columns.matching.tables import Table
from ...rdf.columns.matching.truths import compile_truth
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.layout import IdRow, Layout
from ...rdf.sequence.temporal_join import TemporalJoin
from ...rdf.sequence.timed import Timed, nothing, together
from ...rdf.variables import is_volatile
from ..compile import Plan
from ..operators import Joining, Operator, Rewriting, Sequencing, Source

Found: TypeAlias = Mapping[Source, Timed]
"""What patterns have found in new items, each in the order of the items"""
Change: TypeAlias = Callable[[IdRow, int, int], Iterable[tuple[IdRow, int, int]]]


class ColumnarOperator(Protocol):
    """What goes by the batch."""

    layout: Layout

    def fed(self, found: Found) -> Timed:
        """The new rows, in the order of their ends"""

    def joins(self) -> Iterator[TemporalJoin]:
        """The SEQs in it"""


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
    """What becomes of rows one by one; several inputs are united."""

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
        """The operator by the batch, None where it cannot"""
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
    """What a FILTER, a BIND or the projection makes of a row"""
    return lambda row, start, end: ((ids, start, end) for ids in operator.rewrite(row))


def _plain(operator: Rewriting) -> bool:
    """Whether it is a FILTER that looks at nothing but the row"""
    return bool(operator.conditions) and not any(
        has(each, Exists) or is_volatile(each) for each in operator.conditions
    )
