"""Background knowledge: RDF graphs and what they entail of what occurs (section 5).

The schema is the background's: it is closed under the rules of RDFS once, and then each occurrence
by itself entails what that schema says of it, over its own interval. A schema that arrives on the
stream is data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rdflib.term import URIRef

from ..model.terms import EMPTY_GRAPH, Graph, Triple
from ..rdf.entailment import entailed, is_rdf
from ..rdf.syntax.rdfs import DOMAIN, RANGE, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE
from ..rdf.syntax.tree import DatasetClause
from .occurrences import Occurrence, RdfStream, timeless
from .syntax.readings import Readings


@dataclass(frozen=True, slots=True)
class Background:
    """The triples of the background graphs: for every pattern, and by name for GRAPH."""

    graph: Graph = EMPTY_GRAPH
    named: Mapping[URIRef, Graph] = field(default_factory=dict)
    schema: Graph = EMPTY_GRAPH

    @property
    def stream(self) -> RdfStream:
        """The triples that match everywhere, as occurrences without time."""
        return timeless(self.graph)


def background(
    kb: Mapping[URIRef, Graph], dataset: DatasetClause | None, readings: Readings
) -> Background:
    """Return the background of a query: all graphs, or those of its FROM and FROM NAMED clauses."""
    default = {iri: g for iri, g in kb.items() if dataset is None or iri in dataset.default}
    named = {iri: g for iri, g in kb.items() if dataset is None or iri in dataset.named}
    together: Graph = EMPTY_GRAPH.union(*default.values())
    known = entailed(together, readings.entailment)
    return Background(
        graph=known if readings.background == "everywhere" else EMPTY_GRAPH,
        named={iri: entailed(g, readings.entailment) for iri, g in named.items()},
        schema=known if readings.entailment == "rdfs" else EMPTY_GRAPH,
    )


def with_conclusions(stream: RdfStream, schema: Graph) -> RdfStream:
    """S and, for each of its occurrences, what the schema concludes from it, when it occurs."""
    if not schema:
        return stream
    return stream | {
        Occurrence(triple, occurrence.start, occurrence.end)
        for occurrence in stream
        for triple in conclusions(occurrence.triple, schema)
    }


def conclusions(triple: Triple, schema: Graph) -> Graph:
    """Return the triples that one triple and the schema, which is closed already, entail."""
    found = {triple}
    while new := {each for known in found for each in at_once(known, schema)} - found:
        found |= new
    return frozenset(found - {triple})


def at_once(triple: Triple, schema: Graph) -> Iterator[Triple]:
    """Yield the RDF triples that one triple and one triple of the schema entail."""
    s, p, o = triple
    concluded: Triple
    for xxx, word, yyy in schema:
        if word == DOMAIN and xxx == p:  # rdfs2
            concluded = s, TYPE, yyy
        elif word == RANGE and xxx == p:  # rdfs3
            concluded = o, TYPE, yyy
        elif word == SUB_PROPERTY_OF and xxx == p:  # rdfs7
            concluded = s, yyy, o
        elif word == SUB_CLASS_OF and p == TYPE and xxx == o:  # rdfs9
            concluded = s, TYPE, yyy
        else:
            continue
        if is_rdf(concluded):
            yield concluded
