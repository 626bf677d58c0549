"""The elements of a pattern, as the words of Flink's Pattern API have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .....semantics.spaseq.syntax.tree import Atom, Operator, Reference

FOLLOWING: Final = {
    Operator.STRICT: "next", Operator.NEXT: "followedBy", Operator.ANY: "followedByAny",
}
INNER: Final = {
    Operator.STRICT: ("consecutive",), Operator.NEXT: (), Operator.ANY: ("allowCombinations",),
}
"""What stands behind oneOrMore and times for the contiguity between iterations."""


@dataclass(frozen=True, slots=True)
class PatternPart:
    """An element of a pattern: • Ψ, or several in a row of which each is Ψ.

    `operator` is None at the head. `absent` are the negations before it, `denied` is what it must
    not be, `inner` is the operator between its iterations; `optional` says that it may be passed
    over. Where iterations are contiguous, `until` ends them by what is no further one; `greedy`
    takes as many as there are, `ranged` any number up to that of the events.
    """

    operator: Operator | None
    psi: Atom
    absent: tuple[Reference, ...] = ()
    denied: Reference | None = None
    optional: bool = False
    times: int = 1
    inner: Operator | None = None
    until: bool = False
    greedy: bool = False
    ranged: bool = False
