"""⌈φ⌋(S), the valuations of a formula: Table 2 (printed as Figure 2) of CORE line by line.

`:`, `:+` and NOT are of CORE's later language.
"""

from __future__ import annotations

from .predicates import all_satisfy
from .syntax import (
    AndCondition,
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
    NotCondition,
    NotFormula,
    OrCondition,
    Projection,
    Sequence,
    VariableCondition,
)
from .valuations import Stream, Valuation, Valuations, joined, projected, valuation


def valuations(phi: Formula, s: Stream) -> Valuations:
    """⌈φ⌋(S)"""
    match phi:
        case EventType():
            return event_type(phi, s)
        case As(formula, variable):
            return as_variable(valuations(formula, s), variable)
        case Filter(formula, condition):
            return frozenset(v for v in valuations(formula, s) if holds(v, condition, s))
        case Disjunction(left, right):
            return valuations(left, s) | valuations(right, s)
        case Sequence(left, right):
            return sequenced(valuations(left, s), valuations(right, s))
        case Contiguous(left, right):
            return adjoined(valuations(left, s), valuations(right, s), s)
        case Iteration(formula):
            return iterated(valuations(formula, s))
        case ContiguousIteration(formula):
            return contiguously_iterated(valuations(formula, s), s)
        case NotFormula(formula):
            return unmatched(formula, s)
        case Projection(formula, variables):
            chosen = [str(variable) for variable in variables]
            return frozenset(projected(v, chosen) for v in valuations(formula, s))


def event_type(phi: EventType, s: Stream) -> Valuations:
    """⌈R⌋(S): V(time) = [i, i], t_i(type) = R, V(R) = {i}, V(X) = ∅ for every other X.

    ⌈S'>R⌋ asks that t_i came in S', and V(S'>R) = {i} as well.
    """
    result = set()
    for i, t in s:
        if t.type == phi.name and phi.stream in (None, t.stream):
            mu = {phi.name: frozenset({i})}
            if phi.stream is not None:
                mu[str(Name(phi.name, phi.stream))] = frozenset({i})
            result.add(valuation(i, i, mu))
    return frozenset(result)


def as_variable(matched: Valuations, variable: str) -> Valuations:
    """⌈φ AS X⌋(S): V(X) = ⋃_Y V'(Y), V(Z) = V'(Z) for every other Z"""
    return frozenset(
        valuation(v.start, v.end, {**dict(v.mu), variable: v.data}) for v in matched
    )


def holds(v: Valuation, condition: Condition, s: Stream) -> bool:
    """V ⊨ θ: for X[P], S[V(X)] ⊨ P.

    The paper's shorthands say the same: φ FILTER θ1 AND θ2 is (φ FILTER θ1) FILTER θ2, and
    φ FILTER θ1 OR θ2 is (φ FILTER θ1) OR (φ FILTER θ2).
    """
    match condition:
        case VariableCondition(variable, predicate):
            return all_satisfy(s.at(v(str(variable))), predicate)
        case AndCondition(left, right):
            return holds(v, left, s) and holds(v, right, s)
        case OrCondition(left, right):
            return holds(v, left, s) or holds(v, right, s)
        case NotCondition(operand):
            return not holds(v, operand, s)


def sequenced(first: Valuations, second: Valuations) -> Valuations:
    """⌈φ1 ; φ2⌋(S): V1(end) < V2(start)"""
    return frozenset(joined(v1, v2) for v1 in first for v2 in second if v1.end < v2.start)


def adjoined(first: Valuations, second: Valuations, s: Stream) -> Valuations:
    """⌈φ1 : φ2⌋(S): V2(start) is the position next to V1(end)"""
    return frozenset(
        joined(v1, v2) for v1 in first for v2 in second if s.adjacent(v1.end, v2.start)
    )


def iterated(once: Valuations) -> Valuations:
    """⌈φ+⌋(S) = ⌈φ⌋(S) ∪ ⌈φ ; φ+⌋(S), the least such set"""
    result, latest = once, once
    while latest:
        latest = sequenced(once, latest) - result
        result |= latest
    return result


def contiguously_iterated(once: Valuations, s: Stream) -> Valuations:
    """⌈φ:+⌋(S) = ⌈φ⌋(S) ∪ ⌈φ : φ:+⌋(S), the least such set"""
    result, latest = once, once
    while latest:
        latest = adjoined(once, latest, s) - result
        result |= latest
    return result


def unmatched(phi: EventType | Filter, s: Stream) -> Valuations:
    """⌈NOT(φ)⌋(S): V(time) = [i, i] for an i that no V' ∈ ⌈φ⌋(S) is at, V(X) = ∅ for every X"""
    matched = {v.start for v in valuations(phi, s)}
    return frozenset(valuation(i, i, {}) for i, _ in s if i not in matched)

