"""Restrictions of the drawing functions to what an engine takes.

An engine says what it can do in names (`engines.capabilities`); these are the options that are
refused where it lacks one, so that most of what is generated for it is something that it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .....semantics.ceql.syntax.tree import ComparisonOperator, Consumption, Strategy
from ....inputs.choices import Options

_ORDERS = tuple(each for each in ComparisonOperator if each not in ("=", "!="))
_BY_GROUP: Final[Mapping[str, Mapping[str, Options]]] = {
    "operators": {
        ";": {"ceql/formula": (";",), "ceql/word": ("rivals",)}, ":": {"ceql/formula": (":",)},
        "OR": {"ceql/formula": ("OR",), "ceql/word": ("rivals",)},
        "+": {"ceql/formula": ("+",), "ceql/likeness": ("+",), "ceql/event of a rival": ("+",)},
        ":+": {"ceql/formula": (":+",)},
        "AS": {
            "ceql/formula": ("AS",), "ceql/likeness": ("AS",), "ceql/event of a rival": ("AS",),
        },
        "FILTER": {"ceql/formula": ("FILTER",), "ceql/likeness": ("FILTER",)},
        "NOT": {"ceql/formula": ("NOT",)}, "SELECT in a formula": {"ceql/formula": ("SELECT",)},
        "S>R": {"ceql/stream told": (True,)},
    },
    "conditions": {
        "θ AND θ": {"ceql/condition": ("and",)}, "θ OR θ": {"ceql/condition": ("or",)},
        "NOT θ": {"ceql/condition": ("not",)},
        "θ on what is bound outside": {"ceql/bound outside": (True,)},
    },
    "predicates": {
        "P AND P": {"ceql/predicate": ("and",)}, "P OR P": {"ceql/predicate": ("or",)},
        "NOT P": {"ceql/predicate": ("not",)},
        "LIKE": {"ceql/predicate without operators": ("like",)},
        "IN": {"ceql/predicate without operators": ("in",)},
        "NOT IN": {"ceql/NOT IN": (True,)}, "interval": {"ceql/interval": (True,)},
        "IN RANGE": {
            "ceql/predicate": ("calculated in a range",),
            "ceql/predicate without operators": ("range",),
        },
        "TRUE, FALSE": {"ceql/predicate without operators": ("boolean",)},
        "arithmetic": {
            "ceql/predicate": ("calculated", "calculated in a range"),
            "ceql/operand": ("large", "minus"),
        },
        "order of strings": {"ceql/comparison of strings": _ORDERS},
        "comparison of terms": {
            "ceql/left side": (False,), "ceql/operand": ("attribute",),
        },
    },
    "strategies": {
        "SELECT ANY": {"ceql/several results are right": (True,)},
        **{
            f"SELECT {each}": {"ceql/strategy": (each,)}
            for each in Strategy if each not in ("ALL", "ANY")
        },
    },
    "windows": {
        "no WITHIN": {"ceql/within": ("none",)}, "WITHIN time": {"ceql/within": ("time",)},
        "WITHIN events": {"ceql/within": ("events",)},
        "WITHIN attribute": {"ceql/within": ("t", "another attribute")},
    },
    "clauses": {
        "projection": {"ceql/select": ("some",)}, "SELECT NONE": {"ceql/select": ("some",)},
        "PARTITION BY": {"ceql/partitioned": (True,)},
        "several lists": {"ceql/partition": ((("k",), ("b",)),)},
        "LIMIT": {"ceql/several results are right": (True,)},
        "several streams": {"ceql/streams": (2,)},
        **{
            f"CONSUME BY {each}": {"ceql/consume": (each,)}
            for each in Consumption if each != "NONE"
        },
    },
    "readings": {
        "output=valuation": {"ceql/output": ("valuation",)},
        "within=core": {"ceql/how within is read": ("core",)},
        "strategy=after-within": {"ceql/when strategies choose": ("after-within",)},
        "partition=core": {"ceql/how partitions are read": ("core",)},
        "limit=query": {"ceql/what is limited": ("query",)},
    },
    "streams": {"2": {"ceql/streams": (2,), "ceql/streams without FROM": (2,)}},
    "data": {
        "missing attribute": {"ceql/lacking": ("seldom", "often")},
        "comparison of different types": {
            "ceql/attribute": ("s",), "ceql/attribute of LIKE": ("n",),
            "ceql/attribute in numbers": ("s",),
            "ceql/types in another stream": ("text", "boolean", "text and double"),
        },
        "attribute that no tuple has": {"ceql/attribute": ("nowhere",)},
    },
}

RESTRICTIONS: Final = {
    (group, name): refused
    for group, by_name in _BY_GROUP.items() for name, refused in by_name.items()
}
"""By a group of capabilities and a name in it: the options that are refused to do without it."""
