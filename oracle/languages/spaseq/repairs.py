"""Rewritings of SPAseq cases that avoid differences of engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ....semantics.spaseq.syntax.tree import (
    KleenePlus,
    Negation,
    OptionalEvent,
    SequenceExpression,
)
from ...fuzzing.repairs import Rewriting, rewriting


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
