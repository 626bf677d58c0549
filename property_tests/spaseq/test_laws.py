"""Relations between SPAseq's operators and windows that follow from the definitions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rdflib import URIRef

from denota.oracle.cases.case_reader import read_case
from denota.oracle.languages.spaseq.case import SpaseqCase
from denota.semantics.spaseq.syntax.scoping import atoms
from denota.semantics.spaseq.syntax.tree import (
    Extent,
    KleenePlus,
    Operator,
    SpaseqQuery,
    Step,
    WithinUnit,
)
from denota.strategies import spaseq_cases, spaseq_queries, streams

from ..examples import examples

ANOTHER = URIRef("http://example.org/another")
"""A stream that no generated query names."""

with_steps = partial(spaseq_cases, spaseq_queries().filter(lambda query: query.sequence.steps))


def with_last_operator(case: SpaseqCase, operator: Operator) -> SpaseqCase:
    sequence = case.query.sequence
    last = Step(operator, sequence.steps[-1].atom)
    changed = replace(sequence, steps=(*sequence.steps[:-1], last))
    return case.but(query=replace(case.query, sequence=changed))


def with_operators(case: SpaseqCase, operator: Operator) -> SpaseqCase:
    sequence = case.query.sequence
    steps = tuple(Step(operator, step.atom) for step in sequence.steps)
    return case.but(query=replace(case.query, sequence=replace(sequence, steps=steps)))


@examples(200)
@given(with_steps())
def test_strict_contiguity_selects_from_skip_till_any(case: SpaseqCase) -> None:
    """⟦σ , Ψ⟧ ⊆ ⟦σ : Ψ⟧ (Defs. 10 and 12)"""
    strict = with_last_operator(case, Operator.STRICT).denotation()
    assert strict <= with_last_operator(case, Operator.ANY).denotation()


@examples(200)
@given(with_steps())
def test_skip_till_next_selects_from_skip_till_any(case: SpaseqCase) -> None:
    """⟦σ ; Ψ⟧ ⊆ ⟦σ : Ψ⟧ (Defs. 10 and 11)"""
    following = with_last_operator(case, Operator.NEXT).denotation()
    assert following <= with_last_operator(case, Operator.ANY).denotation()


@examples(200)
@given(with_steps())
def test_strict_contiguity_selects_from_skip_till_next(case: SpaseqCase) -> None:
    """⟦σ , Ψ⟧ ⊆ ⟦σ ; Ψ⟧: what blocks `;` is an event strictly between, which blocks `,` too.

    So the two are not incomparable: strict contiguity is the stronger of them (the converse fails,
    see corpus/laws).
    """
    strict = with_last_operator(case, Operator.STRICT).denotation()
    assert strict <= with_last_operator(case, Operator.NEXT).denotation()


@examples(200)
@given(with_steps())
def test_the_chain_holds_for_whole_sequences(case: SpaseqCase) -> None:
    """All `,` to `;` to `:` only adds pairs: each definition is monotone in ⟦σ⟧."""
    strict, following, any_ = (
        with_operators(case, operator).denotation()
        for operator in (Operator.STRICT, Operator.NEXT, Operator.ANY)
    )
    assert strict <= following <= any_


@examples(200)
@given(
    spaseq_cases(spaseq_queries(unit=WithinUnit.INTEGER).filter(lambda query: not query.slide)),
    st.integers(0, 8),
)
def test_widening_a_match_window_never_loses_a_match(case: SpaseqCase, wider: int) -> None:
    """Under `window=match`, τ_last − τ_first ≤ ω ≤ ω' keeps every match of ω."""
    readings = replace(case.readings, window="match")
    within = case.query.within
    roomier = replace(case.query, within=Extent(within.value + wider, within.unit))
    narrow = case.but(readings=readings)
    assert narrow.denotation() <= narrow.but(query=roomier).denotation()


def never_strict(query: SpaseqQuery) -> bool:
    """No `,`, and no Kleene plus whose iterations are linked by it (Def. 14)."""
    return all(
        step.operator is not Operator.STRICT and not isinstance(step.atom, KleenePlus)
        for step in query.sequence.steps
    )


@examples(200)
@given(
    spaseq_cases(spaseq_queries(unit=WithinUnit.INTEGER).filter(never_strict)),
    streams(document=ANOTHER),
)
def test_an_unnamed_stream_changes_nothing_without_strict_contiguity(
    case: SpaseqCase, more: tuple[object, ...]
) -> None:
    """Defs. 10 and 11 look at the streams of the GPMs alone; windows start where they did."""
    times = [item.time for stream in case.streams.values() for item in stream]
    assume(times)
    fixed = case.but(evaluation={"from": min(times) if case.start is None else case.start})
    richer = fixed.but(streams={**fixed.streams, ANOTHER: more})  # type: ignore[dict-item]
    assert richer.denotation() == fixed.denotation()


@examples(200)
@given(with_steps())
def test_the_order_of_disjuncts_and_conjuncts_does_not_matter(case: SpaseqCase) -> None:
    """Defs. 8 and 9 are commutative."""
    assert _reversed(case).denotation() == case.denotation()


def _reversed(case: SpaseqCase) -> SpaseqCase:
    from denota.semantics.spaseq.syntax.tree import Conjunction, Disjunction

    def turned(atom: object) -> object:
        match atom:
            case Conjunction(operands) | Disjunction(operands):
                return type(atom)(tuple(turned(o) for o in reversed(operands)))  # type: ignore[misc]
            case KleenePlus(operand):
                return KleenePlus(turned(operand))  # type: ignore[arg-type]
            case _:
                return atom

    sequence = case.query.sequence
    first, *others = (turned(atom) for atom in atoms(sequence))
    steps = tuple(
        Step(step.operator, atom)  # type: ignore[arg-type]
        for step, atom in zip(sequence.steps, others, strict=True)
    )
    changed = replace(sequence, first=first, steps=steps)  # type: ignore[arg-type]
    return case.but(query=replace(case.query, sequence=changed))


# --- the inclusions are proper: smallest witnesses -----------------------------------------------

LAWS = Path(__file__).parents[2] / "corpus" / "laws" / "spaseq"


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("smallest-next-not-strict", Operator.STRICT),
        ("smallest-any-not-next", Operator.NEXT),
    ],
)
def test_the_smallest_witness_has_no_smaller_one(name: str, instead: Operator) -> None:
    """The operator finds more than the narrower one, but not without any one of the events."""
    witness = read_case(LAWS / f"{name}.case.yaml").parsed()
    assert with_last_operator(witness, instead).denotation() < witness.denotation()
    for name, stream in witness.streams.items():
        for k in range(len(stream)):
            fewer = witness.but(streams={name: stream[:k] + stream[k + 1 :]})
            assert with_last_operator(fewer, instead).denotation() == fewer.denotation()


def test_an_unnamed_stream_may_change_strict_contiguity() -> None:
    witness = read_case(LAWS / "smallest-unnamed-stream-strict.case.yaml").parsed()
    named = {clause.iri for clause in witness.query.streams}
    alone = witness.but(streams={u: s for u, s in witness.streams.items() if u in named})
    assert witness.denotation() < alone.denotation()
