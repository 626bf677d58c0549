"""A law of FILTER: conditions may be looked at where their variables are bound.

The definitions make all valuations of φ before FILTER drops some. X[P] asks something of every
tuple of V(X), and `;`, `:` and + unite what X holds: so V satisfies it iff the parts do, and it may
stand at the parts. On hundreds of events the oracle makes use of it; a property test holds that
⟦pushed(φ)⟧ = ⟦φ⟧.
"""

from __future__ import annotations

from ..model.trees import find
from .syntax.analysis import conjuncts, variables
from .syntax.tree import (
    As,
    Condition,
    Contiguous,
    ContiguousIteration,
    Disjunction,
    EventType,
    Filter,
    Formula,
    Iteration,
    Name,
    NotFormula,
    Projection,
    Sequence,
    VariableCondition,
)


def pushed(phi: Formula) -> Formula:
    """Return a formula with the valuations of φ, its conditions as deep as possible."""
    match phi:
        case Filter(formula, condition):
            result = pushed(formula)
            for conjunct in conjuncts(condition):
                result = _pushed_into(result, conjunct)
            return result
        case As(formula, variable, position):
            return As(pushed(formula), variable, position)
        case Sequence(left, right):
            return Sequence(pushed(left), pushed(right))
        case Contiguous(left, right):
            return Contiguous(pushed(left), pushed(right))
        case Disjunction(left, right):
            return Disjunction(pushed(left), pushed(right))
        case Iteration(formula):
            return Iteration(pushed(formula))
        case ContiguousIteration(formula):
            return ContiguousIteration(pushed(formula))
        case Projection(formula, chosen):
            return Projection(pushed(formula), chosen)
        case EventType() | NotFormula():
            return phi


def _pushed_into(phi: Formula, condition: Condition) -> Formula:
    names = {str(name) for name in find(condition, Name)}
    splits = isinstance(condition, VariableCondition)
    match phi:
        case Disjunction(left, right):
            return Disjunction(_pushed_into(left, condition), _pushed_into(right, condition))
        case Sequence(left, right) | Contiguous(left, right):
            on_left, on_right = bool(names & variables(left)), bool(names & variables(right))
            if splits or on_left is not on_right:
                return type(phi)(
                    _pushed_into(left, condition) if on_left else left,
                    _pushed_into(right, condition) if on_right else right,
                )
        case Iteration(formula) if splits:
            return Iteration(_pushed_into(formula, condition))
        case ContiguousIteration(formula) if splits:
            return ContiguousIteration(_pushed_into(formula, condition))
        case As(formula, variable, position) if variable not in names:
            return As(_pushed_into(formula, condition), variable, position)
        case Filter(formula, own):
            return Filter(_pushed_into(formula, condition), own)
        case _:
            pass
    return Filter(phi, condition)
