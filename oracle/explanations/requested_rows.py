"""Partial rows that a user requests, and rows of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rdflib.term import BNode

from ...semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Value

_WHEN = ("time", "rank", "window", "at", "interval", "boolean")


@dataclass(frozen=True)
class RequestedRow:
    """A partial row: bindings `mu`, and its time (`time`, `window`, `interval`, …)."""

    mu: SolutionMapping = EMPTY_MAPPING
    when: Mapping[str, Any] = field(default_factory=dict)

    def is_in(self, row: FoundRow) -> bool:
        """Return whether a row has all requested values."""
        return covers(self.mu, row.mu) and all(
            value in (row.when.get(name), None) for name, value in self.when.items()
        )


@dataclass(frozen=True)
class FoundRow:
    """A row of a result; `number` counts results from 1."""

    number: int
    mu: SolutionMapping
    when: Mapping[str, Any]


def requested_rows(result: Mapping[str, Any]) -> list[RequestedRow]:
    """Return the partial rows of a result object; fields that it omits may have any value."""
    when = {
        name: tuple(value) if isinstance(value, list | tuple) else value
        for name, value in result.items() if name in _WHEN
    }
    mus = [*result.get("solutions", ()), *result.get("graph", ())]
    mus += [result["solution"]] if "solution" in result else []
    return [RequestedRow(mu, when) for mu in mus or [EMPTY_MAPPING]]


def covers(requested: SolutionMapping, mu: SolutionMapping) -> bool:
    """Return whether μ has all requested bindings; a blank node matches any one blank node."""
    nodes: dict[BNode, BNode] = {}
    return (
        all(v in mu and _same(value, mu[v], nodes) for v, value in requested.items())
        and len(set(nodes.values())) == len(nodes)
    )


def _same(wanted: Value, value: Value, nodes: dict[BNode, BNode]) -> bool:
    if isinstance(wanted, tuple) or isinstance(value, tuple):
        return (
            isinstance(wanted, tuple) and isinstance(value, tuple) and len(wanted) == len(value)
            and all(_same(one, other, nodes) for one, other in zip(wanted, value, strict=True))
        )
    if isinstance(wanted, BNode):
        return isinstance(value, BNode) and nodes.setdefault(wanted, value) == value
    return wanted == value


def comparable(mu: SolutionMapping) -> SolutionMapping:
    """Return μ without blank nodes and lists, for comparison with parts of a solution."""
    return mu.without(v for v, value in mu.items() if isinstance(value, BNode | tuple))
