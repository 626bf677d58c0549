"""Other ways in which Flink can be asked what a pattern says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .....semantics.spaseq.context import Context
from .....semantics.spaseq.syntax.tree import KleenePlus, Operator, Reference
from ..event_patterns.elements import PatternElement


def can_deny(found: Sequence[PatternElement], context: Context) -> bool:
    """Whether what is denied is so in the event that comes next, and by that event alone."""
    return all(
        not context.gpms[part.denied.name].conditions
        and isinstance(part.psi, Reference)
        and context.gpms[part.psi.name].stream == context.gpms[part.denied.name].stream
        for part in (element.part for element in found) if part.denied
    )


def greedily(found: Sequence[PatternElement]) -> list[PatternElement]:
    """P+ , Ψ where no event is both P and Ψ: as many iterations as there are, or any number."""
    made = list(found)
    for place, (element, after) in enumerate(pairwise(found)):
        if (
            isinstance(element.part.psi, KleenePlus)
            and after.part.operator is Operator.STRICT
            and not (after.part.optional or after.part.absent)
            and not element.at.keys() & after.at.keys()
        ):
            made[place] = replace(element, part=replace(element.part, greedy=True))
    return made


def groupable(found: Sequence[PatternElement]) -> int:
    """How many elements at the begin of a pattern may be a group; none where there is a choice."""
    plain = not any(each.is_guarded or each.part.optional for each in found)
    return len(found) - 1 if plain else 0
