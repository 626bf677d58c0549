"""Strategies for whole SPAseq cases: a query, streams that it often matches, and how to read it."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rdflib.term import URIRef, Variable

from ...semantics.rdf.syntax import (
    Exists,
    Filter,
    GroupGraphPattern,
    MinusPattern,
    NamedGraphPattern,
    OptionalPattern,
    UnionPattern,
)
from ...semantics.rdf.terms import EMPTY_GRAPH, Graph
from ...semantics.rdf.variables import possible_variables
from ...semantics.spaseq.readings import Readings
from ...semantics.spaseq.syntax import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
    SpaseqQuery,
    WithinUnit,
)
from ...semantics.streams.items import TimeKind
from ..spaseq_case import SpaseqCase, atoms, gpm_names
from .choices import among
from .instances import Usual, background_instance, instance
from .spaseq import readings_of, spaseq_queries
from .streams import instant, streamset_of
from .terms import graphs
from .vocabulary import BACKGROUNDS, name

Event = tuple[int, URIRef, Graph]
"""(tick, stream, graph)"""

UNNAMED = name("s9")
"""A stream that no query names."""

_LEFT_OUT = st.sampled_from((False,) * 29 + (True,))
_GAPS = st.sampled_from((1, 2, 1, 2, 3))
_ROUNDS = st.sampled_from((1, 1, 1, 2))
_REPETITIONS = st.sampled_from((0, 1, 1, 2))
_EXTRA_COUNTS = st.sampled_from((0, 1, 2, 1, 3, 0))
_TICKS = st.integers(0, 7)
_COIN = st.booleans()
_RARELY = st.sampled_from((False,) * 7 + (True,))
_ORIGINS = st.sampled_from((0,) * 7 + (-2,))
_STARTS = st.sampled_from((None,) * 12 + (0, -1, 1))


@st.composite
def spaseq_cases(
    draw: DrawFn, queries: SearchStrategy[SpaseqQuery] | None = None
) -> SpaseqCase:
    """Cases of SPAseq that have a meaning: queries (or those of `queries`) on fitting streams."""
    query = draw(queries if queries is not None else spaseq_queries())
    readings = draw(readings_of(query))
    for _ in range(_ATTEMPTS):
        case = _on_some_data(draw, query, readings)
        if case.denotation():
            break
    return case


_ATTEMPTS = 2
"""Data on which nothing matches are drawn anew, at most so often."""


def _on_some_data(draw: DrawFn, query: SpaseqQuery, readings: Readings) -> SpaseqCase:
    unit = query.within.unit
    kind = TimeKind.DATETIME if unit is WithinUnit.MICROSECONDS else TimeKind.INTEGER
    usual: Usual = {}
    events = _Script(draw, query, readings, usual).events() + _extra_events(draw, query, usual)
    origin = draw(_ORIGINS)
    # Σ(u) = ∅ for a stream that the query names and that is not there (SPAseq, before Def. 7).
    present = [clause.iri for clause in query.streams if not draw(_RARELY)]
    streams = streamset_of(
        [(tick + origin, stream, graph) for tick, stream, graph in events],
        present,
        kind=kind,
        ties=readings.ties,
    )
    start = draw(_STARTS)
    return SpaseqCase(
        query=query,
        streams=streams,
        kb=_background(draw, query, usual),
        readings=readings,
        start=None if start is None else instant(start + origin, kind),
    )


class _Script:
    """Events in the order in which the query's sequence asks for them."""

    def __init__(
        self, draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
    ) -> None:
        self.draw = draw
        self.usual = usual
        self.query = query
        self.absence = readings.negation == "absence"
        self.tick = 0
        self.script: list[Event] = []

    def events(self) -> list[Event]:
        for _ in range(self.draw(_ROUNDS)):
            for atom in atoms(self.query.sequence):
                self.act(atom)
                self.tick += self.draw(_GAPS)
        return self.script

    def act(self, atom: Atom) -> None:
        """Events that make the atom match, at the present tick or from it on."""
        match atom:
            case Reference(gpm):
                self.event(gpm)
            case KleenePlus(operand):
                self.act(operand)
                for _ in range(self.draw(_REPETITIONS)):
                    self.tick += 1
                    self.forget(operand)
                    self.act(operand)
            case Conjunction(operands):
                earlier, self.script = self.script, []
                for part in operands:
                    self.act(part)
                self.script = earlier + _simultaneous(self.script)
            case Disjunction(operands):
                self.act(self.draw(among(operands)))
            case OptionalEvent(Reference(gpm)):
                if self.draw(_COIN):
                    self.non_event(gpm)
                else:
                    self.event(gpm)
            case Negation(Reference(gpm)):
                self.non_event(gpm)

    def forget(self, operand: Atom) -> None:
        """Iterations of a Kleene plus often bind a variable to different terms."""
        if self.draw(_COIN):
            for gpm in gpm_names(operand):
                for variable in possible_variables(self.query.definition(gpm).pattern):
                    self.usual.pop(variable, None)

    def non_event(self, gpm: str) -> None:
        """An event of the GPM's stream that it probably does not match."""
        if not self.absence and not self.draw(_LEFT_OUT):
            stream = self.query.stream_iri(self.query.definition(gpm).stream)
            self.script.append((self.tick, stream, self.draw(graphs(stream, max_size=1))))

    def event(self, gpm: str) -> None:
        if not self.draw(_LEFT_OUT):
            self.script.append((self.tick, *_instance(self.draw, self.query, gpm, self.usual)))


