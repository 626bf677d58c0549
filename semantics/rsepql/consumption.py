"""Consumption policies: what of a window an event pattern may still match (RSEP-QL 4.4).

What can be consumed is a unit: under `consumption=occurrence` a triple at the time of its item,
under `consumption=triple` a triple. All is counted per event pattern (of a MATCH) and per window.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rdflib.term import URIRef

from ..rdf.terms import Graph, Triple
from ..streams.items import TimestampedGraph
from .readings import Consumption

Unit: TypeAlias = tuple[Triple, int | None]

Input: TypeAlias = Mapping[URIRef, frozenset[Unit]]
"""An input structure (Def. 8): units by window"""

NOTHING: frozenset[Unit] = frozenset()


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation leaves for the next: SDS_{w_j}(t_i), I_i(w_j), and what matched E."""

    content: Input = field(default_factory=dict)
    available: Input = field(default_factory=dict)
    used: Input = field(default_factory=dict)


def unit(triple: Triple, time: int, reading: Consumption) -> Unit:
    """What a triple of an item is for the policies."""
    return triple, time if reading == "occurrence" else None


def units(content: Iterable[TimestampedGraph], reading: Consumption) -> frozenset[Unit]:
    """What a window holds."""
    return frozenset(
        unit(triple, item.time, reading) for item in content for triple in item.graph
    )


def delta(content: Input, before: Evaluated) -> Input:
    r"""Def. 9: Δ_i(w_j) = SDS_{w_j}(t_i) \ SDS_{w_j}(t_{i−1})"""
    return {w: held - before.content.get(w, NOTHING) for w, held in content.items()}


def available(content: Input, before: Evaluated) -> Input:
    """𝒫^c(E, t_i, I_{i−1}, Δ_i) and 𝒫^r: I_i(w_j) contains Δ_i(w_j), and of I_{i−1}(w_j) what did
    not match E at t_{i−1} and is still in the window."""
    new = delta(content, before)
    return {
        w: new[w]
        | ((before.available.get(w, NOTHING) - before.used.get(w, NOTHING)) & held)
        for w, held in content.items()
    }


def left(item: TimestampedGraph, input_: frozenset[Unit], reading: Consumption) -> Graph:
    """What of G_k is in I_i(w_j)."""
    return frozenset(
        triple for triple in item.graph if unit(triple, item.time, reading) in input_
    )
