"""Items of RDF graph streams (SPAseq Defs. 1–3).

An instant is an `int`. On integer streams it counts whatever the source counts; on dateTime streams
it counts microseconds since 1970-01-01T00:00:00Z. The two must not be mixed in one streamset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rdflib.term import BNode, URIRef

from .pretty_printing import Printer
from .terms import Graph
from .time import TimeKind as TimeKind
from .time import format_time


@dataclass(frozen=True, slots=True)
class TimestampedGraph:
    """Def. 1, an RDF graph event (τ, G).

    `name` is the graph's name in its file, for messages; it does not take part in equality of what
    a stream means, but a writer uses it again.
    """

    time: int
    graph: Graph
    kind: TimeKind = TimeKind.INTEGER
    name: URIRef | BNode | None = None

    @property
    def start(self) -> int:
        """τ: what happens at an instant starts when it ends."""
        return self.time

    @property
    def end(self) -> int:
        """τ"""
        return self.time

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.text(f"TimestampedGraph({self.time}, {_shown(self.graph)})")


@dataclass(frozen=True, slots=True)
class IntervalGraph:
    """An RDF graph that holds over an interval, ⟨G:[t1, t2]⟩ (CQELS-CEP; both ends included).

    `name` is as in `TimestampedGraph`.
    """

    start: int
    end: int
    graph: Graph
    kind: TimeKind = TimeKind.INTEGER
    name: URIRef | BNode | None = None

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.text(f"IntervalGraph([{self.start}, {self.end}], {_shown(self.graph)})")


def _shown(graph: Graph) -> str:
    triples = sorted(" ".join(term.n3() for term in triple) for triple in graph)
    return f"{{ {' . '.join(triples)} }}" if triples else "{}"


Item: TypeAlias = TimestampedGraph | IntervalGraph
"""An item of a stream file: one named graph and its time; it is known from its `end` on."""


def shown_time(item: Item) -> str:
    """Return the time of an item, for messages: an instant, or an interval."""
    end = format_time(item.end, item.kind)
    return end if item.start == item.end else f"[{format_time(item.start, item.kind)}, {end}]"


def shown_name(item: Item) -> str:
    """Return the name of an item in messages."""
    return "a graph without a name" if item.name is None else f"graph {item.name.n3()}"


Stream: TypeAlias = Sequence[TimestampedGraph]
"""Def. 2, finite here: in non-decreasing time order."""

Streamset: TypeAlias = Mapping[URIRef, Stream]
"""Def. 3, Σ: named streams."""
