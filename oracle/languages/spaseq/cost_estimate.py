"""The cost of evaluating a case of SPAseq by the definitions, estimated beforehand.

Def. 10 makes every sequence there is, and under `kleene=collect` a P+ has a mapping for each choice
of one solution an iteration: a dozen events can keep the oracle busy for minutes. What follows
counts mappings instead of making them. It takes every two for compatible and every deferred
condition for true, so that it mostly counts too many; and it counts the same on every machine.

Generated cases are no more work than `MOST_GENERATED`; the shrinker leaves a case that is more than
`MOST_WORK`, which it comes to by way of wider windows, dropped filters and equal terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add, mul
from typing import TypeAlias

from rdflib.term import Variable

from ....semantics.spaseq.context import Context, contexts
from ....semantics.spaseq.decomposition import Chain, Following, chains
from ....semantics.spaseq.syntax.tree import (
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    WithinUnit,
)
from .case import SpaseqCase

MOST_WORK = 300_000
"""The number of pairs of mappings that take the oracle about a second."""

MOST_GENERATED = 50_000
"""The maximum cost of a generated case: the definitions are asked about it several times."""

_A_WINDOW = 100
"""The cost of an empty window."""

Counts: TypeAlias = Sequence[int]
"""The number of mappings at each instant of a window."""


def work(case: SpaseqCase, most: int = MOST_WORK) -> int:
    """About how many pairs of mappings the definitions look at, seldom fewer.

    Beyond `most` it is only known to be beyond: no more is counted.
    """
    total = _A_WINDOW * _windows(case)
    if total > most:
        return total
    query, readings = case.query, case.readings
    for _, context in contexts(query, case.streams, case.kb, readings, case.evaluation.get("from")):
        for chain in chains(query.sequence, context.readings.negation):
            window = _Window(context, most - total)
            total += sum(window.sequence(chain)) + window.pairs
            if total > most:
                return total
    return total


def _windows(case: SpaseqCase) -> int:
    """Return the maximum number of windows from the first item to the last, also empty ones."""
    query = case.query
    times = [item.time for stream in case.streams.values() for item in stream]
    step = (query.slide or query.within).value
    if not times or query.within.unit is WithinUnit.EVENTS:
        return len(times) // step
    span: int = max(times) - min(times)
    return (span + query.within.value) // step


class _Window:
    """The definitions on the events of one window, counting."""

    def __init__(self, context: Context, most: int) -> None:
        self.context = context
        self.most = most
        self.pairs = 0
        instants = sorted({event.time for event in context.streamset.events})
        self.place = {instant: place for place, instant in enumerate(instants)}

    # --- Defs. 7 to 9, Appendix B ---

    def bop(self, psi: Operand) -> Counts:
        match psi:
            case Reference(name):
                return self.events(name, lambda solutions: solutions)
            case Negation(operand):
                return self.events(operand.name, lambda solutions: 1)
            case OptionalEvent(operand):
                return self.events(operand.name, lambda solutions: max(solutions, 1))
            case Conjunction(operands):
                return self.combined(mul, operands)
            case Disjunction(operands):
                return self.combined(add, operands)

    def events(self, name: str, mappings: Callable[[int], int]) -> Counts:
        """Of each event on the GPM's stream so many mappings as its number of solutions makes."""
        gpm = self.context.gpms[name]
        counts = [0] * len(self.place)
        for event in self.context.streamset(gpm.stream):
            solutions = self.context.graph_pattern(gpm.pattern, event.graph)
            counts[self.place[event.time]] += mappings(len(solutions))
        return counts

    def domains(self, name: str) -> set[frozenset[Variable]]:
        """Return the sets of variables that the GPM's solutions bind."""
        gpm = self.context.gpms[name]
        return {
            frozenset(mu)
            for event in self.context.streamset(gpm.stream)
            for mu in self.context.graph_pattern(gpm.pattern, event.graph)
        }

    def combined(self, how: Callable[[int, int], int], operands: Sequence[Operand]) -> Counts:
        counts, *others = map(self.bop, operands)
        for other in others:
            counts = list(map(how, counts, other))
            self.pairs += sum(counts)
        return counts

    # --- Defs. 10 to 14 ---

    def sequence(self, chain: Chain) -> Counts:
        match chain:
            case Following(sigma, _, atom):
                past = self.sequence(sigma)
                match atom:
                    case KleenePlus(operand):
                        psi = self.bop(operand)
                        first = self.followed(past, chain, psi)
                        return self.powers(first, psi, operand, Operator.STRICT)
                    case operand:
                        return self.followed(past, chain, self.bop(operand))
            case KleenePlus(operand):
                psi = self.bop(operand)
                return self.powers(psi, psi, operand, Operator.NEXT)
            case operand:
                return self.bop(operand)

    def followed(self, sigma: Counts, chain: Following, psi: Counts) -> Counts:
        self.look_at(chain.operator, sigma, psi)
        both = _selected(chain.operator, sigma, psi)
        for operand in chain.absent:
            self.pairs += sum(both) * sum(self.bop(OptionalEvent(operand)))
        return both

    def powers(
        self, first: Counts, psi: Counts, operand: Operand, operator: Operator
    ) -> Counts:
        """Return the mappings of all iterations together."""
        replaces = self.replaces(operand)
        union = power = first
        while any(power) and self.pairs <= self.most:
            self.look_at(operator, power, psi)
            if replaces:
                before = [n // max(each, 1) for n, each in zip(power, psi, strict=True)]
                power = _selected(operator, before, [min(each, 1) for each in psi])
                power = list(map(mul, power, psi))
            else:
                power = _selected(operator, power, psi)
            union = list(map(add, union, power))
        return union

    def replaces(self, operand: Operand) -> bool:
        """Return True if a mapping of the next iteration binds all that the one before has bound.

        It does so under `last`; and under `join`, if all of them bind the same variables.
        """
        kleene = self.context.readings.kleene
        if kleene == "join" and isinstance(operand, Reference):
            return len(self.domains(operand.name)) <= 1
        return kleene == "last"

    def look_at(self, operator: Operator, sigma: Counts, psi: Counts) -> None:
        """Count joins of each mapping of σ with each of Ψ, under `;` also with those between."""
        self.pairs += sum(sigma) * sum(psi) * (2 if operator is Operator.NEXT else 1)


def _selected(operator: Operator, sigma: Counts, psi: Counts) -> Counts:
    """Return the mappings of σ • Ψ; under `;`, a pair of σ continues at the next match only."""
    match operator:
        case Operator.ANY:
            return list(map(mul, accumulate(sigma, initial=0), psi))
        case Operator.STRICT:
            return list(map(mul, (0, *sigma), psi))
        case Operator.NEXT:
            waiting, both = 0, []
            for before, here in zip(sigma, psi, strict=True):
                both.append(waiting * here)
                waiting = before + (0 if here else waiting)
            return both
