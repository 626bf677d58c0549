"""Engines with one small bug each, for the fuzzer to find.

Each is a factory, as ENGINE strings take them (`python:planted_bugs:next_as_any`). Most give the
production engine a slightly different task; the others run the definitions with one of them
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias
from unittest import mock

from rdflib import BNode

from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.semantics.model.mappings import Solutions
from denota.semantics.rdf.syntax import tree as s
from denota.semantics.rdf.syntax.variables import mentioned_variables, possible_variables
from denota.semantics.spaseq import denotation, stateful_filters
from denota.semantics.spaseq.syntax.readings import Readings
from denota.semantics.spaseq.syntax.results import Pair
from denota.semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operator,
    SpaseqQuery,
    Step,
)

Evaluate: TypeAlias = Callable[..., Iterable[Pair]]
BUGS: list[Callable[[], Evaluate]] = []


def bug(factory: Callable[[], Evaluate]) -> Callable[[], Evaluate]:
    BUGS.append(factory)
    return factory


def production(change: Callable[[SpaseqCase], SpaseqCase]) -> Evaluate:
    """The production engine on a changed case."""

    def evaluate(query: SpaseqQuery, **rest: Any) -> Iterable[Pair]:
        return change(SpaseqCase(query, **rest)).matches()

    return evaluate


def definitions(module: Any, name: str, changed: Any) -> Evaluate:
    """The definitions, with another one for `module.name`."""

    def evaluate(query: SpaseqQuery, **rest: Any) -> Iterable[Pair]:
        with mock.patch.object(module, name, changed):
            return SpaseqCase(query, **rest).denotation()

    return evaluate


def with_atoms(change: Callable[[Any], Any]) -> Evaluate:
    def changed(case: SpaseqCase) -> SpaseqCase:
        sequence = case.query.sequence
        steps = tuple(Step(step.operator, change(step.atom)) for step in sequence.steps)
        sequence = replace(sequence, first=change(sequence.first), steps=steps)
        return case.but(query=replace(case.query, sequence=sequence))

    return production(changed)


def with_operator(wrong: Operator, instead: Operator) -> Evaluate:
    def changed(case: SpaseqCase) -> SpaseqCase:
        sequence = case.query.sequence
        steps = tuple(
            Step(instead if step.operator is wrong else step.operator, step.atom)
            for step in sequence.steps
        )
        return case.but(query=replace(case.query, sequence=replace(sequence, steps=steps)))

    return production(changed)


def with_readings(**instead: Any) -> Evaluate:
    """Each named reading changed, where it is its default."""

    def changed(case: SpaseqCase) -> SpaseqCase:
        default = Readings()
        values = {
            name: value for name, value in instead.items()
            if getattr(case.readings, name) == getattr(default, name)
        }
        return case.but(readings=replace(case.readings, **values))

    return production(changed)


# --- event selection -----------------------------------------------------------------------------


@bug
def next_as_any() -> Evaluate:
    """Treats `;` as `:`."""
    return with_operator(Operator.NEXT, Operator.ANY)


@bug
def strict_as_next() -> Evaluate:
    """Treats `,` as `;`."""
    return with_operator(Operator.STRICT, Operator.NEXT)


@bug
def any_as_next() -> Evaluate:
    """Treats `:` as `;`."""
    return with_operator(Operator.ANY, Operator.NEXT)


@bug
def blocks_mappings_one_by_one() -> Evaluate:
    """In `;` lets the pair (τ', X) go on with the mappings of X that were not joined yet."""
    skip_till_next = denotation.skip_till_next

    def leaky(sigma: stateful_filters.Pairs, psi: Any, joined: Any) -> Any:
        found: dict[Any, Solutions] = {}
        for past in sigma:
            for mu in past.omega:
                alone = stateful_filters.TimedSolutions(past.time, frozenset({mu}))
                for time, omega in skip_till_next(frozenset({alone}), psi, joined):
                    found[past, time] = found.get((past, time), frozenset()) | omega
        return frozenset(
            stateful_filters.TimedSolutions(time, omega) for (_, time), omega in found.items()
        )

    return definitions(denotation, "skip_till_next", leaky)


@bug
def strict_among_named_streams() -> Evaluate:
    """In `,` looks at the streams that the query names only."""

    def changed(case: SpaseqCase) -> SpaseqCase:
        named = {clause.iri for clause in case.query.streams}
        times = [item.time for stream in case.streams.values() for item in stream]
        known = {name: stream for name, stream in case.streams.items() if name in named}
        start = min(times, default=None) if case.start is None else case.start
        return case.but(streams=known, evaluation={} if start is None else {"from": start})

    return production(changed)


# --- joins and filters ---------------------------------------------------------------------------


@bug
def shared_variables_ignored() -> Evaluate:
    """Joins whatever comes, the later value wins."""

    def everything(X: Solutions, Y: Solutions) -> Solutions:
        return frozenset(
            mu for mu1 in X for mu2 in Y
            for mu in stateful_filters.join(frozenset({mu1.without(mu2)}), frozenset({mu2}))
        )

    return definitions(denotation, "join", everything)


@bug
def deferred_filters_dropped() -> Evaluate:
    """Forgets every filter that speaks of an earlier GPM."""

    def kept(element: s.Element, own: frozenset[Any]) -> bool:
        return not isinstance(element, s.Filter) or mentioned_variables(element.condition) <= own

    def changed(case: SpaseqCase) -> SpaseqCase:
        local = []
        for definition in case.query.definitions:
            own = possible_variables(definition.pattern)
            elements = tuple(e for e in definition.pattern.elements if kept(e, own))
            local.append(replace(definition, pattern=s.GroupGraphPattern(elements)))
        return case.but(query=replace(case.query, definitions=tuple(local)))

    return production(changed)


@bug
def background_forgotten() -> Evaluate:
    """Sees no background graph."""

    return production(lambda case: case.but(kb={}))


# --- windows -------------------------------------------------------------------------------------


@bug
def windows_half_open() -> Evaluate:
    """Forgets the closed end of tumbling windows."""

    def changed(case: SpaseqCase) -> SpaseqCase:
        if case.readings.window != "tumbling" or case.query.within.unit == "events":
            return case
        return case.but(readings=replace(case.readings, window="tumbling-half-open"))

    return production(changed)


@bug
def windows_from_zero() -> Evaluate:
    """Begins the first window at 0 instead of the earliest timestamp."""

    return production(lambda case: case.but(evaluation={"from": case.start or 0}))


# --- BOps, Kleene plus, negation -----------------------------------------------------------------


@bug
def kleene_joins() -> Evaluate:
    """Makes all iterations of a Kleene plus agree on every variable."""
    return with_readings(kleene="join")


@bug
def kleene_once() -> Evaluate:
    """Takes one iteration of a Kleene plus for all."""
    return with_atoms(lambda atom: atom.operand if isinstance(atom, KleenePlus) else atom)


@bug
def kleene_strict_after_an_operand_forgotten() -> Evaluate:
    """Links the iterations after an operand by `;` where Def. 14 says `,`."""
    def lenient(sigma: Any, psi: Any, joined: Any, _: Any) -> Any:
        return denotation.skip_till_next(sigma, psi, joined)

    kleene_plus_after = denotation.kleene_plus_after

    def wrong(*given: Any) -> Any:
        with mock.patch.object(denotation, "union_of_powers", repeated):
            return kleene_plus_after(*given)

    union_of_powers = denotation.union_of_powers

    def repeated(first: Any, next_power: Any) -> Any:
        with mock.patch.object(denotation, "strict_contiguity", lenient):
            return union_of_powers(first, next_power)

    return definitions(denotation, "kleene_plus_after", wrong)


@bug
def first_alternative_only() -> Evaluate:
    """Of a disjunction, sees the first operand."""

    def first(atom: Any) -> Any:
        match atom:
            case Disjunction(operands):
                return first(operands[0])
            case Conjunction(operands):
                return Conjunction(tuple(map(first, operands)))
            case KleenePlus(operand):
                inner = first(operand)
                return inner if isinstance(inner, Negation) else KleenePlus(inner)
            case _:
                return atom

    return with_atoms(first)


@bug
def absences_unguarded() -> Evaluate:
    """Under `negation=absence`, lets every event pass in between."""
    from denota.semantics.spaseq import denotation

    return definitions(denotation, "is_absent", lambda *_: True)


# --- going down ----------------------------------------------------------------------------------


@bug
def crashes_on_blank_nodes() -> Evaluate:
    """Goes down at the first blank node."""

    def changed(case: SpaseqCase) -> SpaseqCase:
        for stream in case.streams.values():
            for item in stream:
                if any(isinstance(term, BNode) for triple in item.graph for term in triple):
                    raise RuntimeError("a blank node")
        return case

    return production(changed)
