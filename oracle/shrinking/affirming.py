"""Elements that match an event, where a negation or an option asked for one that does not.

Dropping `!` or `?` alone seldom keeps a case failing: the events were chosen not to match. But a
negation says no more than that an event of u is one on which P has no match, and so does a GPM of
its own, for a triple that exactly these events have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rdflib.term import URIRef

from ...semantics.rdf.evaluation import solutions
from ...semantics.rdf.syntax import GroupGraphPattern, TriplePattern, TriplesBlock
from ...semantics.rdf.terms import Triple
from ...semantics.spaseq.syntax import (
    Conjunction,
    Definition,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
)
from ..spaseq_case import SpaseqCase
from .queries import pruned

_NAMES = "NOPQRSTUVWXYZ"


def affirmed(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """With a GPM of its own in place of each negation (and option) of one GPM."""
    taken = {definition.name for definition in case.query.definitions}
    fresh = next((name for name in _NAMES if name not in taken), None)
    if fresh is None:
        return
    for definition in case.query.definitions:
        sequence = _exchanged(case.query.sequence, definition.name, Reference(fresh))
        if sequence != case.query.sequence:
            yield _with_mark(case, sequence, definition, fresh)


def _with_mark(
    case: SpaseqCase, sequence: SequenceExpression, negated: Definition, name: str
) -> SpaseqCase:
    query = case.query
    thing = URIRef("http://example.org/a")
    mark: Triple = (thing, URIRef(f"http://example.org/{name.lower()}"), thing)
    pattern = GroupGraphPattern((TriplesBlock((TriplePattern(*mark),)),))
    own = Definition(name, negated.stream, pattern)
    stream = query.stream_iri(negated.stream)
    marked = tuple(
        item if solutions(negated.pattern, item.graph, case.kb)
        else replace(item, graph=item.graph | {mark})
        for item in case.streams.get(stream, ())
    )
    return replace(
        case,
        query=pruned(replace(query, sequence=sequence, definitions=(*query.definitions, own))),
        streams={**case.streams, stream: marked},
    )


def _exchanged(tree: Any, name: str, instead: Reference) -> Any:
    match tree:
        case SequenceExpression(first, steps):
            return SequenceExpression(
                _exchanged(first, name, instead),
                tuple(Step(s.operator, _exchanged(s.atom, name, instead)) for s in steps),
            )
        case (Negation(operand) | OptionalEvent(operand)) if operand.name == name:
            return instead
        case Conjunction(operands) | Disjunction(operands):
            return type(tree)(tuple(_exchanged(part, name, instead) for part in operands))
        case KleenePlus(operand):
            return KleenePlus(_exchanged(operand, name, instead))
        case _:
            return tree
