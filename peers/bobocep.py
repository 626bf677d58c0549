"""BoboCEP as an engine: SPAseq cases as blocks of its patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ..oracle.cases.case import Case
from ..semantics.model.errors import UnsupportedError
from ..semantics.rdf.mapping_sets import project
from ..semantics.spaseq.streamset import Instant
from ..semantics.spaseq.syntax.results import Pair
from ..semantics.spaseq.syntax.tree import (
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
)
from .event_patterns import (
    PatternElement,
    PatternEngine,
    PatternPart,
    PatternQuestion,
    elements,
    solutions,
    windows_asked,
)
from .hosted import peer

_HOST: Final = Path(__file__).with_name("bobocep_host.py")


class BoboCep(PatternEngine):
    """BoboCEP's decider, asked one case after the other.

    Raises EngineError where bobocep is not to be had.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(
            peer("bobocep", "bobocep").words(_HOST), timeout, name="bobocep", language="spaseq",
            level="pair", capabilities=CAPABILITIES,
        )

    def plan(self, case: Case) -> BlockPlan:
        return BlockPlan(case)


CAPABILITIES: Final = {
    # Its contiguities are strict and relaxed. The first block and the last one may not loop.
    "operators": ["!", "&", "+", "+ after an operand", ",", ";", "nested BOp"],
    "readings": [
        "ties=merge", "ties=sequence", "window=match", "window=sliding",
        "window=tumbling-half-open", "entailment=rdfs",
    ],
}  # fmt: skip

_METHODS: Final = {Operator.STRICT: "next", Operator.NEXT: "followed_by"}


@dataclass(frozen=True)
class _Asked:
    """The blocks over one window."""

    boundaries: tuple[int, int] | None
    instants: Sequence[Instant]
    elements: Sequence[PatternElement]


class BlockPlan:
    """The patterns that say what a case asks; raises UnsupportedError where none do.

    Windows that are cut out of time are streams of their own. Under `window=match` a run is halted
    by what comes too late.
    """

    def __init__(self, case: Case) -> None:
        self.query: SpaseqQuery = case.tree
        parts = blocks(self.query.sequence)
        if case.readings.negation == "absence" and any(
            isinstance(part.psi, Negation | OptionalEvent) for part in parts
        ):
            raise UnsupportedError("a block takes an event")
        self._question = PatternQuestion()
        self._asked: list[_Asked] = []
        windows, within = windows_asked(case)
        for boundaries, context in windows:
            instants = sorted({event.time for event in context.streamset.events})
            found = elements(parts, context)
            self._question.add(found, instants, within)
            self._asked.append(_Asked(boundaries, instants, found))

    def message(self) -> dict[str, Any]:
        """Return the request to BoboCEP: each element with the builder's method that adds it."""
        message = self._question.message()
        for pattern, asked in zip(message["patterns"], self._asked, strict=True):
            for written, element in zip(pattern["elements"], asked.elements, strict=True):
                written["by"] = _METHODS[element.part.operator or Operator.NEXT]
                if isinstance(element.part.psi, KleenePlus):
                    written["loops"] = True
            for written, element in [*zip(pattern["elements"], asked.elements, strict=True)][1:-1]:
                if _is_negated(element.part):
                    written["by"] = f"not_{written['by']}"
        return message

    def pairs(self, answers: Iterable[Any]) -> list[Pair]:
        """Return the pairs of what BoboCEP has found; what it finds twice is there twice."""
        once: set[Pair] = set()
        again: list[Pair] = []
        for asked, answer in zip(self._asked, answers, strict=True):
            for match, count in Counter(tuple(map(tuple, match)) for match in answer).items():
                pairs = list(self._pairs(asked, match))
                once.update(pairs)
                again += pairs * (count - 1)
        return [*once, *again]

    def _pairs(self, asked: _Asked, match: Sequence[Sequence[int]]) -> Iterator[Pair]:
        taken = [[asked.instants[number] for number in events] for events in match]
        time, rank = taken[-1][-1]
        select = self.query.select
        for omega in solutions(asked.elements, taken):
            yield Pair(
                asked.boundaries, time, omega if select is None else project(omega, select), rank
            )


def blocks(sequence: SequenceExpression) -> list[PatternPart]:
    """Return the sequence's elements; equal adjacent ones of one contiguity become `times`."""
    found = [PatternPart(None, sequence.first)]
    for step in sequence.steps:
        if step.operator not in _METHODS:
            raise UnsupportedError("a run takes what it can: ':' has no words")
        last = found[-1]
        if last.psi == step.atom and (last.operator or Operator.NEXT) is step.operator and (
            isinstance(step.atom, Reference)
        ):
            found[-1] = replace(last, times=last.times + 1, inner=step.operator)
        else:
            found.append(PatternPart(step.operator, step.atom))
    if any(isinstance(part.psi, KleenePlus) for part in (found[0], found[-1])):
        raise UnsupportedError("neither the first block nor the last may loop")
    return found


def _is_negated(part: PatternPart) -> bool:
    """Return True if an element is P! alone: a negated block, neither first nor last."""
    return isinstance(part.psi, Negation) and isinstance(part.psi.operand, Reference)
