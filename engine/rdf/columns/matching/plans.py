"""The plan of a graph pattern over all items of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .....semantics.model.terms import URIRef, Variable
from .....semantics.model.trees import has
from .....semantics.rdf.syntax.tree import (
    Element,
    Exists,
    Expression,
    GroupGraphPattern,
    TriplesBlock,
)
from ...data.dictionary import Dictionary
from ...data.graphs import IndexedGraph
from ...data.layout import Layout
from ...extension import decided
from ...variables import certain, possible
from ..batch import Column, GraphBatch, Matched
from .planning import Planning
from .predicates import partition
from .selection import NoPlan, TableStep
from .tables import Table


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """A pattern's steps over the tables of a batch."""

    step: TableStep
    columns: tuple[Variable, ...]

    def match(self, batch: GraphBatch) -> Matched:
        """As `Matcher.match_columns`."""
        table = self._table(batch)
        counts = np.bincount(table.item, minlength=len(batch))
        rows = np.empty((len(table), len(self.columns)), np.int64)
        for number, variable in enumerate(self.columns):
            rows[:, number] = table.column(variable)
        return np.concatenate(([0], np.cumsum(counts))), rows

    def items(self, batch: GraphBatch) -> Column:
        """The numbers of the items with a solution, rising."""
        return np.unique(self._table(batch).item)

    def _table(self, batch: GraphBatch) -> Table:
        parts = partition(batch)
        return self.step(parts, Table(parts.items, {}, trivial=True))


def compile_plan(
    elements: Iterable[Element],
    conditions: Iterable[Expression],
    columns: tuple[Variable, ...],
    dictionary: Dictionary,
    named: Mapping[URIRef, IndexedGraph],
) -> ColumnPlan | None:
    """The plan of a group that is taken apart already, for rows over `columns`; None: no plan."""
    try:
        step, _ = Planning(dictionary, named, None).elements(
            list(elements), list(conditions), Layout()
        )
    except NoPlan:
        return None
    return ColumnPlan(step, columns)


def compile_candidates(
    elements: Sequence[Element], conditions: Iterable[Expression], dictionary: Dictionary
) -> ColumnPlan | None:
    """A plan that has solutions on every item on which the group has, and on few others.

    It asks for the group's own triples, paths left out, and for what its filters say of them: every
    solution extends one of these. None if there are none.
    """
    triples = tuple(
        triple for element in elements if isinstance(element, TriplesBlock)
        for triple in element.triples if isinstance(triple.predicate, URIRef | Variable)
    )
    if not triples:
        return None
    block = TriplesBlock(triples)
    scope = frozenset(possible(GroupGraphPattern(tuple(elements))))
    bound = Layout((), certain(block))
    told = [
        each for each in conditions if decided(each, scope, bound) and not has(each, Exists)
    ]
    return compile_plan([block], told, (), dictionary, {})
