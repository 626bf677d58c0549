"""The answers of a query that groups the solutions of its one MATCH: only groups that change are
made anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....semantics.model.terms import Variable
from ....semantics.model.trees import find
from ....semantics.rdf.syntax.tree import SelectQuery
from ....semantics.rsepql.syntax.tree import StreamOperator
from ...checkpoints.declared import stateful
from ...rdf.data.graphs import IndexedGraph
from ...rdf.data.layout import IdRow, Rows, Step
from ...rdf.variables import is_volatile
from ..patterns import Matched, MatchRows
from .answers import is_linear_inside


@stateful(
    kept=("_solutions", "_answers", "_net"), compiled=("_step", "_default", "_matches", "_places")
)
class GroupedAnswers:
    """Each group is made of the solutions of MATCH that agree on some of its variables.

    `places` are those of these variables, which every solution binds.
    """

    def __init__(
        self, step: Step, default: IndexedGraph, matches: MatchRows, places: Sequence[int]
    ) -> None:
        self._step = step
        self._default = default
        self._matches = matches
        self._places = tuple(places)
        self._solutions: dict[IdRow, dict[IdRow, int]] = {}
        """by group: of each solution how often it is there"""
        self._answers: dict[IdRow, Rows] = {}
        self._net: dict[IdRow, int] = {}

    def update(self) -> None:
        changing: dict[IdRow, None] = {}
        for rows, change in ((self._matches.gained, 1), (self._matches.lost, -1)):
            for row in rows:
                key = tuple(row[place] for place in self._places)
                changing[key] = None
                group = self._solutions.setdefault(key, {})
                count = group.get(row, 0) + change
                if count:
                    group[row] = count
                else:
                    del group[row]
        net: dict[IdRow, int] = {}
        for key in changing:
            for row in self._answers.pop(key, ()):
                net[row] = net.get(row, 0) - 1
            group = self._solutions[key]
            if not group:
                del self._solutions[key]
                continue
            held = [row for row, count in group.items() for _ in range(count)]
            made = self._matches.pretending(held, lambda: self._step(self._default, [()]))
            if made:
                self._answers[key] = made
            for row in made:
                net[row] = net.get(row, 0) + 1
        self._net = net

    def reported(self, operator: StreamOperator) -> Rows:
        match operator:
            case StreamOperator.RSTREAM:
                return [row for made in self._answers.values() for row in made]
            case StreamOperator.ISTREAM:
                return [row for row, change in self._net.items() for _ in range(change)]
            case StreamOperator.DSTREAM:
                return [row for row, change in self._net.items() for _ in range(-change)]

    def ids(self) -> Iterator[int]:
        for group in self._solutions.values():
            for row in group:
                yield from row
        for made in self._answers.values():
            for row in made:
                yield from row
        for row in self._net:
            yield from row


def grouped_places(select: SelectQuery, variables: Sequence[Variable]) -> tuple[int, ...] | None:
    """Where the solutions of MATCH, over these variables, have what the query groups them by;
    None where a group may change though none of its solutions does."""
    modifier, keys = select.modifier, select.modifier.group_by
    if not keys or modifier.order_by or modifier.limit is not None or modifier.offset:
        return None
    if select.distinct or not is_linear_inside(select):
        return None
    computed = [
        each.expression for each in select.projection or () if each.expression is not None
    ]
    if any(map(is_volatile, (*computed, *modifier.having))):
        return None
    (matched,) = find(select, Matched)
    (row,) = matched.rows
    bound = [v for v, sure in zip(matched.variables, row, strict=True) if sure is not None]
    if not all(key in bound for key in keys):
        return None
    return tuple(variables.index(key) for key in keys if isinstance(key, Variable))
