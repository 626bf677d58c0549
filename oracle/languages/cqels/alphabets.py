"""Alphabets of CQELS-CEP: restrictions of the drawing functions, forms of patterns, graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from rdflib.term import Variable

from ....semantics.model.items import TimeKind
from ....semantics.model.stream_operator import StreamOperator
from ...inputs.choices import COIN, Options
from ...inputs.graphs import BACKGROUNDS, STREAMS
from ..enumerated_graphs import GAPS, NOTHING, STEPS, GraphAlphabet

_PLAIN: Final[Options] = {
    "cqels/time": (TimeKind.INTEGER,), "cqels/operator": (None,), "cqels/output": (False,),
    "cqels/construct": (False,), "cqels/triples of a template": (1,),
    "cqels/subject of a template": (Variable("x"),),
    "cqels/object of a template": (Variable("x"), Variable("y")),
    "cqels/shape": ("pattern", "in one", "over windows", "joined windows"),
    "cqels/operators of joined windows": (1,), "cqels/filtered sequence": (False,),
    "cqels/stream": STREAMS[:1], "cqels/width": (1,), "cqels/slide": (2,),
    "cqels/triples": (1, 2), "cqels/widths": ("any",), "cqels/clauses": ("as they are used",),
    "cqels/beside": (), "cqels/bind": ("copy",), "cqels/copied": (Variable("x"),),
    "cqels/condition of OPTIONAL": (False,), "cqels/graph": (BACKGROUNDS[0], Variable("g")),
    "cqels/select": (False,), "cqels/dataset": (((), ()),),
}
"""Sequences and two joined windows, without clauses."""

_ACROSS: Final[Options] = {"cqels/shape": ("pattern", "over windows", "joined windows")}
_THINGS: Final = tuple(f"?x :{letter} ?{letter.lower()}" for letter in "ABCDE")
_NODES: Final = tuple(f"{node} {letter} o" for letter in "ABCDE" for node in "ab")

Background: TypeAlias = Mapping[str, str | tuple[tuple[int, str], ...]]
"""Graphs by their names: fixed, or by the instants at which they change."""


@dataclass(frozen=True)
class CqelsAlphabet(GraphAlphabet):
    """The patterns of windows, and the graphs of streams.

    Each pattern has a form that is in use or the first unused one. A stream has the graphs with the
    predicates of its patterns, and NOTHING. `elsewhere`: items come on a stream that no query
    names. `lasting`: items of at most so many windows may last. `functions` are windows, of which
    "wide" is [ALL] or, if bounds have a width, [RANGE N]; `gap` is the greatest between two items,
    by default one more than what windows can tell. `beside` are background triples, `conditions`
    those of filters, `backgrounds` the graphs beside the streams.
    """

    elsewhere: bool = False
    lasting: int = 0
    functions: tuple[str, ...] = ("wide",)
    gap: int | None = None
    beside: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    backgrounds: tuple[Background, ...] = ({},)

    def allowed(self, *, wide: bool) -> Options:
        """The whole restriction."""
        usual = "range" if wide else "all"
        functions = (usual if each == "wide" else each for each in self.functions)
        written = {
            "cqels/form of a pattern": self.forms, "cqels/form of a background": self.beside,
            "cqels/form of a condition": self.conditions, "cqels/window": tuple(functions),
        }
        return {**_PLAIN, **{name: each for name, each in written.items() if each}, **self.more}


def _knows(node: str) -> str:
    return f"{node} K k . k L {node}"


_D, _E = ((each,) for each in BACKGROUNDS)

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        CqelsAlphabet(STEPS.name, STEPS.summary),
        CqelsAlphabet(GAPS.name, GAPS.summary),
        CqelsAlphabet(
            "windows",
            "in CQELS-CEP: every window is [RANGE N], [RANGE N SLIDE N+1] (or as --slide says), "
            "[NOW] or [ALL], N being 1 unless --within says more; windows over one stream or two",
            {**_ACROSS, "cqels/stream": STREAMS[:2]},
            graphs=(*(f"s {letter} o" for letter in "ABCDE"), NOTHING), elsewhere=True,
            functions=("range", "slide", "now", "all"),
        ),
        CqelsAlphabet(
            "counts",
            "in CQELS-CEP: every window is [TRIPLES 1], [TRIPLES 2] or as in steps; items have one "
            "triple or two",
            graphs=(
                *(f"s {letter} o" for letter in "ABCDE"), NOTHING,
                *(f"s {one} o . s {other} o" for other in "BCDE" for one in "ABCD" if one < other),
                *(f"s {letter} o . {NOTHING}" for letter in "ABCDE"),
            ),
            functions=("triples", "wide"),
        ),
        CqelsAlphabet(
            "leaving",
            "in CQELS-CEP: every window is [ALL] or [RANGE N], and a stream operator is an "
            "operator; items of two windows may last",
            {**_ACROSS, "cqels/operator": (None, *StreamOperator)},
            graphs=tuple(f"s {letter} o" for letter in "ABCDE"), lasting=2,
            functions=("all", "range"), gap=1,
        ),
        CqelsAlphabet(
            "variables",
            "in CQELS-CEP: as steps, and patterns share variables or not, ?x :A ?y, ?x :B ?b; two "
            "nodes",
            forms=("?x :A ?y", *_THINGS[1:]), alike=True,
            graphs=(*(f"{s} A {o}" for s in "ab" for o in "ab"), *_NODES[2:]),
        ),
        CqelsAlphabet(
            "clauses",
            "in CQELS-CEP: windows in groups, and FILTER of a comparison of variables, at the end "
            "or in OPTIONAL, BIND, and CONSTRUCT, each at the end an operator; two nodes",
            {
                "cqels/shape": ("pattern", "joined windows"),
                "cqels/operators of joined windows": (1, 2), "cqels/construct": COIN,
                "cqels/beside": ("filter", "bind"), "cqels/condition of OPTIONAL": COIN,
            },
            forms=_THINGS, graphs=_NODES, alike=True, conditions=("?x = ?y", "?x != ?y"),
        ),
        CqelsAlphabet(
            "background",
            "in CQELS-CEP: windows are [ALL] or [RANGE N], beside two background graphs, fixed "
            "ones or such that change while items come; FROM, FROM NAMED and GRAPH; what stands "
            "beside the first window is an operator",
            {
                "cqels/shape": ("pattern", "background"), "cqels/beside": (
                    "background", "optional", "minus", "union of windows", "graph",
                    "optional window",
                ),
                "cqels/dataset": (
                    ((), ()), (_D, ()), ((*_D, *_E), ()), ((), _D), (_D, _E),
                ),
            },
            graphs=(*_NODES, NOTHING), functions=("all", "range"), gap=1,
            beside=("?s :K ?k", "?s :K ?k . ?k :L ?l"),
            backgrounds=tuple(
                {"g1": one, "g2": other} for one, other in (
                    (_knows("a"), _knows("b")), (_knows("a"), NOTHING),
                    (((2, _knows("a")),), _knows("b")),
                    (((1, _knows("a")), (2, _knows("b"))), _knows("a")),
                    (((1, _knows("a")), (3, f"{_knows('a')} . {_knows('b')}")),
                     ((2, _knows("b")),)),
                )
            ),
        ),
    )
}
