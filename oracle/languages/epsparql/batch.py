"""Many streams of one EP-SPARQL query: what the definitions and the engine say of them."""

from __future__ import annotations

from typing import Any

from ....semantics.epsparql.syntax.readings import Readings
from ....semantics.epsparql.syntax.tree import EpsparqlQuery
from ...judging.many_streams import OnManyStreams
from .language import LANGUAGE


def on_many(query: EpsparqlQuery, readings: Readings, **beside: Any) -> OnManyStreams:
    """The query, which the engine compiles once."""
    return OnManyStreams(LANGUAGE, query, readings, **beside)
