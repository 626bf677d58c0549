"""Rows that somebody misses, as far as they are given, and whether a result has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rdflib.term import BNode

from ...semantics.model.mappings import EMPTY_MAPPING, SolutionMapping, Value

_WHEN = ("time", "rank", "window", "at", "interval", "boolean")


@dataclass(frozen=True)
class AskedRow:
    """A row as far as it is given: `mu`, and when it is to hold (`time`, `window`, `interval`, …).
    """

    mu: SolutionMapping = EMPTY_MAPPING
    when: Mapping[str, Any] = field(default_factory=dict)

    def is_in(self, row: FoundRow) -> bool:
        """Whether a row is as it is asked for."""
        return covers(self.mu, row.mu) and all(
            value in (row.when.get(name), None) for name, value in self.when.items()
        )


@dataclass(frozen=True)
class FoundRow:
    """A row of a result; `number` counts results from 1."""

    number: int
    mu: SolutionMapping
    when: Mapping[str, Any]


def asked_rows(result: Mapping[str, Any]) -> list[AskedRow]:
    """The rows that a result object asks for; what it leaves out may be anything."""
    when = {
        name: tuple(value) if isinstance(value, list | tuple) else value
        for name, value in result.items() if name in _WHEN
    }
    mus = [*result.get("solutions", ()), *result.get("graph", ())]
    mus += [result["solution"]] if "solution" in result else []
    return [AskedRow(mu, when) for mu in mus or [EMPTY_MAPPING]]


def covers(asked: SolutionMapping, mu: SolutionMapping) -> bool:
    """Whether μ says all that is asked for; a blank node stands for any one blank node."""
    nodes: dict[BNode, BNode] = {}
    return (
        all(v in mu and _same(value, mu[v], nodes) for v, value in asked.items())
        and len(set(nodes.values())) == len(nodes)
    )


def _same(asked: Value, value: Value, nodes: dict[BNode, BNode]) -> bool:
    if isinstance(asked, tuple) or isinstance(value, tuple):
        return (
            isinstance(asked, tuple) and isinstance(value, tuple) and len(asked) == len(value)
            and all(_same(one, other, nodes) for one, other in zip(asked, value, strict=True))
        )
    if isinstance(asked, BNode):
        return isinstance(value, BNode) and nodes.setdefault(asked, value) == value
    return asked == value


def comparable(mu: SolutionMapping) -> SolutionMapping:
    """What of an asked μ can be compared with parts of a solution: no blank node, no list."""
    return mu.without(v for v, value in mu.items() if isinstance(value, BNode | tuple))
