"""Strategies for the events of a case: those that its query's sequence asks for, and others."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import URIRef

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
)
from ..spaseq_case import atoms, gpm_names
from .choices import among
from .instances import Usual, instance
from .terms import graphs
from .vocabulary import name

Event: TypeAlias = tuple[int, URIRef, Graph]
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
_RARELY = st.sampled_from((False,) * 5 + (True,))


def scripted_events(
    draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
) -> list[Event]:
    """Events in the order in which the query's sequence asks for them."""
    return _Script(draw, query, readings, usual).events()


def extra_events(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> list[Event]:
    """A few events at any time, in any stream."""
    return [_extra_event(draw, query, usual) for _ in range(draw(_EXTRA_COUNTS))]


class _Script:
    def __init__(
        self, draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
    ) -> None:
        self.draw = draw
        self.query = query
        self.absence = readings.negation == "absence"
        self.usual = usual
        self.tick = 0
        self.script: list[Event] = []

    def events(self) -> list[Event]:
        for _ in range(self.draw(_ROUNDS)):
            for atom in atoms(self.query.sequence):
                self.act(atom)
                self.pause()
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

    def event(self, gpm: str) -> None:
        if not self.draw(_LEFT_OUT):
            stream, graph = _instance(self.draw, self.query, gpm, self.usual)
            if self.draw(_RARELY):  # so that Ω has several mappings
                graph |= _instance(self.draw, self.query, gpm, {})[1]
            self.script.append((self.tick, stream, graph))

    def non_event(self, gpm: str) -> None:
        """An event of the GPM's stream that it probably does not match; as an absence, one that
        should not be there."""
        if self.absence:
            if self.draw(_COIN):
                self.event(gpm)
        elif not self.draw(_LEFT_OUT):
            stream = self.query.stream_iri(self.query.definition(gpm).stream)
            self.script.append((self.tick, stream, self.draw(graphs(stream, max_size=1))))

    def forget(self, operand: Atom) -> None:
        """Iterations of a Kleene plus often bind a variable to different terms."""
        if self.draw(_COIN):
            for gpm in gpm_names(operand):
                for variable in possible_variables(self.query.definition(gpm).pattern):
                    self.usual.pop(variable, None)

    def pause(self) -> None:
        """Time goes on; now and then another event comes in between."""
        gap = self.draw(_GAPS)
        if gap > 1 and self.draw(_RARELY):
            stream = self.draw(_streams(self.query))
            self.script.append((self.tick + 1, stream, self.draw(graphs(stream, max_size=1))))
        self.tick += gap


def _simultaneous(events: list[Event]) -> list[Event]:
    """One event of each stream, with all that the conjunction asks of it."""
    graphs_of: dict[tuple[int, URIRef], Graph] = {}
    for tick, stream, graph in events:
        graphs_of[tick, stream] = graphs_of.get((tick, stream), EMPTY_GRAPH) | graph
    return [(tick, stream, graph) for (tick, stream), graph in graphs_of.items()]


def _extra_event(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> Event:
    tick = draw(_TICKS)
    if draw(_COIN):
        stream = draw(_streams(query))
        return tick, stream, draw(graphs(stream, max_size=2))
    gpm = draw(among([definition.name for definition in query.definitions]))
    return tick, *_instance(draw, query, gpm, {} if draw(_COIN) else usual)


def _streams(query: SpaseqQuery) -> st.SearchStrategy[URIRef]:
    return among([*(clause.iri for clause in query.streams), UNNAMED, UNNAMED])


def _instance(
    draw: DrawFn, query: SpaseqQuery, gpm: str, usual: Usual
) -> tuple[URIRef, Graph]:
    definition = query.definition(gpm)
    stream = query.stream_iri(definition.stream)
    return stream, instance(draw, definition.pattern, stream, usual)
