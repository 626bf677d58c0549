"""A SPAseq case as data: what strategies generate and shrinking makes smaller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rdflib.term import URIRef

from ....semantics.model.errors import Impossible
from ....semantics.model.items import TimestampedGraph
from ....semantics.model.terms import Graph
from ....semantics.spaseq.syntax.readings import Readings
from ....semantics.spaseq.syntax.results import Pair
from ....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
)
from ...cases.shown import ShownAsCase
from ..graph_cases import conformance_case, inputs_of

if TYPE_CHECKING:
    from ...cases.reading import Case


@dataclass(frozen=True, repr=False)
class SpaseqCase(ShownAsCase):
    """What a SPAseq query is asked on: ⟦Q⟧^start over Σ and Γ, under some readings.

    `start` is an instant (an integer, or microseconds since the epoch); None stands for the
    earliest timestamp of the streamset.
    """

    query: SpaseqQuery
    streams: Mapping[URIRef, tuple[TimestampedGraph, ...]]
    kb: Mapping[URIRef, Graph] = field(default_factory=dict)
    readings: Readings = Readings()
    start: int | None = None

    def denotation(self) -> frozenset[Pair]:
        """What the definitions say."""
        from ....semantics.spaseq.denotation import evaluate

        return evaluate(self.query, self.streams, self.kb, self.readings, self.start)

    def matches(self) -> Iterator[Pair]:
        """What the production engine emits, in its order."""
        from ....engine.spaseq import run

        return run(self.query, self.streams, self.kb, self.readings, self.start)

    def case(self) -> Case:
        """The same as a conformance case, without an expectation."""
        return conformance_case("spaseq", self, {} if self.start is None else {"from": self.start})

    @classmethod
    def of(cls, case: Case) -> SpaseqCase:
        """The data of a SPAseq conformance case; raises what is wrong with its texts."""
        task = case.task()
        return cls(
            **inputs_of(task),
            readings=Readings.of(case.readings),
            start=task.evaluation.get("from"),
        )


def atoms(sequence: SequenceExpression) -> tuple[Atom, ...]:
    """Ψ0, Ψ1, …"""
    return (sequence.first, *(step.atom for step in sequence.steps))


def gpm_names(atom: Atom) -> list[str]:
    """The names of the GPMs of an atom, in the order of the text, with repetitions."""
    match atom:
        case Reference(name):
            return [name]
        case Negation(operand) | OptionalEvent(operand) | KleenePlus(operand):
            return gpm_names(operand)
        case Conjunction(operands) | Disjunction(operands):
            return [name for operand in operands for name in gpm_names(operand)]
    raise Impossible(f"not an atom: {atom!r}")


def operator_count(tree: Any) -> int:
    """How many of , ; : + & | ! ? an expression has; n operands of & or | are n − 1 operators."""
    match tree:
        case SequenceExpression(first, steps):
            return operator_count(first) + sum(1 + operator_count(s.atom) for s in steps)
        case KleenePlus(operand) | Negation(operand) | OptionalEvent(operand):
            return 1 + operator_count(operand)
        case Conjunction(operands) | Disjunction(operands):
            return len(operands) - 1 + sum(map(operator_count, operands))
        case _:
            return 0


def operators(sequence: SequenceExpression) -> list[Operator]:
    """•1, •2, …"""
    return [step.operator for step in sequence.steps]
