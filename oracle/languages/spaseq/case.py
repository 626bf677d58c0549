"""A SPAseq case as it is generated and enumerated, and how large its query is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rdflib.term import URIRef

from ....semantics.model.items import TimestampedGraph
from ....semantics.model.terms import Graph
from ....semantics.model.trees import find
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    SequenceExpression,
    SpaseqQuery,
    Step,
)
from ...cases.case import Case


class SpaseqCase(Case):
    """A SPAseq query with its inputs: ⟦Q⟧^start over Σ and Γ, under some readings.

    `start` is an instant (an integer, or microseconds since the epoch); None stands for the
    earliest timestamp of the streamset.
    """

    query: SpaseqQuery

    def __init__(
        self,
        query: SpaseqQuery,
        streams: Mapping[URIRef, tuple[TimestampedGraph, ...]],
        kb: Mapping[URIRef, Graph] | None = None,
        readings: Readings | None = None,
        start: int | None = None,
    ) -> None:
        super().__init__(
            "spaseq", query, streams, kb, readings or Readings(),
            {} if start is None else {"from": start},
        )

    @property
    def start(self) -> int | None:
        """t of the first window"""
        start: int | None = self.evaluation.get("from")
        return start


def operator_count(tree: Any) -> int:
    """Return the number of , ; : + & | ! ? in an expression; n operands of & or | count n − 1."""
    single = find(tree, Step, KleenePlus, Negation, OptionalEvent)
    joined = find(tree, Conjunction, Disjunction)
    return len(list(single)) + sum(len(each.operands) - 1 for each in joined)


def operators(sequence: SequenceExpression) -> list[Operator]:
    """•1, •2, …"""
    return [step.operator for step in sequence.steps]
