"""Items that a pattern of a query would match if it had no FILTER."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...semantics.model.items import Item
from ...semantics.rdf.evaluation import solutions
from ...semantics.rdf.syntax.tree import Filter, GroupGraphPattern
from ...semantics.rdf.syntax.variables import conjuncts, self_contained, within
from ..cases.case import Case
from ..languages.base import Pattern


def refusals(
    case: Case, text: Callable[[Filter], str]
) -> Callable[[Any, Item], str]:
    """Return the function of a stream and an item that says which condition refuses the item.

    It is "" for an item that a pattern matches, and for one that matches no pattern without its
    FILTERs. Conditions on variables of other patterns refuse no item alone.
    """
    own: Any = case.language
    patterns: list[Pattern] = list(own.patterns(case.tree)) if hasattr(own, "patterns") else []
    kb = {iri: graph for iri, graph in case.kb.items() if isinstance(graph, frozenset)}
    groups = [
        (each, self_contained(each.part), within(each.part, frozenset())) for each in patterns
    ]

    def refused(stream: Any, item: Item) -> str:
        told = ""
        for pattern, group, bare in groups:
            if pattern.stream not in (None, stream):
                continue
            if solutions(group, item.graph, kb):
                return ""
            if not told and group != bare and solutions(bare, item.graph, kb):
                told = f"{pattern.name}: {_failing(group, bare, item)}"
        return told

    def _failing(group: GroupGraphPattern, bare: GroupGraphPattern, item: Item) -> str:
        conditions = [
            Filter(part) for each in group.elements if isinstance(each, Filter)
            for part in conjuncts(each.condition)
        ]
        alone = [
            each for each in conditions
            if not solutions(GroupGraphPattern((*bare.elements, each)), item.graph, kb)
        ]
        return " and ".join(map(text, alone or conditions))

    return refused
