"""A CQELS-CEP case as it is generated and enumerated."""

from __future__ import annotations

from collections.abc import Mapping

from rdflib.term import URIRef

from ....semantics.cqels.syntax.readings import Readings
from ....semantics.cqels.syntax.tree import CqelsQuery
from ....semantics.model.items import Item
from ....semantics.model.temporal_graphs import TemporalGraph
from ....semantics.model.terms import Graph
from ...cases.case import Case


class CqelsCase(Case):
    """A CQELS-CEP query with its inputs: streams, background graphs and evaluation times.

    `at` are the evaluation times, None for whenever an item arrives.
    """

    query: CqelsQuery

    def __init__(
        self,
        query: CqelsQuery,
        streams: Mapping[URIRef, tuple[Item, ...]],
        kb: Mapping[URIRef, Graph | TemporalGraph] | None = None,
        readings: Readings | None = None,
        at: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(
            "cqels", query, streams, kb, readings or Readings(),
            {} if at is None else {"at": list(at)},
        )

    @property
    def at(self) -> tuple[int, ...] | None:
        """The evaluation times"""
        return tuple(self.evaluation["at"]) if "at" in self.evaluation else None
