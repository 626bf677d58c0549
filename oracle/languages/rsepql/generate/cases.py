"""Cases of RSEP-QL that have a meaning: queries on streams that they often match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rdflib.term import URIRef

from .....semantics.model.items import TimeKind
from .....semantics.model.terms import Graph
from .....semantics.model.trees import changed
from .....semantics.rdf.syntax.tree import (
    EmbeddedPattern,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    SparqlQuery,
    TriplesBlock,
)
from .....semantics.rsepql.syntax.readings import Readings
from .....semantics.rsepql.syntax.tree import (
    Event,
    RsepqlQuery,
    TimeBasedWindow,
    WindowFunction,
    WindowPattern,
)
from ....inputs.choices import Choices
from ....inputs.graphs import BACKGROUNDS, any_graph
from ....inputs.sparql_data import Usual, background_instance, instance
from ..case import RsepqlCase
from .asked import asked_of_windows
from .queries import KINDS
from .queries import query as drawn_query
from .streams import played, with_encore
from .windows import stepping

_RIVALS = ("rsepql/rivals", ("same", "any"))
_CONSUMED = ("rsepql/consumed", ("occurrence", "triple"))
_ORDERS = (
    "rsepql/order", ("end-start", "end-start", "start-end", "end", "start", "before")
)
_EXISTS = ("rsepql/exists", ("restricted", "substituted"))
_SECOND_GRAPH = ("rsepql/second graph", (False, False, False, True))
_HELPED = ("rsepql/helped", (*(True,) * 7, False))
_WIDENED = ("rsepql/widened", (False, True, True))
_OFTEN = ("rsepql/evaluated when items come", (True, True, False))
_EMPTY = ("rsepql/empty answers", (False,) * 4 + (True,))
"""Whether answers without solutions are reported: so every evaluation time is seen."""
_WIDE = 15
_FEW = 12
"""Windows that let go of nothing must not hold more: all of it would be in sequence with all."""


def case(choices: Choices) -> RsepqlCase:
    """Draw a query, with streams that it often matches, and readings."""
    kind = choices.among(*KINDS)
    query = drawn_query(choices, kind=kind)
    usual: Usual = {}
    found = played(choices, query, usual, kind)
    empty = choices.among(*_EMPTY)
    made = RsepqlCase(
        query=found.query,
        streams=found.streams,
        kb=_background(choices, query, usual),
        readings=Readings.of({
            "rivals": choices.among(*_RIVALS), "consumption": choices.among(*_CONSUMED),
            "order": choices.among(*_ORDERS), "exists": choices.among(*_EXISTS),
        }),
        evaluation=replace(found.evaluation, empty=empty),
    )
    encored = with_encore(made, found.encore, kind)
    if not choices.among(*_HELPED):
        return made
    often = encored
    if choices.among(*_OFTEN):
        often = encored.but(evaluation={"empty": True} if empty else {})
    return _likelier(made, (encored, often), kind, widened=choices.among(*_WIDENED))


def _likelier(
    case: RsepqlCase, others: Sequence[RsepqlCase], kind: TimeKind, *, widened: bool
) -> RsepqlCase:
    """The case, or if it has no answer one that has: with what is asked for once more at its end,
    evaluated when items come (the others), without filters, MINUS and what else stands beside;
    with wider windows only where that is asked for, since windows that let go of nothing show
    nothing of how they do."""
    if _has_answer(case):
        return case
    bare = others[-1].but(query=replace(case.query, form=_bare(case.query.form)))
    candidates = [*others, bare]
    if widened and sum(map(len, case.streams.values())) <= _FEW:
        candidates += [each.but(query=_wider(each.query, kind)) for each in (case, bare)]
    tried = [case]
    for each in candidates:
        if each not in tried and _has_answer(each):
            return each
        tried.append(each)
    return case


def _has_answer(case: RsepqlCase) -> bool:
    return any(answer.content for answer in case.denotation())


def _wider(query: RsepqlQuery, kind: TimeKind) -> RsepqlQuery:
    wide = stepping(_WIDE, 1, kind)

    def widened(function: WindowFunction) -> WindowFunction:
        if isinstance(function, TimeBasedWindow):
            return replace(function, width=wide.width)
        return wide

    clauses = tuple(
        replace(clause, function=widened(clause.function)) for clause in query.windows
    )
    return replace(query, windows=clauses)


def _bare(form: SparqlQuery) -> SparqlQuery:
    """The form with what asks for windows and events alone, without what forbids in it."""
    assert form.where is not None
    elements = form.where.elements
    embedded = [each for each in elements if isinstance(each, EmbeddedPattern)]
    if not embedded:
        return _without_conditions(form)
    return _without_conditions(replace(form, where=GroupGraphPattern(tuple(embedded))))


def _without_conditions(form: SparqlQuery) -> SparqlQuery:
    def bare(pattern: GroupGraphPattern) -> GroupGraphPattern:
        forbidding = Filter | MinusPattern
        return GroupGraphPattern(
            tuple(each for each in pattern.elements if not isinstance(each, forbidding))
        )

    def change(part: object) -> object:
        if isinstance(part, WindowPattern | Event):
            return replace(part, pattern=bare(part.pattern))
        return part

    return changed(form, change)


def _background(choices: Choices, query: RsepqlQuery, usual: Usual) -> dict[URIRef, Graph]:
    """The graphs of the query's dataset; the first is there in any case, for GRAPH."""
    where = query.form.where or GroupGraphPattern()
    dataset = query.form.dataset
    bodies = [where, *(asked.pattern for asked in asked_of_windows(where))]
    own = GroupGraphPattern(tuple(e for e in where.elements if isinstance(e, TriplesBlock)))
    kb: dict[URIRef, Graph] = {}
    for graph_name in BACKGROUNDS:
        needed = dataset is not None and graph_name in (*dataset.default, *dataset.named)
        if graph_name != BACKGROUNDS[0] and not needed and not choices.among(*_SECOND_GRAPH):
            continue
        made = [background_instance(choices, body, graph_name, usual) for body in bodies]
        if dataset is not None and graph_name in dataset.default:
            made.append(instance(choices, own, graph_name, usual))
        kb[graph_name] = frozenset().union(*made, any_graph(choices, graph_name, max_size=2))
    return kb
