"""Strategies for SPAseq queries and for whole cases: query, streams, background, readings, start.

Only combinations that have a meaning are made, so that every generated case is judged.
"""

from __future__ import annotations

from itertools import chain

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import BNode, Variable

from ...semantics.rdf.variables import possible_variables
from ...semantics.spaseq.readings import Readings
from ...semantics.spaseq.syntax import (
    Atom,
    Conjunction,
    Definition,
    Disjunction,
    Extent,
    KleenePlus,
    Negation,
    Operand,
    Operator,
    OptionalEvent,
    Reference,
    SequenceExpression,
    SpaseqQuery,
    Step,
    StreamClause,
    WithinUnit,
)
from ..spaseq_case import atoms, gpm_names
from .choices import among
from .graph_patterns import graph_names, graph_patterns
from .vocabulary import PROLOGUE, STREAMS

GPM_NAMES = ("A", "B", "C", "D", "E")
MICROSECONDS_A_SECOND = 1_000_000

_STEP_COUNTS = st.sampled_from((0, 1, 1, 1, 2, 2, 1, 2, 3))
_OPERATORS = st.sampled_from((Operator.ANY, Operator.NEXT, Operator.STRICT))
_BINARY_AND_PLUS = ("plus", "plus", "plus", "and", "and", "or", "or")
_END_ATOMS = st.sampled_from(("gpm",) * 10 + _BINARY_AND_PLUS + ("not", "optional"))
# A negation says most between two other elements; as an absence it must stand there.
_INNER_ATOMS = st.sampled_from(
    ("gpm",) * 6 + _BINARY_AND_PLUS + ("not", "not", "not", "optional", "optional")
)
_OPERANDS = st.sampled_from(("gpm",) * 12 + ("and", "or", "not", "optional"))
_SIZES = st.sampled_from((2, 2, 2, 2, 3))
_REUSE = st.sampled_from((False,) * 7 + (True,))
_BINARY = st.sampled_from(("or", "and"))
_SLIDING = st.sampled_from(("tumbling", "sliding"))
_RARELY = st.sampled_from((False,) * 5 + (True,))
_STREAM_COUNTS = st.sampled_from((1, 2, 2, 3))


