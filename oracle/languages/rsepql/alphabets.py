"""Alphabets of RSEP-QL: restrictions of the drawing functions, forms of bodies, graphs of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ....semantics.model.items import TimeKind
from ....semantics.rsepql.syntax.tree import Bounds, ConsumptionPolicy, StreamOperator
from ...inputs.choices import COIN, Options
from ..enumerated_graphs import GAPS, LETTERS, NOTHING, STEPS, GraphAlphabet

_PLAIN: Final[Options] = {
    "rsepql/time": (TimeKind.INTEGER,), "rsepql/streams": (1,), "rsepql/windows asked": (1,),
    "rsepql/shape": ("match",), "operators of a window": (0,), "rsepql/arrangement": ("any",),
    "rsepql/windows": ("in order",), "rsepql/window asked": (0,), "rsepql/window": ("time",),
    "rsepql/width": (2,), "rsepql/step": (None,), "rsepql/start": (0,),
    "rsepql/bounds": (Bounds.OPEN_CLOSED,), "rsepql/elements": (1,), "rsepql/every": (1,),
    "rsepql/landmark": (0,), "begin of BETWEEN": (1,), "length of BETWEEN": (2,),
    "rsepql/window functions": ("any",), "rsepql/from window": (False,),
    "rsepql/consuming": (False,), "rsepql/consumption": (ConsumptionPolicy.CHRONOLOGICAL,),
    "rsepql/operator": (StreamOperator.RSTREAM,), "rsepql/form": ("all",), "rsepql/listed": (1,),
    "rsepql/counted": ("by group",), "rsepql/filtered": (False,), "rsepql/dataset": (None,),
    "rsepql/policy": (None,),
}
"""An event pattern over one window, without clauses, evaluated when the content changes."""

@dataclass(frozen=True)
class RsepqlAlphabet(GraphAlphabet):
    """The bodies of EVENT and WINDOW, and the graphs of streams.

    `instants`: queries name instants. `background` has graphs by their names.
    """

    instants: bool = False
    background: tuple[tuple[str, str], ...] = ()

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        return {**_PLAIN, "rsepql/form of a body": self.forms, **self.more}


_POLICIES: Final = (None, "window-close", "non-empty-content", "periodic")
_CONSUMING: Final[Options] = {"rsepql/consuming": COIN}
_ONE: Final = "?x :A ?a"

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        RsepqlAlphabet(STEPS.name, STEPS.summary, _CONSUMING),
        RsepqlAlphabet(GAPS.name, GAPS.summary, _CONSUMING),
        RsepqlAlphabet(
            "window-functions",
            "in RSEP-QL: one pattern over every window function and OF, with stream operators, "
            "report policies and a projection; windows are N wide (--within N; 2)",
            {
                "rsepql/shape": ("window", "match", "default alone"), "rsepql/events": (1,),
                "operators of a match": (0,), "operators of a window": range(10),
                "rsepql/window": ("time", "landmark", "interval", "identity", "count"),
                "rsepql/step": (None, 2), "rsepql/start": (0, 1), "rsepql/bounds": tuple(Bounds),
                "rsepql/elements": (1, 2), "rsepql/every": (1, 2), "rsepql/landmark": (1,),
                "rsepql/operator": tuple(StreamOperator), "rsepql/form": ("all", "list"),
                "rsepql/policy": _POLICIES,
            },
            ("?s :A ?a",), ("s A a", "s A b", NOTHING), alike=True, instants=True,
        ),
        RsepqlAlphabet(
            "two-windows",
            "in RSEP-QL: two windows, on one stream or on two, joined or in sequence, with report "
            "policies and CONSUME; each is N or N + 1 wide (--within N; 2)",
            {
                "rsepql/streams": (1, 2), "rsepql/windows asked": (2,),
                "rsepql/shape": (
                    "window window", "variable", "match window", "match match", "match",
                ),
                "rsepql/width": (2, 3), "rsepql/policy": _POLICIES, **_CONSUMING,
            },
            LETTERS[:2], ("a A o", "b A o", "a B o", "b B o", NOTHING), alike=True,
        ),
        RsepqlAlphabet(
            "event-joins",
            "in RSEP-QL: event patterns whose parts share variables or do not, have constants and "
            "two triples, in a window that is N wide (--within N; 2)",
            {
                "rsepql/operator": tuple(StreamOperator), "rsepql/form": ("all", "list"),
                **_CONSUMING, "rsepql/consumption": (
                    ConsumptionPolicy.CHRONOLOGICAL, ConsumptionPolicy.RECENT,
                ),
            },
            (_ONE, "?x :B ?b", ":a :A ?a", "?x :A ?a . ?x :B ?b", "?x :A ?a . ?other :B ?b"),
            (
                *(f"{node} {graph}" for node in "ab" for graph in ("A o", "B o")),
                "a A o . a B o", "b A o . b B o", NOTHING,
            ),
        ),
        RsepqlAlphabet(
            "group-patterns",
            "in RSEP-QL: OPTIONAL, MINUS, UNION, FILTER and GRAPH over windows, events and "
            "datasets, and the query forms, in a window that is N wide (--within N; 2)",
            {
                "rsepql/shape": ("match", "window"),
                "rsepql/form": ("all", "ask", "construct", "count"),
                "rsepql/dataset": (None, "two", "stream"),
            },
            (
                _ONE, "?x :A ?x", "?x :A ?a . ?x :B ?b", "{ ?x :A ?a } UNION { ?x :B ?b }",
                *(f"?x :A ?a {more}" for more in (
                    "OPTIONAL { ?x :B ?c }", "OPTIONAL { ?x :B ?b FILTER(?b != ?c) }",
                    "MINUS { ?x :B ?c }", "FILTER NOT EXISTS { ?x :B ?b }",
                    "FILTER EXISTS { ?x :B ?b }", "FILTER(?a = :o)",
                    "FILTER(?a != :o || ?c = :o)", "OPTIONAL { ?x :B ?c } FILTER(?c = ?a)",
                    "OPTIONAL { ?x :B ?c } FILTER(!bound(?c))", "GRAPH :g1 { ?x :K ?k }",
                    "GRAPH ?g { ?x :K ?k }", "GRAPH :s3 { ?x ?p ?c }",
                )),
            ),
            ("a A o", "a A b", "a B o", "a B b", "a A o . a B o", "b A b", "b A o . b A b . b B a"),
            others=1, background=(("g1", "a K o"), ("g2", "b K o")),
        ),
    )
}
