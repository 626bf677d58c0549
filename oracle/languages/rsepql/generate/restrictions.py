"""Restrictions of the drawing functions to what an engine takes.

An engine says what it can do in names (`engines.capabilities`); these are the options that are
refused where it lacks one, so that most of what is generated for it is something that it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rdflib.term import BNode, Variable

from .....semantics.rsepql.syntax.readings import Readings
from .....semantics.rsepql.syntax.settings import POLICIES
from .....semantics.rsepql.syntax.tree import ConsumptionPolicy, SequenceOperator, StreamOperator
from ....inputs.choices import Options, all_of
from ....inputs.graph_patterns import (
    FILTER_KINDS,
    NO_BODY_OF_ANY_CONSTRUCTS,
    ONE_BLOCK,
    TRIPLE_PATTERNS,
)
from ....inputs.graphs import STREAMS

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
