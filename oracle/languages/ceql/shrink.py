"""What CEQL adds to shrinking: smallest formulas, short windows, streams and types by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....semantics.ceql.syntax.printing import to_text
from ....semantics.ceql.syntax.tree import (
    CeqlQuery,
    ContiguousIteration,
    Disjunction,
    EventType,
    Formula,
    Iteration,
    Name,
    Sequence,
    WindowUnit,
)
from ....semantics.model.trees import find, renamed
from ....semantics.model.tuples import merged
from ...fuzzing.shrinking.tree_shrinking import Hook, field_types, smaller
from .case import CeqlCase
from .cost_estimate import MOST_WORK, work

_TYPES = ((EventType, "name"), (Name, "name"))
_FEW = 3  # event types of which the smallest formulas are made
_SHORT = 8
_SECOND = 1_000_000_000


def proposals(case: CeqlCase) -> Iterator[CeqlCase]:
    """Without a stream; one of the smallest formulas for the whole; smaller ones soon over."""
    query, streams = case.query, case.stream_sources
    for name in query.streams:
        names = tuple(other for other in query.streams if other != name)
        left = {other: stream for other, stream in streams.items() if other != name}
        yield case.but(query=replace(query, streams=names), streams=left)
    types = [EventType(name) for name in _types(case)[:_FEW]]
    smallest: list[Any] = [*types, *map(Iteration, types), *map(ContiguousIteration, types)]
    for operator in (Sequence, Disjunction):
        smallest += [operator(left, right) for left in types for right in types]
    for phi in smallest:
        yield case.but(query=replace(query, formula=phi, select=None))
    if query.within is not None:
        unit = _SECOND if query.within.unit is WindowUnit.TIME else 1
        kind = field_types(CeqlQuery)["formula"]
        for phi in smaller(query.formula, kind, HOOK.plainest):
            for value in range(_SHORT):
                within = replace(query.within, value=value * unit)
                yield case.but(query=replace(query, formula=phi, within=within))


def _types(case: CeqlCase) -> list[str]:
    written = [phi.name for phi in find(case.query.formula, EventType)]
    arriving = [t.type for stream in case.stream_sources.values() for t in stream]
    return list(dict.fromkeys((*written, *arriving)))


def _with_types_in_order(case: CeqlCase) -> CeqlCase:
    names = dict(zip(_types(case), "ABCDEFGH", strict=False))
    streams = {
        name: tuple(replace(t, type=names.get(t.type, t.type)) for t in stream)
        for name, stream in case.stream_sources.items()
    }
    return case.but(query=renamed(case.query, _TYPES, names), streams=streams)


def _affordable(case: CeqlCase) -> bool:
    types = [t.type for t in merged(case.stream_sources, case.query.streams)]
    return work(case.query, types) <= MOST_WORK


HOOK = Hook(
    affordable=_affordable,
    operators=lambda query: len(list(find(query.formula, Formula))),
    proposals=proposals,
    cost=lambda case: len(to_text(case.query)),
    tidy=(_with_types_in_order,),
)
