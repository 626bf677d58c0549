"""What EVENT may say where events are consumed: which triples took part must be plain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rdflib.term import URIRef, Variable

from ...model.errors import Position, QueryError
from ...rdf.syntax.tree import (
    Bind,
    Filter,
    InlineData,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .tree import ConsumptionPolicy, Event

_NAMES: dict[type, str] = {
    OptionalPattern: "OPTIONAL",
    UnionPattern: "a nested group or UNION",
    MinusPattern: "MINUS",
    SubSelect: "a sub-select",
}


def refuse_what_cannot_be_consumed(
    event: Event, policy: ConsumptionPolicy, error: Callable[[str, Any], QueryError]
) -> None:
    """𝒫^c and 𝒫^r need basic graph patterns (3.3); FILTER, BIND, VALUES and GRAPH do no harm.

    Raises what `error` makes of a message and a place.
    """
    for element in event.pattern.elements:
        match element:
            case Filter() | Bind() | InlineData() | NamedGraphPattern():
                continue
            case TriplesBlock(triples):
                for triple in triples:
                    if not isinstance(triple.predicate, URIRef | Variable):
                        _refuse("a property path", policy, error, triple.position)
            case _:
                _refuse(_NAMES[type(element)], policy, error, event.position)


def _refuse(
    what: str,
    policy: ConsumptionPolicy,
    error: Callable[[str, Any], QueryError],
    position: Position,
) -> None:
    raise error(
        f"{what} cannot stand in an EVENT under CONSUME {policy}:"
        " only triple patterns say which triples took part",
        position,
    )
