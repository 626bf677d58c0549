"""CEQL queries that are legal but surely not meant: what can be said before any event arrives."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...model.errors import QueryWarning
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
    NotCondition,
    NotFormula,
    OrCondition,
    Projection,
    Sequence,
    Strategy,
    VariableCondition,
)


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
    from .scoping import doubts

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
                f"there is no stream '{name}' (there is: {there}): it has no events",
                query.position,
            )
    for phi in subformulas(query.formula):
        if isinstance(phi, EventType) and phi.stream is not None:
            read = query.streams or known
            if read is not None and phi.stream not in read:
                yield QueryWarning(
                    "unknown-stream",
                    f"'{phi.stream}>{phi.name}' is of a stream that the query does not read",
                    phi.position,
                )


def _unknown_variables(query: CeqlQuery) -> Iterator[QueryWarning]:
    for phi in subformulas(query.formula):
        if isinstance(phi, Filter):
            bound = variables(phi.formula)
            for variable in conditioned(phi.condition):
                if str(variable) not in bound:
                    yield _unknown(variable, "a condition on it always holds")
    bound = variables(query.formula)
    for selected in query.select or ():
        if str(selected.variable) not in bound:
            yield _unknown(selected.variable, "selecting it selects nothing")


def _unknown(variable: Name, consequence: str) -> QueryWarning:
    return QueryWarning(
        "unknown-variable", f"nothing binds '{variable}': {consequence}", variable.position
    )


# --- the parts of a query -------------------------------------------------------------------------


def subformulas(phi: Formula) -> Iterator[Formula]:
    """φ and every formula in it, also those of NOT( )."""
    yield phi
    match phi:
        case Sequence(left, right) | Contiguous(left, right) | Disjunction(left, right):
            yield from subformulas(left)
            yield from subformulas(right)
        case As(inner) | Filter(inner) | Iteration(inner) | ContiguousIteration(inner):
            yield from subformulas(inner)
        case NotFormula(inner) | Projection(inner):
            yield from subformulas(inner)
        case EventType():
            pass


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


def conditioned(condition: Condition) -> Iterator[Name]:
    """The variables of a condition, in the order of the text, with repetitions."""
    match condition:
        case VariableCondition(variable):
            yield variable
        case AndCondition(left, right) | OrCondition(left, right):
            yield from conditioned(left)
            yield from conditioned(right)
        case NotCondition(operand):
            yield from conditioned(operand)


def conjuncts(condition: Condition) -> list[Condition]:
    """θ1, θ2, … of θ1 AND θ2 AND …"""
    if isinstance(condition, AndCondition):
        return conjuncts(condition.left) + conjuncts(condition.right)
    return [condition]


def takes_any(query: CeqlQuery) -> bool:
    """Whether the query leaves a choice to its evaluator (SELECT ANY, LIMIT)."""
    return query.strategy is Strategy.ANY or query.limit is not None


__all__ = [
    "check_query", "conditioned", "conjuncts", "subformulas", "takes_any", "variables",
]
