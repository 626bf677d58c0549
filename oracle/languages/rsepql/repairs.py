"""Rewritings of RSEP-QL cases that avoid differences of engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from rdflib.term import Variable

from ....semantics.rdf.syntax.tree import (
    Aggregate,
    Filter,
    OptionalPattern,
    Projection,
    SelectQuery,
)
from ...cases.case import Case
from ...fuzzing.repairs import Rewriting, rewriting

_POLICY: Final = {"policy": "non-empty-content"}
_COUNTED: Final = (Projection(Variable("solutions"), Aggregate("COUNT", None)),)


def _optional_without_filter(node: Any) -> Any:
    if isinstance(node, OptionalPattern):
        elements = node.pattern.elements
        kept = tuple(each for each in elements if not isinstance(each, Filter))
        if len(kept) < len(elements):
            return replace(node, pattern=replace(node.pattern, elements=kept))
    return node


def _non_empty_windows(case: Case) -> Case | None:
    return None if case.evaluation == _POLICY else case.but(evaluation=_POLICY)


def _one_solution(case: Case) -> Case | None:
    """Each window has one solution, which counts those that it had; an empty one has none."""
    form = case.tree.form
    if not isinstance(form, SelectQuery) or form.projection == _COUNTED:
        return None
    counted = SelectQuery(_COUNTED, form.where, dataset=form.dataset, prologue=form.prologue)
    return case.but(query=replace(case.tree, form=counted), evaluation=_POLICY)


REPAIRS: Final[Mapping[str, Rewriting]] = {
    "OPTIONAL without FILTER": rewriting(_optional_without_filter),
    "non-empty windows": _non_empty_windows,
    "one solution": _one_solution,
}
