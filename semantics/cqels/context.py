"""What a query is evaluated over at a time t: the streams as far as they are known, and D."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rdflib.term import URIRef

from ..model.mappings import Solutions
from ..model.terms import Dataset, Graph
from ..rdf.syntax.tree import GroupGraphPattern
from .syntax.readings import Readings
from .syntax.tree import CqelsQuery
from .windows import Element

SINCE_EVER = -(1 << 100)
"""t1 of background graphs that have never changed: before any time."""


@dataclass(frozen=True, slots=True)
class Background:
    """D at t: its graphs, and `since`, the time of the last change of any of them."""

    dataset: Dataset
    since: int = SINCE_EVER


@dataclass(frozen=True, slots=True)
class Context:
    """⟦·; t⟧: the query with its time, its streams in the order of arrival and its background.

    `matches` remembers ⟦P⟧_g by pattern and graph for as long as one query is evaluated.
    """

    query: CqelsQuery
    t: int
    streams: Mapping[URIRef, Sequence[Element]]
    background: Background
    readings: Readings
    matches: dict[tuple[int, Graph], tuple[GroupGraphPattern, Solutions]] = field(
        default_factory=dict
    )
