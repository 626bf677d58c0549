"""Sequence expressions, drawn by choices (SPAseq Def. 4, Appendix B)."""

from __future__ import annotations

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
from ....inputs.choices import Choices, Decided, dropped

GPM_NAMES = ("A", "B", "C", "D", "E")

_COMPOUND = ("and", "and", "or", "or", "plus", "plus", "plus")
_STEP_COUNTS = ("spaseq/steps", (0, 1, 1, 2, 2, 2, 3, 1, 3, 2))
_OPERATORS = ("spaseq/operator", (Operator.ANY, Operator.NEXT, Operator.STRICT))
_END_ATOMS = (
    "spaseq/end atom", ("gpm",) * 10 + ("not", "optional", *_COMPOUND, "plus or", "plus and")
)
# A negation says most between two other elements; as an absence it must stand there.
_INNER_ATOMS = (
    "spaseq/inner atom",
    ("gpm",) * 7 + ("not", "not", "not", "not", "optional", "optional", *_COMPOUND, "plus and"),
)
_INSIDE = ("spaseq/inside", ("anything", "negated"))
_OPERANDS = ("spaseq/operand", ("gpm",) * 10 + ("not", "optional", "and", "or"))
_SIZES = ("spaseq/operands", (2, 2, 2, 2, 3))
_KEPT: Decided[int | None] = "", (0, 1, *(None,) * 14)
_REUSE = ("spaseq/mentions", (False,) * 7 + (True,))


def sequence_expression(choices: Choices) -> SequenceExpression:
    """Draw a sequence expression over the GPM names A, B, …, all operators."""
    return _Drawing(choices).sequence()


class _Drawing:
    """Draws one sequence expression, naming GPMs A, B, … as they are first met.

    Whatever can be simplified takes the same choices before and after: those behind it stay put.
    """

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.names: list[str] = []

    def sequence(self) -> SequenceExpression:
        """Some steps are drawn and dropped."""
        last, inside = self.choices.among(*_STEP_COUNTS), self.choices.among(*_INSIDE)
        steps: list[Step] = []
        first = self.atom(_END_ATOMS)
        if inside == "negated":
            first = _positive(first)
        for k in range(1, last + 1):
            operator = self.choices.among(*_OPERATORS)
            atom = self.atom(_INNER_ATOMS if k < last else _END_ATOMS)
            if inside == "negated":
                negated = Negation(next(find(atom, Reference)))
                atom = negated if k < last else _positive(atom)
            if not dropped(self.choices):
                steps.append(Step(operator, atom))
        return SequenceExpression(first, tuple(steps))

    def atom(self, kinds: Decided[str]) -> Atom:
        match self.choices.among(*kinds).split():
            case ["plus"]:
                return KleenePlus(self.reference())
            case ["plus", kind]:
                operand = self.binary(kind, 1)
                if isinstance(operand, Negation | OptionalEvent):
                    return operand
                return KleenePlus(operand)
            case [kind]:
                return self.operand(kind, 2)
        raise Impossible("a kind of atom has one word or two")

    def operand(self, kind: str, depth: int) -> Operand:
        match kind:
            case "not":
                return Negation(self.reference())
            case "optional":
                return OptionalEvent(self.reference())
            case "and" | "or" if depth:
                return self.binary(kind, depth)
            case _:
                return self.reference()

    def binary(self, kind: str, depth: int) -> Operand:
        """A conjunction or a disjunction; now and then all but one of its operands are dropped."""
        size = self.choices.among(*_SIZES)
        operands = tuple([
            self.operand(self.choices.among(*_OPERANDS), depth - 1) for _ in range(size)
        ])
        kept = self.choices.among(*_KEPT)
        if kept is not None:
            return operands[kept]
        return Conjunction(operands) if kind == "and" else Disjunction(operands)

    def reference(self) -> Reference:
        full = len(self.names) == len(GPM_NAMES)
        if self.names and (full or self.choices.among(*_REUSE)):
            return Reference(self.choices.among("", self.names))
        self.names.append(GPM_NAMES[len(self.names)])
        return Reference(self.names[-1])


def _positive(atom: Atom) -> Atom:
    """The atom, or a GPM of it where something in it is negated or optional."""
    return next(find(atom, Reference)) if has(atom, Negation, OptionalEvent) else atom


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
