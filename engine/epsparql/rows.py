"""Timed rows: solutions as ids over columns, with the interval that they span.

What has no time (background knowledge, inline data) spans [+∞, −∞], which min and max leave out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from ...semantics.model.terms import Variable
from ..rdf.data.layout import IdRow, Layout, rearrange

TimedRow: TypeAlias = tuple[IdRow, float, float]
"""ids, start, end"""

TimedRows: TypeAlias = list[TimedRow]

Occurrence: TypeAlias = tuple[int, int, int, float, float]
"""subject, predicate, object, start, end"""

NEVER: Final = -math.inf
FOREVER: Final = math.inf

Test: TypeAlias = Callable[[IdRow, float, float], bool]
"""A condition on a row, read over an interval."""


def arranged(source: Layout, columns: tuple[Variable, ...]) -> Callable[[TimedRows], TimedRows]:
    """Rows of one layout with the columns of another; a missing one is unbound."""
    if source.columns == columns:
        return lambda rows: rows
    arrange = rearrange(source, columns)

    def changed(rows: TimedRows) -> TimedRows:
        ids = arrange([row[0] for row in rows])
        return [(new, start, end) for new, (_, start, end) in zip(ids, rows, strict=True)]

    return changed


def passing(tests: Sequence[Test], rows: TimedRows) -> TimedRows:
    """The rows that pass all tests."""
    for test in tests:
        if not rows:
            break
        rows = [row for row in rows if test(*row)]
    return rows
