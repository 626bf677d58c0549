"""The context of an expression: the input of its value beside the solution mapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from rdflib.term import BNode, Literal

from ...model.mappings import SolutionMapping
from ...model.terms import literal
from ..syntax.tree import GroupGraphPattern
from .values import XSD_DATE_TIME


@dataclass
class Execution:
    """One execution of a query: its base IRI, and the one moment that is NOW() (17.4.5.1).

    `substitutes` says that within EXISTS values stand in the place of variables (18.6), so that an
    end of a path is given.
    """

    base: str | None = None
    substitutes: bool = False

    @cached_property
    def now(self) -> Literal:
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        return literal(moment.replace("+00:00", "Z"), XSD_DATE_TIME)


@dataclass(slots=True)
class Context:
    """The context of an expression: its execution and its active graph.

    `exists(P, μ)` says whether P has a solution for μ (18.6); it is None where there is no graph.
    `labels` are the blank nodes of BNODE("label") for the solution at hand (17.4.2.9).
    """

    execution: Execution = field(default_factory=Execution)
    exists: Callable[[GroupGraphPattern, SolutionMapping], bool] | None = None
    labels: dict[str, BNode] = field(default_factory=dict)
