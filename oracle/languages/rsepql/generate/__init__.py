"""RSEP-QL inputs: windows, event patterns, queries, streams, whole cases, drawn by choices.

Restrictions are the options of choices that are refused where an engine lacks a capability, which
it says in names (`engines.capabilities`): most of what is generated for it is something that it
takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import add
from typing import Final

from rdflib.term import BNode, URIRef, Variable

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
from .....semantics.rsepql.syntax.settings import POLICIES
from .....semantics.rsepql.syntax.tree import (
    ConsumptionPolicy,
    Event,
    RsepqlQuery,
    SequenceOperator,
    StreamOperator,
    TimeBasedWindow,
    WindowFunction,
    WindowPattern,
)
from ....fuzzing.shrinking.stream_shrinking import moved
from ....fuzzing.value_tables import graph_value_tables
from ....inputs.choices import Choices, Options, all_of, strategies
from ....inputs.graph_patterns import (
    FILTER_KINDS,
    NO_BODY_OF_ANY_CONSTRUCTS,
    ONE_BLOCK,
    TRIPLE_PATTERNS,
)
from ....inputs.graphs import BACKGROUNDS, STREAMS, any_graph
from ....inputs.sparql_data import Usual, background_instance, instance
from ....inputs.streams import FEW_TO_WIDEN, first_with_results, origin
from ..features import RsepqlCase
from .events import event_pattern
from .queries import KINDS, query, stepping, window_function
from .queries import query as drawn_query
from .streams import asked_of_windows, played, with_encore

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
"""True if answers without solutions are reported: so every evaluation time is seen."""
_WIDE = 15


def case(choices: Choices) -> RsepqlCase:
    """Draw a query, with streams that it often matches, and readings."""
    kind = choices.among(*KINDS)
    query = drawn_query(choices, kind=kind)
    usual: Usual = {}
    found = played(choices, query, usual, kind)
    by = origin(choices, kind)
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
    if by:
        made = moved(made, partial(add, by))
    encored = with_encore(made, found.encore, kind)
    if not choices.among(*_HELPED):
        return made
    often = encored
    if choices.among(*_OFTEN):
        often = encored.but(evaluation={"empty": True} if empty else {})
    return first_with_results(
        _likelier(made, (encored, often), kind, widened=choices.among(*_WIDENED)), _has_answer
    )


def _likelier(
    case: RsepqlCase, others: Sequence[RsepqlCase], kind: TimeKind, *, widened: bool
) -> Iterator[RsepqlCase]:
    """Yield the case, then cases that are more likely to have an answer.

    They have the item that completes a match once more at the end, are evaluated when items come
    (`others`), and have no filters, MINUS and other elements beside windows and patterns. Wider
    windows come last and only with `widened`: no item leaves them, so they test no expiry.
    """
    yield case
    yield from others
    bare = others[-1].but(query=replace(case.query, form=_bare(case.query.form)))
    yield bare
    if widened and sum(map(len, case.streams.values())) <= FEW_TO_WIDEN:
        yield from (each.but(query=_wider(each.query, kind)) for each in (case, bare))


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
    """Return the form with what asks for windows and events alone, without what forbids in it."""
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
    """Return the graphs of the query's dataset; the first is there in any case, for GRAPH."""
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


