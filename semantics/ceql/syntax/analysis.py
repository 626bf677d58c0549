"""The parts of a CEQL query: its variables, the conjuncts of its conditions, its partitions.

PARTITION BY says that a match lies in one partition (CORE section 2.2). What looks across
partitions all the same is refused: CONSUME BY ANY, LIMIT, SELECT ANY. Positions are those of the
whole stream, so each tuple carries its own, and WITHIN n EVENTS measures that.
"""

from __future__ import annotations

from dataclasses import replace

from ...model.errors import UnsupportedError
from .readings import Readings
from .tree import (
    AndCondition,
    As,
    CeqlQuery,
    Condition,
    Consumption,
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
    WindowUnit,
)


def variables(phi: Formula) -> frozenset[str]:
    """Return the variables X for which V(X) ≠ ∅ is possible."""
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
    """Return True if the query leaves a choice to its evaluator (SELECT ANY, LIMIT)."""
    return query.strategy is Strategy.ANY or query.limit is not None


def check_keys(query: CeqlQuery, readings: Readings) -> None:
    """Raise UnsupportedError for a query that is not the union of its partitions."""
    if not query.partition:
        raise UnsupportedError("this one has no PARTITION BY")
    if query.consume is Consumption.ANY:
        raise UnsupportedError("CONSUME BY ANY forgets events of all partitions")
    if query.limit is not None:
        raise UnsupportedError("which results LIMIT leaves depends on those of other partitions")
    if query.strategy is Strategy.ANY:
        raise UnsupportedError(
            "which result SELECT ANY takes is an engine's choice, and may be another"
        )
    if readings.partition == "core" and any(len(names) > 1 for names in query.partition):
        raise UnsupportedError("under partition=core the attributes of a list are no key")


def of_one_key(query: CeqlQuery, readings: Readings, position: str) -> CeqlQuery:
    """Return the query that one partition's engine evaluates; `position` is the attribute that has
    a tuple's position in the whole stream."""
    within = query.within
    if within is None or within.unit is not WindowUnit.EVENTS:
        return query
    more = 1 if readings.within == "core" else 0  # which an attribute's window is narrower by
    by_position = replace(
        within, value=within.value + more, unit=WindowUnit.ATTRIBUTE, attribute=position
    )
    return replace(query, within=by_position)
