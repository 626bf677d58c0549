"""NFAscep: states, and edges that wait for an atom (SPAseq Def. 17), as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rdflib.term import URIRef, Variable

from ...semantics.spaseq.syntax import tree as syntax
from ...semantics.spaseq.syntax.readings import Readings
from ..checkpoints.state_schema import stateful
from .atoms import Atom, Deferred, Leaf
from .joins import Blocks, Columns, Condition, Join, Row

if TYPE_CHECKING:
    from collections.abc import Callable

START = 0


@stateful(
    same=("number", "source", "target", "key_columns", "carried_columns"),
    compiled=(
        "operator", "atom", "tree", "loop", "passed", "joining", "carrying", "joining_conditions",
        "carrying_conditions", "joining_absences", "carrying_absences", "to_key", "to_carried",
    ),
)
@dataclass(slots=True)
class Edge:
    """source --(operator, Ψ)--> target: what a partial match in `source` waits for."""

    number: int
    source: int
    target: int
    operator: syntax.Operator
    atom: Atom
    tree: syntax.Atom
    loop: bool
    """a further iteration of a Kleene plus"""
    passed: tuple[int, ...]
    """the leaves whose negation this edge passes by (negation=absence)"""
    key_columns: Columns = ()
    """the variables of a partial match that decide how it may go on"""
    carried_columns: Columns = ()
    """those and the variables that the answer shows"""
    joining: Join = field(init=False)
    """the join over `key_columns`: decides which matches exist"""
    carrying: Join = field(init=False)
    """the join over `carried_columns`: builds the answer's rows"""
    joining_conditions: Mapping[int, Condition] = field(default_factory=dict)
    carrying_conditions: Mapping[int, Condition] = field(default_factory=dict)
    joining_absences: tuple[Blocks, ...] = ()
    carrying_absences: tuple[Blocks, ...] = ()
    to_key: Callable[[Row], Row] = field(init=False)
    """from a row over the source's key columns to one over the edge's"""
    to_carried: Callable[[Row], Row] = field(init=False)

    @property
    def initial(self) -> bool:
        return self.source == START

    @property
    def forgets_how(self) -> bool:
        """The answer shows nothing of the past that the key columns do not: no past is needed."""
        return self.carried_columns == self.key_columns


@dataclass(slots=True)
class State:
    """x: a point between two atoms. `kleene` says that it loops."""

    number: int
    variables: frozenset[Variable] = frozenset()
    certain: frozenset[Variable] = frozenset()
    key_columns: Columns = ()
    carried_columns: Columns = ()
    lists: frozenset[Variable] = frozenset()
    """those that may hold the list of a collected variable"""
    kleene: bool = False
    outgoing: list[Edge] = field(default_factory=list)


@stateful(
    parts=("edges", "leaves"), same=("select",),
    compiled=("query", "readings", "states", "answers", "deferred"),
)
@dataclass(slots=True)
class Automaton:
    """A = ⟨X, E, Θ, φ, x0, xf⟩."""

    query: syntax.SpaseqQuery
    readings: Readings
    states: list[State]
    edges: list[Edge]
    answers: dict[int, Callable[[Row], Row]]
    """The final states: from a row over the state's carried columns to one over `select`. The paper
    has one; where a Kleene plus depends on whether an option was there, there may be several."""
    leaves: list[Leaf]
    deferred: list[Deferred]
    select: Columns

    def waited_for(self) -> dict[URIRef, list[Edge]]:
        """Return the edges by the stream that they read: those that its items may use."""
        index: dict[URIRef, list[Edge]] = {}
        for edge in self.edges:
            for stream in sorted(edge.atom.streams()):
                index.setdefault(stream, []).append(edge)
        return index
