"""Alphabets in which a GPM's body is a graph pattern of one of several forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from .event_graphs import NOTHING_TO_MATCH, Content, Names, Triple


@dataclass(frozen=True, slots=True)
class Form:
    """A body with so many of the variables ?x, ?y and ?z, which become those of a query.

    If they are `apart`, the last one is none of the others: a condition asks for it that the body
    does not bind. It may be that of an earlier GPM, of a later one, or of none. `ordered` says that
    the order of values is seen. A variable ?g remains what it is.
    """

    text: str
    variables: int
    apart: bool = False
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class FormAlphabet:
    """Bodies are `plain`, but for some of each query, which have one of the forms `others`: at most
    as many as `most` says for one GPM, for two, …, and at last for all greater numbers.

    `graphs` are those of the events; a triple is written by the names of its terms. `background`
    has graphs by their names. If `selects`, a query of plain bodies may select any one of its
    variables instead of all. If `sequences`, there is no & and no |.
    """

    name: str
    summary: str
    plain: Form
    others: tuple[Form, ...]
    graphs: tuple[str, ...]
    background: tuple[tuple[str, str], ...] = ()
    most: tuple[int, ...] = (1, 2)
    selects: bool = False
    sequences: bool = False
    streams: int = 1

    @property
    def contents(self) -> tuple[Content, ...]:
        """Every graph that an event may have, that of no triple first."""
        return (NOTHING_TO_MATCH, *map(triples_of, self.graphs))

    @property
    def triples(self) -> tuple[Triple, ...]:
        """Every triple that an event's graph may have."""
        return tuple(sorted({triple for content in self.contents for triple in content}))

    def names(self, content: Content) -> Names:
        """The triples of a graph, which is what they are here."""
        return tuple((s, p, o) for s, p, o in content)

    def renamings(
        self, used: frozenset[Triple], *, ordered: bool
    ) -> Iterator[dict[Triple, Triple]]:
        """The renamings of a, b and of values that a query cannot tell apart.

        What a background says of a and b is not the same; they remain what they are there.
        """
        nodes = [("a", "b")] if self.background else [*permutations(("a", "b"))]
        values = sorted({name for triple in used for name in triple if name.isdigit()})
        images = ["12"] if ordered else ["12", "21"]
        for a, b in nodes:
            for image in images:
                named = {"a": a, "b": b, **dict(zip(values, image, strict=False))}
                yield {
                    triple: tuple(named.get(name, name) for name in triple) for triple in used
                }


def triples_of(text: str) -> Content:
    """The triples of a text, ascending."""
    return tuple(sorted(tuple(triple.split()) for triple in text.split(" . ")))


_NODES = ("a p o", "b p o")

JOINS = FormAlphabet(
    "joins",
    "bodies {?x :p ?y} or, in queries of up to two GPMs, {?x :p ?y . ?y :p ?z}, variables shared "
    "or not; graphs of up to two edges between two nodes, or of none that matches; one stream",
    Form("?x :p ?y", 2),
    (Form("?x :p ?y . ?y :p ?z", 3),),
    (
        "a p a", "a p b", "b p a", "b p b", "a p a . a p b", "a p a . b p a", "a p a . b p b",
        "a p b . b p a", "a p b . b p b", "b p a . b p b",
    ),
    most=(1, 2, 0),
)
OPTIONALS = FormAlphabet(
    "optionals",
    "bodies {?x :p :o}, of up to three GPMs at most two with OPTIONAL {?y :q :o}, UNION {?y :p :o} "
    "or a FILTER (?x != ?y) on another GPM, variables shared or not; graphs of one node, with :q "
    "of one or of none, or of none that matches; one stream",
    Form("?x :p :o", 1),
    (
        Form("?x :p :o OPTIONAL { ?y :q :o }", 2),
        Form("{ ?x :p :o } UNION { ?y :p :o }", 2),
        Form("?x :p :o FILTER (?x != ?y)", 2, apart=True),
    ),
    (*_NODES, *(f"{x} . {y} q o" for x in _NODES for y in "ab")),
    most=(1, 2, 2, 0),
)
FILTERS = FormAlphabet(
    "filters",
    "bodies {:s :p ?x}, variables shared or not, or FILTER EXISTS {:s :p ?g}, and FILTERs "
    "?x < ?y, ?x >= ?y, ?x != ?y, ?x = ?y + 1 and !BOUND(?y) on another GPM, at most two (one of "
    "three GPMs); graphs of the values 1 and 2, or of none that matches; one stream",
    Form(":s :p ?x", 1),
    (
        Form("FILTER EXISTS { :s :p ?g }", 0),
        Form(":s :p ?x FILTER (?x < ?y)", 2, apart=True, ordered=True),
        Form(":s :p ?x FILTER (?x >= ?y)", 2, apart=True, ordered=True),
        Form(":s :p ?x FILTER (?x != ?y)", 2, apart=True),
        Form(":s :p ?x FILTER (?x = ?y + 1)", 2, apart=True, ordered=True),
        Form(":s :p ?x FILTER (!BOUND(?y))", 2, apart=True),
    ),
    ("s p 1", "s p 2", "s p 1 . s p 2"),
    most=(1, 2, 1, 0),
)
BACKGROUND = FormAlphabet(
    "background",
    "bodies {?x :p :o}, at most two others (one of three GPMs) with GRAPH :k {?x :q ?y}, with the "
    "same in an OPTIONAL, or with GRAPH ?g {?x :q ?y}, variables shared or not; two background "
    "graphs; graphs of one or two nodes, or of none that matches; one stream",
    Form("?x :p :o", 1),
    (
        Form("?x :p :o GRAPH :k { ?x :q ?y }", 2),
        Form("?x :p :o OPTIONAL { GRAPH :k { ?x :q ?y } }", 2),
        Form("?x :p :o GRAPH ?g { ?x :q ?y }", 2),
    ),
    (*_NODES, "a p o . b p o"),
    background=(("k", "a q b"), ("l", "a q a . b q a")),
    most=(1, 2, 1, 0),
)
SEQUENCES = FormAlphabet(
    "sequences",
    "bodies {?x :p :o}, variables shared or not, in sequences without & and |; with one FILTER "
    "(?x != ?y) on another GPM (of up to three), or SELECT of one variable; graphs of one node, or "
    "of none that matches; one stream",
    Form("?x :p :o", 1),
    (Form("?x :p :o FILTER (?x != ?y)", 2, apart=True),),
    _NODES,
    most=(1, 1, 1, 0), selects=True, sequences=True,
)
