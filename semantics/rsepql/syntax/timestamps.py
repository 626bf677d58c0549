"""C-SPARQL's timestamp() in conditions, as SEQ^n (RSEP-QL, section 5 and Table 1).

    { ?x :p ?y . ?y :q ?z . FILTER (f:timestamp(?x, :p, ?y) < f:timestamp(?y, :q, ?z)) }

becomes { MATCH { EVENT w { ?x :p ?y } SEQN EVENT w { ?y :q ?z } } }. That is how the paper reads
the idiom. It is not what the function returns in general: (9) keeps the last events of each
pattern, the function is asked about every solution (docs/relations.md has the smallest streams on
which they differ).
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from rdflib.term import URIRef

from ...model.errors import QueryError, UnsupportedError
from ...rdf.syntax.tree import (
    And,
    Comparison,
    Element,
    Expression,
    Filter,
    FunctionCall,
    GroupGraphPattern,
    TermOrVariable,
    TriplePattern,
    TriplesBlock,
)
from ...rdf.syntax.variables import conjuncts, subexpressions
from .tree import Event, EventPattern, MatchPattern, RsepqlQuery, Sequence, SequenceOperator

Triple: TypeAlias = tuple[TermOrVariable, TermOrVariable, TermOrVariable]
WINDOW = URIRef("urn:denota:window:1")


def timestamps_as_sequences(query: RsepqlQuery) -> RsepqlQuery:
    """The query with conditions on timestamp() in its WHERE replaced by a sequence of events.

    The conditions must put triple patterns of the group into one order, each before the next.
    Raises QueryError for a triple pattern that is not in the group, UnsupportedError for what is no
    such order and for timestamp() anywhere else.
    """
    where = query.form.where
    if where is None:
        return query
    pairs: list[tuple[Triple, Triple]] = []
    kept: list[Element] = []
    for element in where.elements:
        if isinstance(element, Filter):
            rest = []
            for conjunct in conjuncts(element.condition):
                pair = _order(conjunct)
                if pair is not None:
                    pairs.append(pair)
                elif any(map(_is_timestamp, subexpressions(conjunct))):
                    raise UnsupportedError(
                        "timestamp() is understood in a comparison of two of them (timestamp(…) <"
                        " timestamp(…)) only",
                        line=element.position.line, column=element.position.column,
                    )
                else:
                    rest.append(conjunct)
            if rest:
                condition = rest[0] if len(rest) == 1 else And(tuple(rest))
                kept.append(replace(element, condition=condition))
        else:
            kept.append(element)
    if not pairs:
        return query
    if len(query.windows) != 1:
        raise UnsupportedError("timestamp() is understood over one window only")
    window = query.windows[0]
    name = window.name or WINDOW
    ordered = _chain(pairs)
    events: list[EventPattern] = [
        Event(name, GroupGraphPattern((TriplesBlock((_taken(triple, kept),)),)))
        for triple in ordered
    ]
    match = MatchPattern(
        reduce(lambda e1, e2: Sequence(SequenceOperator.NAIVE, e1, e2), events)
    )
    group = GroupGraphPattern((match, *kept))
    return replace(
        query,
        form=replace(query.form, where=group),
        windows=(replace(window, name=name),),
    )


def _order(condition: Expression) -> tuple[Triple, Triple] | None:
    """The triple pattern that comes earlier, and the later one."""
    if not isinstance(condition, Comparison) or condition.operator not in ("<", ">"):
        return None
    left, right = condition.left, condition.right
    if not (_is_timestamp(left) and _is_timestamp(right)):
        return None
    earlier, later = _triple(left), _triple(right)
    return (earlier, later) if condition.operator == "<" else (later, earlier)


def _is_timestamp(expression: Expression) -> bool:
    return isinstance(expression, FunctionCall) and str(expression.function).endswith(
        ("#timestamp", "/timestamp", ":timestamp")
    )


def _triple(call: Expression) -> Triple:
    assert isinstance(call, FunctionCall)
    terms = call.arguments
    if len(terms) != 3 or not all(isinstance(term, TermOrVariable) for term in terms):
        raise QueryError("timestamp() takes the three terms of a triple pattern")
    subject, predicate, object_ = terms
    return subject, predicate, object_  # type: ignore[return-value]


def _chain(pairs: list[tuple[Triple, Triple]]) -> list[Triple]:
    """The triple patterns in their order, which must be a total one, each pair a step of it."""
    following = dict(pairs)
    first = [earlier for earlier in following if earlier not in following.values()]
    unique = len(following) == len(pairs) == len(set(following.values()))
    if len(first) != 1 or not unique:
        raise UnsupportedError(
            "the conditions on timestamp() must put triple patterns into one order, each before the"
            " next"
        )
    ordered = [first[0]]
    while ordered[-1] in following:
        ordered.append(following[ordered[-1]])
    return ordered


def _taken(triple: Triple, elements: list[Element]) -> TriplePattern:
    """Takes a triple pattern out of the group; an empty block goes with it."""
    for place, element in enumerate(elements):
        if not isinstance(element, TriplesBlock):
            continue
        for pattern in element.triples:
            if (pattern.subject, pattern.predicate, pattern.object) == triple:
                left = tuple(other for other in element.triples if other is not pattern)
                elements[place : place + 1] = [TriplesBlock(left)] if left else []
                return pattern
    shown = " ".join(term.n3() for term in triple)
    raise QueryError(f"timestamp({shown}): there is no such triple pattern beside the FILTER")
