"""The syntax tree of CQELS-CEP queries (CQELS-CEP, section 3.1).

    Query   ::= (REGISTER R2S :out AS)? Form (FROM [NAMED] g | FROM NAMED WINDOW w ON s [window])*
                WHERE { … }
    Form    ::= SELECT … | CONSTRUCT { … }
    R2S     ::= RSTREAM | ISTREAM | DSTREAM
    window  ::= RANGE T (SLIDE β | TUMBLING)? | NOW | ALL | TRIPLES n
    W       ::= WINDOW w { TSP }
    TSP     ::= P | SEQ(P1, …, !Pi, …, Pn)
    EC      ::= W | SEQ(w1, …, !wi, …, wn)

The WHERE clause is a SPARQL group, of which W and EC are further elements. Paths are SPARQL's with
the nested tests and the axes of nSPARQL (`semantics.rdf.syntax`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ...model.errors import Position, position_field
from ...model.interval_solutions import IntervalResult
from ...model.items import TimeKind
from ...model.pretty_printing import ParsedQuery
from ...model.stream_operator import StreamOperator
from ...rdf.syntax.tree import (
    EmbeddedPattern,
    Filter,
    GroupGraphPattern,
    Projection,
    Prologue,
    TriplePattern,
)
from ...rdf.syntax.variables import in_scope

# --- window expressions ω (section 4.1) ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time: an integer on integer streams, microseconds on dateTime streams."""

    value: int
    kind: TimeKind = TimeKind.INTEGER
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class RangeWindow:
    """[RANGE T], the last T; with SLIDE β it moves on every β (TUMBLING: every T)"""

    width: Span
    slide: Span | None = None


@dataclass(frozen=True, slots=True)
class NowWindow:
    """[NOW], what holds at t: [RANGE 0]"""


@dataclass(frozen=True, slots=True)
class AllWindow:
    """[ALL], everything up to t"""


@dataclass(frozen=True, slots=True)
class TriplesWindow:
    """[TRIPLES n], the latest items, as many as hold at most n triples together"""

    size: int


WindowFunction: TypeAlias = RangeWindow | NowWindow | AllWindow | TriplesWindow


@dataclass(frozen=True, slots=True)
class WindowClause:
    """FROM NAMED WINDOW name ON stream [ω]: s and ω of W = (s, ω, TSP)."""

    name: URIRef
    stream: URIRef
    function: WindowFunction
    position: Position = position_field()


# --- triple sequence patterns and event clauses (sections 3.1 and 3.2) ---------------------------


@dataclass(frozen=True, slots=True)
class PatternElement:
    """{ P }, or !{ P }, in a sequence inside one window"""

    pattern: GroupGraphPattern
    negated: bool = False
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class TripleSequence:
    """SEQ(P1, …, !Pi, …, Pn); the filters that follow it see what it binds."""

    elements: tuple[PatternElement, ...]
    filters: tuple[Filter, ...] = ()


TripleSequencePattern: TypeAlias = GroupGraphPattern | TripleSequence


@dataclass(frozen=True, slots=True)
class WindowPattern(EmbeddedPattern):
    """WINDOW name { TSP }; an event clause, unless a sequence of its group names it."""

    name: URIRef
    body: TripleSequencePattern
    position: Position = position_field()

    def variables(self) -> tuple[Variable, ...]:
        return body_variables(self.body)

    def groups(self) -> tuple[GroupGraphPattern, ...]:
        if isinstance(self.body, GroupGraphPattern):
            return (self.body,)
        conditions = (GroupGraphPattern(self.body.filters),) if self.body.filters else ()
        return (*(element.pattern for element in self.body.elements), *conditions)


def body_variables(body: TripleSequencePattern) -> tuple[Variable, ...]:
    """Return the variables that a solution of the pattern may bind; negated parts bind none."""
    groups = (
        (body,) if isinstance(body, GroupGraphPattern)
        else [element.pattern for element in body.elements if not element.negated]
    )
    return tuple(dict.fromkeys(variable for group in groups for variable in in_scope(group)))


@dataclass(frozen=True, slots=True)
class WindowElement:
    """:w, or !:w, in a sequence over windows"""

    name: URIRef
    negated: bool = False
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class WindowSequence(EmbeddedPattern):
    """SEQ(w1, …, !wi, …, wn); each name has a WINDOW block in the same group."""

    elements: tuple[WindowElement, ...]
    position: Position = position_field()

    def variables(self) -> tuple[Variable, ...]:
        return ()  # they are those of its WINDOW blocks

    def groups(self) -> tuple[GroupGraphPattern, ...]:
        return ()


# --- queries (section 3.2) -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CqelsQuery(ParsedQuery[IntervalResult, frozenset[IntervalResult]]):
    """Q = (V, P, D, EC): `select` is V, None for *; D is `default` and `named`; P and EC are in
    `where`.

    Of CONSTRUCT V is the variables of the `template`. `operator` is None where the query names
    none, `output` is the name that REGISTER gives.
    """

    select: tuple[Projection, ...] | None
    windows: tuple[WindowClause, ...]
    where: GroupGraphPattern
    default: tuple[URIRef, ...] = ()
    named: tuple[URIRef, ...] = ()
    distinct: bool = False
    prologue: Prologue = field(default=Prologue(), compare=False)
    template: tuple[TriplePattern, ...] | None = None
    operator: StreamOperator | None = None
    output: URIRef | None = None

    def window(self, name: URIRef) -> WindowClause:
        """Return the window of this name; the parser has checked that there is one."""
        return next(window for window in self.windows if window.name == name)
