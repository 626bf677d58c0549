"""The parts of a CEQL query: its variables, the conjuncts of its conditions, its partitions.

PARTITION BY says that a match lies in one partition (CORE section 2.2). What looks across
partitions all the same is refused: CONSUME BY ANY, LIMIT, SELECT ANY. Positions are those of the
whole stream, so each tuple carries its own, and WITHIN n EVENTS measures that.

Warnings are about queries that are legal but surely not meant: what can be said before any event
arrives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from ...model.errors import QueryWarning, UnsupportedError
from ...model.trees import find
from .readings import Readings
from .scoping import doubts
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


def check_keys(query: CeqlQuery, readings: Readings) -> None:
    """Raises UnsupportedError for a query that is not the union of its partitions."""
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
    """The query that one partition's engine evaluates; `position` is the attribute that has a
    tuple's position in the whole stream."""
    within = query.within
    if within is None or within.unit is not WindowUnit.EVENTS:
        return query
    more = 1 if readings.within == "core" else 0  # which an attribute's window is narrower by
    by_position = replace(
        within, value=within.value + more, unit=WindowUnit.ATTRIBUTE, attribute=position
    )
    return replace(query, within=by_position)


def check_query(
    query: CeqlQuery, stream_names: Collection[str] | None = None
) -> list[QueryWarning]:
    """What is doubtful about a query, in the order of its text.

    `stream_names` are the streams that there are; None means that this is not known. The codes:

    * `unknown-stream`: FROM or S>R names a stream that is not there, or S>R one that FROM does not
      read: it has no events;
    * `unknown-variable`: a FILTER or SELECT of a variable that the formula beside it never binds,
      so that the condition always holds, or that nothing is selected;
    * `missing-attribute`: an attribute that is declared, and for other event types only;
    * `no-results`: LIMIT 0.
    """
    warnings = [*_unknown_streams(query, stream_names), *_unknown_variables(query)]
    warnings += [
        QueryWarning("missing-attribute", doubt.message, doubt.position) for doubt in doubts(query)
    ]
    if query.limit == 0:
        warnings.append(QueryWarning("no-results", "LIMIT 0 reports nothing", query.position))
    return sorted(warnings, key=lambda warning: warning.position)


def _unknown_streams(
    query: CeqlQuery, known: Collection[str] | None
) -> Iterator[QueryWarning]:
    for name in query.streams:
        if known is not None and name not in known:
            there = ", ".join(known) or "none"
            yield QueryWarning(
                "unknown-stream",
                f"no input for stream '{name}' (streams with input: {there}): it is treated as"
                " empty",
                query.position,
            )
    read = query.streams or known
    for phi in find(query.formula, EventType):
        if phi.stream is not None and read is not None and phi.stream not in read:
            yield QueryWarning(
                "unknown-stream",
                f"'{phi.stream}>{phi.name}' is of a stream that the query does not read",
                phi.position,
            )


def _unknown_variables(query: CeqlQuery) -> Iterator[QueryWarning]:
    for phi in find(query.formula, Filter):
        bound = variables(phi.formula)
        for variable in find(phi.condition, Name):
            if str(variable) not in bound:
                yield _unknown(variable, "a condition on it always holds")
    for projection in find(query.projected, Projection):
        bound = variables(projection.formula)
        for variable in projection.variables:
            if str(variable) not in bound:
                yield _unknown(variable, "selecting it selects nothing")


def _unknown(variable: Name, consequence: str) -> QueryWarning:
    return QueryWarning(
        "unknown-variable", f"nothing binds '{variable}': {consequence}", variable.position
    )
