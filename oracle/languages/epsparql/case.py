"""An EP-SPARQL case as it is generated and enumerated."""

from __future__ import annotations

from collections.abc import Mapping

from rdflib.term import URIRef

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import EpsparqlQuery
from ....semantics.model.items import Item
from ....semantics.model.terms import Graph
from ...cases.case import Case


class EpsparqlCase(Case):
    """An EP-SPARQL query with its inputs: streams and background graphs, under some readings."""

    query: EpsparqlQuery

    def __init__(
        self,
        query: EpsparqlQuery,
        streams: Mapping[URIRef, tuple[Item, ...]],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
    ) -> None:
        super().__init__("epsparql", query, streams, kb, readings or Readings())