def _simultaneous(events: list[Event]) -> list[Event]:
    """One event of each stream, with all that the conjunction asks of it."""
    graphs_of: dict[tuple[int, URIRef], Graph] = {}
    for tick, stream, graph in events:
        graphs_of[tick, stream] = graphs_of.get((tick, stream), EMPTY_GRAPH) | graph
    return [(tick, stream, graph) for (tick, stream), graph in graphs_of.items()]


def _instance(
    draw: DrawFn, query: SpaseqQuery, gpm: str, usual: Usual
) -> tuple[URIRef, Graph]:
    definition = query.definition(gpm)
    stream = query.stream_iri(definition.stream)
    return stream, instance(draw, definition.pattern, stream, usual)


def _extra_events(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> list[Event]:
    count = draw(_EXTRA_COUNTS)
    return [_extra_event(draw, query, usual) for _ in range(count)]


def _extra_event(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> Event:
    tick = draw(_TICKS)
    named = [clause.iri for clause in query.streams]
    if draw(_COIN):
        stream = draw(among([*named, UNNAMED]))
        return tick, stream, draw(graphs(stream, max_size=2))
    gpm = draw(among([definition.name for definition in query.definitions]))
    if draw(_COIN):
        usual = {}
    return tick, *_instance(draw, query, gpm, usual)


# --- background ----------------------------------------------------------------------------------


def _background(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> dict[URIRef, Graph]:
    asked = {g for d in query.definitions for g in graph_names(d.pattern)}
    kb: dict[URIRef, Graph] = {}
    for graph_name in BACKGROUNDS:
        wanted = graph_name in asked or (graph_name == BACKGROUNDS[0] and Variable("g") in asked)
        if not wanted and not draw(_RARELY):
            continue
        made = [
            background_instance(draw, definition.pattern, graph_name, usual)
            for definition in query.definitions
            if graph_names(definition.pattern)
        ]
        kb[graph_name] = frozenset().union(*made, draw(graphs(graph_name, max_size=2)))
    return kb


def graph_names(pattern: GroupGraphPattern) -> set[URIRef | Variable]:
    """The names (or variables) that stand behind GRAPH, at any depth."""
    names: set[URIRef | Variable] = set()
    for element in pattern.elements:
        match element:
            case NamedGraphPattern(graph_name, inner):
                names |= {graph_name} | graph_names(inner)
            case OptionalPattern(inner) | MinusPattern(inner) | Filter(Exists(inner)):
                names |= graph_names(inner)
            case UnionPattern(alternatives):
                for alternative in alternatives:
                    names |= graph_names(alternative)
            case _:
                pass
    return names
