"""The operators of section 4.2, on Example 8 and by hand."""

from __future__ import annotations

import pytest
from rdflib.term import URIRef, Variable

from denota.semantics.cqels.operators import (
    Omega,
    join,
    left_join,
    minus,
    no_head,
    no_tail,
    or_,
    seq,
    seq_wo,
)
from denota.semantics.cqels.syntax.readings import Inside
from denota.semantics.model.interval_solutions import IntervalSolution
from denota.semantics.model.mappings import SolutionMapping


def at(start: int, end: int, **bindings: str) -> IntervalSolution:
    mu = {Variable(name): URIRef(f"urn:{value}") for name, value in bindings.items()}
    return IntervalSolution(start, end, SolutionMapping(mu))


def omega(*solutions: IntervalSolution) -> Omega:
    return frozenset(solutions)


FIRST = omega(at(10, 10, v="a1", s="m"), at(12, 12, v="d1", s="h"))
SECOND = omega(at(16, 16, v="a1", s="m"), at(14, 14, v="d1", s="h"))
NOTHING: Omega = frozenset()


def test_example_8() -> None:
    assert no_tail(seq(FIRST, SECOND), NOTHING, 16) == omega(
        at(10, 16, v="a1", s="m"), at(12, 14, v="d1", s="h")
    )


def test_join_intersects() -> None:
    assert join(omega(at(1, 4, x="a"), at(9, 9, x="a")), omega(at(3, 6, y="b"))) == omega(
        at(3, 4, x="a", y="b")
    )
    assert join(omega(at(1, 4, x="a")), omega(at(3, 6, x="b"))) == NOTHING


def test_or_is_the_union() -> None:
    assert or_(FIRST, SECOND) == FIRST | SECOND


def test_seq_wants_a_gap() -> None:
    assert seq(omega(at(1, 3, x="a")), omega(at(3, 5, y="b"), at(4, 5, y="c"))) == omega(
        at(1, 5, x="a", y="c")
    )


@pytest.mark.parametrize(("start", "end", "closed", "open_"), [
    (2, 4, False, True),   # touches the first
    (4, 5, False, True),   # touches the last
    (3, 4, False, False),  # strictly between
    (1, 4, True, True),    # overlaps the first
    (4, 6, True, True),    # overlaps the last
])
def test_seq_wo(start: int, end: int, closed: bool, open_: bool) -> None:
    inside: Inside
    for inside, passes in (("closed", closed), ("open", open_)):
        found = seq_wo(
            omega(at(1, 2, x="a")), omega(at(start, end, z="c")), omega(at(5, 6, y="b")), inside
        )
        assert found == (omega(at(1, 6, x="a", y="b")) if passes else NOTHING)


def test_what_is_absent_agrees_with_both() -> None:
    found = seq_wo(
        omega(at(1, 1, x="a")), omega(at(2, 2, x="a", y="c"), at(2, 2, x="z", y="b")),
        omega(at(3, 3, y="b")), "closed",
    )
    assert found == omega(at(1, 3, x="a", y="b"))


def test_no_head_and_no_tail() -> None:
    solutions = omega(at(1, 2, x="a"), at(5, 6, x="a"))
    absent = omega(at(3, 4, x="a", y="b"), at(0, 9, x="b"))
    assert no_head(absent, solutions) == omega(at(1, 2, x="a"))
    assert no_tail(solutions, absent, 9) == omega(at(5, 6, x="a"))
    assert no_tail(solutions, absent, 3) == solutions


def test_left_join_and_minus() -> None:
    left = omega(at(1, 4, x="a"), at(6, 6, x="a"), at(1, 1, x="b"))
    right = omega(at(3, 5, x="a", y="c"), at(0, 9, z="d"))
    assert left_join(left, omega(at(3, 5, x="a", y="c")), lambda _: True) == omega(
        at(3, 4, x="a", y="c"), at(6, 6, x="a"), at(1, 1, x="b")
    )
    assert left_join(left, right, lambda mu: Variable("z") not in mu) == omega(
        at(3, 4, x="a", y="c"), at(6, 6, x="a"), at(1, 1, x="b")
    )
    assert minus(left, right) == omega(at(6, 6, x="a"), at(1, 1, x="b"))
