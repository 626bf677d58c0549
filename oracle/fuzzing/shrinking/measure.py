"""When one case is simpler than another: the order that shrinking descends in."""

from __future__ import annotations

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
from .data import INSTANTS, has_datetimes, instants
from .hooks import Hook
from .plainer_terms import ONE, graphs_of, terms_of

_LOOKING = (TriplesBlock, UnionPattern, NamedGraphPattern, SubSelect, EmbeddedPattern)


def measure(case: Case, hook: Hook) -> tuple[Any, ...]:
    """Compared from the left: operators, items, constructs, data, settings, terms, times.

    The order is well-founded: there is no endless descent in it. A group that looks at
    no graph has a meaning, but it takes a moment to see which.
    """
    items = [item for stream in case.stream_sources.values() for item in stream]
    background = list(case.kb_sources.values())
    terms = terms_of(case)
    found = set(terms)
    times = instants(case)
    at = _at(case)
    enums, numbers = _choices(case.query, hook)
    return (
        hook.operators(case.query),
        len(items),
        sum(isinstance(node, GroupGraphPattern) and not _looks(node) for node in nodes(case.query)),
        weight(case.query),
        sum(map(_size, items)) + sum(len(graph) for graph in graphs_of(case)),
        len(case.stream_sources) + sum(1 + len(getattr(kb, "changes", ())) for kb in background),
        has_datetimes(case),
        hook.cost(case),
        0 if case.schedule is None else 1 + case.schedule.size,
        _settings(case.reading_source) + len(case.evaluation) + len(at),
        _settings(case.query),
        enums,
        sum(isinstance(item, IntervalGraph) for item in items),
        sum(isinstance(term, BNode) for term in found),
        len(found),
        sum(isinstance(term, Variable) for term in terms),
        sorted((term != ONE, *term_key(term)) for term in terms),
        (times[-1] - times[0] + abs(times[0])) if times else 0,
        sum(getattr(item, "time", None) or getattr(item, "end", 0) for item in items),
        numbers,
        [_values(item) for item in items if isinstance(item, EventTuple)],
        sum(at),
    )


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
    """How many fields of a tree's constructs differ from their defaults."""
    return sum(
        getattr(node, field.name) != (
            field.default if field.default_factory is MISSING else field.default_factory()
        )
        for node in nodes(tree) for field in fields_of(node)
        if field.default is not MISSING or field.default_factory is not MISSING
    )


def _choices(query: Any, hook: Hook) -> tuple[list[int], int]:
    """How plain each choice among named values is; the sum of all numbers."""
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
    """The instants of a case's evaluation."""
    given = (case.evaluation[key] for key in INSTANTS if key in case.evaluation)
    return [abs(v) for value in given for v in ((value,) if isinstance(value, int) else value)]
