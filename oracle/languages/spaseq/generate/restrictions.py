"""Restrictions of the drawing functions to what an engine takes.

An engine says what it can do in names (`engines.capabilities`); these are the options that are
refused where it lacks one, so that most of what is generated for it is something that it takes.
Variables are few, so that GPMs share them and events of streams meet: neither can be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rdflib.term import BNode, Variable

from .....semantics.spaseq.syntax.tree import Operator, WithinUnit
from ....inputs.choices import Options, all_of
from ....inputs.graph_patterns import FILTER_KINDS, NO_BODY_OF_ANY_CONSTRUCTS, TRIPLE_PATTERNS
from ....inputs.graphs import BACKGROUNDS, STREAMS, THINGS
from .cases import UNNAMED


def _atoms(*kinds: str) -> Options:
    """Return these kinds, wherever an atom of a sequence or an operand may be one."""
    inner = tuple(kind for kind in kinds if "plus" not in kind)
    return {
        "spaseq/first atom": kinds, "spaseq/atom": kinds,
        **({"spaseq/operand of and": inner, "spaseq/operand of or": inner} if inner else {}),
    }


_PLUS: Final = ("plus", "plus or", "plus and")
_DEFERRED = tuple(kinds for kinds in FILTER_KINDS if "deferred" in kinds)
_LOCAL = tuple(kinds for kinds in FILTER_KINDS if "local" in kinds)

_BY_GROUP: Final[Mapping[str, Mapping[str, Options]]] = {
    "operators": {
        **{each: {"spaseq/operator": (each,)} for each in Operator},
        "+": _atoms(*_PLUS),
        "+ first": {"spaseq/first atom": _PLUS},
        "+ after an operand": {"spaseq/atom": _PLUS},
        "+ on a BOp": _atoms("plus or", "plus and"),
        "&": _atoms("and", "plus and"),
        "|": _atoms("or", "plus or"),
        "!": {**_atoms("not"), "spaseq/inside": ("negated",)},
        "?": _atoms("optional"),
        "nested BOp": {f"spaseq/operand of {kind}": ("and", "or") for kind in ("and", "or")},
    },
    "patterns": {
        "OPTIONAL": {"graphs/body construct": ("OPTIONAL",)},
        "UNION": {"graphs/body construct": ("UNION",)},
        "nested group": {"graphs/body construct": ("nested group",)},
        "MINUS": {"graphs/body construct": ("MINUS",)},
        "GRAPH": {"graphs/body construct": ("GRAPH",)},
        "GRAPH ?g": {"graphs/body graph": (Variable("g"), THINGS[1])},
        "BIND": {"graphs/body construct": ("BIND",)},
        "VALUES": {"graphs/body construct": ("VALUES",)},
        "property path": {"graphs/body construct": ("property path",)},
        "sub-select": {"graphs/body construct": ("sub-select",)},
        "EXISTS": {"graphs/body construct": ("EXISTS",)},
        "FILTER": {
            "graphs/body construct": ("EXISTS",), "graphs/body optional": ("filtered",),
            "graphs/body filters": {*_LOCAL, *_DEFERRED},
        },
        "blank node in a pattern": {
            "graphs/body triple": [
                each for each in TRIPLE_PATTERNS
                if isinstance(each.subject, BNode) or isinstance(each.object, BNode)
            ],
        },
    },
    "filters": {
        "local filter": {
            "graphs/body construct": ("EXISTS",), "graphs/body filters": _LOCAL,
        },
        "deferred filter": {"graphs/body filters": _DEFERRED},
    },
    "windows": {
        "WITHIN EVENTS": {"spaseq/unit": (WithinUnit.EVENTS,)},
        "dateTime": {"spaseq/unit": (WithinUnit.MICROSECONDS,)},
        "SLIDE": {"spaseq/slide": (1, 2, 3, 4)},
    },
    "clauses": {"SELECT list": {"spaseq/select": (True,)}},
    "readings": {
        "ties=merge": {"spaseq/ties": ("merge",)},
        "ties=sequence": {"spaseq/ties": ("sequence",)},
        "kleene=join": {"spaseq/kleene": ("join",)},
        "kleene=collect": {"spaseq/kleene": ("collect",)},
        "window=match": {"spaseq/window": ("match",)},
        "window=tumbling-half-open": {"spaseq/window": ("tumbling-half-open",)},
        "window=sliding": {"spaseq/windows that slide": ("sliding",)},
        "negation=absence": {"spaseq/negation": ("absence",)},
        "entailment=rdfs": {"spaseq/entailment": ("rdfs",)},
        "body=paper": {"spaseq/body": ("paper",)},
        "answers=union": {"spaseq/answers": ("union",)},
    },
    "streams": {
        "2": {"spaseq/streams": (2, 3), "spaseq/stream of noise": (UNNAMED,)},
        "3": {"spaseq/streams": (3,), "spaseq/stream of noise": (UNNAMED,)},
    },
    "data": {
        "unnamed stream": {"spaseq/stream of noise": (UNNAMED,)},
        "absent stream": {"spaseq/absent stream": STREAMS},
        "background graph": {
            "spaseq/unasked background": BACKGROUNDS, "graphs/body construct": ("GRAPH",),
            **NO_BODY_OF_ANY_CONSTRUCTS,
        },
        "start": {"spaseq/start": (0, -1, 1, 2)},
    },
}

RESTRICTIONS: Final = {
    (group, name): (
        all_of((refused, NO_BODY_OF_ANY_CONSTRUCTS)) if group in ("patterns", "filters")
        else refused
    )
    for group, by_name in _BY_GROUP.items() for name, refused in by_name.items()
}
"""By a group of capabilities and a name in it: the options that are refused to do without it."""
