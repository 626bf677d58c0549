"""The syntax tree of RSEP-QL queries (RSEP-QL, section 3).

    Query   ::= SPARQL query form over (FROM …, windows), a stream operator, a consumption policy
    Window  ::= [RANGE α STEP β] | [FROM t0] | [BETWEEN t' AND t''] | [ALL] | [ELEMENTS n STEP m]
              | Window OF Window
    P       ::= SPARQL's group graph patterns | WINDOW w { P } | MATCH { E }
    E       ::= EVENT w { P } | FIRST E | LAST E | E SEQ E | E SEQN E | E SEQC E | E SEQR E

The query form is SPARQL's own tree; WINDOW and MATCH are elements of its groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from rdflib.term import URIRef, Variable

from ...model.errors import Position, position_field
from ...model.items import TimeKind
from ...model.pretty_printing import ParsedQuery
from ...model.stream_operator import StreamOperator as StreamOperator
from ...model.trees import outermost
from ...rdf.syntax.tree import EmbeddedPattern, GroupGraphPattern, Prologue, SparqlQuery
from ...rdf.syntax.variables import in_scope
from .results import TimedAnswer

# --- times ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant of T, or a length of time: in the unit of streams of this kind.

    Integers fit integer streams; dateTimes and durations are kept in microseconds.
    """

    value: int
    kind: TimeKind = TimeKind.INTEGER
    position: Position = position_field()


# --- window functions (Def. 3) -------------------------------------------------------------------


class Bounds(StrEnum):
    """The ends of a time-based window that belong to it."""

    OPEN_CLOSED = "open closed"  # (t' − α, t'], the paper's
    CLOSED_OPEN = "closed open"
    CLOSED_CLOSED = "closed closed"
    OPEN_OPEN = "open open"


@dataclass(frozen=True, slots=True)
class TimeBasedWindow:
    """W^τ[(α, β)], `[RANGE α STEP β]`: the last α time units, every β.

    Without STEP, β is one unit of time. `start` is the instant t0 that steps are counted from
    (`START t0`; the paper's is 0, written None).
    """

    width: Moment
    step: Moment | None = None
    start: Moment | None = None
    bounds: Bounds = Bounds.OPEN_CLOSED


@dataclass(frozen=True, slots=True)
class LandmarkWindow:
    """W^λ[(t0)], `[FROM t0]`: everything since t0."""

    start: Moment


@dataclass(frozen=True, slots=True)
class IntervalWindow:
    """W^⊔[(t', t'')], `[BETWEEN t' AND t'']`: what lies in [t', t'']"""

    first: Moment
    last: Moment


@dataclass(frozen=True, slots=True)
class IdentityWindow:
    """W^id, `[ALL]`: the whole stream."""


@dataclass(frozen=True, slots=True)
class CountWindow:
    """`[ELEMENTS n STEP m]`: the last n items, every m items (1 where STEP is left out)"""

    size: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class NestedWindow:
    """W1 • W2, `W1 OF W2`: W1 over the content of W2.

    • is associative: `outer` is never a NestedWindow, as in the parser's trees.
    """

    outer: WindowFunction
    inner: WindowFunction

    def __post_init__(self) -> None:
        if isinstance(self.outer, NestedWindow):
            first, second = self.outer.outer, self.outer.inner
            object.__setattr__(self, "outer", first)
            object.__setattr__(self, "inner", NestedWindow(second, self.inner))


WindowFunction: TypeAlias = (
    TimeBasedWindow | LandmarkWindow | IntervalWindow | IdentityWindow | CountWindow | NestedWindow
)


@dataclass(frozen=True, slots=True)
class WindowClause:
    """FROM NAMED WINDOW name ON stream [ … ]: (w_j, W_j(S_ℓ)) of the streaming dataset (Def. 4).

    `stream` is None where ON is left out: the only stream there is. `in_default` says that it was
    written FROM WINDOW: its snapshot is a part of the default graph as well. `name` is None for
    such a window that has no name.
    """

    name: URIRef | None
    stream: URIRef | None
    function: WindowFunction
    in_default: bool = False
    position: Position = position_field()


# --- event patterns (3.3) ------------------------------------------------------------------------


class SequenceOperator(StrEnum):
    """SEQ (7), SEQ^n (9), SEQ^c (10) and SEQ^r (11)."""

    UNRESTRICTED = "SEQ"
    NAIVE = "SEQN"
    CHRONOLOGICAL = "SEQC"
    RECENT = "SEQR"


@dataclass(frozen=True, slots=True)
class Event:
    """EVENT w { P }, a basic event pattern."""

    window: URIRef
    pattern: GroupGraphPattern
    position: Position = position_field()


@dataclass(frozen=True, slots=True)
class First:
    """FIRST E."""

    operand: EventPattern


@dataclass(frozen=True, slots=True)
class Last:
    """LAST E."""

    operand: EventPattern


@dataclass(frozen=True, slots=True)
class Sequence:
    """E1 SEQ E2, E1 SEQN E2, E1 SEQC E2, E1 SEQR E2."""

    operator: SequenceOperator
    left: EventPattern
    right: EventPattern


EventPattern: TypeAlias = Event | First | Last | Sequence


# --- graph patterns (3.3) ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WindowPattern(EmbeddedPattern):
    """WINDOW w { P }; a variable ranges over the names of the windows."""

    name: URIRef | Variable
    pattern: GroupGraphPattern
    position: Position = position_field()

    def variables(self) -> tuple[Variable, ...]:
        name = (self.name,) if isinstance(self.name, Variable) else ()
        return (*name, *in_scope(self.pattern))

    def groups(self) -> tuple[GroupGraphPattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, slots=True)
class MatchPattern(EmbeddedPattern):
    """MATCH { E }, an event graph pattern."""

    event: EventPattern
    position: Position = position_field()

    def variables(self) -> tuple[Variable, ...]:
        return tuple(dict.fromkeys(v for group in self.groups() for v in in_scope(group)))

    def groups(self) -> tuple[GroupGraphPattern, ...]:
        return tuple(event.pattern for event in outermost(self.event, Event))


# --- queries (Def. 5) ----------------------------------------------------------------------------


class ConsumptionPolicy(StrEnum):
    """𝒫^u, 𝒫^c and 𝒫^r (Def. 10)."""

    UNRESTRICTED = "UNRESTRICTED"
    CHRONOLOGICAL = "CHRONOLOGICAL"
    RECENT = "RECENT"


@dataclass(frozen=True, slots=True)
class RsepqlQuery(ParsedQuery[TimedAnswer, list[TimedAnswer]]):
    """Q = (SE, SDS, ET, QF): everything but ET, which is not the query's to say.

    `form` is SE and QF, with the FROM and FROM NAMED clauses for graphs; `windows` are those for
    windows; `output` is the name of REGISTER.
    """

    form: SparqlQuery
    windows: tuple[WindowClause, ...] = ()
    operator: StreamOperator = StreamOperator.RSTREAM
    consumption: ConsumptionPolicy = ConsumptionPolicy.UNRESTRICTED
    output: URIRef | None = None
    prologue: Prologue = field(default=Prologue(), compare=False)

    def window(self, name: URIRef) -> WindowClause:
        """Return the window of this name; the parser has checked that there is one."""
        return next(clause for clause in self.windows if clause.name == name)
