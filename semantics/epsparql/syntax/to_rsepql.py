"""EP-SPARQL's sequences in RSEP-QL (its Table 1): how ETALIS's detection policies are expressed.

    unrestricted     landmark window, SEQ
    chronological    landmark window, SEQ^c and 𝒫^c
    recent           landmark window, SEQ^r and 𝒫^r

What stands between two SEQs becomes a basic event pattern, which looks at one graph at a time; what
filters the whole sequence filters MATCH. For all else Table 1 gives a policy no meaning: it is
refused, with its name and its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

from rdflib.term import URIRef, Variable

from ...model.errors import Position, ReadingError
from ...model.trees import find
from ...rdf.syntax import tree as s
from ...rdf.syntax.variables import (
    element_expressions,
    existential_groups,
    inner_groups,
    subexpressions,
)
from ...rsepql.syntax.tree import (
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
from .tree import INTERVAL_FUNCTIONS, EpsparqlQuery, Operator, TemporalPattern

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
    """Return the RSEP-QL query of a policy, over a window that begins at `start`.

    Raises ReadingError for what Table 1 says nothing about: other operators than SEQ, rules, and
    conditions on intervals.
    """
    chain = chain_of(query)
    assert query.select is not None
    for each in chain.filters:
        _refuse_intervals(each.condition, each.position)
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
    """Return the sequence that the query is about, and the FILTERs of the groups around the whole
    of it; raises ReadingError where there are rules."""
    if query.rules or query.select is None:
        _refuse("a CONSTRUCT rule has no place in it", query.rules[0].position)
    filters: tuple[s.Filter, ...] = ()
    inner = query.select.where
    while True:
        filters += tuple(e for e in inner.elements if isinstance(e, s.Filter))
        rest = tuple(e for e in inner.elements if not isinstance(e, s.Filter))
        match rest:
            case (s.UnionPattern((only,)),) if not isinstance(rest[0], TemporalPattern):
                inner = only
            case _:
                break
    if not any(isinstance(e, TemporalPattern) for e in rest):
        return Chain(query.select.where, ())
    return Chain(s.GroupGraphPattern(rest), filters)


def event_pattern(group: s.GroupGraphPattern, policy: Policy) -> EventPattern:
    """P1 SEQ P2 as E1 SEQ E2, or SEQ^c, or SEQ^r; any other group P as EVENT w P."""
    match group.elements:
        case (TemporalPattern(operator=Operator.SEQ) as sequence,):
            return Sequence(
                _OPERATORS[policy],
                event_pattern(sequence.left, policy),
                event_pattern(sequence.right, policy),
            )
        case (s.UnionPattern((inner,)),) if not isinstance(group.elements[0], TemporalPattern):
            return event_pattern(inner, policy)
    for element in group.elements:
        if isinstance(element, TemporalPattern):
            _refuse_beside(element, group)
    for element in group.elements:
        _refuse_in_event(element)
    return Event(WINDOW, group)


# --- what no policy is about ---------------------------------------------------------------------


def _refuse(what: str, position: Position) -> NoReturn:
    raise ReadingError(
        f"a policy is about one sequence of patterns: {what}",
        line=position.line, column=position.column,
    )


def _refuse_beside(pattern: TemporalPattern, group: s.GroupGraphPattern) -> NoReturn:
    """Refuse an operator in a pattern that is no sequence."""
    if pattern.operator is not Operator.SEQ:
        _refuse(f"{pattern.operator} is no operator of it, SEQ is", pattern.position)
    other = next(each for each in group.elements if each is not pattern)
    what = "a second sequence" if isinstance(other, TemporalPattern) else _name(other)
    only = ": only the FILTERs of the whole query can" if isinstance(other, s.Filter) else ""
    _refuse(f"{what} stands beside SEQ{only}", place(other) or pattern.position)


def _refuse_in_event(element: s.Element) -> None:
    """Raise an error unless an element of a consumed event is plain.

    Plain elements are triple patterns, with FILTER, BIND, VALUES and GRAPH.
    """
    match element:
        case s.TriplesBlock(triples):
            for triple in triples:
                if not isinstance(triple.predicate, URIRef | Variable):
                    _refuse("a property path does not say which triples it uses", triple.position)
        case s.Filter(expression, position) | s.Bind(expression, _, position):
            _refuse_intervals(expression, position)
            for group in existential_groups(expression):
                _refuse_inside(group, "EXISTS")
        case s.InlineData():
            pass
        case s.NamedGraphPattern(_, group):
            _refuse_inside(group, "GRAPH")
        case _:
            for group in inner_groups(element):
                _refuse_inside(group, _name(element))
            _refuse(
                f"{_name(element)} in one of them does not say which triples it uses",
                place(element) or Position(),
            )


def _refuse_intervals(expression: s.Expression, position: Position) -> None:
    for part in subexpressions(expression):
        if isinstance(part, s.BuiltIn) and part.name in INTERVAL_FUNCTIONS:
            _refuse(f"{part.name}() reads the interval of an event, which is an instant", position)


def _refuse_inside(group: s.GroupGraphPattern, name: str) -> None:
    """Raise an error if a group contains a construct of EP-SPARQL's own, at any depth."""
    for inner in find(group, s.GroupGraphPattern):
        for element in inner.elements:
            if isinstance(element, TemporalPattern):
                _refuse(f"{element.operator} stands inside {name}", element.position)
            for expression in element_expressions(element):
                _refuse_intervals(expression, place(element) or Position())


def place(element: s.Element) -> Position | None:
    """Return the position at which an element begins; None if it is not known."""
    if isinstance(element, s.TriplesBlock):
        return element.triples[0].position if element.triples else None
    own: Position = getattr(element, "position", Position())
    if own.line:
        return own
    inner = (place(each) for group in inner_groups(element) for each in group.elements)
    return next((each for each in inner if each is not None), None)


def _name(element: s.Element) -> str:
    if isinstance(element, s.UnionPattern) and len(element.alternatives) > 1:
        return "UNION"
    return _NAMES.get(type(element), "a group")


_NAMES: dict[type, str] = {
    s.TriplesBlock: "a triple pattern", s.OptionalPattern: "OPTIONAL", s.MinusPattern: "MINUS",
    s.SubSelect: "a sub-select", s.Filter: "FILTER", s.Bind: "BIND", s.InlineData: "VALUES",
    s.NamedGraphPattern: "GRAPH",
}
