"""Definitions 10 to 14 on pairs written by hand, without a query around them."""

from __future__ import annotations

import pytest

from denota.semantics.model.mappings import SolutionMapping
from denota.semantics.model.terms import URIRef, Variable
from denota.semantics.spaseq.decomposition import Following, chains
from denota.semantics.spaseq.denotation import (
    skip_till_any,
    skip_till_next,
    strict_contiguity,
    union_of_powers,
)
from denota.semantics.spaseq.stateful_filters import Owing, TimedSolutions, join
from denota.semantics.spaseq.streamset import Event, Streamset
from denota.semantics.spaseq.syntax.parse import parse

A, B, S = (URIRef(f"http://example.org/{name}") for name in "abs")


def omega(*terms):
    return frozenset(SolutionMapping({Variable("x"): term}) for term in terms)


def past(time, *terms):
    return TimedSolutions((time, 0), omega(*terms))


def now(time, *terms):
    return TimedSolutions((time, 0), frozenset(map(Owing, omega(*terms))))


SIGMA = frozenset({past(1, A, B)})
PSI = frozenset({now(1, A), now(2, A), now(3, B), now(3, A)})


def test_any_takes_all_that_is_later_and_joins():
    assert skip_till_any(SIGMA, PSI, join) == {past(2, A), past(3, A), past(3, B)}


def test_next_is_blocked_for_all_mappings_of_a_pair():
    assert skip_till_next(SIGMA, PSI, join) == {past(2, A)}


def test_next_takes_all_pairs_of_one_instant():
    assert skip_till_next(SIGMA, PSI - {now(2, A)}, join) == {past(3, A), past(3, B)}


def test_next_does_not_see_what_does_not_join():
    assert skip_till_next(frozenset({past(1, B)}), PSI, join) == {past(3, B)}


@pytest.mark.parametrize("times, matches", [
    ((1, 3), {past(3, A), past(3, B)}),
    ((1, 2, 3), set()),
])
def test_strict_looks_at_every_event(times, matches):
    streamset = Streamset([Event((time, 0), frozenset(), S) for time in times])
    assert strict_contiguity(SIGMA, PSI - {now(2, A)}, join, streamset) == matches


def test_powers_run_out():
    powers = union_of_powers(
        frozenset({past(1, A)}), lambda power: skip_till_next(power, PSI, join)
    )
    assert powers == {past(1, A), past(2, A), past(3, A)}


@pytest.mark.parametrize("negation, shown", [
    ("event", ["((A , B?) ; C)"]),
    ("absence", ["((A , B) ; C)", "(A ; C) without B"]),
])
def test_operators_associate_to_the_left(negation, shown):
    query = parse(
        "PREFIX : <http://example.org/> SELECT * WITHIN 9 FROM STREAM s :s WHERE { SEQ(A, B?; C)"
        " DEFINE GPM A ON s { ?x :p :a } DEFINE GPM B ON s { ?x :p :b }"
        " DEFINE GPM C ON s { ?x :p :c } }"
    )
    assert [text(sigma) for sigma in chains(query.sequence, negation)] == shown


def text(sigma):
    match sigma:
        case Following(before, operator, psi, absent):
            without = "".join(f" without {each.name}" for each in absent)
            return f"({text(before)} {operator} {text(psi)}){without}"
    return sigma.name if hasattr(sigma, "name") else f"{sigma.operand.name}?"
