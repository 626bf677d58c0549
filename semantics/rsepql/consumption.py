"""Consumption policies: what of a window an event pattern may still match (RSEP-QL 4.4).

What can be consumed is a unit: under `consumption=occurrence` a triple at the time of its item,
under `consumption=triple` a triple. All is counted per event pattern (of a MATCH) and per window.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from rdflib.term import BNode, URIRef, Variable

from ..model.items import TimestampedGraph
from ..model.mappings import SolutionMapping
from ..model.terms import Dataset, Graph, Triple
from ..rdf import translation
from ..rdf.evaluation import Evaluation, basic_graph_pattern
from ..rdf.syntax.tree import GroupGraphPattern, TermOrVariable, TriplePattern, TriplesBlock
from .event_mappings import Events, Part
from .syntax.readings import Consumption

Unit: TypeAlias = tuple[Triple, int | None]

InputStructure: TypeAlias = Mapping[URIRef, frozenset[Unit]]
"""I_i, the inputs I_i(w_j) by window (Def. 8); also Δ_i (Def. 9; `consumption_history`)."""


def unit(triple: Triple, time: int, reading: Consumption) -> Unit:
    """Return the unit of consumption of an item's triple."""
    return triple, time if reading == "occurrence" else None


def units(content: Iterable[TimestampedGraph], reading: Consumption) -> frozenset[Unit]:
    """Return the units of consumption in a window's content."""
    return frozenset(
        unit(triple, item.time, reading) for item in content for triple in item.graph
    )


def left(item: TimestampedGraph, input_: frozenset[Unit], reading: Consumption) -> Graph:
    """Return the triples of G_k that are in I_i(w_j)."""
    return frozenset(
        triple for triple in item.graph if unit(triple, item.time, reading) in input_
    )


def used(events: Events, windows: Iterable[URIRef], reading: Consumption) -> InputStructure:
    """Return the units that took part in these events, by window."""
    parts = frozenset[Part]().union(*(each.parts for each in events))
    return {
        w: frozenset(unit(triple, time, reading) for name, triple, time in parts if name == w)
        for w in windows
    }


# --- which triples take part in a basic event ----------------------------------------------------


def consumed(pattern: GroupGraphPattern, graph: Graph, mu: SolutionMapping) -> Graph:
    """Return the triples μ(P) ⊆ G of the triple patterns of P, for all its blank nodes."""
    block = tuple(
        _with_variables(triple)
        for element in pattern.elements if isinstance(element, TriplesBlock)
        for triple in element.triples
    )
    active = Evaluation(Dataset(graph), graph, outer=mu)
    found = basic_graph_pattern(translation.basic_graph_pattern(block), active)
    return frozenset(
        _instance(triple, mu.merge(each)) for each in found for triple in block
    )


def _with_variables(triple: TriplePattern) -> TriplePattern:
    """Return the same, with variables that no query can write for its blank nodes."""

    def part(term: TermOrVariable) -> TermOrVariable:
        return Variable(f"_:{term}") if isinstance(term, BNode) else term

    return TriplePattern(part(triple.subject), triple.predicate, part(triple.object))


def _instance(triple: TriplePattern, mu: SolutionMapping) -> Triple:
    subject, predicate, object_ = (
        mu[part] if isinstance(part, Variable) else part
        for part in (triple.subject, triple.predicate, triple.object)
    )
    return subject, predicate, object_  # type: ignore[return-value]
