"""Alphabets of SPAseq: restrictions of the drawing functions, forms of bodies, graphs of events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from ....semantics.spaseq.syntax.tree import WithinUnit
from ...inputs.choices import Options

_PLAIN: Final[Options] = {
    "spaseq/inside": ("anything",), "spaseq/mentions": (False,),
    # As & and | are n-ary, an operand of one is never the same one again.
    "spaseq/operand of and": ("not", "optional", "or"),
    "spaseq/operand of or": ("not", "optional", "and"),
    "spaseq/streams": (1,), "spaseq/stream of a GPM": ("first unused",),
    "spaseq/clauses": ("used",), "spaseq/select": (False,), "most variables selected": (1,),
    "spaseq/unit": (WithinUnit.INTEGER,), "spaseq/width": (10,), "spaseq/slide": (None,),
}


@dataclass(frozen=True)
class GraphAlphabet:
    """The bodies of GPMs, and the graphs of events.

    `forms` are bodies, the plain one first; a query has at most as many others as `most` says for
    one GPM, for two, …, and at last for all greater numbers; `inputs.forms.filled` says what their
    variables are. `graphs` are triples by the names of their terms. `background` has graphs by
    their names. `more` replaces entries of the plain table.
    """

    name: str
    summary: str
    forms: tuple[str, ...]
    graphs: tuple[str, ...]
    most: tuple[int, ...] = (1,)
    background: tuple[tuple[str, str], ...] = ()
    more: Options = field(default_factory=dict)

    @property
    def allowed(self) -> Options:
        """The whole restriction."""
        return {**_PLAIN, "spaseq/form": self.forms, **self.more}

    @property
    def streams(self) -> int:
        """The number of streams that events come on."""
        return max(int(str(count)) for count in self.allowed["spaseq/streams"])


def _up_to_two(*triples: str) -> tuple[str, ...]:
    pairs: Sequence[str] = [" . ".join(pair) for pair in combinations(triples, 2)]
    return (*triples, *pairs)


_NODES = ("a p o", "b p o")
_EDGES = _up_to_two("a p a", "a p b", "b p a", "b p b")
_KEYS = ("?x :p :o", "?new :p :o FILTER (?new != ?earlier)")
_APART = "?x :p :o FILTER (?x != ?other)"
_TWO: Final[Options] = {"spaseq/streams": (2,)}

ALPHABETS = {
    alphabet.name: alphabet
    for alphabet in (
        GraphAlphabet(
            "keys",
            "bodies {?x :p :o}, variables shared or not, at most one FILTER (?x != ?y) on an "
            "earlier GPM; graphs of one or two nodes, or of none that matches; two streams",
            _KEYS, _up_to_two(*_NODES), more=_TWO,
        ),
        GraphAlphabet(
            "values",
            "bodies {?x :p ?v}, ?x shared or not, ?v the GPM's own, at most one FILTER (?v < ?w) "
            "on an earlier GPM; graphs of up to two triples over two nodes and the values 1 and 2; "
            "two streams",
            ("?x :p ?value", "?x :p ?value FILTER (?value < ?less)"),
            _up_to_two("a p 1", "a p 2", "b p 1", "b p 2"), more=_TWO,
        ),
        GraphAlphabet(
            "edges",
            "bodies {?x :p ?y}, all variables shared or not, at most one FILTER (?x != ?y) on an "
            "earlier GPM; graphs of up to two edges between two nodes; two streams",
            (
                "?x :p ?y", "?new :p ?x FILTER (?new != ?earlier)",
                "?x :p ?new FILTER (?new != ?earlier)",
            ),
            _EDGES, more=_TWO,
        ),
        GraphAlphabet("single", "as keys, on one stream", _KEYS, _up_to_two(*_NODES)),
        GraphAlphabet(
            "joins",
            "bodies {?x :p ?y} or, in queries of up to two GPMs, {?x :p ?y . ?y :p ?z}, variables "
            "shared or not; graphs of up to two edges between two nodes, or of none that matches; "
            "one stream",
            ("?x :p ?y", "?x :p ?y . ?y :p ?z"), _EDGES, (1, 2, 0),
        ),
        GraphAlphabet(
            "optionals",
            "bodies {?x :p :o}, of up to three GPMs at most two with OPTIONAL {?y :q :o}, UNION "
            "{?y :p :o} or a FILTER (?x != ?y) on another GPM, variables shared or not; graphs of "
            "one node, with :q of one or of none, or of none that matches; one stream",
            (
                "?x :p :o", "?x :p :o OPTIONAL { ?y :q :o }", "{ ?x :p :o } UNION { ?y :p :o }",
                _APART,
            ),
            (*_NODES, *(f"{node} . {other} q o" for node in _NODES for other in "ab")),
            (1, 2, 2, 0),
        ),
        GraphAlphabet(
            "filters",
            "bodies {:s :p ?x}, variables shared or not, or FILTER EXISTS {:s :p ?g}, and FILTERs "
            "?x < ?y, ?x >= ?y, ?x != ?y, ?x = ?y + 1 and !BOUND(?y) on another GPM, at most two "
            "(one of three GPMs); graphs of the values 1 and 2, or of none that matches; one "
            "stream",
            (
                ":s :p ?x", "FILTER EXISTS { :s :p ?g }",
                *(f":s :p ?x FILTER ({condition})" for condition in (
                    "?x < ?other", "?x >= ?other", "?x != ?other", "?x = ?other + 1",
                    "!BOUND(?other)",
                )),
            ),
            _up_to_two("s p 1", "s p 2"), (1, 2, 1, 0),
        ),
        GraphAlphabet(
            "background",
            "bodies {?x :p :o}, at most two others (one of three GPMs) with GRAPH :k {?x :q ?y}, "
            "with the same in an OPTIONAL, or with GRAPH ?g {?x :q ?y}, variables shared or not; "
            "two background graphs; graphs of one or two nodes, or of none that matches; one "
            "stream",
            (
                "?x :p :o", "?x :p :o GRAPH :k { ?x :q ?y }",
                "?x :p :o OPTIONAL { GRAPH :k { ?x :q ?y } }", "?x :p :o GRAPH ?g { ?x :q ?y }",
            ),
            _up_to_two(*_NODES), (1, 2, 1, 0),
            background=(("k", "a q b"), ("l", "a q a . b q a")),
        ),
        GraphAlphabet(
            "sequences",
            "bodies {?x :p :o}, variables shared or not, in sequences without & and |; with one "
            "FILTER (?x != ?y) on another GPM (of up to three), or SELECT of one variable; graphs "
            "of one node, or of none that matches; one stream",
            ("?x :p :o", _APART), _NODES, (1, 1, 1, 0),
            more={
                "spaseq/operators of an atom": (0, 1), "spaseq/select": (False, True),
                "spaseq/first atom": ("plus", "not", "optional"),
                "spaseq/atom": ("plus", "not", "optional"),
            },
        ),
    )
}
