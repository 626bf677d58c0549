"""Rewritings of RSEP-QL cases that avoid differences of engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ....semantics.rdf.syntax.tree import Filter, OptionalPattern
from ...cases.case import Case
from ...fuzzing.repairs import Rewriting, rewriting

_POLICY: Final = {"policy": "non-empty-content"}


def _optional_without_filter(node: Any) -> Any:
    if isinstance(node, OptionalPattern):
        elements = node.pattern.elements
        kept = tuple(each for each in elements if not isinstance(each, Filter))
        if len(kept) < len(elements):
            return replace(node, pattern=replace(node.pattern, elements=kept))
    return node


def _non_empty_windows(case: Case) -> Case | None:
    return None if case.evaluation == _POLICY else case.but(evaluation=_POLICY)


REPAIRS: Final[Mapping[str, Rewriting]] = {
    "OPTIONAL without FILTER": rewriting(_optional_without_filter),
    "non-empty windows": _non_empty_windows,
}
