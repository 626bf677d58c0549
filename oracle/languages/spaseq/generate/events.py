"""Strategies for the events of a case: those that its query's sequence asks for, and others."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from rdflib.term import URIRef

from .....semantics.model.terms import EMPTY_GRAPH, Graph
from .....semantics.model.trees import triple_key
from .....semantics.rdf.syntax.variables import possible_variables
from .....semantics.spaseq.syntax.readings import Readings
from .....semantics.spaseq.syntax.tree import (
    Atom,
    Conjunction,
    Disjunction,
    KleenePlus,
    Negation,
    OptionalEvent,
    Reference,
    SpaseqQuery,
)
from ....fuzzing.strategies.choices import among
from ....fuzzing.strategies.instances import Usual, instance
from ....fuzzing.strategies.terms import graphs
from ....fuzzing.strategies.vocabulary import name
from ..case import atoms, gpm_names

Event: TypeAlias = tuple[int, URIRef, Graph]
"""(tick, stream, graph)"""

Role: TypeAlias = Literal["positive", "negated", "optional"]

UNNAMED = name("s9")
"""A stream that no query names."""

_GAPS = st.sampled_from((1, 2, 1, 2, 3, None))
_ROUNDS = st.sampled_from((1, 1, 1, 2))
_REPETITIONS = st.sampled_from((0, 1, 1, 2))
_TICKS = st.integers(0, 7)
_COIN = st.booleans()
# An event is left out as soon as it may be; "double" matches in two ways, "heads" is what a
# negation or an option looks at.
_LOOKS = st.sampled_from(("left out", *("", "heads") * 9, "double", "double heads"))
_EXTRA_KINDS = st.sampled_from(("noise", "noise", "usual", "fresh"))
_EXTRA_COUNTS = st.sampled_from((0, 1, 0, 2, 0, 3))


def scripted_events(
    draw: DrawFn, query: SpaseqQuery, readings: Readings, usual: Usual
) -> list[Event]:
    """Events in the order in which the query's sequence asks for them."""
    return _Script(draw, query, readings, usual).events()


def extra_events(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> list[Event]:
    """A few events at any time, in any stream."""
    return [draw(_extra_event(query, usual)) for _ in range(draw(_EXTRA_COUNTS))]


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
            case Negation(Reference(gpm)):
                self.event(gpm, "negated")
            case OptionalEvent(Reference(gpm)):
                self.event(gpm, "optional")

    def event(self, gpm: str, role: Role = "positive") -> None:
        """An event that the GPM matches; or an event that it does not, one triple short of it.

        Under `negation=absence`, now and then the event that should not be there.
        """
        looks = self.draw(_LOOKS).split()
        stream, graph = _instance(self.draw, self.query, gpm, self.usual)
        if "double" in looks:
            graph |= _instance(self.draw, self.query, gpm, {})[1]
        negated = role == "negated" or (role == "optional" and "heads" in looks)
        if negated and not self.absence:
            graph = frozenset(sorted(graph, key=triple_key)[1:])
        expected = role == "positive" or not self.absence or "heads" in looks
        if expected and looks != ["left", "out"]:
            self.script.append((self.tick, stream, graph))

    def forget(self, operand: Atom) -> None:
        """Iterations of a Kleene plus often bind a variable to different terms."""
        if self.draw(_COIN):
            for gpm in gpm_names(operand):
                for variable in possible_variables(self.query.definition(gpm).pattern):
                    self.usual.pop(variable, None)

    def pause(self) -> None:
        """Time goes on; now and then another event comes in between."""
        gap = self.draw(_GAPS)
        if gap is None:
            gap = 2
            stream = self.draw(_streams(self.query))
            self.script.append((self.tick + 1, stream, self.draw(graphs(stream, max_size=1))))
        self.tick += gap


def _simultaneous(events: list[Event]) -> list[Event]:
    """One event of each stream, with all that the conjunction asks of it."""
    graphs_of: dict[tuple[int, URIRef], Graph] = {}
    for tick, stream, graph in events:
        graphs_of[tick, stream] = graphs_of.get((tick, stream), EMPTY_GRAPH) | graph
    return [(tick, stream, graph) for (tick, stream), graph in graphs_of.items()]


@st.composite
def _extra_event(draw: DrawFn, query: SpaseqQuery, usual: Usual) -> Event:
    kind, tick = draw(_EXTRA_KINDS), draw(_TICKS)
    if kind == "noise":
        stream = draw(_streams(query))
        return tick, stream, draw(graphs(stream, max_size=2))
    gpm = draw(among([definition.name for definition in query.definitions]))
    return tick, *_instance(draw, query, gpm, usual if kind == "usual" else {})


def _streams(query: SpaseqQuery) -> st.SearchStrategy[URIRef]:
    return among([*(clause.iri for clause in query.streams), UNNAMED, UNNAMED])


def _instance(
    draw: DrawFn, query: SpaseqQuery, gpm: str, usual: Usual
) -> tuple[URIRef, Graph]:
    definition = query.definition(gpm)
    stream = query.stream_iri(definition.stream)
    return stream, instance(draw, definition.pattern, stream, usual)
