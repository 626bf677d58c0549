"""The parts of a CEQL query: its variables, the conjuncts of its conditions."""

from __future__ import annotations

from .tree import (
    AndCondition,
    As,
    CeqlQuery,
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
    Strategy,
)


def variables(phi: Formula) -> frozenset[str]:
    """The variables X for which V(X) ≠ ∅ is possible."""
    match phi:
        case EventType(name, stream):
            own = {name} if stream is None else {name, str(Name(name, stream))}
            return frozenset(own)
        case As(inner, variable):
            return variables(inner) | {variable}
        case Filter(inner) | Iteration(inner) | ContiguousIteration(inner):
            return variables(inner)
        case Sequence(left, right) | Contiguous(left, right) | Disjunction(left, right):
            return variables(left) | variables(right)
        case Projection(inner, chosen):
            return variables(inner) & {str(variable) for variable in chosen}
        case NotFormula():
            return frozenset()


def conjuncts(condition: Condition) -> list[Condition]:
    """θ1, θ2, … of θ1 AND θ2 AND …"""
    if isinstance(condition, AndCondition):
        return conjuncts(condition.left) + conjuncts(condition.right)
    return [condition]


def takes_any(query: CeqlQuery) -> bool:
    """Whether the query leaves a choice to its evaluator (SELECT ANY, LIMIT)."""
    return query.strategy is Strategy.ANY or query.limit is not None
