"""Cases of CQELS-CEP that have a meaning, on streams that their queries often match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rdflib.term import URIRef

from .....semantics.cqels.syntax.readings import Inside, Readings
from .....semantics.cqels.syntax.tree import (
    AllWindow,
    CqelsQuery,
    TripleSequence,
    WindowClause,
    WindowPattern,
    WindowSequence,
)
from .....semantics.model.items import TimeKind
from .....semantics.model.temporal_graphs import TemporalGraph
from .....semantics.model.terms import EMPTY_GRAPH, Graph
from .....semantics.rdf.syntax.tree import (
    Element,
    Exists,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    TriplesBlock,
    UnionPattern,
)
from ....inputs.choices import Choices, Decided, several
from ....inputs.graphs import BACKGROUNDS, any_graph
from ....inputs.sparql_data import Usual, instance
from ....inputs.streams import instant
from ..case import CqelsCase
from .queries import KINDS, drawn
from .streams import played, with_encore
from .windows import of_width, width_of

_INSIDE: Decided[Inside] = ("cqels/inside", ("closed", "closed", "open"))
_BACKGROUND_KINDS = (
    "cqels/background", ("constant",) * 4 + ("changing", "changing", "absent")
)
_SECOND_GRAPH = ("cqels/second graph", (False, False, True))
_HELPED = ("cqels/helped", (*(True,) * 7, False))
_WIDENED = ("cqels/widened", (False, False, True))
_WIDE = 15
_FEW = 12
"""Windows that let go of nothing must not hold more: all of it would be in sequence with all."""


def case(choices: Choices) -> CqelsCase:
    """Draw a query, with streams that it often matches, and readings."""
    kind = choices.among(*KINDS)
    query, script = drawn(choices, kind)
    usual: Usual = {}
    found = played(choices, query, script, usual, kind)
    made = CqelsCase(
        query=found.query,
        streams=found.streams,
        kb=_kb(choices, query, usual, kind),
        readings=Readings(inside=choices.among(*_INSIDE)),
        at=found.at,
    )
    encored = with_encore(made, found.encore, kind)
    if not choices.among(*_HELPED):
        return made
    return _likelier(made, encored, widened=choices.among(*_WIDENED))


def _likelier(case: CqelsCase, encored: CqelsCase, *, widened: bool) -> CqelsCase:
    """The case, or if it has no answer one that has: with what is asked for once more at its end,
    evaluated on arrival, without filters and what else is not the windows'; with wider windows only
    where that is asked for, since windows that let go of nothing show nothing of how they do."""
    if case.denotation():
        return case
    often = encored.but(evaluation={})
    where = _without(case.query.where, Filter | TriplesBlock | MinusPattern | NamedGraphPattern)
    bare = often.but(query=replace(case.query, where=where))
    candidates = [encored, often, bare]
    if widened and sum(map(len, case.streams.values())) <= _FEW:
        candidates += [each.but(query=_wider(each.query)) for each in (case, bare)]
    tried = [case]
    for each in candidates:
        if each not in tried and each.denotation():
            return each
        tried.append(each)
    return case


def _wider(query: CqelsQuery) -> CqelsQuery:
    def wide(window: WindowClause) -> WindowClause:
        function = window.function
        if width_of(function) is None:
            return replace(window, function=AllWindow())
        kind = getattr(getattr(function, "width", None), "kind", TimeKind.INTEGER)
        return replace(window, function=of_width(_WIDE, function, kind))

    return replace(query, windows=tuple(map(wide, query.windows)))


def _without(where: GroupGraphPattern, kinds: Any) -> GroupGraphPattern:
    def bare(element: Element) -> Element:
        if not isinstance(element, WindowPattern):
            return element
        body = element.body
        if isinstance(body, TripleSequence):
            parts = tuple(
                replace(part, pattern=_without(part.pattern, Filter)) for part in body.elements
            )
            return replace(element, body=TripleSequence(parts))
        return replace(element, body=_without(body, Filter))

    return GroupGraphPattern(
        tuple(bare(element) for element in where.elements if not isinstance(element, kinds))
    )


# --- the background ------------------------------------------------------------------------------


def _kb(
    choices: Choices, query: CqelsQuery, usual: Usual, kind: TimeKind
) -> dict[URIRef, Graph | TemporalGraph]:
    static = [
        element for element in query.where.elements
        if not isinstance(element, WindowPattern | WindowSequence)
    ]
    if not static:
        return {}
    kb: dict[URIRef, Graph | TemporalGraph] = {}
    for place, graph_name in enumerate(BACKGROUNDS):
        how = choices.among(*_BACKGROUND_KINDS)
        if how == "absent" or (place and not choices.among(*_SECOND_GRAPH)):
            continue
        made = EMPTY_GRAPH.union(*(
            instance(choices, GroupGraphPattern(_asked(element)), graph_name, usual)
            for element in static
        ), any_graph(choices, graph_name, max_size=2))
        if how == "changing":
            kb[graph_name] = _changing(choices, made, graph_name, kind)
        else:
            kb[graph_name] = made
    return kb


def _changing(choices: Choices, first: Graph, name: URIRef, kind: TimeKind) -> TemporalGraph:
    """A graph that says this at some time; before or after that something else, or less of it."""
    ticks = sorted(several(choices, range(10), 3))
    states = [first]
    for _ in ticks[1:]:
        how = choices.among(*_CHANGES)
        other = any_graph(choices, name, max_size=2)
        states.append(other if how == "other" else first | other if how == "more" else first)
    if choices.among(*_BACKWARDS):
        states.reverse()
    return TemporalGraph(
        tuple((instant(t, kind), state) for t, state in zip(ticks, states, strict=True)), kind
    )


_CHANGES = ("cqels/change", ("more", "other", "same"))
_BACKWARDS = ("cqels/changes", (False, True))


def _asked(element: Element) -> tuple[Element, ...]:
    match element:
        case NamedGraphPattern(_, inner) | Filter(Exists(inner)) | OptionalPattern(inner):
            return tuple(e for e in inner.elements if isinstance(e, TriplesBlock))
        case _:
            return (element,) if isinstance(element, TriplesBlock | UnionPattern) else ()
