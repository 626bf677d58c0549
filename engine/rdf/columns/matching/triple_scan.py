"""Triple patterns over a whole batch, and the partition of its triples by predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from .....semantics.model.terms import Variable
from ...data.graphs import IndexedGraph
from ...data.triples import EncodedPattern
from ..batch import Column, GraphBatch
from .filter_conditions import Condition
from .tables import Ids, StaticTable, Table, joined, joined_with, pairs_of


class Part(NamedTuple):
    """Some triples of a batch: those of one item stand together, the items rise."""

    item: Column
    subject: Column
    object: Column


class Partition:
    """The triples of a batch by predicate."""

    def __init__(self, batch: GraphBatch) -> None:
        sizes = np.diff(batch.offsets)
        self.longest = int(sizes.max(initial=0))
        """The maximum number of triples of an item."""
        self.items: Column = np.arange(len(batch))
        """The numbers of the items."""
        self.all = Part(np.repeat(self.items, sizes), batch.subject, batch.object)
        self.predicate = batch.predicate
        """Of all."""
        self._parts: dict[int, Part] = {}

    def having(self, predicate: int) -> Part:
        """Return the triples with the predicate."""
        found = self._parts.get(predicate)
        if found is None:
            which = np.flatnonzero(self.predicate == predicate)
            found = self._parts[predicate] = Part(*(column[which] for column in self.all))
        return found

    def items_with(self, predicates: Iterable[int]) -> Column:
        """Return the rising numbers of the items that have triples with all these predicates."""
        left = np.ones(len(self.items), np.bool_)
        for predicate in predicates:
            present = np.zeros(len(self.items), np.bool_)
            present[self.having(predicate).item] = True
            left &= present
        return np.flatnonzero(left)


_KNOWN: Final[WeakKeyDictionary[GraphBatch, Partition]] = WeakKeyDictionary()


def partition(batch: GraphBatch) -> Partition:
    """Return the batch's partition, which is made once."""
    found = _KNOWN.get(batch)
    if found is None:
        found = _KNOWN[batch] = Partition(batch)
    return found


TableStep = Callable[[Partition, Table], Table]
"""One operator: extends, filters or joins the rows of a batch."""


class NoPlan(Exception):
    """The pattern has none."""


def item_triples(pattern: EncodedPattern, own: Sequence[Condition]) -> TableStep:
    predicate = pattern.predicate

    def step(parts: Partition, table: Table) -> Table:
        part = parts.all if isinstance(predicate, Variable) else parts.having(predicate)
        columns = (part.subject, parts.predicate, part.object)
        ids: dict[Variable, Column] = {}
        tests = []
        for at, (place, column) in enumerate(zip(pattern.places, columns, strict=True)):
            if not isinstance(place, Variable):
                if at != 1:  # which predicate is told already
                    tests.append(column == place)
            elif place in ids:
                tests.append(column == ids[place])
            else:
                ids[place] = column
        found = Table(part.item, ids)
        if tests:
            found = found.picked(np.flatnonzero(np.logical_and.reduce(tests)))
        for holds in own:
            found = found.picked(holds(found))
        return joined(table, found, parts.longest)

    return step


def graph_triples(
    graph: IndexedGraph, pattern: EncodedPattern, own: Sequence[Condition]
) -> TableStep:
    """Return the step as above, in a permanent graph."""
    subject, predicate, obj = pattern.places
    if isinstance(predicate, Variable):
        raise NoPlan
    made: list[tuple[StaticTable, dict[Variable, int]]] = []

    def restricted() -> tuple[StaticTable, dict[Variable, int]]:
        lasting = pairs_of(graph, predicate)
        for place, term in enumerate((subject, obj)):
            if not isinstance(term, Variable):
                lasting = lasting.restricted(place, term)
        if subject == obj and isinstance(subject, Variable):
            lasting = lasting.agreeing(0, 1)
        places = {
            term: place for place, term in enumerate((subject, obj)) if isinstance(term, Variable)
        }
        for holds in own:
            ids: Ids = {name: lasting.columns[place] for name, place in places.items()}
            rows = holds(Table(lasting.columns[0], ids))
            lasting = StaticTable([column[rows] for column in lasting.columns], int(rows.sum()))
        return lasting, places

    def step(_: Partition, table: Table) -> Table:
        if not made:
            made.append(restricted())
        return joined_with(table, *made[0])

    return step
