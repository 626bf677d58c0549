"""The events at one instant: GPM expressions, conjunctions and disjunctions as matchers.

At an instant (τ, or (τ, k) under ties=sequence) each stream has at most one graph. An atom answers
with the pairs it has there: each a set of rows and the numbers of the deferred conditions that it
still carries. Patterns are matched lazily: a leaf once an instant, and only when something waits
for it; a conjunction only when every stream that it needs has an item at this instant, its cheaper
operands first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from rdflib.term import URIRef, Variable

from ...semantics.model.terms import Graph
from ...semantics.rdf.syntax.tree import Expression
from ..checkpoints.state_schema import stateful
from .joins import Columns, Condition, EventSolutions, Join, Row, Rows

if TYPE_CHECKING:
    from ..rdf.columns.batch import GraphBatch
    from ..rdf.sequence.program import Integers

Solve = Callable[[Graph], Iterable[Row]]
SolveColumns = Callable[["GraphBatch"], "tuple[Integers, Integers]"]
NO_BINDING = EventSolutions(frozenset({()}))


@stateful()
@dataclass(slots=True)
class Instant:
    """The items of one instant, with what leaves have already answered about them."""

    time: int
    rank: int
    graphs: dict[URIRef, Graph] = field(default_factory=dict)
    answers: dict[int, tuple[EventSolutions, ...]] = field(default_factory=dict)


class LeafMode(Enum):
    """The role of a GPM expression in the sequence."""

    MATCH = ""
    NEGATION = "!"
    OPTIONAL = "?"


class Atom(Protocol):
    """Ψ: what an edge of the automaton waits for."""

    columns: Columns
    """The variables that Ψ may bind, in the order of its rows."""
    certain: frozenset[Variable]
    """Those that every row binds."""
    conditions: frozenset[int]
    """The deferred conditions that a pair of Ψ may still carry."""
    cost: int
    """A rank for lazy evaluation: the number of triple patterns to match."""

    def ready(self, instant: Instant) -> bool:
        """Have the streams that Ψ needs an item at this instant?"""

    def evaluate(self, instant: Instant) -> tuple[EventSolutions, ...]:
        """Return the pairs of Ψ at this instant, given the items that have arrived."""

    def streams(self) -> frozenset[URIRef]:
        """Return the streams that Ψ reads."""


@stateful(
    same=("number", "name", "columns"),
    compiled=("stream", "mode", "certain", "conditions", "cost", "undecided", "solve",
              "solve_columns"),
)
@dataclass(slots=True)
class Leaf:
    """(u, P), (u, P)! or (u, P)? on the stream u (SPAseq Def. 7, Appendix B)."""

    number: int
    name: str
    stream: URIRef
    mode: LeafMode
    columns: Columns
    certain: frozenset[Variable]
    conditions: frozenset[int]
    cost: int
    undecided: bool
    """P has deferred conditions: without context they are errors, and P matches nothing"""
    solve: Solve
    """P's rows over `columns` on a graph, deferred conditions left out"""
    solve_columns: SolveColumns
    """the same on all items of a batch"""

    def ready(self, instant: Instant) -> bool:
        return self.stream in instant.graphs

    def streams(self) -> frozenset[URIRef]:
        return frozenset({self.stream})

    def evaluate(self, instant: Instant) -> tuple[EventSolutions, ...]:
        known = instant.answers.get(self.number)
        if known is None:
            graph = instant.graphs.get(self.stream)
            known = () if graph is None else self.answer(frozenset(self.solve(graph)))
            if self.stream in instant.graphs:
                instant.answers[self.number] = known
        return known

    def answer(self, rows: Rows) -> tuple[EventSolutions, ...]:
        """Return the pairs on an item on which P has these rows."""
        pending = tuple(sorted(self.conditions))
        match = (EventSolutions(rows, pending, frozenset(self.columns)),) if rows else ()
        absent = () if rows and not self.undecided else (self._nothing(),)
        match self.mode:
            case LeafMode.MATCH:
                return match
            case LeafMode.NEGATION:
                return absent
            case LeafMode.OPTIONAL:
                return match + absent

    def _nothing(self) -> EventSolutions:
        if self.mode is LeafMode.OPTIONAL and self.columns:
            return EventSolutions(frozenset({(0,) * len(self.columns)}))
        return NO_BINDING


