"""The syntax tree of EP-SPARQL (Anicic et al., section 4.1): SPARQL 1.1's and four operators.

    Query   ::= Rule* Form?                         at least one of them
    Form    ::= SELECT …, ASK … or DESCRIBE …       as in SPARQL 1.1
    Rule    ::= CONSTRUCT template WHERE Group
    Group   ::= as in SPARQL 1.1, where beside Group UNION Group there are
                Group SEQ Group, Group EQUALS Group, Group OPTIONALSEQ Group,
                Group EQUALSOPTIONAL Group          all left-associative, with UNION's precedence

getDURATION(), getSTARTTIME() and getENDTIME() are built-in functions without arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from rdflib.term import URIRef

from ...model.errors import Position, position_field
from ...model.interval_solutions import IntervalSolution
from ...model.pretty_printing import ParsedQuery
from ...rdf.syntax.tree import (
    DatasetClause,
    GroupGraphPattern,
    Prologue,
    SelectQuery,
    TriplePattern,
    UnionPattern,
)

DURATION: Final = "GETDURATION"
START_TIME: Final = "GETSTARTTIME"
END_TIME: Final = "GETENDTIME"
INTERVAL_FUNCTIONS: Final = frozenset({DURATION, START_TIME, END_TIME})
"""The names, as `BuiltIn` has them, of the functions of section 4.1."""


class Operator(StrEnum):
    """The operators of section 4.1; SEQOPTIONAL is the one that section 4.2 argues against."""

    SEQ = "SEQ"
    EQUALS = "EQUALS"
    OPTIONALSEQ = "OPTIONALSEQ"
    EQUALSOPTIONAL = "EQUALSOPTIONAL"
    SEQOPTIONAL = "SEQOPTIONAL"


@dataclass(frozen=True, slots=True)
class TemporalPattern(UnionPattern):
    """P1 OP P2; `alternatives` are its two operands.

    It stands where a UNION may stand, and as with a UNION a solution may bind whatever its operands
    bind. Several operators in a row nest to the left: the left operand is then a group of one
    element, as if it had been written in braces.
    """

    operator: Operator = Operator.SEQ
    position: Position = position_field()

    @property
    def left(self) -> GroupGraphPattern:
        """P1."""
        return self.alternatives[0]

    @property
    def right(self) -> GroupGraphPattern:
        """P2."""
        return self.alternatives[1]


@dataclass(frozen=True, slots=True)
class StreamClause:
    """FROM STREAM <iri>"""

    iri: URIRef
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class Rule:
    """CONSTRUCT { template } WHERE …, as a rule: what it constructs is part of the stream."""

    template: tuple[TriplePattern, ...]
    where: GroupGraphPattern
    position: Position = position_field()


class Form(StrEnum):
    """The query form."""

    SELECT = "SELECT"
    ASK = "ASK"
    DESCRIBE = "DESCRIBE"


@dataclass(frozen=True, slots=True)
class EpsparqlQuery(
    ParsedQuery[IntervalSolution | bool, list[IntervalSolution] | list[bool]]
):
    """A SELECT, ASK or DESCRIBE over the closure of the stream under the rules.

    `select` says which solutions there are: of ASK those of a SELECT that projects nothing, of
    DESCRIBE those of the variables that it names; `described` are the IRIs that it names. It
    is None for a text of rules alone: that returns what they construct. `streams` is empty
    where there is no FROM STREAM, `dataset` None where there is neither FROM nor FROM NAMED: they
    choose the background graphs that belong to the stream, and those that GRAPH can name.
    """

    select: SelectQuery | None
    rules: tuple[Rule, ...] = ()
    streams: tuple[StreamClause, ...] = ()
    dataset: DatasetClause | None = None
    prologue: Prologue = field(default=Prologue(), compare=False)
    form: Form = Form.SELECT
    described: tuple[URIRef, ...] = ()
