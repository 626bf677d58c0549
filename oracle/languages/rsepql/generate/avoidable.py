"""Which options of the generator lead to what an engine may be unable to do.

An engine says what it can do in names (`engines.capabilities`); for one that it lacks these
options are not chosen, so that most of what is generated for it is something that it takes.
"""

from __future__ import annotations

from rdflib.term import BNode, Variable

from .....semantics.rsepql.syntax.readings import Readings
from .....semantics.rsepql.syntax.settings import POLICIES
from .....semantics.rsepql.syntax.tree import ConsumptionPolicy, SequenceOperator, StreamOperator
from ....fuzzing.strategies.choices import Names, avoidable
from ....fuzzing.strategies.graph_patterns import FILTER_KINDS, TRIPLE_PATTERNS
from ....fuzzing.strategies.vocabulary import STREAMS

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
_COUNTING = ("count", "count of", "of count")
_BY_GROUP: Names = {
    "operators": {
        **{
            str(each): {"rsepql/sequence": (each,), "rsepql/arrangement": _ARRANGED.get(each, ())}
            for each in SequenceOperator
        },
        **{
            each: {
                "rsepql/selecting": (each,), "rsepql/selecting of all": (each,),
                "rsepql/arrangement": ("choice before another",),
            }
            for each in ("FIRST", "LAST")
        },
    },
    "windows": {
        "RANGE": {
            "rsepql/window": ("time",), "rsepql/nested window": ("time",),
            "rsepql/window in a count": ("time",), "rsepql/window beside a count": ("time",),
            "rsepql/window functions": ("steps apart",), "rsepql/widened": (True,),
        },
        "FROM": {
            "rsepql/window": ("landmark",), "rsepql/nested window": ("landmark",),
            "rsepql/window in a count": ("landmark",),
            "rsepql/window beside a count": ("landmark",),
        },
        "BETWEEN": {
            "rsepql/window": ("interval",), "rsepql/nested window": ("interval",),
            "rsepql/window in a count": ("interval",),
            "rsepql/window beside a count": ("interval",),
        },
        "ALL": {"rsepql/window": ("identity",)},
        "ELEMENTS": {
            "rsepql/window": _COUNTING, "rsepql/nested window": ("count",),
            "rsepql/window beside a count": ("count",), "rsepql/window functions": ("counts",),
        },
        "OF": {"rsepql/window": ("nested", "count of", "of count")},
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
            "rsepql/asked for": ("optional", "union"), "graphs/body construct": ("_optional",),
        },
        "UNION": {
            "rsepql/shape": ("union", "union of matches"),
            "rsepql/asked for": ("union", "either"), "graphs/body construct": ("_union",),
        },
        "MINUS": {
            "rsepql/shape": ("minus",), "rsepql/asked for": ("minus",),
            "graphs/body construct": ("_minus",),
        },
        "EXISTS": {
            "rsepql/shape": ("exists",), "rsepql/asked for": ("exists",),
            "graphs/body construct": ("_exists",),
        },
        "FILTER": {
            "rsepql/shape": ("exists",), "rsepql/asked for": ("exists",),
            "rsepql/condition on what is asked for": (True,), "rsepql/filtered": (True,),
            "rsepql/optional part": ("on a condition",), "graphs/body construct": ("_exists",),
            "graphs/body optional": ("filtered",),
            "graphs/body filters": [kinds for kinds in FILTER_KINDS if kinds],
        },
        "BIND": {"rsepql/asked for": ("bind",), "graphs/body construct": ("_bind",)},
        "VALUES": {"rsepql/asked for": ("values",), "graphs/body construct": ("_values",)},
        "sub-select": {
            "rsepql/shape": ("sub-select",), "rsepql/asked for": ("count", "distinct"),
            "rsepql/event is a sub-select": (True,),
            "graphs/body construct": ("_sub_select",),
        },
        "GRAPH": {"rsepql/shape": ("graph",), "graphs/body construct": ("_graph",)},
        "GRAPH ?g": {"rsepql/shape": ("graphs",), "graphs/body graph": (Variable("g"),)},
        "nested group": {"graphs/body construct": ("_nested_group",)},
        "property path": {"graphs/body construct": ("_path",)},
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


OPTIONS = avoidable(_BY_GROUP)
"""By the group and the name that an engine may lack: options of the generator's decisions."""
