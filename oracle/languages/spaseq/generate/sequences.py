"""Sequence expressions (SPAseq Def. 4, Appendix B) with a given number of operators.

Operators are , ; : + & | ! ?; a conjunction or disjunction of n operands counts n − 1. The number
is split among the parts by choices, so that every expression has exactly so many.
"""

from __future__ import annotations

from functools import cache

from .....semantics.model.errors import Impossible
from .....semantics.model.trees import find, has
from .....semantics.spaseq.syntax.scope import atoms
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    Step,
)
from ....inputs.choices import Choices, Decided

GPM_NAMES = ("A", "B", "C", "D", "E")

_OPERATORS = ("spaseq/operator", (Operator.ANY, Operator.NEXT, Operator.STRICT))
_INSIDE = ("spaseq/inside", ("anything", "negated"))
# A negation says most between two other elements; as an absence it must stand there.
_NEXT_IS_NEGATED = ("", (True, True, True, False))
_END = ("plus", "plus", "plus", "not", "optional", "optional", "and", "or")
_INNER = (*("not",) * 6, *("optional",) * 5, *("plus",) * 4, "and", "or")
_POSITIVE = ("plus", "plus", "and", "or")
_LARGER = ("and", "or", "plus and", "plus or")
_OPERANDS = ("not", "not", "optional", "optional", "optional", "and", "or")
_JOINED = ("and", "or")
_REUSE = ("spaseq/mentions", (False,) * 7 + (True,))


def sequence_expression(choices: Choices, operators: int) -> SequenceExpression:
    """Draw a sequence expression over the GPM names A, B, … with exactly so many operators."""
    return _Drawing(choices).sequence(operators)


@cache
def _shares(operators: int) -> Decided[int]:
    """Return the choice of the number of operators in an atom, out of those that are left."""
    several = (0,) * 16 + (1,) * 24 if operators else (0,)
    return "spaseq/operators of an atom", (*several, *range(2, operators + 1))


@cache
def _widths(operators: int) -> Decided[int]:
    return "spaseq/operands", (2,) * 4 + tuple(range(3, operators + 2))


class _Drawing:
    """Draws one sequence expression, naming GPMs A, B, … as they are first met."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.names: list[str] = []
        self.negated = choices.among(*_INSIDE) == "negated"

    def sequence(self, left: int) -> SequenceExpression:
        found: list[Atom] = []
        operators: list[Operator] = []
        while len(found) == len(operators):
            if self.negated and found and left > 1 and self.choices.among(*_NEXT_IS_NEGATED):
                left -= 1
                found.append(Negation(self.reference()))
            else:
                # A negation and the operators around it are left.
                kept = 3 if self.negated and not found and left > 2 else 0
                own = self.choices.among(*_shares(left - kept))
                left -= own
                kinds = _POSITIVE if self.negated else _INNER if found and left else _END
                name = "spaseq/atom" if found else "spaseq/first atom"
                found.append(self.atom(own, (name, kinds if own < 2 else _LARGER)))
            if left:
                operators.append(self.choices.among(*_OPERATORS))
                left -= 1
        return SequenceExpression(found[0], tuple(map(Step, operators, found[1:])))

    def atom(self, operators: int, kinds: Decided[str]) -> Atom:
        if not operators:
            return self.reference()
        match self.choices.among(*kinds).split():
            case ["plus"]:
                return KleenePlus(self.reference())
            case ["plus", kind]:
                return KleenePlus(self.joined(kind, operators - 1))
            case [kind]:
                return self.operand(kind, operators)
        raise Impossible("a kind of atom has one word or two")

    def operand(self, kind: str, operators: int) -> Operand:
        match kind:
            case "not":
                return Negation(self.reference())
            case "optional":
                return OptionalEvent(self.reference())
        return self.joined(kind, operators)

    def joined(self, kind: str, left: int) -> Conjunction | Disjunction:
        width = self.choices.among(*_widths(left))
        left -= width - 1
        operands: list[Operand] = []
        for more in reversed(range(width)):
            own = self.choices.among("operators of an operand", range(left + 1)) if more else left
            left -= own
            operands.append(self.inside(kind, own))
        return Conjunction(tuple(operands)) if kind == "and" else Disjunction(tuple(operands))

    def inside(self, kind: str, operators: int) -> Operand:
        if not operators:
            return self.reference()
        kinds = _JOINED if self.negated or operators > 1 else _OPERANDS
        return self.operand(self.choices.among(f"spaseq/operand of {kind}", kinds), operators)

    def reference(self) -> Reference:
        full = len(self.names) == len(GPM_NAMES)
        if self.names and (full or self.choices.among(*_REUSE)):
            return Reference(self.choices.among("", self.names))
        self.names.append(GPM_NAMES[len(self.names)])
        return Reference(self.names[-1])


def absence_is_possible(sequence: SequenceExpression) -> bool:
    """Whether every negation stands between positive elements, and none inside `&` or `|`."""
    everything = atoms(sequence)
    alone = (Negation, OptionalEvent)
    if isinstance(everything[0], alone) or isinstance(everything[-1], alone):
        return False
    return not any(has(atom, *alone) for atom in everything if not isinstance(atom, alone))


def names_in(sequence: SequenceExpression) -> list[str]:
    """The names of the sequence's GPMs, each once, in the order of the text."""
    return list(dict.fromkeys(gpm.name for gpm in find(sequence, Reference)))