_WITH_MATCH = (
    "match", "match window", "union", "minus", "match match", "exists", "sub-select", "graph",
    "graphs", "match optional", "union of matches",
)
_OF_TWO = (
    "match window", "optional window", "window window", "union", "minus", "match match", "exists",
    "sub-select", "match optional", "union of matches",
)
_WITH_WINDOW = (
    "window", "default", "variable", *(each for each in _OF_TWO if each not in (
        "match match", "union of matches",
    )),
)
_ARRANGED = {
    SequenceOperator.UNRESTRICTED: ("choice before another", "rivals of intervals"),
    SequenceOperator.CHRONOLOGICAL: ("rivals of intervals",),
    SequenceOperator.RECENT: ("rivals of intervals",),
}
_BY_GROUP: Final[Mapping[str, Mapping[str, Options]]] = {
    "operators": {
        **{
            str(each): {"rsepql/sequence": (each,), "rsepql/arrangement": _ARRANGED.get(each, ())}
            for each in SequenceOperator
        },
        **{
            each: {
                "rsepql/selecting": (each,), "rsepql/arrangement": ("choice before another",),
            }
            for each in ("FIRST", "LAST")
        },
    },
    "windows": {
        "RANGE": {
            "rsepql/window": ("time",), "rsepql/window in a count": ("time",),
            "rsepql/window beside a count": ("time",), "rsepql/window functions": ("steps apart",),
            "rsepql/widened": (True,),
        },
        "FROM": {
            "rsepql/window": ("landmark",), "rsepql/window in a count": ("landmark",),
            "rsepql/window beside a count": ("landmark",),
        },
        "BETWEEN": {
            "rsepql/window": ("interval",), "rsepql/window in a count": ("interval",),
            "rsepql/window beside a count": ("interval",),
        },
        "ALL": {"rsepql/window": ("identity",)},
        "ELEMENTS": {
            "rsepql/window": ("count",), "rsepql/OF": ("count of", "of count"),
            "rsepql/window beside a count": ("count",), "rsepql/window functions": ("counts",),
        },
        "OF": {"rsepql/OF": ("any", "several", "count of", "of count")},
        "FROM WINDOW": {
            "rsepql/from window": (True,), "rsepql/shape": ("default", "default alone"),
        },
    },
    "patterns": {
        "MATCH": {"rsepql/shape": _WITH_MATCH},
        "WINDOW": {"rsepql/shape": _WITH_WINDOW},
        "WINDOW ?w": {"rsepql/shape": ("variable",)},
        "several patterns": {"rsepql/shape": _OF_TWO},
        "aggregate": {
            "rsepql/shape": ("sub-select",), "rsepql/form": ("count",),
            "rsepql/asked for": ("count",), "graphs/body sub-select": ("count",),
        },
        "OPTIONAL": {
            "rsepql/shape": ("optional window", "match optional"),
            "rsepql/asked for": ("optional", "union"), "graphs/body construct": ("OPTIONAL",),
        },
        "UNION": {
            "rsepql/shape": ("union", "union of matches"),
            "rsepql/asked for": ("union", "either"), "graphs/body construct": ("UNION",),
        },
        "MINUS": {
            "rsepql/shape": ("minus",), "rsepql/asked for": ("minus",),
            "graphs/body construct": ("MINUS",),
        },
        "EXISTS": {
            "rsepql/shape": ("exists",), "rsepql/asked for": ("exists",),
            "graphs/body construct": ("EXISTS",),
        },
        "FILTER": {
            "rsepql/shape": ("exists",), "rsepql/asked for": ("exists",),
            "rsepql/condition on what is asked for": (True,), "rsepql/filtered": (True,),
            "rsepql/optional part": ("on a condition",), "graphs/body construct": ("EXISTS",),
            "graphs/body optional": ("filtered",),
            "graphs/body filters": [kinds for kinds in FILTER_KINDS if kinds],
        },
        "BIND": {"rsepql/asked for": ("bind",), "graphs/body construct": ("BIND",)},
        "VALUES": {"rsepql/asked for": ("values",), "graphs/body construct": ("VALUES",)},
        "sub-select": {
            "rsepql/shape": ("sub-select",), "rsepql/asked for": ("count", "distinct"),
            "rsepql/event is a sub-select": (True,),
            "graphs/body construct": ("sub-select",),
        },
        "GRAPH": {"rsepql/shape": ("graph",), "graphs/body construct": ("GRAPH",)},
        "GRAPH ?g": {"rsepql/shape": ("graphs",), "graphs/body graph": (Variable("g"),)},
        "nested group": {"graphs/body construct": ("nested group",)},
        "property path": {"graphs/body construct": ("property path",)},
        "blank node in a pattern": {
            "graphs/body triple": [
                each for each in TRIPLE_PATTERNS if isinstance(each.subject, BNode)
            ],
        },
    },
    "clauses": {
        "ASK": {"rsepql/form": ("ask",)}, "CONSTRUCT": {"rsepql/form": ("construct",)},
        "DESCRIBE": {"rsepql/form": ("describe",)},
        **{str(each): {"rsepql/operator": (each.value,)} for each in StreamOperator},
        **{
            str(each): {"rsepql/consuming": (True,), "rsepql/consumption": (each.value,)}
            for each in ConsumptionPolicy if each is not ConsumptionPolicy.UNRESTRICTED
        },
        "dataset": {"rsepql/dataset": ("one", "two", "only named", "stream")},
    },
    "readings": {
        f"{name}={value}": {f"rsepql/{'consumed' if name == 'consumption' else name}": (value,)}
        for name, values in Readings.choices().items() for value in values[1:]
    },
    "streams": {
        "0": {"rsepql/streams may be absent": (True,)},
        "2": {"rsepql/streams": (2,), "rsepql/noisy stream": STREAMS[1:]},
        "3": {"rsepql/noisy stream": STREAMS[2:], "rsepql/dataset": ("stream",)},
    },
    "data": {
        "at": {"rsepql/policy": (None,), "rsepql/policy of nested counts": (None,)},
        **{
            each: {
                "rsepql/policy": (each,), "rsepql/policy of nested counts": (each,),
                "rsepql/evaluated when items come": (True,) if each == POLICIES[0] else (),
            }
            for each in POLICIES
        },
        "empty stream": {"rsepql/streams may be absent": (True,)},
    },
}


_ANY_CONSTRUCTS: Final[Options] = {**NO_BODY_OF_ANY_CONSTRUCTS, "rsepql/form": ("any",)}

RESTRICTIONS: Final = {
    (group, name): all_of((refused, _ANY_CONSTRUCTS)) if group == "patterns" else refused
    for group, by_name in _BY_GROUP.items() for name, refused in by_name.items()
}
"""By a group of capabilities and a name in it: the options that are refused to do without it."""

COLUMNAR: Final[Options] = {
    **ONE_BLOCK,
    "rsepql/shape": ("match",), "rsepql/arrangement": ("any",), "rsepql/selections": (0,),
    "rsepql/sequence": (SequenceOperator.UNRESTRICTED,), "rsepql/consuming": (False,),
    "rsepql/dataset": (None, "one", "two", "only named"),
    "rsepql/event": ("new", "as the next"), "rsepql/event is a sub-select": (False,),
    "rsepql/OF": ("none",), "rsepql/window functions": ("any", "one", "steps apart", "counts"),
    "rsepql/form": (
        "all", "list", "distinct", "count", "ask", "construct", "order",
    ),
    "rsepql/policy": (None, "content-change"),
}
"""The options of queries whose windows and sequences an engine can evaluate by columns."""


VALUE_TABLES = graph_value_tables(
    "rsepql",
    "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 9 STEP 9] WHERE {{ WINDOW :w {{ {} }} }}",
    evaluation={"at": [9]},
)

event_patterns = strategies(event_pattern)
rsepql_cases = strategies(case)
rsepql_queries = strategies(query)
window_functions = strategies(window_function)

__all__ = [
    "COLUMNAR", "RESTRICTIONS", "VALUE_TABLES", "case", "event_patterns", "rsepql_cases",
    "rsepql_queries", "window_functions",
]
