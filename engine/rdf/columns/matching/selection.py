"""Triple patterns against all items of a batch at once, and against graphs that stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .....semantics.model.terms import Variable
from ...data.graphs import IndexedGraph
from ...data.triples import EncodedPattern
from ..batch import Column
from .lasting import Lasting, joined_with, pairs_of
from .predicates import Partition
from .tables import Ids, Table, joined
from .truths import Condition

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
    """As above, in a graph that stays."""
    subject, predicate, obj = pattern.places
    if isinstance(predicate, Variable):
        raise NoPlan
    made: list[tuple[Lasting, dict[Variable, int]]] = []

    def restricted() -> tuple[Lasting, dict[Variable, int]]:
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
            lasting = Lasting([column[rows] for column in lasting.columns], int(rows.sum()))
        return lasting, places

    def step(_: Partition, table: Table) -> Table:
        if not made:
            made.append(restricted())
        return joined_with(table, *made[0])

    return step

