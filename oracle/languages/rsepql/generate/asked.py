"""What a query asks of its windows: one pattern after the other."""

from __future__ import annotations

from typing import NamedTuple

from rdflib.term import URIRef

from .....semantics.model.trees import find
from .....semantics.rdf.syntax.tree import (
    Exists,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    OptionalPattern,
    SubSelect,
    TriplesBlock,
    UnionPattern,
)
from .....semantics.rsepql.syntax.tree import Event, MatchPattern, WindowPattern


class AskedPattern(NamedTuple):
    """A pattern that looks at a window, None being any; whether it is one of an EVENT, and whether
    there is an answer without it."""

    window: URIRef | None
    pattern: GroupGraphPattern
    event: bool
    optional: bool = False


def asked_of_windows(group: GroupGraphPattern | None) -> list[AskedPattern]:
    """The patterns that look at windows, in the order of the text.

    Triples outside of WINDOW look at the windows that are a part of the default graph, if any.
    """
    found: list[AskedPattern] = []
    for element in group.elements if group is not None else ():
        match element:
            case WindowPattern(window, pattern):
                name = window if isinstance(window, URIRef) else None
                found.append(AskedPattern(name, pattern, False))
            case MatchPattern(pattern):
                events = find(pattern, Event)
                found += (AskedPattern(each.window, each.pattern, True) for each in events)
            case TriplesBlock():
                found.append(AskedPattern(None, GroupGraphPattern((element,)), False))
            case OptionalPattern(inner):
                found += (each._replace(optional=True) for each in asked_of_windows(inner))
            case MinusPattern(inner) | Filter(Exists(inner)):
                found += asked_of_windows(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    found += asked_of_windows(alternative)
            case SubSelect(query):
                found += asked_of_windows(query.where)
            case _:
                pass
    return found
