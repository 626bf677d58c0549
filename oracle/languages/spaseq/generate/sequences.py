"""Strategies for sequence expressions (SPAseq Def. 4, Appendix B)."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .....semantics.model.errors import Impossible
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
from ....fuzzing.strategies.choices import among
from ..case import atoms, gpm_names

GPM_NAMES = ("A", "B", "C", "D", "E")

_STEP_COUNTS = st.sampled_from((0, 1, 1, 1, 2, 2, 1, 2, 3))
_OPERATORS = st.sampled_from((None, *(Operator.ANY, Operator.NEXT, Operator.STRICT) * 6))
_COMPOUND = ("and", "and", "or", "or", "plus", "plus", "plus")
_END_ATOMS = st.sampled_from(("gpm",) * 11 + ("not", "optional", *_COMPOUND, "plus or"))
# A negation says most between two other elements; as an absence it must stand there.
_INNER_ATOMS = st.sampled_from(
    ("gpm",) * 7 + ("not", "not", "not", "optional", "optional", *_COMPOUND, "plus and")
)
_OPERANDS = st.sampled_from(("gpm",) * 12 + ("not", "optional", "and", "or"))
_SIZES = st.sampled_from((2, 2, 2, 2, 3))
_KEPT = st.sampled_from((0, 1, *(None,) * 14))
_REUSE = st.sampled_from((False,) * 7 + (True,))


@st.composite
def sequence_expressions(draw: DrawFn) -> SequenceExpression:
    """Sequence expressions over the GPM names A, B, …, all operators."""
    return _Drawing(draw).sequence()


class _Drawing:
    """Draws one sequence expression, naming GPMs A, B, … as they are first met.

    Whatever can be simplified takes the same choices before and after: those behind it stay put.
    """

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw
        self.names: list[str] = []

    def sequence(self) -> SequenceExpression:
        """Some steps are drawn and dropped: those with no operator."""
        last = self.draw(_STEP_COUNTS)
        steps: list[Step] = []
        first = self.atom(_END_ATOMS)
        for k in range(1, last + 1):
            operator = self.draw(_OPERATORS)
            atom = self.atom(_INNER_ATOMS if k < last else _END_ATOMS)
            if operator is not None:
                steps.append(Step(operator, atom))
        return SequenceExpression(first, tuple(steps))

    def atom(self, kinds: SearchStrategy[str]) -> Atom:
        match self.draw(kinds).split():
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
        size = self.draw(_SIZES)
        operands = tuple(self.operand(self.draw(_OPERANDS), depth - 1) for _ in range(size))
        kept = self.draw(_KEPT)
        if kept is not None:
            return operands[kept]
        return Conjunction(operands) if kind == "and" else Disjunction(operands)

    def reference(self) -> Reference:
        full = len(self.names) == len(GPM_NAMES)
        if self.names and (full or self.draw(_REUSE)):
            return Reference(self.draw(among(self.names)))
        self.names.append(GPM_NAMES[len(self.names)])
        return Reference(self.names[-1])


def negates(atom: Atom) -> bool:
    """Whether `!` or `?` occurs in the atom."""
    match atom:
        case Negation() | OptionalEvent():
            return True
        case Conjunction(operands) | Disjunction(operands):
            return any(map(negates, operands))
        case KleenePlus(operand):
            return negates(operand)
        case _:
            return False


def absence_is_possible(sequence: SequenceExpression) -> bool:
    """Whether every negation stands between positive elements, and none inside `&` or `|`."""
    everything = atoms(sequence)
    alone = (Negation, OptionalEvent)
    if isinstance(everything[0], alone) or isinstance(everything[-1], alone):
        return False
    return not any(negates(atom) for atom in everything if not isinstance(atom, alone))


def names_in(sequence: SequenceExpression) -> list[str]:
    """The names of the sequence's GPMs, each once, in the order of the text."""
    return list(dict.fromkeys(name for atom in atoms(sequence) for name in gpm_names(atom)))
