"""The size of a case: the order in which shrinking descends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING
from enum import Enum
from typing import Any

from rdflib.term import BNode, Variable

from ....semantics.model.items import IntervalGraph
from ....semantics.model.trees import fields_of, nodes, term_key, weight
from ....semantics.model.tuples import EventTuple
from ....semantics.rdf.syntax.tree import (
    EmbeddedPattern,
    GroupGraphPattern,
    NamedGraphPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from ...cases.case import Case
from .stream_shrinking import INSTANTS, ONE, graphs_of, has_datetimes, instants, terms_of
from .tree_shrinking import Hook

_LOOKING = (TriplesBlock, UnionPattern, NamedGraphPattern, SubSelect, EmbeddedPattern)


def measure(case: Case, hook: Hook) -> tuple[Any, ...]:
    """Return the size: operators, items, constructs, data, settings, terms, times, in that order.

    The order is well-founded: there is no endless descent in it.
    """
    return tuple(_measured(case, hook))


def is_below(case: Case, bound: tuple[Any, ...], hook: Hook) -> bool:
    """Return True if the case's size is less than the bound; measure only what decides it."""
    for mine, other in zip(_measured(case, hook), bound, strict=True):
        if mine != other:
            return bool(mine < other)
    return False


def _measured(case: Case, hook: Hook) -> Iterator[Any]:
    """Yield the sizes of a case; groups that match no graph count, as they are hard to read."""
    items = [item for stream in case.stream_sources.values() for item in stream]
    yield hook.operators(case.query)
    yield len(items)
    yield sum(
        isinstance(node, GroupGraphPattern) and not _looks(node) for node in nodes(case.query)
    )
    yield weight(case.query)
    yield sum(map(_size, items)) + sum(len(graph) for graph in graphs_of(case))
    background = case.kb_sources.values()
    yield len(case.stream_sources) + sum(1 + len(getattr(kb, "changes", ())) for kb in background)
    yield has_datetimes(case)
    yield hook.cost(case)
    yield 0 if case.schedule is None else 1 + case.schedule.size
    at = _at(case)
    yield _settings(case.reading_source) + len(case.evaluation) + len(at)
    yield _settings(case.query)
    enums, numbers = _choices(case.query, hook)
    yield enums
    yield sum(isinstance(item, IntervalGraph) for item in items)
    terms = terms_of(case)
    found = set(terms)
    yield sum(isinstance(term, BNode) for term in found)
    yield len(found)
    yield sum(isinstance(term, Variable) for term in terms)
    yield sorted((term != ONE, *term_key(term)) for term in terms)
    times = instants(case)
    yield (times[-1] - times[0] + abs(times[0])) if times else 0
    yield sum(getattr(item, "time", None) or getattr(item, "end", 0) for item in items)
    yield numbers
    yield [_values(item) for item in items if isinstance(item, EventTuple)]
    yield sum(at)


def _looks(group: GroupGraphPattern) -> bool:
    return any(isinstance(element, _LOOKING) for element in group.elements)


def _size(item: Any) -> int:
    return len(item.attributes) + (item.time is not None) if isinstance(item, EventTuple) else 0


def _values(item: EventTuple) -> tuple[Any, ...]:
    values = item.attributes.values()
    return (
        sum(len(v) if isinstance(v, str) else abs(v) + isinstance(v, float) / 2 for v in values),
        item.type,
    )


def _settings(tree: Any) -> int:
    """Return the number of fields of a tree's constructs that differ from their defaults."""
    return sum(
        getattr(node, field.name) != (
            field.default if field.default_factory is MISSING else field.default_factory()
        )
        for node in nodes(tree) for field in fields_of(node)
        if field.default is not MISSING or field.default_factory is not MISSING
    )


def _choices(query: Any, hook: Hook) -> tuple[list[int], int]:
    """Return the rank of each choice among named values, and the sum of all numbers."""
    enums, numbers = [], 0
    for node in nodes(query):
        for field in fields_of(node):
            value = getattr(node, field.name)
            if isinstance(value, Enum):
                enums.append(len(list(hook.plainest(value))))
            elif isinstance(value, int):
                numbers += abs(value)
    return enums, numbers


def _at(case: Case) -> list[int]:
    """Return the instants of a case's evaluation."""
    given = (case.evaluation[key] for key in INSTANTS if key in case.evaluation)
    return [abs(v) for value in given for v in ((value,) if isinstance(value, int) else value)]
