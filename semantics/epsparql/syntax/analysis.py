"""The static checks of a query: errors of readings and times, warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from rdflib.term import Literal, URIRef, Variable

from ...model.errors import Position, QueryError, QueryWarning, ReadingError
from ...model.items import TimeKind
from ...model.terms import Graph
from ...model.trees import find, has, remembering
from ...rdf.syntax import tree as s
from ...rdf.syntax.rdfs import SUB_PROPERTY_OF, TYPE
from ...rdf.syntax.scoping import not_among
from ...rdf.syntax.variables import (
    clause_expressions,
    element_expressions,
    in_scope,
    possible_variables,
    subexpressions,
    unbound_conditions,
)
from .readings import Readings
from .tree import (
    DURATION,
    END_TIME,
    INTERVAL_FUNCTIONS,
    START_TIME,
    EpsparqlQuery,
    Form,
    Operator,
    TemporalPattern,
)

Items = TypeVar("Items")
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DURATIONS = frozenset({_XSD + "duration", _XSD + "dayTimeDuration"})
_NUMBERS = frozenset(_XSD + name for name in ("integer", "decimal", "double", "float"))


def refuse(query: EpsparqlQuery, readings: Readings) -> None:
    """Raise ReadingError where a reading does not allow what the query says."""
    if readings.policy != "unrestricted":
        from .to_rsepql import chain_of, event_pattern  # other queries need no RSEP-QL

        event_pattern(chain_of(query).group, readings.policy)
    if readings.seqoptional == "hypothetical":
        return
    for position in _seqoptionals(query):
        raise ReadingError(
            "SEQOPTIONAL is no operator of EP-SPARQL, since later triples would take back"
            " its results (reading seqoptional=hypothetical shows it)",
            line=position.line, column=position.column,
        )


@remembering
def _seqoptionals(query: EpsparqlQuery) -> tuple[Position, ...]:
    """Return the positions of SEQOPTIONAL."""
    return tuple(
        element.position for element in find((query.rules, query.select), TemporalPattern)
        if element.operator is Operator.SEQOPTIONAL
    )


def check_times(query: EpsparqlQuery, kind: TimeKind) -> None:
    """Raise QueryError where the query compares getDURATION() and its like with what the times of
    the stream are not: a duration on integer streams, a number on dateTime streams."""
    for expression, position in _placed_expressions(query):
        for part in subexpressions(expression):
            match part:
                case s.Comparison(_, left, right):
                    sides: tuple[s.Expression, ...] = (left, right)
                case s.In(operand, choices):
                    sides = (operand, *choices)
                case _:
                    continue
            for function in sides:
                if isinstance(function, s.BuiltIn) and function.name in INTERVAL_FUNCTIONS:
                    for other in sides:
                        _check_time(function.name, other, kind, position)


_SHOWN = {
    DURATION: "getDURATION()", START_TIME: "getSTARTTIME()", END_TIME: "getENDTIME()",
}


def _check_time(
    function: str, other: s.Expression, kind: TimeKind, position: Position
) -> None:
    if not isinstance(other, Literal) or other.datatype is None:
        return
    datatype = str(other.datatype)
    temporal = datatype in _DURATIONS or datatype == _XSD + "dateTime"
    numeric = datatype in _NUMBERS
    if (temporal and kind is TimeKind.INTEGER) or (numeric and kind is TimeKind.DATETIME):
        are = "integers" if kind is TimeKind.INTEGER else "xsd:dateTimes"
        shown = f'"{other}"^^xsd:{datatype.removeprefix(_XSD)}' if temporal else str(other)
        raise QueryError(
            f"{_SHOWN[function]} is compared with {shown}, but the times of the stream are {are}",
            line=position.line, column=position.column,
        )


@remembering
def _placed_expressions(query: EpsparqlQuery) -> tuple[tuple[s.Expression, Position], ...]:
    """Return the expressions of the query, those of FILTER and BIND with where they stand."""
    elements = find((query.rules, query.select), s.Filter, s.Bind, s.SubSelect)
    clauses = clause_expressions(query.select) if query.select is not None else ()
    return (
        *((each, at.position) for at in elements for each in element_expressions(at)),
        *((each, Position()) for each in clauses),
    )


def inferable(schema: Graph) -> frozenset[URIRef]:
    """Return the predicates that conclusions from a triple can have."""
    if not schema:
        return frozenset()
    return frozenset({TYPE}) | {
        above for _, word, above in schema if word == SUB_PROPERTY_OF and isinstance(above, URIRef)
    }


def queried(
    query: EpsparqlQuery, streams: Mapping[URIRef, Items]
) -> dict[URIRef, Items]:
    """Return the streams that the query is about: those of FROM STREAM, else the only one there is.

    Raises QueryError where there are several and the query names none.
    """
    if query.streams:
        return {
            clause.iri: streams[clause.iri] for clause in query.streams if clause.iri in streams
        }
    if len(streams) > 1:
        named = ", ".join(f"<{iri}>" for iri in streams)
        raise QueryError(f"there are several streams, say which by FROM STREAM (one of {named})")
    return dict(streams)


# --- warnings ------------------------------------------------------------------------------------


def check_query(
    query: EpsparqlQuery,
    stream_iris: Collection[URIRef] | None = None,
    graph_iris: Collection[URIRef] | None = None,
) -> list[QueryWarning]:
    """Return the warnings about a query.

    `stream_iris` and `graph_iris` are the streams and background graphs that there are; None means
    that this is not known. The codes:

    * `unknown-stream`, `unknown-graph`: a name that is not among those that there are;
    * `unbound-select`: SELECT of a variable that the pattern does not bind;
    * `unbound-template`: a rule whose template has such a variable constructs nothing;
    * `unbound-condition`: a FILTER of a variable that no pattern of the query binds;
    * `timeless`: no triple pattern of the query is matched with the stream, so that what it finds
      has no time and is no result.
    """
    return [
        *not_among("unknown-stream", stream_iris, (
            (each.iri, f"no input for stream <{each.iri}>: it is treated as empty", each.position)
            for each in query.streams
        )),
        *not_among("unknown-graph", graph_iris, (
            (iri, f"there is no graph <{iri}>: it has no triples", Position())
            for iri in dict.fromkeys(find(query.dataset, URIRef))
        )),
        *not_among("unknown-graph", graph_iris, (
            (each.name, f"there is no graph <{each.name}>: nothing matches in it", each.position)
            for each in find((query.rules, query.select), s.NamedGraphPattern)
            if isinstance(each.name, URIRef)
        )),
        *_unbound_select(query),
        *_unbound_templates(query),
        *_timeless(query),
        *(w for part in (*query.rules, query.select) for w in unbound_conditions(part)),
    ]


def _unbound_select(query: EpsparqlQuery) -> Iterator[QueryWarning]:
    if query.select is None or query.select.projection is None:
        return
    bound = set(in_scope(query.select.where))
    if query.select.values is not None:
        bound |= set(query.select.values.variables)
    for key in query.select.modifier.group_by:
        if isinstance(key, s.Projection):
            bound.add(key.variable)
    for item in query.select.projection:
        if item.expression is None and item.variable not in bound:
            yield QueryWarning(
                "unbound-select", f"?{item.variable} is selected but nothing binds it"
            )


def _unbound_templates(query: EpsparqlQuery) -> Iterator[QueryWarning]:
    for rule in query.rules:
        bound = possible_variables(rule.where)
        wanted = {
            part for t in rule.template for part in (t.subject, t.predicate, t.object)
            if isinstance(part, Variable)
        }
        for variable in sorted(wanted - bound):
            yield QueryWarning(
                "unbound-template",
                f"nothing binds ?{variable} of the template, so the rule constructs nothing",
                rule.position,
            )


def _timeless(query: EpsparqlQuery) -> Iterator[QueryWarning]:
    elsewhere = (s.NamedGraphPattern, s.MinusPattern, s.Exists)
    if query.select is not None and query.form is not Form.DESCRIBE and not has(
        query.select.where, s.TriplesBlock, but=elsewhere
    ):
        yield QueryWarning(
            "timeless", "nothing of the pattern is matched with the stream, so nothing is found"
        )
