"""The shrinking of CQELS-CEP cases: plain windows, and sequences with their WINDOW blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....semantics.cqels.syntax.tree import (
    CqelsQuery,
    RangeWindow,
    Span,
    TripleSequence,
    WindowPattern,
    WindowSequence,
)
from ....semantics.model.trees import find
from ...fuzzing.shrinking.tree_shrinking import ROOMY, Hook
from .features import CqelsCase

_OPERATORS = (WindowSequence, TripleSequence)


def proposals(case: CqelsCase) -> Iterator[CqelsCase]:
    """Yield queries with [RANGE 10] for any other window."""
    windows = case.query.windows
    for k, window in enumerate(windows):
        if not isinstance(window.function, RangeWindow):
            plain = replace(window, function=RangeWindow(Span(ROOMY)))
            changed = (*windows[:k], plain, *windows[k + 1 :])
            yield case.but(query=replace(case.query, windows=changed))


def pruned(query: CqelsQuery) -> CqelsQuery:
    """Return the query without the blocks and windows that no sequence over windows names."""
    listed = {
        element.name for each in find(query.where, WindowSequence) for element in each.elements
    }
    elements = query.where.elements
    if any(isinstance(element, WindowSequence) for element in elements):
        elements = tuple(
            each for each in elements
            if not isinstance(each, WindowPattern) or each.name in listed
        )
    where = replace(query.where, elements=elements)
    used = {each.name for each in find(where, WindowPattern)}
    windows = tuple(each for each in query.windows if each.name in used)
    return replace(query, where=where, windows=windows)


def _cost(case: CqelsCase) -> tuple[int, int]:
    functions = [window.function for window in case.query.windows]
    return (
        sum(not isinstance(function, RangeWindow) for function in functions),
        sum(abs(f.width.value - ROOMY) for f in functions if isinstance(f, RangeWindow)),
    )


HOOK = Hook(
    operators=lambda query: len(list(find(query.where, *_OPERATORS))),
    proposals=proposals,
    pruned=pruned,
    cost=_cost,
)
