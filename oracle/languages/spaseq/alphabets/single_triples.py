"""Alphabets in which a GPM's body is one triple pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product

from .event_graphs import NOTHING_TO_MATCH, Content, Names, Triple

_NODES = "abcdefghijklm"


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The bodies of GPMs and the graphs of events.

    A triple is a number for its subject and one for its object. A GPM's body is one triple pattern
    with the predicate :p. Its subject is a variable, shared with other GPMs or not; its object is
    the constant :o, a variable of the GPM's own (`values` > 0), or a variable like the subject
    (`edges`). A filter compares a variable that its GPM introduces with one of an earlier GPM, by
    `comparison`; a query has at most `filters` of them.
    """

    name: str
    summary: str
    streams: int = 2
    nodes: int = 2
    values: int = 0
    edges: bool = False
    most_triples: int = 2
    comparison: str = "!="
    filters: int = 1

    @property
    def slots(self) -> int:
        """How many variables of a GPM's body may be shared."""
        return 2 if self.edges else 1

    @property
    def triples(self) -> tuple[Triple, ...]:
        """Every triple that an event's graph may have."""
        objects = self.nodes if self.edges else max(self.values, 1)
        return tuple(product(range(self.nodes), range(objects)))

    @property
    def contents(self) -> tuple[Content, ...]:
        """Every graph that an event may have, the smallest first."""
        some = (
            chosen
            for size in range(1, self.most_triples + 1)
            for chosen in combinations(self.triples, size)
        )
        return (NOTHING_TO_MATCH, *some)

    def names(self, content: Content) -> Names:
        """The triples of a graph."""
        return tuple((_NODES[s], "p", self._object(o)) for s, o in content)

    def _object(self, number: int) -> str:
        if self.values:
            return str(number + 1)
        return _NODES[number] if self.edges else "o"

    @property
    def ordered(self) -> bool:
        """Whether a filter sees the order of values, not only which are equal."""
        return self.comparison == "<"

    def renamings(
        self, used: frozenset[Triple], *, ordered: bool
    ) -> Iterator[dict[Triple, Triple]]:
        """The renamings of the constants in `used` that a query cannot tell apart.

        If the query is `ordered`, the values become the least ones that are in the same order.
        """
        if self.edges:
            for nodes in permutations(range(self.nodes)):
                yield {(s, o): (nodes[s], nodes[o]) for s, o in used}
            return
        values = sorted({o for _, o in used})
        ranks = [range(len(values))] if ordered else permutations(range(max(self.values, 1)))
        for rank in map(tuple, ranks):
            image = dict(zip(values, rank, strict=False))
            for nodes in permutations(range(self.nodes)):
                yield {(s, o): (nodes[s], image[o]) for s, o in used}


KEYS = Alphabet(
    "keys",
    "bodies {?x :p :o}, variables shared or not, at most one FILTER (?x != ?y) on an earlier GPM; "
    "graphs of one or two nodes, or of none that matches; two streams",
    most_triples=2,
)
VALUES = Alphabet(
    "values",
    "bodies {?x :p ?v}, ?x shared or not, ?v the GPM's own, at most one FILTER (?v < ?w) on an "
    "earlier GPM; graphs of up to two triples over two nodes and the values 1 and 2; two streams",
    values=2, comparison="<",
)
EDGES = Alphabet(
    "edges",
    "bodies {?x :p ?y}, all variables shared or not, at most one FILTER (?x != ?y) on an earlier "
    "GPM; graphs of up to two edges between two nodes; two streams",
    edges=True,
)
SINGLE = Alphabet(
    "single",
    "as keys, on one stream",
    streams=1,
)
