"""WINDOW w { basic graph pattern }, by what the snapshot gains and loses.

A solution is new iff it rests on a new triple, and lost iff it rests on a lost one. So each triple
is tried as each triple pattern when it enters and when it leaves, and the rest of the pattern is
matched from there. Where much changes at once, the pattern is matched anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ....semantics.model.terms import BNode, Literal, URIRef, Variable
from ....semantics.model.trees import has
from ....semantics.rdf.syntax.tree import (
    Exists,
    Filter,
    GroupGraphPattern,
    TriplePattern,
    TriplesBlock,
)
from ...checkpoints.state_schema import stateful
from ...rdf.basic_graph_patterns import BlockCompiler
from ...rdf.conditions import compile_condition
from ...rdf.data.dictionary import Dictionary
from ...rdf.data.graphs import EncodedTriple
from ...rdf.data.layout import IdRow, Layout, Rows, Step, in_order, rearrange
from ...rdf.variables import expression_variables, is_volatile, possible
from ...tuning import IN_USE
from ..patterns import EventMapping, MatchRows
from .snapshots import Snapshot

"""A change that is one in so many triples is worth a new beginning."""


@stateful(
    kept=("_known", "_gained", "_lost", "_anew"), parts=("snapshot", "rows"), same=("variables",),
    compiled=("_blocks", "_whole", "_arranged", "_seeds", "_conditions"),
)
class SnapshotPattern:
    """The solutions of triple patterns and filters on a snapshot, over `variables`."""

    def __init__(
        self, pattern: GroupGraphPattern, snapshot: Snapshot, dictionary: Dictionary
    ) -> None:
        self.snapshot = snapshot
        self.variables = possible(pattern)
        self.rows = MatchRows()
        self._known: set[IdRow] = set()
        self._gained: set[IdRow] = set()
        self._lost: set[IdRow] = set()
        self._anew = True
        self._blocks = BlockCompiler(dictionary)
        triples = [
            triple
            for element in pattern.elements
            if isinstance(element, TriplesBlock)
            for triple in element.triples
        ]
        self._whole, whole = self._compiled(triples, Layout())
        self._arranged = rearrange(whole, self.variables)
        self._seeds = [
            _Seed(
                triple,
                dictionary,
                lambda layout, n=n: self._compiled(  # type: ignore[misc]
                    triples[:n] + triples[n + 1 :], layout
                ),
                self.variables,
            )
            for n, triple in enumerate(triples)
        ]
        self._conditions = [
            compile_condition(element.condition, self.variables, dictionary)
            for element in pattern.elements
            if isinstance(element, Filter)
        ]

    def change(self, fresh: list[EncodedTriple], lost: list[EncodedTriple]) -> None:
        """Apply a snapshot's change: it has gained the fresh triples, and will lose the others."""
        if (len(fresh) + len(lost)) * IN_USE.anew > len(self.snapshot):
            self._anew = True
        if self._anew:
            return
        removed = set(self._resting_on(lost))
        for row in self._resting_on(fresh):
            if row not in removed and row not in self._known:
                self._known.add(row)
                if row in self._lost:
                    self._lost.remove(row)
                else:
                    self._gained.add(row)
        for row in removed:
            if row in self._known:
                self._known.remove(row)
                if row in self._gained:
                    self._gained.remove(row)
                else:
                    self._lost.add(row)

    def update(self) -> None:
        """Update to the snapshot at an evaluation time."""
        gained, lost = self._gained, self._lost
        if self._anew:
            before = (self._known - gained) | lost
            self._known = set(self._filtered(self._arranged(self._whole(self.snapshot, [()]))))
            gained, lost = self._known - before, before - self._known
        self._gained, self._lost, self._anew = set(), set(), False
        self.rows.change(map(_event, gained), map(_event, lost))

    def _resting_on(self, triples: Iterable[EncodedTriple]) -> Iterator[IdRow]:
        for triple in triples:
            for seed in self._seeds:
                yield from self._filtered(seed.solutions(triple, self.snapshot))

    def _filtered(self, rows: Rows) -> Rows:
        for holds in self._conditions:
            rows = [row for row in rows if holds(row)]
        return rows

    def _compiled(
        self, triples: list[TriplePattern], layout: Layout
    ) -> tuple[Step, Layout]:
        steps = []
        for step, after in self._blocks.steps(tuple(triples), layout):
            steps.append(step)
            layout = after
        return in_order(steps), layout


class _Seed:
    """One triple pattern, from whose match the others are matched."""

    def __init__(
        self,
        triple: TriplePattern,
        dictionary: Dictionary,
        compiled: Callable[[Layout], tuple[Step, Layout]],
        variables: tuple[Variable, ...],
    ) -> None:
        places = (triple.subject, triple.predicate, triple.object)
        columns = tuple(dict.fromkeys(each for each in places if isinstance(each, Variable)))
        self._constants = [
            (at, dictionary.encode(each, permanent=True))
            for at, each in enumerate(places)
            if isinstance(each, (URIRef, Literal))
        ]
        self._picks = [places.index(each) for each in columns]
        self._equal = [
            (at, places.index(each))
            for at, each in enumerate(places)
            if isinstance(each, Variable) and places.index(each) != at
        ]
        self._columns = columns
        self._compiled = compiled
        self._variables = variables
        self._rest: Step | None = None
        self._arranged: Callable[[Rows], Rows]

    def solutions(self, triple: EncodedTriple, snapshot: Snapshot) -> Rows:
        """Return the solutions in which the pattern is this triple."""
        for at, constant in self._constants:
            if triple[at] != constant:
                return []
        for at, other in self._equal:
            if triple[at] != triple[other]:
                return []
        if self._rest is None:  # of many patterns few meet a triple that changes
            layout = Layout(self._columns, frozenset(self._columns))
            self._rest, layout = self._compiled(layout)
            self._arranged = rearrange(layout, self._variables)
        row = tuple([triple[pick] for pick in self._picks])
        return self._arranged(self._rest(snapshot, [row]))


def can_be_kept(pattern: GroupGraphPattern) -> bool:
    """Return True if the pattern consists of triple patterns and of filters on their variables."""
    own = frozenset(possible(pattern))
    found = False
    for element in pattern.elements:
        match element:
            case TriplesBlock(triples):
                found = True
                if not all(_is_simple(triple) for triple in triples):
                    return False
            case Filter(condition):
                if (
                    has(condition, Exists)
                    or is_volatile(condition)
                    or not expression_variables(condition) <= own
                ):
                    return False
            case _:
                return False
    return found


def _is_simple(triple: TriplePattern) -> bool:
    places = (triple.subject, triple.object)
    return isinstance(triple.predicate, (URIRef, Variable)) and not any(
        isinstance(each, BNode) for each in places
    )


def _event(row: IdRow) -> EventMapping:
    return row, 0, 0
