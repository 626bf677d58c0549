"""What the languages over RDF streams have in common: SPARQL's prologue, and streams of graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from rdflib.term import URIRef

from ...semantics.model.errors import QueryWarning
from ...semantics.rdf.syntax.tree import Prologue
from .base import LanguageBase, QueryT, ReadingsT

ItemT = TypeVar("ItemT")


class RdfLanguage(LanguageBase[QueryT, ReadingsT]):
    """A language whose queries have SPARQL's prologue."""

    def prefixes(self, query: QueryT) -> Mapping[str, str]:
        prologue: Prologue = cast(Any, query).prologue
        return dict(prologue.prefixes)

    def print(self, query: QueryT, prefixes: Mapping[str, str] | None = None) -> str:
        if prefixes is not None:
            prologue = Prologue(prefixes=tuple(prefixes.items()))
            query = cast(QueryT, replace(cast(Any, query), prologue=prologue))
        return super().print(query)

    def warnings(
        self, query: QueryT, *, streams: Iterable[URIRef], kb: Iterable[URIRef], readings: ReadingsT
    ) -> Sequence[QueryWarning]:
        checked = self.syntax("analysis").check_query(query, list(streams), list(kb))
        return cast(Sequence[QueryWarning], checked)


def finite(streams: Mapping[URIRef, Iterable[ItemT]]) -> dict[URIRef, Sequence[ItemT]]:
    """Streams read to their end: a definition looks at an item more than once."""
    return {
        iri: stream if isinstance(stream, Sequence) else tuple(stream)
        for iri, stream in streams.items()
    }
