"""SPAseq's sequences in the words of Flink's Pattern API.

`,` `;` and `:` are next, followedBy and followedByAny. P+ is oneOrMore, P • P • P is times(3),
absence is notFollowedBy, and σ • P? , Ψ is optional.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rdflib.term import Variable

from .....semantics.spaseq.syntax.readings import NegationReading
from .....semantics.spaseq.syntax.scope import variables
from .....semantics.spaseq.syntax.tree import (
    Conjunction,
    KleenePlus,
    Negation,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
)
from ..event_patterns.pattern_parts import PatternPart

Bindable = Mapping[str, frozenset[Variable]]

PatternWays = Mapping[str, Sequence[PatternPart]]
"""The same pattern in several ways, by a word for each: Flink's documentation has them equal."""


def patterns(
    sequence: SequenceExpression, negation: NegationReading, bindable: Bindable
) -> Iterator[PatternWays]:
    """The patterns whose matches together are those of the sequence."""
    head = PatternPart(None, sequence.first)
    if negation == "event":
        steps = [PatternPart(step.operator, step.atom) for step in sequence.steps]
        found = iter([[head, *steps]])
    else:
        found = _guarded([head], sequence.steps, (), bindable)
    for parts in found:
        single = [_iterated(part) for part in parts]
        counted = _counted(single)
        ways = {
            "plain": counted,
            "one by one": single,
            "until": [_until(part) for part in counted],
            "times(1, n)": [_ranged(part) for part in counted],
            "notNext": [_denying(part) for part in counted],
        }
        if any(part.absent for part in counted):
            # What is forbidden and comes next is treated as the rest of the pattern goes.
            del ways["times(1, n)"]
        yield {way: made for way, made in ways.items() if way == "plain" or made != counted}


def _guarded(
    done: list[PatternPart],
    steps: Sequence[Step],
    absent: tuple[Reference, ...],
    bindable: Bindable,
) -> Iterator[list[PatternPart]]:
    """Negation as absence: σ • P? • Ψ is σ • P • Ψ and σ • P! • Ψ."""
    if not steps:
        yield done
        return
    step, *others = steps
    match step.atom:
        case Negation(operand):
            yield from _guarded(done, others, (*absent, operand), bindable)
        case OptionalEvent(operand):
            taken = PatternPart(step.operator, operand, absent)
            if not absent and _is_passed_over(operand, others, bindable):
                taken = replace(taken, optional=True)
            else:
                yield from _guarded(done, others, (*absent, operand), bindable)
            yield from _guarded([*done, taken], others, (), bindable)
        case psi:
            part = PatternPart(step.operator, psi, absent)
            yield from _guarded([*done, part], others, (), bindable)


def _is_passed_over(operand: Reference, others: Sequence[Step], bindable: Bindable) -> bool:
    """Whether P! stands before `, Ψ`, where nothing is between: then Flink's optional says it.

    What is local to a later P+ must not depend on whether it is passed over.
    """
    following = others[0]
    if following.operator is not Operator.STRICT:
        return False
    if isinstance(following.atom, Negation | OptionalEvent):
        return False
    own = bindable[operand.name]
    return not any(
        isinstance(step.atom, KleenePlus) and variables(step.atom, bindable) & own
        for step in others
    )


def _iterated(part: PatternPart) -> PatternPart:
    """P+: first in a sequence its iterations may skip, elsewhere they are contiguous."""
    if not isinstance(part.psi, KleenePlus):
        return part
    return replace(part, inner=Operator.NEXT if part.operator is None else Operator.STRICT)


def _until(part: PatternPart) -> PatternPart:
    """Contiguous iterations end at the first event that is no further one."""
    contiguous = isinstance(part.psi, KleenePlus) and part.inner is Operator.STRICT
    return replace(part, until=contiguous)


def _ranged(part: PatternPart) -> PatternPart:
    """As many iterations as there can be."""
    return replace(part, ranged=isinstance(part.psi, KleenePlus))


def _denying(part: PatternPart) -> PatternPart:
    """σ , (P! & Ψ) is σ, not next P, and next Ψ."""
    match part:
        case PatternPart(Operator.STRICT, Conjunction(operands), times=1):
            negated = [each for each in operands if isinstance(each, Negation)]
            others = tuple(each for each in operands if not isinstance(each, Negation))
            if len(negated) == 1 and len(others) == 1:
                return replace(part, psi=others[0], denied=negated[0].operand)
    return part


def _counted(parts: Sequence[PatternPart]) -> list[PatternPart]:
    """Equal parts in a row, with one operator between them, as one that is there so many times."""
    counted = [parts[0]]
    for part in parts[1:]:
        last = counted[-1]
        if (
            part.psi == last.psi
            and not isinstance(part.psi, KleenePlus)
            and not (part.absent or part.optional or last.optional)
            and last.inner in (None, part.operator)
        ):
            counted[-1] = replace(last, times=last.times + 1, inner=part.operator)
        else:
            counted.append(part)
    return counted