class Disjoined:
    """Ψ1 | Ψ2 | …: the union of their pairs (Def. 9)."""

    def __init__(self, operands: Sequence[Atom], project: Sequence[Callable[[Row], Row]]) -> None:
        self.operands = tuple(operands)
        self.columns = union_columns(operands)
        self.certain = frozenset.intersection(*(o.certain for o in operands))
        self.conditions = frozenset().union(*(o.conditions for o in operands))
        self.cost = sum(o.cost for o in operands)
        self._project = tuple(project)

    def ready(self, instant: Instant) -> bool:
        return any(operand.ready(instant) for operand in self.operands)

    def streams(self) -> frozenset[URIRef]:
        return frozenset().union(*(o.streams() for o in self.operands))

    def evaluate(self, instant: Instant) -> tuple[EventSolutions, ...]:
        found: dict[EventSolutions, None] = {}
        for operand, project in zip(self.operands, self._project, strict=True):
            if operand.ready(instant):
                for pair in operand.evaluate(instant):
                    rows = frozenset(map(project, pair.rows))
                    found[replace(pair, rows=rows)] = None
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Fold:
    """One join of a conjunction's left fold: with the next operand, then the conditions that are
    due, since every row binds their variables. Where only some rows do, the sequence decides."""

    join: Join
    due: Mapping[int, Condition]


class Conjoined:
    """Ψ1 & Ψ2 & …: the join of pairs of one instant (Def. 8), folded from the left."""

    def __init__(self, operands: Sequence[Atom], folds: Sequence[Fold]) -> None:
        self.operands = tuple(operands)
        self.columns = folds[-1].join.merged
        self.certain = frozenset().union(*(o.certain for o in operands))
        due = frozenset().union(*(fold.due for fold in folds))
        self.conditions = frozenset().union(*(o.conditions for o in operands)) - due
        self.cost = sum(o.cost for o in operands)
        self._folds = tuple(folds)
        self._cheapest_first = sorted(self.operands, key=lambda operand: operand.cost)

    def ready(self, instant: Instant) -> bool:
        return all(operand.ready(instant) for operand in self.operands)

    def streams(self) -> frozenset[URIRef]:
        return frozenset().union(*(o.streams() for o in self.operands))

    def evaluate(self, instant: Instant) -> tuple[EventSolutions, ...]:
        if not all(operand.evaluate(instant) for operand in self._cheapest_first):
            return ()
        pairs: Iterable[EventSolutions] = self.operands[0].evaluate(instant)
        for fold, operand in zip(self._folds, self.operands[1:], strict=True):
            pairs = _fold(pairs, operand.evaluate(instant), fold)
        return tuple(pairs)


def _fold(
    lefts: Iterable[EventSolutions], rights: Iterable[EventSolutions], fold: Fold
) -> list[EventSolutions]:
    found: dict[EventSolutions, None] = {}
    for left in lefts:
        for right in rights:
            pending = sorted({*left.pending, *right.pending})
            due = tuple(number for number in pending if number in fold.due)
            rows = fold.join.rows(left.rows, EventSolutions(right.rows, due), fold.due)
            if rows:
                left_over = tuple(number for number in pending if number not in fold.due)
                found[EventSolutions(rows, left_over, left.bindable | right.bindable)] = None
    return list(found)


def union_columns(operands: Sequence[Atom]) -> Columns:
    """Return every variable of the operands, each once, in the order of first mention."""
    return tuple(dict.fromkeys(column for operand in operands for column in operand.columns))


@dataclass(frozen=True, slots=True)
class Deferred:
    """A FILTER conjunct that its GPM cannot decide alone."""

    expression: Expression
    variables: frozenset[Variable]
    owner: str
    """The GPM's name."""
