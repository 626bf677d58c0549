"""The syntax tree of SPAseq queries (SPAseq Def. 4, Appendix B).

    SeqExp ::= Atom | SeqExp (',' | ';' | ':') Atom
    Atom   ::= Primary | Primary '+' | GPM '!' | GPM '?'
    Primary::= GPM | '(' BOp ')'
    BOp    ::= Operand ('&' Operand)+ | Operand ('|' Operand)+
    Operand::= GPM | GPM '!' | GPM '?' | '(' BOp ')'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ...model.errors import Position, position_field
from ...model.pretty_printing import ParsedQuery
from ...rdf.syntax.tree import GroupGraphPattern, Prologue
from .results import Pair


class Operator(StrEnum):
    """The event selection strategies of section 4.2.2."""

    STRICT = ","
    NEXT = ";"
    ANY = ":"


@dataclass(frozen=True, slots=True)
class Reference:
    """A GPM expression, by its name."""

    name: str
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Negation:
    """(u, P)!"""

    operand: Reference


@dataclass(frozen=True, slots=True)
class OptionalEvent:
    """(u, P)?"""

    operand: Reference


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Ψ1 & Ψ2 & …; at least two operands"""

    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Ψ1 | Ψ2 | …; at least two operands"""

    operands: tuple[Operand, ...]


Operand: TypeAlias = Reference | Negation | OptionalEvent | Conjunction | Disjunction


@dataclass(frozen=True, slots=True)
class KleenePlus:
    """P+; the operand is a GPM or a parenthesised conjunction or disjunction."""

    operand: Reference | Conjunction | Disjunction


Atom: TypeAlias = Operand | KleenePlus


@dataclass(frozen=True, slots=True)
class Step:
    """• Ψ: an operator and the atom on its right"""

    operator: Operator
    atom: Atom


@dataclass(frozen=True, slots=True)
class SequenceExpression:
    """Ψ0 •1 Ψ1 •2 Ψ2 …, all operators left-associative"""

    first: Atom
    steps: tuple[Step, ...] = ()


class WithinUnit(StrEnum):
    """In what a window is measured."""

    INTEGER = "integer"  # a bare number, on integer streams
    MICROSECONDS = "microseconds"  # a duration, on dateTime streams
    EVENTS = "events"  # a number of items


@dataclass(frozen=True, slots=True)
class Extent:
    """ω (or SLIDE's β): a positive number of `unit`s; a duration is kept in microseconds"""

    value: int
    unit: WithinUnit
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class StreamClause:
    """FROM STREAM name <iri>"""

    name: str
    iri: URIRef
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Definition:
    """DEFINE GPM name ON stream { pattern }: (u, P); (u, P) Graph (v, P_D) is a GRAPH inside P."""

    name: str
    stream: str
    pattern: GroupGraphPattern
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class SpaseqQuery(ParsedQuery[Pair, frozenset[Pair]]):
    """Q = (V, ω, SeqExp), with the streams and GPM expressions that it names.

    `select` is None for SELECT *.
    """

    select: tuple[Variable, ...] | None
    within: Extent
    streams: tuple[StreamClause, ...]
    sequence: SequenceExpression
    definitions: tuple[Definition, ...]
    slide: Extent | None = None
    prologue: Prologue = field(default=Prologue(), compare=False)
    select_positions: tuple[Position, ...] = field(default=(), compare=False, repr=False)

    def definition(self, name: str) -> Definition:
        """Return the GPM of this name; the parser has checked that there is one."""
        return next(d for d in self.definitions if d.name == name)

    def stream_iri(self, name: str) -> URIRef:
        """Return the IRI behind a stream name; the parser has checked that there is one."""
        return next(s.iri for s in self.streams if s.name == name)
