"""A CEQL case as it is generated and enumerated."""

from __future__ import annotations

from collections.abc import Mapping

from ....semantics.ceql.core_extensions import Choice, choices
from ....semantics.ceql.syntax.readings import Readings
from ....semantics.ceql.syntax.tree import CeqlQuery
from ....semantics.model.tuples import EventTuple, merged
from ...cases.case import Case


class CeqlCase(Case):
    """A CEQL query with its inputs: ⟦Q⟧(S), S merged from named streams, under some readings."""

    query: CeqlQuery

    def __init__(
        self,
        query: CeqlQuery,
        streams: Mapping[str, tuple[EventTuple, ...]],
        readings: Readings | None = None,
    ) -> None:
        super().__init__("ceql", query, streams, readings=readings or Readings())

    def merged(self) -> list[EventTuple]:
        """S"""
        return list(merged(self.stream_sources, self.tree.streams))

    def choices(self) -> tuple[Choice, ...]:
        """What the definitions say, with what they leave open."""
        return choices(self.tree, self.merged(), self.readings)
