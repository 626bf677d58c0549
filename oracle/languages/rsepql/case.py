"""An RSEP-QL case as it is generated and enumerated."""

from __future__ import annotations

from collections.abc import Mapping

from rdflib.term import URIRef

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.terms import Graph
from ....semantics.rsepql.syntax.evaluation import Evaluation
from ....semantics.rsepql.syntax.readings import Readings
from ....semantics.rsepql.syntax.tree import RsepqlQuery
from ...cases.case import Case


class RsepqlCase(Case):
    """An RSEP-QL query with its inputs: streams, background graphs and evaluation times (ET)."""

    query: RsepqlQuery

    def __init__(
        self,
        query: RsepqlQuery,
        streams: Mapping[URIRef, tuple[TimestampedGraph, ...]],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        evaluation: Evaluation | None = None,
    ) -> None:
        when = Evaluation() if evaluation is None else evaluation
        super().__init__("rsepql", query, streams, kb, readings or Readings(), when.named())
