"""Who is judged by the W3C's tests: the definitions themselves, and the production engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import URIRef

from ....semantics.model.errors import QueryError
from ....semantics.model.terms import Dataset, Graph
from ....semantics.rdf.entailment import entailed
from ....semantics.rdf.queries import QueryResult, evaluate_query
from ....semantics.rdf.syntax import tree as s
from ....semantics.rdf.syntax.rdfs import Entailment

Evaluator: TypeAlias = Callable[[s.SparqlQuery, Dataset, Mapping[URIRef, Graph]], QueryResult]
Entailer: TypeAlias = Callable[[Graph, Entailment], Graph]


@dataclass(frozen=True, slots=True)
class Subject:
    """What answers queries and concludes from graphs."""

    name: str
    evaluate: Evaluator
    entail: Entailer = entailed


ORACLE = Subject("oracle", evaluate_query)

NAMES = ("oracle", "production")


def subject(name: str) -> Subject:
    """The subject of this name. Raises QueryError for any other."""
    if name == "oracle":
        return ORACLE
    if name == "production":
        from .production import entail_with_engine, evaluate_with_matcher

        return Subject(name, evaluate_with_matcher, entail_with_engine)
    raise QueryError(f"W3C manifests are judged with the engines {' and '.join(NAMES)} only")
