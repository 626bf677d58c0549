"""EP-SPARQL's sequences in RSEP-QL (its Table 1): how ETALIS's detection policies are expressed.

    unrestricted     landmark window, SEQ
    chronological    landmark window, SEQ^c and 𝒫^c
    recent           landmark window, SEQ^r and 𝒫^r

What stands between two SEQs becomes a basic event pattern, which looks at one graph at a time; what
filters the whole sequence filters MATCH.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rdflib.term import URIRef

from ..errors import UnsupportedError
from ..rdf import syntax as s
from ..rdf.variables import subexpressions
from ..rsepql.syntax import (
    ConsumptionPolicy,
    Event,
    EventPattern,
    LandmarkWindow,
    MatchPattern,
    Moment,
    RsepqlQuery,
    Sequence,
    SequenceOperator,
    WindowClause,
)
from .readings import Policy
from .syntax import INTERVAL_FUNCTIONS, EpsparqlQuery, Operator, TemporalPattern

WINDOW = URIRef("urn:denota:landmark")
"""The name of the one window."""

_OPERATORS: dict[Policy, SequenceOperator] = {
    "unrestricted": SequenceOperator.UNRESTRICTED,
    "chronological": SequenceOperator.CHRONOLOGICAL,
    "recent": SequenceOperator.RECENT,
}
_CONSUMPTION: dict[Policy, ConsumptionPolicy] = {
    "unrestricted": ConsumptionPolicy.UNRESTRICTED,
    "chronological": ConsumptionPolicy.CHRONOLOGICAL,
    "recent": ConsumptionPolicy.RECENT,
}


@dataclass(frozen=True, slots=True)
class Chain:
    """A group that is a sequence, and the FILTERs of the whole of it."""

    group: s.GroupGraphPattern
    filters: tuple[s.Filter, ...]


def to_rsepql(
    query: EpsparqlQuery, policy: Policy, stream: URIRef, start: Moment
) -> RsepqlQuery:
    """The RSEP-QL query of a policy, over a window that begins at `start`.

    Raises UnsupportedError for what Table 1 says nothing about: other operators than SEQ, rules,
    and conditions on intervals.
    """
    chain = chain_of(query)
    assert query.select is not None
    if any(_reads_interval(each.condition) for each in chain.filters):
        raise UnsupportedError("RSEP-QL has no functions for the interval of a MATCH")
    match = MatchPattern(event_pattern(chain.group, policy))
    form = replace(
        query.select, where=s.GroupGraphPattern((match, *chain.filters)), dataset=query.dataset
    )
    return RsepqlQuery(
        form,
        (WindowClause(WINDOW, stream, LandmarkWindow(start)),),
        consumption=_CONSUMPTION[policy],
        prologue=query.prologue,
    )


def chain_of(query: EpsparqlQuery) -> Chain:
    """The sequence that the query is about; raises UnsupportedError where it is not one."""
    if query.rules or query.select is None:
        raise UnsupportedError("a policy is about one sequence, the query has CONSTRUCT rules")
    elements = query.select.where.elements
    filters = tuple(e for e in elements if isinstance(e, s.Filter))
    rest = tuple(e for e in elements if not isinstance(e, s.Filter))
    if not any(isinstance(e, TemporalPattern) for e in rest):
        return Chain(query.select.where, ())
    return Chain(s.GroupGraphPattern(rest), filters)


def event_pattern(group: s.GroupGraphPattern, policy: Policy) -> EventPattern:
    """P1 SEQ P2 as E1 SEQ E2, or SEQ^c, or SEQ^r; any other group P as EVENT w P"""
    match group.elements:
        case (TemporalPattern(operator=Operator.SEQ) as sequence,):
            return Sequence(
                _OPERATORS[policy],
                event_pattern(sequence.left, policy),
                event_pattern(sequence.right, policy),
            )
        case (s.UnionPattern((inner,)),) if not isinstance(group.elements[0], TemporalPattern):
            return event_pattern(inner, policy)
    _refuse(group)
    return Event(WINDOW, group)


def _refuse(group: s.GroupGraphPattern) -> None:
    from .analysis import all_groups, element_expressions

    for inner in all_groups(group):
        for element in inner.elements:
            if isinstance(element, TemporalPattern):
                raise UnsupportedError(
                    f"a policy is about sequences of patterns, {element.operator} stands in one"
                    if element.operator is not Operator.SEQ
                    else "a policy is about sequences, SEQ stands beside another pattern"
                )
            if any(map(_reads_interval, element_expressions(element))):
                raise UnsupportedError("a policy is about events at instants, not their intervals")


def _reads_interval(expression: s.Expression) -> bool:
    return any(
        isinstance(part, s.BuiltIn) and part.name in INTERVAL_FUNCTIONS
        for part in subexpressions(expression)
    )
