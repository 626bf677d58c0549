"""The shrinking of SPAseq cases: sequences without their head, one GPM or stream for two, names.

Repairs are rewritings of cases that avoid differences of engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from rdflib.term import URIRef

from ....semantics.model.trees import changed, instead, names_in, nodes, renamed
from ....semantics.rdf.evaluation import solutions
from ....semantics.rdf.syntax.tree import GroupGraphPattern, TriplePattern, TriplesBlock
from ....semantics.spaseq.syntax.tree import (
    Definition,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    Step,
    StreamClause,
    WithinUnit,
)
from ...fuzzing.repairs import Rewriting, rewriting
from ...fuzzing.shrinking.tree_shrinking import ROOMY, Hook, with_names_in_order
from .case import SpaseqCase, operator_count
from .cost_estimate import MOST_WORK, work

GPM_NAMES = ((Reference, "name"), (Definition, "name"))
STREAM_NAMES = ((StreamClause, "name"), (Definition, "stream"))


def proposals(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Yield sequences without their head, and queries with one GPM or stream for another."""
    query = case.query
    for sequence in _without_an_atom(query.sequence):
        yield case.but(query=replace(query, sequence=sequence))
    yield from _without_negation(case)
    if query.within.unit is WithinUnit.EVENTS and query.within.value > 1:
        yield from _counting_fewer(case)
    names = names_in(query.sequence, GPM_NAMES)
    for k, name in enumerate(names):
        for other in names[:k]:
            sequence = renamed(query.sequence, GPM_NAMES, {name: other})
            yield case.but(query=replace(query, sequence=sequence))
    for k, one in enumerate(query.streams):
        for two in query.streams[:k]:
            definitions = renamed(query.definitions, STREAM_NAMES, {one.name: two.name})
            both = (*case.stream_sources.get(two.iri, ()), *case.stream_sources.get(one.iri, ()))
            left = {iri: items for iri, items in case.stream_sources.items() if iri != one.iri}
            yield case.but(
                query=replace(query, definitions=definitions),
                streams={**left, two.iri: tuple(sorted(both, key=lambda item: item.time))},
            )


def _counting_fewer(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Yield cases with one item less and with windows of one item less."""
    within, slide = case.query.within, case.query.slide
    shorter = replace(case.query, within=replace(within, value=within.value - 1))
    if slide is not None and slide.value > 1:
        shorter = replace(shorter, slide=replace(slide, value=slide.value - 1))
    for iri, items in case.stream_sources.items():
        for k in range(len(items)):
            left = (*items[:k], *items[k + 1 :])
            yield case.but(query=shorter, streams={**case.stream_sources, iri: left})


def _without_negation(case: SpaseqCase) -> Iterator[SpaseqCase]:
    """Yield queries with a plain GPM for `!` or `?`; a new triple marks events without a match."""
    query = case.query
    thing, mark = (URIRef(f"http://example.org/{name}") for name in "an")
    marks = TriplesBlock((TriplePattern(thing, mark, thing),))
    for node in nodes(query.sequence):
        if isinstance(node, Negation | OptionalEvent):
            definition = query.definition(node.operand.name)
            own = replace(definition, pattern=GroupGraphPattern((marks,)))
            iri = query.stream_iri(definition.stream)
            marked = tuple(
                item if solutions(definition.pattern, item.graph, case.kb_sources)
                else replace(item, graph=item.graph | {(thing, mark, thing)})
                for item in case.stream_sources.get(iri, ())
            )
            plain = changed(query, instead(node, node.operand))
            yield case.but(
                query=changed(plain, instead(definition, own)),
                streams={**case.stream_sources, iri: marked},
            )


def _without_an_atom(sequence: SequenceExpression) -> Iterator[SequenceExpression]:
    steps = sequence.steps
    if steps:
        yield SequenceExpression(steps[0].atom)
        yield SequenceExpression(steps[0].atom, steps[1:])
    for k in range(len(steps) - 1):  # either operator beside an atom may be the one that matters
        joined = Step(steps[k].operator, steps[k + 1].atom)
        yield replace(sequence, steps=(*steps[:k], joined, *steps[k + 2 :]))


def pruned(query: SpaseqQuery) -> SpaseqQuery:
    """Return the query without the definitions and streams that SEQ does not use."""
    used = names_in(query.sequence, GPM_NAMES)
    definitions = tuple(d for d in query.definitions if d.name in used)
    on = {definition.stream for definition in definitions}
    streams = tuple(clause for clause in query.streams if clause.name in on)
    return replace(query, definitions=definitions, streams=streams)


HOOK = Hook(
    affordable=lambda case: work(case) <= MOST_WORK,
    operators=lambda query: operator_count(query.sequence),
    proposals=proposals,
    pruned=pruned,
    cost=lambda case: abs(case.query.within.value - ROOMY),
    orders=((Operator.ANY, Operator.NEXT, Operator.STRICT),),
    tidy=(
        with_names_in_order(GPM_NAMES, "ABCDEFGH"),
        with_names_in_order(STREAM_NAMES, ("S1", "S2", "S3")),
    ),
)


def _without_negations(node: Any) -> Any:
    if isinstance(node, SequenceExpression):
        steps = tuple(each for each in node.steps if not isinstance(each.atom, Negation))
        return node if len(steps) == len(node.steps) else replace(node, steps=steps)
    return node


REPAIRS: Final[Mapping[str, Rewriting]] = {
    "one iteration": rewriting(
        lambda node: node.operand if isinstance(node, KleenePlus) else node
    ),
    "no options": rewriting(
        lambda node: node.operand if isinstance(node, OptionalEvent) else node
    ),
    "no negations": rewriting(_without_negations),
}
