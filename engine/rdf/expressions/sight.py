"""How expressions see rows: which columns, which injected values, which active graph."""

from __future__ import annotations

from dataclasses import dataclass

from ....semantics.rdf.syntax.tree import Expression
from ..conditions import condition_with
from ..data.graphs import EMPTY, IndexedGraph
from .compile import ExpressionCompiler, Row, TruthOf


class ActiveGraph:
    """Where EXISTS in an expression finds the graph that is active while a step runs."""

    __slots__ = ("graph",)

    def __init__(self) -> None:
        self.graph: IndexedGraph = EMPTY


@dataclass(frozen=True, slots=True)
class Sight:
    """How expressions see rows.

    `compiler` compiles them; `active` must be told the active graph before they are evaluated;
    `uncertain` are columns that may be unbound, each with the column of its injected value.
    """

    compiler: ExpressionCompiler
    active: ActiveGraph
    uncertain: tuple[tuple[int, int], ...]

    def completed(self, row: Row) -> Row:
        """The row with injected values where it binds nothing itself."""
        if not self.uncertain:
            return row
        values = list(row)
        for column, source in self.uncertain:
            values[column] = values[column] or values[source]
        return values

    def condition(self, expression: Expression) -> TruthOf:
        """The condition, errors being false."""
        holds = condition_with(expression, self.compiler)
        if not self.uncertain:
            return holds
        return lambda row: holds(self.completed(row))