class _Sequence:
    """Draws a sequence expression, naming GPMs A, B, … as they are first met."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw
        self.names: list[str] = []

    def expression(self) -> SequenceExpression:
        count = self.draw(_STEP_COUNTS)
        first = self.atom(_END_ATOMS)
        steps = tuple(
            Step(self.draw(_OPERATORS), self.atom(_END_ATOMS if k == count else _INNER_ATOMS))
            for k in range(1, count + 1)
        )
        return SequenceExpression(first, steps)

    def atom(self, kinds: SearchStrategy[str]) -> Atom:
        kind = self.draw(kinds)
        if kind != "plus":
            return self.operand(kind, depth=2)
        if self.draw(_RARELY):
            operand = self.operand(self.draw(_BINARY), depth=1)
            assert isinstance(operand, Conjunction | Disjunction)
            return KleenePlus(operand)
        return KleenePlus(self.reference())

    def operand(self, kind: str, depth: int) -> Operand:
        match kind:
            case "not":
                return Negation(self.reference())
            case "optional":
                return OptionalEvent(self.reference())
            case "and" | "or" if depth:
                parts = tuple(
                    self.operand(self.draw(_OPERANDS), depth - 1) for _ in range(self.draw(_SIZES))
                )
                return Conjunction(parts) if kind == "and" else Disjunction(parts)
            case _:
                return self.reference()

    def reference(self) -> Reference:
        full = len(self.names) == len(GPM_NAMES)
        if self.names and (full or self.draw(_REUSE)):
            return Reference(self.draw(among(self.names)))
        self.names.append(GPM_NAMES[len(self.names)])
        return Reference(self.names[-1])


@st.composite
def sequence_expressions(draw: DrawFn) -> SequenceExpression:
    """Sequence expressions over the GPM names A, B, …, all operators (SPAseq Def. 4, App. B)."""
    return _Sequence(draw).expression()


@st.composite
def spaseq_queries(draw: DrawFn, *, unit: WithinUnit | None = None) -> SpaseqQuery:
    """SPAseq queries (Def. 4): windows in `unit`, or in any unit if it is None."""
    sequence = draw(sequence_expressions())
    names = list(dict.fromkeys(chain.from_iterable(map(gpm_names, atoms(sequence)))))
    streams = [
        StreamClause(f"S{k}", iri)
        for k, iri in enumerate(STREAMS[: draw(_STREAM_COUNTS)], start=1)
    ]
    definitions: list[Definition] = []
    earlier: set[Variable] = set()
    for position, gpm in enumerate(names):
        # One stream after the other: GPMs on different streams can match at one time.
        preferred = streams[position % len(streams)]
        stream = draw(among([preferred, preferred, preferred, *streams]))
        body = draw(graph_patterns(earlier=sorted(earlier), blank=BNode(f"e{gpm}")))
        definitions.append(Definition(gpm, stream.name, body))
        earlier |= possible_variables(body)
    select: tuple[Variable, ...] | None = None
    if earlier and draw(_RARELY):
        some = st.lists(among(sorted(earlier)), min_size=1, max_size=3, unique=True)
        select = tuple(draw(some))
    if unit is None:
        unit = draw(_UNITS)
    within, slide = draw(_windows(unit))
    return SpaseqQuery(
        select=select,
        within=within,
        streams=tuple(streams),
        sequence=sequence,
        definitions=tuple(definitions),
        slide=slide,
        prologue=PROLOGUE,
    )


_UNITS = st.sampled_from(
    (WithinUnit.INTEGER,) * 6 + (WithinUnit.MICROSECONDS, WithinUnit.EVENTS)
)
# Ten is more than most generated streams last; the others have boundaries inside the stream.
_WITHIN = st.sampled_from((10, 3, 10, 4, 10, 2, 10, 5, 10, 1, 10, 3))
_SLIDE = st.sampled_from((None,) * 9 + (1, 2, 3))


@st.composite
def _windows(draw: DrawFn, unit: WithinUnit) -> tuple[Extent, Extent | None]:
    size = MICROSECONDS_A_SECOND if unit is WithinUnit.MICROSECONDS else 1
    within = Extent(draw(_WITHIN) * size, unit)
    slide = draw(_SLIDE)
    return within, None if slide is None else Extent(slide * size, unit)


# --- readings ------------------------------------------------------------------------------------


@st.composite
def readings_of(draw: DrawFn, query: SpaseqQuery) -> Readings:
    """Readings under which `query` has a meaning; one that cannot matter keeps its default."""
    chosen: dict[str, object] = {"ties": draw(_TIES)}
    everything = list(atoms(query.sequence))
    if any(isinstance(atom, KleenePlus) for atom in everything):
        chosen["kleene"] = draw(_KLEENE)
    if query.slide is not None:
        chosen["window"] = draw(_SLIDING)
    elif query.within.unit is not WithinUnit.EVENTS:
        chosen["window"] = draw(_WINDOW)
    if any(map(_negates, everything)) and absence_is_possible(query.sequence):
        chosen["negation"] = draw(_NEGATION)
    if any(graph_names(definition.pattern) for definition in query.definitions):
        chosen["entailment"] = draw(_ENTAILMENT)
    return Readings.of(chosen)


_TIES = st.sampled_from(("error", "error", "error", "merge", "sequence"))
_KLEENE = st.sampled_from(("last", "join", "collect"))
_WINDOW = st.sampled_from(("tumbling", "tumbling", "tumbling", "tumbling-half-open", "match"))
_ENTAILMENT = st.sampled_from(("none", "none", "rdfs"))
_NEGATION = st.sampled_from(("event", "absence", "absence"))


def absence_is_possible(sequence: SequenceExpression) -> bool:
    """Whether every negation stands between positive elements, and none inside `&` or `|`."""
    everything = list(atoms(sequence))
    ends = (everything[0], everything[-1])
    if any(isinstance(end, Negation | OptionalEvent) for end in ends):
        return False
    return not any(
        _negates(atom) for atom in everything if not isinstance(atom, Negation | OptionalEvent)
    )


def _negates(atom: Atom) -> bool:
    match atom:
        case Negation() | OptionalEvent():
            return True
        case Conjunction(operands) | Disjunction(operands):
            return any(map(_negates, operands))
        case KleenePlus(operand):
            return _negates(operand)
        case _:
            return False
