"""What is right where a query leaves a choice to its evaluator (SELECT ANY, LIMIT)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from .results import ComplexEvent


class Choice(Protocol):
    """Any `count` of the `candidates` are right."""

    @property
    def candidates(self) -> frozenset[ComplexEvent]: ...

    @property
    def count(self) -> int: ...


def nearest(choices: Sequence[Choice], came: Iterable[ComplexEvent]) -> list[ComplexEvent]:
    """The right result that has most of the complex events that came.

    Of each choice it has those candidates that came, up to the number that is right, and if they
    are too few the first of the others.
    """
    reported = set(came)
    result: list[ComplexEvent] = []
    for choice in choices:
        taken = sorted(choice.candidates & reported)[: choice.count]
        others = sorted(choice.candidates - reported)
        result += taken + others[: choice.count - len(taken)]
    return result
