"""Sequences: of window specifications, cases (3)–(8), and of patterns in a window, cases (9)–(15).

Both are evaluated alike from the sets of mappings of their elements (CQELS-CEP section 4.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .operators import Omega, no_head, no_tail, seq, seq_wo
from .syntax.readings import Inside


class Operand(NamedTuple):
    """⟦Wi; t⟧ or ⟦Pi; t⟧ with its place in the sequence, behind a ! or not."""

    omega: Omega
    negated: bool = False


def sequence(operands: Sequence[Operand], t: int, inside: Inside) -> Omega:
    """⟦SEQ(X1, …, !Xi, …, Xn); t⟧, with at most one element negated."""
    negated = [place for place, operand in enumerate(operands) if operand.negated]
    if not negated:
        return positive([operand.omega for operand in operands])
    (i,) = negated
    before = [operand.omega for operand in operands[:i]]
    after = [operand.omega for operand in operands[i + 1 :]]
    absent = operands[i].omega
    if not before:  # cases (6) and (13)
        return no_head(absent, positive(after))
    if not after:  # cases (7) and (14)
        return no_tail(positive(before), absent, t)
    return seq_wo(positive(before), absent, positive(after), inside)  # cases (5), (8), (12), (15)


def positive(omegas: Sequence[Omega]) -> Omega:
    """⟦SEQ(X1, X2, …, Xn); t⟧ = SEQ(⟦X1; t⟧, ⟦SEQ(X2, …, Xn); t⟧): cases (3), (4), (10), (11)"""
    first, *rest = omegas
    return seq(first, positive(rest)) if rest else first
